// The rows that the stages share: one for each node or folded name scope.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "shell/explain/scope_tree.h"
#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

constexpr size_t kSmallestFold = 3;
constexpr size_t kScreenRows = 24;  // up to which scopes are opened
constexpr size_t kFewRows = 6;      // that say too little of a graph
constexpr size_t kNoRow = SIZE_MAX;

bool IsOpen(const ViewOptions& options, const std::string& scope) {
  return std::find(options.open.begin(), options.open.end(), scope) != options.open.end();
}

// Returns the scope that each node folds into, or "". Scopes are opened from the top as far as they
// fit on a screen. A loop is one row until the user opens it, even in a small graph.
std::vector<std::string> ScopesOf(const Report& report, const ViewOptions& options, bool fold,
                                  bool fold_pruned) {
  std::vector<std::string> scope_of(report.nodes.size()), loops;
  std::vector<std::string_view> names;
  std::vector<size_t> node_of;
  if (options.max_rows == 0) return scope_of;  // --all
  for (size_t n = 0; n < report.nodes.size(); ++n) {
    const ReportNode& node = report.nodes[n];
    if (fold_pruned && node.state == "pruned") continue;
    if (!fold && !IsOpen(options, node.loop)) scope_of[n] = node.loop;
    if (!node.loop.empty() && (loops.empty() || loops.back() != node.loop))
      loops.push_back(node.loop);
    names.push_back(node.name);
    node_of.push_back(n);
  }
  if (!fold) return scope_of;
  ScopeRows rows = FoldScopes(names, options.open, std::min(kScreenRows, options.max_rows), loops);
  // Some models lie in a single large scope.
  const auto is_folded = [](const TreeRow& row) { return !row.scope.empty() && !row.open; };
  if (rows.rows.size() < kFewRows &&
      std::count_if(rows.rows.begin(), rows.rows.end(), is_folded) == 1)
    rows = FoldScopes(names, options.open, options.max_rows, loops);
  // A graph may have more scopes at its top than rows fit. All of them stay folded.
  if (rows.left_out > 0)
    rows = FoldScopes(names, options.open, rows.rows.size() + rows.left_out, loops);
  for (size_t i = 0; i < names.size(); ++i) {
    const TreeRow* row = rows.row_of[i] == SIZE_MAX ? nullptr : &rows.rows[rows.row_of[i]];
    if (row != nullptr && !row->scope.empty() && row->node != i) scope_of[node_of[i]] = row->scope;
  }
  return scope_of;
}

// Returns the row of each node: a separate one, its scope's if folding is on and worthwhile, or
// kNoRow for a pruned node if those are one line.
std::vector<size_t> AssignRows(const Report& report, const ViewOptions& options,
                               std::vector<std::string>* scopes) {
  const bool fold_pruned = FoldsPruned(report, options);
  const auto left_out = [fold_pruned](const ReportNode& node) {
    return fold_pruned && node.state == "pruned";
  };
  const auto listed =
      report.nodes.size() -
      static_cast<size_t>(std::count_if(report.nodes.begin(), report.nodes.end(), left_out));
  const bool fold = options.max_rows > 0 && listed > options.max_rows;
  std::unordered_map<std::string, size_t> sizes, rows;
  const std::vector<std::string> scope_of = ScopesOf(report, options, fold, fold_pruned);
  for (const std::string& scope : scope_of)
    if (!scope.empty()) ++sizes[scope];
  std::vector<size_t> row_of;
  row_of.reserve(report.nodes.size());
  for (size_t n = 0; n < scope_of.size(); ++n) {
    const std::string& scope = scope_of[n];
    if (left_out(report.nodes[n])) {
      row_of.push_back(kNoRow);
      continue;
    }
    if (scope.empty() || sizes[scope] < kSmallestFold) {
      row_of.push_back(scopes->size());
      scopes->push_back("");
      continue;
    }
    const auto [at, added] = rows.emplace(scope, scopes->size());
    if (added) scopes->push_back(scope);
    row_of.push_back(at->second);
  }
  return row_of;
}

std::string_view NodeOfInput(std::string_view input) {
  if (!input.empty() && input[0] == '^') input.remove_prefix(1);
  return input.substr(0, input.rfind(':'));
}

// Returns the iteration counts of the loops in the last step, by their scopes.
std::unordered_map<std::string_view, int64_t> Iterations(const Report& report) {
  std::unordered_map<std::string_view, int64_t> by_node, by_loop;
  for (const ReportEvent& event : report.events) {
    if (event.iterations > 0) by_node[event.node] += event.iterations;
  }
  if (by_node.empty()) return by_loop;
  for (const ReportNode& node : report.nodes) {
    const auto at = node.loop.empty() ? by_node.end() : by_node.find(node.name);
    if (at != by_node.end()) by_loop[node.loop] += at->second;
  }
  return by_loop;
}

// Returns what is known about the functions that a node calls: " → then" for the branch that was
// taken, " ×3" for the iterations of a loop, or "".
std::string CallText(const Report& report, std::string_view caller) {
  std::string branches;
  for (const ReportCall& call : report.calls) {
    if (call.caller != caller || call.times < 0 || call.role.empty()) continue;
    if (call.role == "body") return " ×" + Digits(call.times);
    if (!call.repeats && call.times > 0) branches += (branches.empty() ? " → " : ", ") + call.role;
  }
  return branches;
}

void NameRow(const Report& report, ViewRow* row, const std::string& scope,
             const std::unordered_map<std::string_view, int64_t>& iterations) {
  const ReportNode& first = *row->nodes[0];
  if (scope.empty()) {
    row->name = Visible(first.name);
    row->op = Visible(first.op) + CallText(report, first.name);
    row->type = first.type;
    return;
  }
  row->scope = scope;
  row->name = "▸ " + Visible(scope) + "/";
  row->op = Count(static_cast<int64_t>(row->nodes.size()), "node");
  const auto in_loop = [&scope](const ReportNode* node) { return node->loop == scope; };
  if (std::none_of(row->nodes.begin(), row->nodes.end(), in_loop)) return;
  const auto times = iterations.find(scope);
  const std::string kind = report.ForwardLoop(scope).empty() ? "loop " : "backward loop ";
  const std::string rounds =
      times == iterations.end() ? "" : "×" + std::to_string(times->second) + " ";
  row->op = kind + rounds + "of " + row->op;
}

// Returns "a b" for each edge from a to b that a Send/Recv pair carries.
std::unordered_set<std::string> CutEdges(const Report& report) {
  std::unordered_set<std::string> edges;
  for (const ReportTransfer& transfer : report.transfers)
    for (const std::string& consumer : transfer.consumers)
      edges.insert(std::string(NodeOfInput(transfer.tensor)) + " " + consumer);
  return edges;
}

// Removes duplicates. With keep_order, for a row of one node, keeps the order of first use.
void RemoveDuplicates(bool keep_order, std::vector<size_t>* rows) {
  if (!keep_order) {
    std::sort(rows->begin(), rows->end());
    rows->erase(std::unique(rows->begin(), rows->end()), rows->end());
    return;
  }
  std::vector<size_t> seen;
  for (const size_t row : *rows) {
    if (std::find(seen.begin(), seen.end(), row) == seen.end()) seen.push_back(row);
  }
  *rows = std::move(seen);
}

// Finds the edges that close loops: from a row to a Merge in an earlier row.
void FindBackEdges(const std::unordered_map<std::string_view, size_t>& row_by_name,
                   const std::vector<std::string>& scopes, const Report& report,
                   std::vector<ViewRow>* rows) {
  for (const ReportNode& node : report.nodes) {
    if (node.loop.empty() || node.state == "pruned") continue;
    const auto to = row_by_name.find(node.name);
    if (to == row_by_name.end()) continue;
    for (const std::string& input : node.inputs) {
      const auto from = row_by_name.find(NodeOfInput(input));
      if (from == row_by_name.end() || from->second <= to->second) continue;
      // A folded loop may also take a value of a later row.
      const std::string& scope = scopes[to->second];
      (*rows)[from->second].back =
          scope.empty() ? "to " + Visible(node.name) : "into " + Visible(scope) + "/";
    }
  }
}

}  // namespace

namespace {

// Appends the nodes of the functions that a node calls, and then the node, which takes their
// results.
void AppendWithCalls(const Report& report, const ViewOptions& options, const ReportNode& node,
                     bool open, std::vector<ReportNode>* to) {
  ReportNode caller = node;
  open = open || options.max_rows == 0 || IsOpen(options, node.name);
  for (const ReportCall& call : report.calls) {
    if (!open || call.caller != node.name) continue;
    for (const ReportNode& each : report.called) {
      if (each.within != call.prefix) continue;
      AppendWithCalls(report, options, each, open, to);
      ReportNode& added = to->back();
      const auto is_inner = [&call](const std::string& input) {
        return input.starts_with(call.prefix) || input.starts_with("^" + call.prefix);
      };
      // The decision precedes every node of a branch.
      if (!call.decided_by.empty() &&
          std::none_of(added.inputs.begin(), added.inputs.end(), is_inner))
        added.inputs.push_back(call.decided_by);
    }
    caller.inputs.insert(caller.inputs.end(), call.results.begin(), call.results.end());
  }
  to->push_back(std::move(caller));
}

}  // namespace

Report OpenCalls(const Report& report, const ViewOptions& options) {
  Report opened = report;
  opened.nodes.clear();
  for (const ReportNode& node : report.nodes)
    AppendWithCalls(report, options, node, false, &opened.nodes);
  return opened;
}

bool FoldsPruned(const Report& report, const ViewOptions& options) {
  return options.fold_pruned && report.pruned_total > kFewPruned;
}

std::vector<ViewRow> MakeRows(const Report& report, const ViewOptions& options) {
  std::vector<std::string> scopes;
  const std::vector<size_t> row_of = AssignRows(report, options, &scopes);
  const std::unordered_set<std::string> cut_edges = CutEdges(report);
  std::vector<ViewRow> rows(scopes.size());
  std::vector<size_t> live(scopes.size(), 0);
  std::unordered_map<std::string_view, size_t> row_by_name;
  row_by_name.reserve(report.nodes.size());
  for (size_t n = 0; n < report.nodes.size(); ++n) {
    const ReportNode& node = report.nodes[n];
    if (row_of[n] == kNoRow) continue;
    ViewRow& row = rows[row_of[n]];
    row.nodes.push_back(&node);
    row_by_name[node.name] = row_of[n];
    if (node.state == "pruned") continue;
    ++live[row_of[n]];
    if (node.state == "fed") continue;
    for (const std::string& input : node.inputs) {
      const std::string_view producer = NodeOfInput(input);
      const auto from = row_by_name.find(producer);
      if (from == row_by_name.end() || from->second >= row_of[n]) continue;
      if (live[from->second] == 0) continue;
      row.inputs.push_back(from->second);
      if (!cut_edges.empty() && cut_edges.count(std::string(producer) + " " + node.name) > 0)
        row.cut.push_back(from->second);
    }
  }
  FindBackEdges(row_by_name, scopes, report, &rows);
  const auto iterations = Iterations(report);
  for (size_t r = 0; r < rows.size(); ++r) {
    ViewRow& row = rows[r];
    RemoveDuplicates(row.nodes.size() == 1, &row.inputs);
    row.pruned = live[r] == 0;
    NameRow(report, &row, scopes[r], iterations);
  }
  return rows;
}

}  // namespace tensh::shell
