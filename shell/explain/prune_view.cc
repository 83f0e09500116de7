// Stages 1 and 2 of `explain`: the graph as rows with rails, and the result of pruning.
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "shell/explain/rails.h"
#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxLanes = 10;

struct StateRow {
  const char* state;
  const char* text;
};
constexpr StateRow kStates[] = {
    {"runs", "● runs"},     {"fed", "◆ fed"},       {"fetch", "★ fetch"},   {"target", "★ target"},
    {"pruned", "✂ pruned"}, {"folded", "= folded"}, {"unused", "○ unused"},
};

std::string StateText(const std::string& state) {
  for (const StateRow& row : kStates) {
    if (state == row.state) return row.text;
  }
  return state;
}

// Returns "18 run, 2 pruned" for a folded scope.
std::string StatesText(const ViewRow& row) {
  int64_t pruned = 0, fed = 0;
  for (const ReportNode* node : row.nodes) {
    pruned += node->state == "pruned";
    fed += node->state == "fed";
  }
  const int64_t run = static_cast<int64_t>(row.nodes.size()) - pruned - fed;
  std::vector<std::string> parts;
  if (run > 0) parts.push_back("● " + std::to_string(run));
  if (fed > 0) parts.push_back("◆ " + std::to_string(fed));
  if (pruned > 0) parts.push_back("✂ " + std::to_string(pruned));
  return Join(parts, " ");
}

using Times = std::unordered_map<std::string_view, int64_t>;

std::string ComputeTime(const Times& times, const ViewRow& row) {
  int64_t total = 0;
  bool ran = false;
  for (const ReportNode* node : row.nodes) {
    const auto at = times.find(node->name);
    if (at == times.end()) continue;
    total += at->second;
    ran = true;
  }
  return ran ? DurationCell(static_cast<double>(total)) : "";
}

std::vector<std::string> Leads(const std::vector<ViewRow>& rows,
                               std::vector<std::string>* connectors) {
  std::vector<RailNode> nodes;
  for (const ViewRow& row : rows) nodes.push_back({row.inputs, !row.pruned});
  std::vector<std::string> leads;
  const std::vector<RailRow> rails = DrawRails(nodes, kMaxLanes);
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string alone = rows[i].pruned ? kRailAlone : kRailNode;
    leads.push_back(" " + (rails.empty() ? alone : rails[i].rail) + "  ");
    connectors->push_back(rails.empty() ? "" : rails[i].connector);
  }
  return leads;
}

std::vector<Column> StageColumns(int stage, bool timed) {
  std::vector<Column> columns = {{"", 8}, {"", 6}, {"", 5}};
  if (stage != 1) columns.push_back({"② pruned"});
  if (stage == 0 || stage >= 3) {
    columns.push_back({"③ placed"});
    columns.push_back({"why", 5});
  }
  if (timed) columns.push_back({"⑤ time", SIZE_MAX, true});
  return columns;
}

// Puts the head of stage 1 above the rails and the first columns, which have no heads themselves.
std::string PutHead(const std::string& grid, const std::string& head) {
  const size_t end = grid.find('\n');
  const std::string line = grid.substr(0, end);
  const size_t free = line.find_first_not_of(' ');
  const size_t width = TextWidth(head);
  if (free == std::string::npos) return head + grid.substr(end);
  if (free <= width) return head + "  " + line.substr(free) + grid.substr(end);
  return head + line.substr(width) + grid.substr(end);
}

}  // namespace

void FillPruned(std::vector<ViewRow>* rows) {
  for (ViewRow& row : *rows) {
    row.state = row.nodes.size() != 1     ? StatesText(row)
                : row.nodes[0]->not_taken ? "○ not taken"
                                          : StateText(row.nodes[0]->state);
  }
}

std::string RenderNodes(const Report& report, const ViewOptions& options) {
  std::vector<ViewRow> rows = MakeRows(report, options);
  const size_t all = rows.size();
  if (options.max_rows > 0 && rows.size() > options.max_rows) rows.resize(options.max_rows);
  FillPruned(&rows);
  FillPlaced(&rows);
  const bool timed = options.stage == 0 && !report.events.empty();
  const Times times = timed ? report.ComputeTimes() : Times();
  const std::vector<Column> columns = StageColumns(options.stage, timed);
  std::vector<std::string> connectors;
  const std::vector<std::string> leads = Leads(rows, &connectors);
  std::vector<GridRow> grid;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ViewRow& row = rows[i];
    if (!connectors[i].empty()) grid.push_back({" " + connectors[i], {}});
    std::vector<std::string> cells = {row.name, row.op, row.type};
    if (options.stage != 1) cells.push_back(row.state);
    if (options.stage == 0 || options.stage >= 3) {
      cells.push_back(row.device);
      cells.push_back(row.why);
    }
    if (timed) cells.push_back(ComputeTime(times, row));
    grid.push_back({leads[i], std::move(cells)});
  }
  std::string out = PutHead(FormatGrid(columns, grid, options.width, true),
                            " ① graph @" + std::to_string(report.version));
  const auto listed = std::count_if(report.nodes.begin(), report.nodes.end(),
                                    [](const ReportNode& node) { return node.state == "pruned"; });
  // Suggests to open the largest fold first.
  const ViewRow* largest = nullptr;
  for (const ViewRow& row : rows) {
    if (row.scope.empty()) continue;
    if (largest == nullptr || row.nodes.size() > largest->nodes.size()) largest = &row;
  }
  if (largest != nullptr) {
    std::string opened;
    for (const std::string& scope : options.open) opened += " open=" + Visible(scope);
    out += " " + Count(static_cast<int64_t>(report.nodes.size()), "node") +
           ", folded by name scope (▸); open one: explain " + options.request + opened +
           " open=" + Visible(largest->scope) + "\n";
  }
  if (all > rows.size()) {
    out += " … " + Count(static_cast<int64_t>(all - rows.size()), "more row") +
           "; see all: explain " + options.request + " --all\n";
  }
  if (report.pruned_total > listed) {
    out += " … " + Count(report.pruned_total - listed, "more pruned node") + ": nodes\n";
  }
  return out;
}

}  // namespace tensh::shell
