#include <algorithm>
#include <unordered_map>

#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

constexpr size_t kSmallestFold = 3;

std::string Scope(const std::string& name) {
  const size_t slash = name.find('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

// The row each node is on: its own, or its scope's when folding is on and the scope is worth it.
std::vector<size_t> AssignRows(const Report& report, bool fold, size_t* count) {
  std::unordered_map<std::string, size_t> sizes, rows;
  if (fold) {
    for (const ReportNode& node : report.nodes) ++sizes[Scope(node.name)];
  }
  std::vector<size_t> row_of;
  *count = 0;
  for (const ReportNode& node : report.nodes) {
    const std::string scope = Scope(node.name);
    if (!fold || scope.empty() || sizes[scope] < kSmallestFold) {
      row_of.push_back((*count)++);
      continue;
    }
    const auto [at, added] = rows.emplace(scope, *count);
    *count += added;
    row_of.push_back(at->second);
  }
  return row_of;
}

std::string NodeOfInput(const std::string& input) {
  const size_t begin = !input.empty() && input[0] == '^';
  const size_t colon = input.rfind(':');
  return input.substr(begin, colon == std::string::npos ? colon : colon - begin);
}

void NameRow(ViewRow* row) {
  const ReportNode& first = *row->nodes[0];
  if (row->nodes.size() == 1) {
    row->name = Visible(first.name);
    row->op = Visible(first.op);
    row->type = first.type;
    return;
  }
  row->name = "▸ " + Visible(Scope(first.name)) + "/";
  row->op = Count(static_cast<int64_t>(row->nodes.size()), "node");
}

}  // namespace

std::vector<ViewRow> MakeRows(const Report& report, size_t max_rows) {
  size_t count = 0;
  const bool fold = max_rows > 0 && report.nodes.size() > max_rows;
  const std::vector<size_t> row_of = AssignRows(report, fold, &count);
  std::vector<ViewRow> rows(count);
  std::unordered_map<std::string, size_t> row_by_name;
  for (size_t n = 0; n < report.nodes.size(); ++n) {
    const ReportNode& node = report.nodes[n];
    ViewRow& row = rows[row_of[n]];
    row.nodes.push_back(&node);
    for (const std::string& input : node.inputs) {
      const auto from = row_by_name.find(NodeOfInput(input));
      if (from == row_by_name.end() || from->second >= row_of[n]) continue;
      if (rows[from->second].pruned || node.state == "pruned" || node.state == "fed") continue;
      if (std::find(row.inputs.begin(), row.inputs.end(), from->second) == row.inputs.end()) {
        row.inputs.push_back(from->second);
      }
    }
    row.pruned = std::all_of(row.nodes.begin(), row.nodes.end(),
                             [](const ReportNode* each) { return each->state == "pruned"; });
    row_by_name[node.name] = row_of[n];
  }
  for (ViewRow& row : rows) NameRow(&row);
  return rows;
}

}  // namespace tensh::shell
