// Stage 3 of `explain`: the columns for the device of each node and the reason.
#include <algorithm>

#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

std::string Reason(const ReportNode& node) {
  if (node.state == "pruned" && !node.pruned_by.empty())
    return "behind the feed of " + node.pruned_by;
  if (node.state == "pruned") return node.pruned_why;
  if (node.reason == "asked≠got" && !node.asked.empty()) return "asked≠got: " + node.asked;
  return node.reason;
}

// Returns the devices of a folded scope: one device, or the number of nodes on each.
std::string Devices(const ViewRow& row) {
  std::vector<std::pair<std::string, int64_t>> counts;
  for (const ReportNode* node : row.nodes) {
    if (node->device.empty()) continue;
    const auto at = std::find_if(counts.begin(), counts.end(),
                                 [node](const auto& each) { return each.first == node->device; });
    if (at == counts.end()) {
      counts.emplace_back(node->device, 1);
    } else {
      ++at->second;
    }
  }
  if (counts.empty()) return "–";
  if (counts.size() == 1) return counts[0].first;
  std::vector<std::string> parts;
  for (const auto& [device, count] : counts) parts.push_back(device + "×" + std::to_string(count));
  return Join(parts, " ");
}

}  // namespace

void FillPlaced(std::vector<ViewRow>* rows) {
  for (ViewRow& row : *rows) {
    row.device = Devices(row);
    row.why = row.nodes.size() == 1 ? Visible(Reason(*row.nodes[0])) : "";
  }
}

}  // namespace tensh::shell
