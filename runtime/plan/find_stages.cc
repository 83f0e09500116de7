#include <algorithm>

#include "runtime/plan/stages.h"

namespace tensh {
namespace {

// Returns an error that names every placeholder that would run and is not fed.
Status CheckFeeds(const Stages& stages) {
  const Graph& g = stages.graph;
  std::vector<NodeId> unfed;
  for (NodeId n : stages.pruned.nodes)
    if (g.op(n).role == OpRole::kPlaceholder) unfed.push_back(n);
  if (unfed.empty()) return {};
  std::string hint = "feed ", list;
  for (size_t i = 0; i < unfed.size() && i < 10; ++i) {
    ValueId v = g.output(unfed[i], 0);
    list += StrCat(i ? ", " : "", g.name(unfed[i]), " ", ShortName(g.dtype(v)), g.shape(v));
    hint += StrCat(i ? ", " : "", g.name(unfed[i]), "=…");
  }
  if (unfed.size() > 10) list += StrCat(", and ", unfed.size() - 10, " more");
  ValueId first = g.output(unfed[0], 0);
  std::string shape_text = g.shape(first).has_rank() && g.shape(first).rank() > 0
                               ? StrCat(" and shape ", g.shape(first))
                               : "";
  Status status =
      unfed.size() == 1
          ? InvalidArgument("You must feed a value for placeholder tensor '", g.name(unfed[0]),
                            "' with dtype ", SignatureName(g.dtype(first)), shape_text)
          : InvalidArgument(unfed.size(), " placeholders are not fed: ", list);
  return std::move(status).WithHint(hint).WithNode(g.name(unfed[0]));
}

uint32_t LastNode(const Stages& stages) {
  uint32_t last = 0;
  for (NodeId n : stages.pruned.nodes) last = std::max(last, Index(n));
  for (ValueId v : stages.signature.feeds) last = std::max(last, Index(stages.graph.node_of(v)));
  return last;
}

}  // namespace

Result<Stages> FindStages(const Graph& graph, RunSignature signature, const DeviceMgr& devices,
                          const PlaceOptions& options) {
  Stages stages{graph, std::move(signature), {}, {}, {}};
  stages.pruned = Prune(graph, stages.signature);
  TENSH_RETURN_IF_ERROR(OrderFlow(graph, stages.signature, stages.pruned));
  ArrangeWaits(graph, stages.pruned);
  TENSH_RETURN_IF_ERROR(CheckFeeds(stages));
  TENSH_ASSIGN(stages.placement, Place(graph, stages.signature, stages.pruned, devices, options));
  stages.placement.group = GroupByWaits(graph, stages.pruned);
  stages.partitioned = MakePartitions(graph, stages.pruned, stages.placement);
  stages.max_node = LastNode(stages);
  return stages;
}

}  // namespace tensh
