// The output of `explain`: the views of all stages, followed by a suggestion for `why`.
#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

// Returns a node for which `why` is informative: one at a device boundary, the last fetched one, or
// the last one that runs.
std::string WorthAsking(const Report& report) {
  for (const ReportTransfer& transfer : report.transfers) {
    if (!transfer.consumers.empty()) return transfer.consumers[0];
  }
  for (auto node = report.nodes.rbegin(); node != report.nodes.rend(); ++node) {
    if (node->state == "fetch" || node->state == "target") return node->name;
  }
  for (auto node = report.nodes.rbegin(); node != report.nodes.rend(); ++node) {
    if (node->state != "pruned" && node->state != "fed") return node->name;
  }
  return "";
}

std::string Next(const Report& report, const ViewOptions& options) {
  std::vector<std::string> parts;
  // A step cannot run with assumed feeds.
  if (report.events.empty()) parts.push_back("explain analyze " + options.request + options.feeds);
  // The names of nodes are looked up in the current graph.
  const std::string at = options.graph.empty() ? "" : "at " + options.graph + " ";
  const std::string node = WorthAsking(report);
  if (!node.empty()) parts.push_back(at + "why " + Visible(node));
  for (const ReportNode& each : report.nodes) {
    if (each.state != "pruned") continue;
    parts.push_back(at + "why not " + Visible(each.name));
    break;
  }
  if (parts.empty()) return "";
  for (std::string& part : parts) part = options.palette.Paint(Role::kHint, part);
  return " " + options.palette.Paint(Role::kNote, "next:") + " " + Join(parts, " · ") + "\n";
}

}  // namespace

std::string RenderExplain(const Report& report, const ViewOptions& options) {
  std::string out;
  if (options.stage <= 3) out += RenderNodes(report, options);
  if (options.stage == 0 || options.stage == 4) out += RenderPartitions(report, options);
  const bool ran = !report.events.empty();
  if ((options.stage == 0 && ran) || options.stage == 5) out += RenderStep(report, options);
  if (options.stage == 0) out += Next(report, options);
  return out;
}

}  // namespace tensh::shell
