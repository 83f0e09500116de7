// From partitions to instructions.
#include <algorithm>
#include <chrono>

#include "runtime/exec/dataflow.h"
#include "runtime/exec/partition_compiler.h"

namespace tensh {
namespace {

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// All placeholders that would run and are not fed, in one message.
Status CheckFeeds(const Plan& plan) {
  const Graph& g = plan.graph;
  std::vector<NodeId> unfed;
  for (NodeId n : plan.pruned.nodes)
    if (g.op(n).name == "Placeholder") unfed.push_back(n);
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

}  // namespace

Result<std::shared_ptr<Plan>> FindStages(const Graph& graph, RunSignature signature,
                                         const DeviceMgr& devices, const PlaceOptions& options) {
  auto plan = std::make_shared<Plan>(graph, std::move(signature));
  plan->graph_version = graph.version();
  plan->pruned = Prune(graph, plan->signature);
  TENSH_RETURN_IF_ERROR(OrderFlow(graph, plan->signature, plan->pruned));
  TENSH_RETURN_IF_ERROR(CheckFeeds(*plan));
  TENSH_ASSIGN(plan->placement, Place(graph, plan->signature, plan->pruned, devices, options));
  plan->placement.group = GroupByWaits(graph, plan->pruned);
  plan->partitioned = MakePartitions(graph, plan->pruned, plan->placement);
  return plan;
}

Result<std::shared_ptr<Plan>> Compile(const Graph& graph, RunSignature signature,
                                      const CompileOptions& options) {
  int64_t start = NowNs();
  TENSH_ASSIGN(auto plan, FindStages(graph, std::move(signature), *options.devices, options.place));
  plan->functions = options.functions;
  plan->scope = options.scope;
  if (NeedsDataflow(*plan, options.dataflow)) {
    TENSH_ASSIGN(plan->dataflow, CompileDataflow(*plan, options));
  }
  for (uint16_t part = 0; !plan->dataflow && part < plan->partitioned.parts.size(); ++part) {
    TENSH_ASSIGN(PartitionCode code, PartitionCompiler(*plan, part, options).Run());
    plan->parts.push_back(std::move(code));
  }
  for (const auto& resource : plan->resources)
    if (auto* v = dynamic_cast<Variable*>(resource.get()); v && !plan->keyed.empty())
      plan->variables_held.push_back(v);
  for (NodeId n : plan->pruned.nodes) plan->max_node = std::max(plan->max_node, Index(n));
  for (ValueId v : plan->signature.feeds)
    plan->max_node = std::max(plan->max_node, Index(graph.node_of(v)));
  graph.NotePlanned(plan->max_node);
  plan->compile_ns = NowNs() - start;
  return plan;
}

}  // namespace tensh
