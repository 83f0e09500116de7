#include "shell/explain/why_optimized.h"

#include <algorithm>

#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

std::string MergedReason(const ReportMerged& merged) {
  const std::string with = Visible(merged.with);
  if (merged.why == "passes") return "it passes on " + with;
  if (merged.why == "undoes") return "it undoes a transpose of " + with;
  if (merged.why == "flag") return "the product " + with + " transposes its input";
  return with + " is the same: its op, attributes and inputs are equal";
}

}  // namespace

std::string WhyNoKernel(const Report& report, const std::string& name) {
  for (const ReportPartition& part : report.partitions) {
    for (const ReportMerged& merged : part.merged)
      if (merged.node == name) return MergedReason(merged);
    for (const ReportJoined& joined : part.joined)
      if (std::count(joined.nodes.begin(), joined.nodes.end(), name) > 0)
        return "the kernel of " + Visible(joined.node) + " computes it as well";
  }
  return "";
}

}  // namespace tensh::shell
