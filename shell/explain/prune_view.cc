// Stages 1 and 2 of `explain`: the graph as rows with rails, and the result of pruning.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "shell/explain/rails.h"
#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxLanes = 10, kMinLanes = 4;
// columns of the terminal for each lane; the rest is left for names
constexpr size_t kColumnsPerLane = 13;
constexpr size_t kBarCells = 5;
// Minimum widths of the terminal, in columns. The bars also need the space of the rails.
constexpr size_t kWideShares = 100, kWideBars = 72;
// Below kShortHeads columns, the reasons are left out and the headings are short. Below kTight, the
// types are left out, too, and the ops if there are times.
constexpr size_t kShortHeads = 60, kTight = 50;
constexpr size_t kTightLanes = 2;

struct StateRow {
  const char* state;
  const char* text;
};
constexpr StateRow kStates[] = {
    {"runs", "● runs"},     {"fed", "◆ fed"},       {"fetch", "★ fetch"},   {"target", "★ target"},
    {"pruned", "✂ pruned"}, {"merged", "= merged"}, {"unused", "○ unused"},
};

std::string StateText(const std::string& state) {
  for (const StateRow& row : kStates) {
    if (state == row.state) return row.text;
  }
  return state;
}

// Returns "18 run, 2 pruned" for a folded scope.
std::string StatesText(const ViewRow& row) {
  int64_t pruned = 0, fed = 0, not_taken = 0;
  for (const ReportNode* node : row.nodes) {
    pruned += node->state == "pruned";
    fed += node->state == "fed";
    not_taken += node->not_taken;
  }
  const int64_t run = static_cast<int64_t>(row.nodes.size()) - pruned - fed - not_taken;
  if (run == 0 && not_taken > 0 && pruned + fed == 0) return "○ not taken";
  std::vector<std::string> parts;
  if (run > 0) parts.push_back("● " + std::to_string(run));
  if (fed > 0) parts.push_back("◆ " + std::to_string(fed));
  if (not_taken > 0) parts.push_back("○ " + std::to_string(not_taken));
  if (pruned > 0) parts.push_back("✂ " + std::to_string(pruned));
  return Join(parts, " ");
}

using Times = std::unordered_map<std::string_view, int64_t>;

// Returns the compute time of a row in ns, or -1 if none of its nodes ran a kernel.
int64_t ComputeTime(const Times& times, const ViewRow& row) {
  int64_t total = -1;
  for (const ReportNode* node : row.nodes) {
    const auto at = times.find(node->name);
    if (at != times.end()) total = std::max<int64_t>(total, 0) + at->second;
  }
  return total;
}

Role StateRole(const ViewRow& row) {
  const auto is_not_taken = [](const ReportNode* node) { return node->not_taken; };
  if (row.pruned || std::all_of(row.nodes.begin(), row.nodes.end(), is_not_taken))
    return Role::kPruned;
  if (row.nodes.size() != 1) return Role::kRuns;
  const ReportNode& node = *row.nodes[0];
  if (node.not_taken || node.state == "unused" || node.state == "merged") return Role::kPruned;
  if (node.state == "fed") return Role::kFed;
  if (node.state == "fetch" || node.state == "target") return Role::kFetch;
  return Role::kRuns;
}

Role DeviceRoleOf(const ViewRow& row) {
  const bool one = !row.device.empty() && row.device.find("×") == std::string::npos;
  return row.pruned || !one ? Role::kPruned : DeviceRole(row.device);
}

size_t WidestLine(std::string_view text) {
  size_t widest = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    widest = std::max(widest, TextWidth(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return widest;
}

// The columns of the node table, and which of them this table has.
class NodeTable {
 public:
  NodeTable(const Report& report, const ViewOptions& options, const std::vector<ViewRow>& rows)
      : report_(report), options_(options), rows_(rows) {
    timed_ = options.stage == 0 && !report.events.empty();
    placed_ = options.stage == 0 || options.stage >= 3;
    const size_t width = options.width == 0 ? SIZE_MAX : options.width;
    short_heads_ = width < kShortHeads;
    typed_ = width >= kTight;
    named_ops_ = typed_ || !timed_;
    reasons_ = placed_ && !short_heads_;
    if (!timed_) return;
    times_ = report.ComputeTimes();
    for (const ReportEvent& event : report.events)
      if (!event.with.empty()) with_.emplace(event.node, event.with);
    for (const auto& [node, ns] : times_) total_ += ns;
    shares_ = options.width == 0 || options.width >= kWideShares;
    bars_ = options.width == 0 || options.width >= kWideBars;
  }

  std::string Draw() {
    std::vector<RailNode> nodes;
    for (const ViewRow& row : rows_)
      nodes.push_back({row.inputs, !row.pruned, placed_ ? row.cut : std::vector<size_t>()});
    const size_t width = options_.width;
    const size_t lanes = width == 0 ? kMaxLanes
                         : typed_   ? std::clamp(width / kColumnsPerLane, kMinLanes, kMaxLanes)
                                    : kTightLanes;
    left_out_ = DropLongEdges(&nodes, lanes);
    const RailPaint paint = [this](std::string_view piece, size_t row, bool cut) {
      if (cut) return options_.palette.Paint(Role::kCut, piece);
      const Role role = placed_ ? DeviceRoleOf(rows_[row]) : StateRole(rows_[row]);
      return options_.palette.Paint(role, piece);
    };
    const std::vector<RailRow> rails = DrawRails(nodes, lanes, paint);
    size_t rail_width = 0;
    for (const RailRow& row : rails) rail_width = std::max(rail_width, TextWidth(row.rail));
    bars_ = bars_ && (width == 0 || width >= kWideBars + rail_width);
    std::string drawn = FormatGrid(Columns(), Rows(rails), width, true, options_.palette);
    while (width > 0 && WidestLine(drawn) > width && LeaveOutColumn())
      drawn = FormatGrid(Columns(), Rows(rails), width, true, options_.palette);
    return PutHead(drawn);
  }

  // Returns a note about the edges that were not drawn, or "".
  std::string LeftOut() const {
    if (left_out_ == 0) return "";
    return " … " + Count(static_cast<int64_t>(left_out_), "long edge") +
           " not drawn; all edges: edges\n";
  }

 private:
  // Returns the lanes that the edge crosses on its way to the right: "─│─" for " │ ".
  static std::string CrossedLanes(std::string lanes) {
    for (size_t at = 0; (at = lanes.find(' ', at)) != lanes.npos;) lanes.replace(at, 1, "─");
    return lanes;
  }

  // Returns the row for the edge that closes a loop, below the node from which it leads back.
  static GridRow BackRow(const ViewRow& row, std::string rail) {
    const std::string_view node = kRailNode;
    const size_t at = rail.find(node);
    if (at != rail.npos)
      rail = rail.substr(0, at) + "╰" + CrossedLanes(rail.substr(at + node.size()));
    return {" " + rail + "◀ " + row.back, {}};
  }

  // Leaves out the least important column. Returns false if all others are needed.
  bool LeaveOutColumn() {
    for (bool* column : {&bars_, &shares_, &reasons_, &typed_, &named_ops_})
      if (std::exchange(*column, false)) return true;
    return false;
  }

  std::vector<GridRow> Rows(const std::vector<RailRow>& rails) const {
    std::vector<GridRow> grid;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!rails[i].connector.empty()) grid.push_back({" " + rails[i].connector, {}});
      grid.push_back(Row(rows_[i], " " + rails[i].rail + "  "));
      if (!rows_[i].back.empty()) grid.push_back(BackRow(rows_[i], rails[i].rail));
    }
    return grid;
  }

  std::vector<Column> Columns() const {
    const bool narrow = options_.width < kWideBars;
    const bool full = timed_ && options_.width < kWideShares;
    std::vector<Column> columns = {{.least = narrow ? 8U : full ? 15U : 20U, .middle = true}};
    if (named_ops_) columns.push_back({.least = 6});
    if (typed_) columns.push_back({.least = narrow ? 5U : 8U});
    if (options_.stage != 1) columns.push_back({short_heads_ ? "②" : "② pruned"});
    if (placed_) columns.push_back({short_heads_ ? "③" : "③ placed"});
    if (reasons_) columns.push_back({"why", 5});
    if (timed_) columns.push_back({.head = "time", .right = true});
    if (shares_) columns.push_back({.right = true});
    if (bars_) columns.push_back({});
    return columns;
  }

  GridRow Row(const ViewRow& row, std::string lead) const {
    const Role state = StateRole(row);
    const bool dim = state == Role::kPruned;
    const Role name = state == Role::kFetch ? state : dim ? Role::kPruned : Role::kPlain;
    GridRow out{std::move(lead), {}, {}};
    const auto add = [&](std::string text, Role role) {
      out.cells.push_back(std::move(text));
      out.roles.push_back(role);
    };
    add(row.name, name);
    if (named_ops_) add(row.op, dim ? Role::kPruned : Role::kPlain);
    if (typed_) add(row.type, dim ? Role::kPruned : Role::kDtype);
    if (options_.stage != 1) add(row.state, state);
    if (placed_) add(row.device, DeviceRoleOf(row));
    if (reasons_) add(row.why, dim ? Role::kPruned : Role::kNote);
    const int64_t ns = timed_ ? ComputeTime(times_, row) : -1;
    if (ns < 0) return out;
    if (const std::string_view with = With(row); !with.empty()) {
      add("in " + Visible(with), Role::kNote);
      return out;
    }
    const double share = total_ == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(total_);
    add(DurationCell(static_cast<double>(ns)), Role::kPlain);
    if (shares_) add(std::to_string(std::lround(100 * share)) + " %", Role::kNote);
    const auto filled = static_cast<size_t>(std::lround(share * kBarCells));
    if (bars_) add(Repeat("▓", filled) + Repeat("·", kBarCells - filled), DeviceRoleOf(row));
    return out;
  }

  // Returns the last part of the name of the node whose time includes that of the row, or "".
  std::string_view With(const ViewRow& row) const {
    const auto at = row.nodes.size() == 1 ? with_.find(row.nodes[0]->name) : with_.end();
    return at == with_.end() ? "" : at->second.substr(at->second.rfind('/') + 1);
  }

  // Puts the heading of stage 1 above the rails and the first columns, which have no headings of
  // their own. The number of nodes is left out if there is not enough space for it.
  std::string PutHead(const std::string& grid) const {
    const size_t end = grid.find('\n');
    const std::string line = grid.substr(0, end);
    const size_t free = std::min(line.find_first_not_of(' '), line.size());
    std::string head = " ① graph " + options_.graph + (options_.graph.empty() ? "@" : " @") +
                       std::to_string(report_.version);
    const std::string counted =
        report_.graph_nodes == 0 ? head : head + " · " + Count(report_.graph_nodes, "node");
    if (line.empty() || TextWidth(counted) + 2 <= free) head = counted;
    const size_t width = TextWidth(head);
    head += free <= width && !line.empty() ? "  " + line.substr(free)
                                           : line.substr(std::min(width, line.size()));
    return PaintHead(head + grid.substr(end), options_.palette);
  }

  const Report& report_;
  const ViewOptions& options_;
  const std::vector<ViewRow>& rows_;
  bool timed_ = false, placed_ = false, shares_ = false, bars_ = false;
  // A narrow terminal has fewer columns, because a row that wraps cannot be read.
  bool short_heads_ = false, typed_ = true, named_ops_ = true, reasons_ = true;
  Times times_;
  std::unordered_map<std::string_view, std::string_view> with_;  // ReportEvent::with, by node
  int64_t total_ = 0;                                            // compute time of all nodes, in ns
  size_t left_out_ = 0;
};

// Returns a note with the command that opens the largest fold.
std::string FoldNote(const std::vector<ViewRow>& rows, const ViewOptions& options) {
  const ViewRow* largest = nullptr;
  int64_t nodes = 0;
  for (const ViewRow& row : rows) {
    nodes += static_cast<int64_t>(row.nodes.size());
    if (row.scope.empty()) continue;
    if (largest == nullptr || row.nodes.size() > largest->nodes.size()) largest = &row;
  }
  if (largest == nullptr) return "";
  std::string opened;
  for (const std::string& scope : options.open) opened += " open=" + Visible(scope);
  return " " + Count(nodes, "node") + ", folded by name scope (▸); open one: explain " +
         options.request + opened + " open=" + Visible(largest->scope) + "\n";
}

// Returns the text followed by "; what: explain …". The command gets a separate line if it would be
// broken otherwise.
std::string WithAdvice(const std::string& text, const std::string& what, const std::string& request,
                       const ViewOptions& options) {
  const std::string advice = what + ": explain " + request;
  const bool fits = options.width == 0 || TextWidth(text) + 2 + TextWidth(advice) <= options.width;
  return text + (fits ? "; " : "\n   ") + options.palette.Paint(Role::kNote, advice) + "\n";
}

// Returns a note about the nodes whose functions are not shown, with the command that shows those of
// the first one, or "".
std::string CallsNote(const Report& report, const std::vector<ViewRow>& rows,
                      const ViewOptions& options) {
  constexpr size_t kNamed = 3;
  std::vector<std::string> callers;
  for (const ViewRow& row : rows) {
    for (const ReportNode* node : row.nodes) {
      const auto is_shown = [&](const ReportCall& call) {
        return call.caller == node->name &&
               std::any_of(report.nodes.begin(), report.nodes.end(),
                           [&call](const ReportNode& each) { return each.within == call.prefix; });
      };
      if (report.Calls(node->name) &&
          std::none_of(report.calls.begin(), report.calls.end(), is_shown))
        callers.push_back(Visible(node->name));
    }
  }
  if (callers.empty()) return "";
  const std::string first = callers[0];
  const size_t count = callers.size();
  callers.resize(std::min(count, kNamed));
  if (count > kNamed) {
    callers.push_back(Digits(static_cast<int64_t>(count - kNamed)) + " more");
  }
  const std::string last = callers.back();
  callers.pop_back();
  std::string opened;
  for (const std::string& scope : options.open) opened += " open=" + Visible(scope);
  return WithAdvice(" " + Join(callers, ", ") + (callers.empty() ? "" : " and ") + last +
                        (count == 1 ? " calls functions" : " call functions"),
                    "see inside", options.request + opened + " open=" + first, options);
}

// Returns the line that stands for the pruned nodes: how many, and why if all of them have the same
// reason.
std::string PrunedNote(const Report& report, const ViewOptions& options) {
  std::string why;
  int64_t listed = 0;
  for (const ReportNode& node : report.nodes) {
    if (node.state != "pruned") continue;
    const std::string reason =
        node.pruned_by.empty() ? node.pruned_why : "behind the feed of " + Visible(node.pruned_by);
    if (listed++ == 0) why = reason;
    if (why != reason) why = "no path to a fetch, or cut off by a feed";
  }
  if (listed < report.pruned_total) why.clear();
  const auto runs_before = [](const ReportNode& node) { return !node.runs_for.empty(); };
  if (std::any_of(report.nodes.begin(), report.nodes.end(), runs_before))
    why = "not part of this step";
  const std::string text =
      " " + options.palette.Paint(Role::kPruned, "✂ " + Count(report.pruned_total, "node") +
                                                     " pruned" + (why.empty() ? "" : ": " + why));
  return WithAdvice(text, "list them", options.request + " --pruned", options);
}

// Returns a line for each placeholder that the plan assumes to be fed, with a feed to type.
std::string AssumedNote(const Report& report, const ViewOptions& options) {
  constexpr size_t kNamed = 3;
  if (report.assumed.empty()) return "";
  std::vector<std::string> named;
  for (size_t i = 0; i < report.assumed.size() && i < kNamed; ++i) {
    const ReportNode* node = report.Find(report.assumed[i]);
    named.push_back(Visible(report.assumed[i]) + (node == nullptr ? "" : " " + node->type));
  }
  if (report.assumed.size() > kNamed)
    named.push_back(
        Count(static_cast<int64_t>(report.assumed.size() - kNamed), "more placeholder"));
  const std::string out =
      " " + options.palette.Paint(Role::kFed, "◇ assumed to be fed: " + Join(named, ", "));
  if (options.feeds.empty()) return out + "\n";
  return WithAdvice(out, "feed it", options.request + options.feeds, options);
}

// Returns a line about the results of Python functions, or "".
std::string PythonNote(const Report& report, const ViewOptions& options) {
  constexpr size_t kNamed = 3;
  if (report.python.empty()) return "";
  std::vector<std::string> named;
  for (size_t i = 0; i < report.python.size() && i < kNamed; ++i)
    named.push_back(Visible(report.python[i]));
  if (report.python.size() > kNamed)
    named.push_back(Digits(static_cast<int64_t>(report.python.size() - kNamed)) + " more");
  return " " +
         options.palette.Paint(Role::kFed, "◆ Python computes " + Join(named, ", ") +
                                               " before the step (tf.py_func)") +
         "\n";
}

}  // namespace

void FillPruned(std::vector<ViewRow>* rows) {
  for (ViewRow& row : *rows) {
    row.state = row.nodes.size() != 1             ? StatesText(row)
                : row.nodes[0]->not_taken         ? "○ not taken"
                : !row.nodes[0]->runs_for.empty() ? "○ before"
                                                  : StateText(row.nodes[0]->state);
  }
}

std::string RenderNodes(const Report& given, const ViewOptions& options) {
  Report opened;  // only if there is something to open, because a report may be large
  if (!given.calls.empty()) opened = OpenCalls(given, options);
  const Report& report = given.calls.empty() ? given : opened;
  std::vector<ViewRow> rows = MakeRows(report, options);
  const std::string folded = FoldNote(rows, options);
  const size_t all = rows.size();
  if (options.max_rows > 0 && rows.size() > options.max_rows) rows.resize(options.max_rows);
  FillPruned(&rows);
  FillPlaced(&rows);
  for (ViewRow& row : rows)
    if (row.nodes.size() == 1 && report.Assumes(row.nodes[0]->name))
      row.state = "◇ assumed";
    else if (row.nodes.size() == 1 && row.nodes[0]->state == "fed" &&
             report.IsPython(row.nodes[0]->name))
      row.state = "◆ python";
  NodeTable table(report, options, rows);
  std::string out = table.Draw();  // first, because it finds the edges that are left out
  out += table.LeftOut() + folded;
  if (all > rows.size()) {
    out += " … " + Count(static_cast<int64_t>(all - rows.size()), "more row") +
           "; see all: explain " + options.request + " --all\n";
  }
  out += CallsNote(report, rows, options);
  if (FoldsPruned(report, options)) out += PrunedNote(report, options);
  return out + PythonNote(report, options) + AssumedNote(report, options);
}

}  // namespace tensh::shell
