// The verb `graph`: prints or draws the graph or a part of it.

#include <algorithm>
#include <map>
#include <set>

#include "shell/commands/base/command.h"
#include "shell/commands/base/graph_report.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/explain/export.h"
#include "shell/explain/scope_tree.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/graphs.h"
#include "shell/session/pager.h"
#include "shell/tensorflow/graph/needs.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxLines = 60;    // in a pipe, and of a flat list
constexpr size_t kMostRows = 1000;  // in a tree in which the user opened scopes
constexpr size_t kHangingIndent = 4, kLevelIndent = 2;
constexpr size_t kOtherLines = 3;  // of the screen: the command, the last line and the next prompt
constexpr size_t kFewestRows = 8;
constexpr size_t kNamed = 4, kMostInputs = 6;

// Returns a line of the graph as it looks in the terminal: "mul = Mul(a, b) f32[2] cpu:0".
std::string PaintedLine(const std::string& line, const Palette& palette) {
  const size_t op = line.find(" = "), open = line.find('(', op), close = line.find(')', open);
  if (palette.plain() || close == std::string::npos) return line;
  const size_t type = line.find(' ', close + 1);
  std::string out = palette.Paint(Role::kTensor, line.substr(0, op)) + " = " +
                    palette.Paint(Role::kOp, line.substr(op + 3, open - op - 3)) +
                    line.substr(open, close + 1 - open);
  if (type == std::string::npos) return out;
  const std::string tail = line.substr(type + 1);
  // A device contains a colon, a type does not.
  const size_t last = tail.rfind(' ') + 1;
  const size_t device = tail.find(':', last) == std::string::npos ? tail.size() : last;
  out += " " + palette.Paint(Role::kDtype, tail.substr(0, device));
  if (device == tail.size()) return out;
  return out + palette.Paint(DeviceRole(tail.substr(device)), tail.substr(device));
}

// Returns a node and the nodes that it depends on, in graph order.
std::vector<tsh_node> Ancestors(const GraphHandle& graph, tsh_node root) {
  tsh_run run{};
  run.targets = &root;
  run.n_targets = 1;
  const std::vector<bool> needed = tf::NeededNodes(graph, run);
  std::vector<tsh_node> nodes;
  for (tsh_node n = 0; n < needed.size(); ++n)
    if (needed[n]) nodes.push_back(n);
  return nodes;
}

// The nodes that are printed, as a tree by name scope.
class TreeText {
 public:
  TreeText(const GraphHandle& graph, const std::vector<tsh_node>& nodes, const Palette& palette)
      : graph_(graph), nodes_(nodes), palette_(palette) {
    for (const tsh_node node : nodes) names_.emplace_back(graph.NodeName(node));
  }

  bool HasScope(std::string_view scope) const { return shell::HasScope(names_, scope); }

  // Returns false if there is nothing to fold.
  bool Fold(const std::vector<std::string>& open, size_t max_rows) {
    rows_ = FoldScopes(names_, open, max_rows);
    FindSources();
    return std::any_of(rows_.rows.begin(), rows_.rows.end(),
                       [](const TreeRow& row) { return !row.scope.empty(); });
  }

  std::string Draw(size_t width) const {
    std::string out;
    const size_t shown = std::min(rows_.rows.size(), kMostRows);
    for (size_t r = 0; r < shown; ++r) {
      const size_t indent = rows_.rows[r].depth * kLevelIndent;
      out += WrapHanging(std::string(indent, ' ') + Line(r), width, indent + kHangingIndent) + "\n";
    }
    if (const size_t more = rows_.rows.size() - shown + rows_.left_out; more > 0)
      out += "… " + Count(static_cast<int64_t>(more), "more row") + "\n";
    return out;
  }

  // Returns the folded scope with the most nodes, or "".
  std::string Largest() const {
    const TreeRow* largest = nullptr;
    for (const TreeRow& row : rows_.rows)
      if (!row.scope.empty() && !row.open && (largest == nullptr || row.below > largest->below))
        largest = &row;
    return largest == nullptr ? "" : largest->scope;
  }

 private:
  std::string Line(size_t r) const {
    const TreeRow& row = rows_.rows[r];
    std::string own;
    if (row.node != SIZE_MAX) {
      own = NodeLine(graph_, nodes_[row.node], {row.within, kMostInputs});
      own.replace(0, Visible(names_[row.node]).size(), Visible(row.label));
      own = PaintedLine(own, palette_);
    }
    if (row.scope.empty()) return own;
    std::string line = (row.open ? "▾ " : "▸ ");
    line += own.empty() ? palette_.Paint(Role::kTensor, Visible(row.label) + "/") : own;
    std::string note =
        (own.empty() ? "  " : "  and ") + Count(static_cast<int64_t>(row.below), "node");
    if (!row.open) note += OpsOf(r) + SourcesOf(r);
    return line + palette_.Paint(Role::kNote, note);
  }

  // Returns ": 8 Const, 4 MatMul, …" for the nodes of a folded scope.
  std::string OpsOf(size_t r) const {
    std::vector<std::pair<int64_t, std::string>> by_count;
    for (const auto& [op, count] : ops_[r]) by_count.emplace_back(-count, op);
    std::sort(by_count.begin(), by_count.end());
    std::vector<std::string> parts;
    for (size_t i = 0; i < by_count.size() && i < kNamed; ++i)
      parts.push_back(Digits(-by_count[i].first) + " " + Visible(by_count[i].second));
    if (by_count.size() > kNamed) parts.emplace_back("…");
    return parts.empty() ? "" : ": " + Join(parts, ", ");
  }

  // Returns " ← x, dense/" for the rows from which a folded scope takes values.
  std::string SourcesOf(size_t r) const {
    std::vector<std::string> parts;
    for (const size_t source : sources_[r]) {
      const TreeRow& row = rows_.rows[source];
      if (parts.size() == kNamed) {
        parts.emplace_back("…");
        break;
      }
      parts.push_back(row.scope.empty() ? Visible(names_[row.node]) : Visible(row.scope) + "/");
    }
    return parts.empty() ? "" : " ← " + Join(parts, ", ");
  }

  // Collects the ops and the sources of the folded scopes.
  void FindSources() {
    sources_.assign(rows_.rows.size(), {});
    ops_.assign(rows_.rows.size(), {});
    std::vector<size_t> index(graph_.size(), SIZE_MAX);
    for (size_t n = 0; n < nodes_.size(); ++n) index[nodes_[n]] = n;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      const size_t to = rows_.row_of[n];
      if (to == SIZE_MAX || rows_.rows[to].scope.empty() || rows_.rows[to].open) continue;
      if (n != rows_.rows[to].node) ++ops_[to][std::string(ShownOp(graph_, nodes_[n]))];
      for (const tsh_output input : graph_.Inputs(nodes_[n])) {
        const size_t from =
            index[input.node] == SIZE_MAX ? SIZE_MAX : rows_.row_of[index[input.node]];
        if (from != SIZE_MAX && from != to) sources_[to].insert(from);
      }
    }
  }

  const GraphHandle& graph_;
  const std::vector<tsh_node>& nodes_;
  const Palette palette_;
  std::vector<std::string_view> names_;
  ScopeRows rows_;
  std::vector<std::set<size_t>> sources_;            // by row
  std::vector<std::map<std::string, int64_t>> ops_;  // by row
};

// The nodes that one call of the verb prints.
struct ShownNodes {
  GraphHandle graph;
  std::vector<tsh_node> nodes;
  std::string text;               // as typed, without open=SCOPE
  std::vector<std::string> open;  // scopes
  bool is_scope = false;          // the text is the name of a scope
};

// Returns the scope that the text names, or "". A variable or a node of that name takes precedence,
// but "layer/" is always a scope.
std::string ScopeNamed(const GraphHandle& graph, const std::vector<tsh_node>& nodes,
                       std::string_view text) {
  std::string_view scope = text;
  while (scope.ends_with('/')) scope.remove_suffix(1);
  if (scope.size() == text.size() && !FindByName(text).is_null()) return "";
  return !scope.empty() && TreeText(graph, nodes, Palette()).HasScope(scope) ? std::string(scope)
                                                                             : "";
}

ShownNodes ShownBy(CommandCall& call) {
  Shell& shell = call.shell();
  const std::string_view text = call.text();
  ShownNodes shown{.graph = CurrentGraph(), .nodes = {}, .text = {}, .open = call.open()};
  shown.text = text;
  for (size_t n = 0; n < shell.versions().Visible(shown.graph); ++n)
    shown.nodes.push_back(static_cast<tsh_node>(n));
  if (text.empty()) return shown;
  const bool variable = !shell.interp().GetGlobal(text).is_null();
  const std::string scope = variable ? "" : ScopeNamed(shown.graph, shown.nodes, text);
  if (scope.empty()) {
    const Fetch root = EvalNode(shell, text);
    shown.graph = root.graph;
    shown.nodes = Ancestors(shown.graph, root.node);
    return shown;
  }
  shown.is_scope = true;
  shown.open.insert(shown.open.begin(), scope);
  std::erase_if(shown.nodes, [&](tsh_node node) {
    const std::string_view name = shown.graph.NodeName(node);
    return name != scope &&
           !(name.starts_with(scope) && name.substr(scope.size()).starts_with('/'));
  });
  return shown;
}

// Throws LookupError if the user opens a scope that does not exist.
void CheckOpen(const TreeText& tree, const ShownNodes& shown) {
  for (const std::string& scope : shown.open)
    if (!tree.HasScope(scope))
      throw MakeError(kLookupError, "no node is in a scope " + scope)
          .Type("graph " + shown.text + (shown.text.empty() ? "" : " ") + "--scopes");
}

// Returns the note below the tree: the number of nodes, and commands that show more. A command is
// never broken over two lines.
std::string TreeNote(const ShownNodes& shown, const TreeText& tree, size_t width) {
  const std::string again = "graph " + shown.text + (shown.text.empty() ? "" : " ");
  std::string note = " " + Count(static_cast<int64_t>(shown.nodes.size()), "node");
  if (const std::string largest = tree.Largest(); !largest.empty()) {
    std::string open = "open one: " + again;
    for (size_t i = shown.is_scope ? 1 : 0; i < shown.open.size(); ++i)
      open += "open=" + Visible(shown.open[i]) + " ";
    open += "open=" + Visible(largest);
    note += ", folded by name scope (▸)";
    const bool fits = width == 0 || TextWidth(note) + 2 + TextWidth(open) <= width;
    note += (fits ? "; " : "\n ") + open;
  }
  return note + "\n list all nodes: " + again + "--all";
}

// Prints the tree if it was requested or if the list would not fit. Otherwise returns false.
bool PrintTree(CommandCall& call, const ShownNodes& shown) {
  Shell& shell = call.shell();
  const size_t screen = call.file().empty() && shell.options().interactive ? ScreenRows() : 0;
  const size_t fits =
      screen == 0 ? kMaxLines : std::max(screen, kFewestRows + kOtherLines) - kOtherLines;
  const bool asked = call.Has("--scopes") || !shown.open.empty();
  if (call.Has("--all") || (!asked && shown.nodes.size() <= std::min(fits, kMaxLines)))
    return false;
  TreeText tree(shown.graph, shown.nodes, shell.out().palette());
  CheckOpen(tree, shown);
  const size_t width = shell.out().width();
  size_t max_rows = fits;
  if (!tree.Fold(shown.open, max_rows) && !asked) return false;
  std::string out = tree.Draw(width);
  // A long line takes several rows of the screen, so the number of rows is reduced until the tree
  // fits.
  for (int tries = 0; tries < 4 && LinesOnScreen(out, width) > fits && max_rows > kFewestRows;
       ++tries) {
    max_rows = std::max(kFewestRows, max_rows * fits / LinesOnScreen(out, width));
    tree.Fold(shown.open, max_rows);
    out = tree.Draw(width);
  }
  shell.out().Print(out + shell.out().palette().Paint(Role::kNote, TreeNote(shown, tree, width)) +
                    "\n");
  return true;
}

void PrintList(CommandCall& call, const ShownNodes& shown) {
  Shell& shell = call.shell();
  const size_t lines =
      call.Has("--all") ? shown.nodes.size() : std::min(shown.nodes.size(), kMaxLines);
  const Palette palette = shell.out().palette();
  std::string out;
  for (size_t i = 0; i < lines; ++i)
    out += WrapHanging(PaintedLine(NodeLine(shown.graph, shown.nodes[i]), palette),
                       shell.out().width(), kHangingIndent) +
           "\n";
  if (lines < shown.nodes.size())
    out += "… " + Count(static_cast<int64_t>(shown.nodes.size() - lines), "more line") +
           "; see all: graph " + shown.text + (shown.text.empty() ? "" : " ") + "--all\n";
  if (shown.nodes.empty())
    shell.out().Note(" the graph is empty; a = tf.constant([1., 2.]) adds a node");
  shell.out().Print(out);
}

// Returns the graph as JSON, as the runtime writes it. The runtime knows the result of a Python
// function as a placeholder, which is named here.
std::string WholeGraphJson(const GraphHandle& graph) {
  std::string json = TakeText(tsh_graph_json(graph.get()));
  const std::string_view op = "\"op\":\"Placeholder\"";
  size_t at = 0;
  for (size_t n = 0; n < graph.size(); ++n) {
    const auto node = static_cast<tsh_node>(n);
    if (std::string_view(graph.NodeOp(node)) != "Placeholder") continue;
    at = json.find(op, at);
    if (at == json.npos) break;
    if (ShownOp(graph, node) == "PyFunc") json.replace(at, op.size(), "\"op\":\"PyFunc\"");
    ++at;
  }
  return json;
}

// Prints the nodes as text. A client that displays drawings gets one too.
void PrintText(CommandCall& call, const ShownNodes& shown, const ViewOptions& view) {
  Output& out = call.shell().out();
  const auto print = [&] {
    if (!PrintTree(call, shown)) PrintList(call, shown);
  };
  if (Display::Current() == nullptr || out.capturing() || shown.nodes.empty()) return print();
  out.PrintRich(out.Capture(print), "image/svg+xml",
                [&] { return RenderSvg(GraphReport(shown.graph, shown.nodes), view); });
}

void RunGraph(CommandCall& call) {
  Shell& shell = call.shell();
  if (call.text().empty() && call.json() && !shell.versions().earlier())
    return shell.out().PrintLine(WholeGraphJson(CurrentGraph()));
  const ShownNodes shown = ShownBy(call);
  if (call.json()) return shell.out().PrintLine(NodesJson(shown.graph, shown.nodes));
  ViewOptions view{.request = shown.text};
  view.open = shown.open;
  if (call.Has("--all")) view.max_rows = 0;
  if (call.Has("--svg") || call.Has("--html") || call.Has("--dot")) {
    const Report report = GraphReport(shown.graph, shown.nodes);
    if (call.Has("--dot")) return shell.out().Print(RenderDot(report, view));
    const bool svg = call.Has("--svg");
    const std::string text = svg ? RenderSvg(report, view) : RenderHtml(report, view);
    return shell.out().PrintRich(text, svg ? "image/svg+xml" : "text/html", [&] { return text; });
  }
  PrintText(call, shown, view);
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nc = tf.log(a, "
     "name=\"c\")\ngraph b",
     "a = Const() f32[2]\nb = Exp(a) f32[2]\n"},
};

}  // namespace

void RegisterCommand_graph(CommandRegistry& r) {
  r.Add({.name = "graph",
         .usage = "graph [EXPR|SCOPE] [open=SCOPE] [--scopes] [--all] [--json] [--dot] [--svg] "
                  "[--html] [> FILE]",
         .summary = "Print the graph, the nodes EXPR depends on, or a name scope: name = "
                    "Op(inputs) type[shape] "
                    "device.",
         .help =
             "A graph that does not fit on the screen, or in 60 lines if the output is a pipe, "
             "is printed as a tree by name\nscope, in which small scopes are open. open=SCOPE "
             "opens another scope, `graph SCOPE` prints only that scope,\n--scopes prints the "
             "tree of a small graph too, and --all lists every node. In the tree, names are "
             "relative to\nthe scope around them, and … stands for that scope. --dot, "
             "--svg and --html draw the graph, as in `graph X > x.html`: a page in which\nscopes "
             "open, for a browser without a network.",
         .examples = kExamples,
         .complete = "expr",
         .pages = true,
         .run = RunGraph});
}

}  // namespace tensh::shell
