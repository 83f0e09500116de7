// The verb `graph`: prints or draws the graph or a part of it.

#include <algorithm>
#include <map>

#include "shell/commands/base/command.h"
#include "shell/commands/base/graph_report.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/explain/export.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/graphs.h"
#include "shell/tensorflow/graph/needs.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxLines = 60;
constexpr size_t kHangingIndent = 4;

// Returns a line of the graph as it looks in the terminal: "mul = Mul(a, b) f32[2]".
std::string PaintedLine(const std::string& line, const Palette& palette) {
  const size_t op = line.find(" = "), open = line.find('(', op), close = line.find(')', open);
  if (palette.plain() || close == std::string::npos) return line;
  const size_t type = line.find(' ', close + 1);
  std::string out = palette.Paint(Role::kTensor, line.substr(0, op)) + " = " +
                    palette.Paint(Role::kOp, line.substr(op + 3, open - op - 3)) +
                    line.substr(open, close + 1 - open);
  if (type == std::string::npos) return out;
  const std::string tail = line.substr(type + 1);
  const size_t device = tail.find('/');
  out += " " + palette.Paint(Role::kDtype, tail.substr(0, device));
  if (device == std::string::npos) return out;
  return out + palette.Paint(DeviceRole(ShortDevice(tail.substr(device))), tail.substr(device));
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

// Returns one line per name scope, such as "layer1/ 24 nodes: 8 Const, 4 MatMul, …", and the full
// line of each node outside of a scope.
std::vector<std::string> FoldedLines(const GraphHandle& graph, const std::vector<tsh_node>& nodes) {
  struct Group {
    std::string scope;
    std::vector<tsh_node> nodes;
  };
  std::vector<Group> groups;
  std::map<std::string, size_t> group_of;
  for (const tsh_node node : nodes) {
    const std::string name = graph.NodeName(node);
    const size_t slash = name.find('/');
    const std::string scope = slash == std::string::npos ? "" : name.substr(0, slash);
    const auto [at, added] = group_of.emplace(scope, groups.size());
    if (added || scope.empty()) {
      if (!scope.empty()) at->second = groups.size();
      groups.push_back({scope, {}});
    }
    groups[scope.empty() ? groups.size() - 1 : at->second].nodes.push_back(node);
  }
  std::vector<std::string> lines;
  for (const Group& group : groups) {
    if (group.nodes.size() < 3) {
      for (const tsh_node node : group.nodes) lines.push_back(NodeLine(graph, node));
      continue;
    }
    std::map<std::string, int64_t> ops;
    for (const tsh_node node : group.nodes) ++ops[graph.NodeOp(node)];
    std::vector<std::pair<int64_t, std::string>> by_count;
    for (const auto& [op, count] : ops) by_count.emplace_back(-count, op);
    std::sort(by_count.begin(), by_count.end());
    std::string line = "▸ " + Visible(group.scope) + "/  " +
                       Count(static_cast<int64_t>(group.nodes.size()), "node") + ":";
    for (size_t i = 0; i < by_count.size() && i < 4; ++i) {
      line += (i > 0 ? ", " : " ") + std::to_string(-by_count[i].first) + " " + by_count[i].second;
    }
    lines.push_back(line + (by_count.size() > 4 ? ", …" : ""));
  }
  return lines;
}

void RunGraph(CommandCall& call) {
  Shell& shell = call.shell();
  GraphHandle graph = CurrentGraph();
  std::vector<tsh_node> nodes;
  if (call.text().empty()) {
    if (call.json() && !shell.versions().earlier())
      return shell.out().PrintLine(TakeText(tsh_graph_json(graph.get())));
    for (size_t n = 0; n < shell.versions().Visible(graph); ++n)
      nodes.push_back(static_cast<tsh_node>(n));
  } else {
    const Fetch root = EvalNode(shell, call.text());
    graph = root.graph;
    nodes = Ancestors(graph, root.node);
    if (call.json()) return shell.out().PrintLine(NodesJson(graph, nodes));
  }
  if (call.Has("--svg") || call.Has("--dot")) {
    ViewOptions view{.request = std::string(call.text())};
    if (call.Has("--all")) view.max_rows = 0;
    const Report report = GraphReport(graph, nodes);
    return shell.out().Print(call.Has("--svg") ? RenderSvg(report, view) : RenderDot(report, view));
  }
  std::vector<std::string> lines;
  const bool all = call.Has("--all");
  if (!all && nodes.size() > kMaxLines) {
    lines = FoldedLines(graph, nodes);
  } else {
    for (const tsh_node node : nodes) lines.push_back(NodeLine(graph, node));
  }
  const size_t shown = all ? lines.size() : std::min(lines.size(), kMaxLines);
  std::string out;
  const Palette palette = shell.out().palette();
  for (size_t i = 0; i < shown; ++i)
    out += WrapHanging(PaintedLine(lines[i], palette), shell.out().width(), kHangingIndent) + "\n";
  const std::string again =
      "graph " + std::string(call.text()) + (call.text().empty() ? "--all" : " --all");
  if (shown < lines.size()) {
    out += "… " + Count(static_cast<int64_t>(lines.size() - shown), "more line") +
           "; see all: " + again + "\n";
  } else if (lines.size() < nodes.size()) {
    out += Count(static_cast<int64_t>(nodes.size()), "node") +
           ", folded by name scope; see all: " + again + "\n";
  }
  if (nodes.empty()) shell.out().Note(" the graph is empty; a = tf.constant([1., 2.]) adds a node");
  shell.out().Print(out);
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nc = tf.log(a, "
     "name=\"c\")\ngraph b",
     "a = Const() f32[2]\nb = Exp(a) f32[2]\n"},
};

}  // namespace

void RegisterCommand_graph(CommandRegistry& r) {
  r.Add({.name = "graph",
         .usage = "graph [EXPR] [--all] [--json] [--dot] [--svg] [> FILE]",
         .summary =
             "Print the graph, or the nodes EXPR depends on: name = Op(inputs) type[shape] device.",
         .help = "Above 60 lines, nodes are folded by name scope; --all prints every node. --dot "
                 "and --svg draw the graph,\nas in `graph X --svg > x.svg`.",
         .examples = kExamples,
         .complete = "expr",
         .pages = true,
         .run = RunGraph});
}

}  // namespace tensh::shell
