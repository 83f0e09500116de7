#include "runtime/api/optimized_report.h"

#include <algorithm>

#include "runtime/exec/fused.h"

namespace tensh::api {
namespace {

// Writes the chains of nodes that are computed in one pass over the elements, and the smallest
// element count for which a chain is fused if the count is not known yet. If the first node is not
// elementwise, the others continue with the parts that it has made.
void WriteChains(const Graph& g, const PartitionCode& code, JsonWriter& json) {
  for (const FusedCode& chain : code.fused) {
    bool known = false;
    json.Open('{').Key("nodes").Open('[');
    for (uint32_t i = chain.begin; i < chain.end; ++i) {
      json.String(g.name(code.code[i].node));
      known |= g.shape(g.output(code.code[i].node, 0)).IsFullyKnown();
    }
    json.Close(']');
    if (chain.has_maker) json.Key("in_parts").Int(1);
    if (!chain.fn && !known)
      json.Key("from_elements").Int(chain.has_maker ? kFewestInParts : kFewestFused);
    json.Close('}');
  }
}

// Writes the branches that may run at once, and how the last steps ran them if that is decided.
void WriteBranches(const Graph& g, const PartitionCode& code, JsonWriter& json) {
  for (const BranchesCode& branches : code.branches) {
    json.Open('{');
    const BranchesCode::Way way = *branches.chosen;
    if (way != BranchesCode::kUnknown)
      json.Key("way").String(way == BranchesCode::kAtOnce ? "at once" : "in turn");
    json.Key("branches").Open('[');
    for (const auto& [begin, end] : branches.branches) {
      json.Open('[');
      for (uint32_t i = begin; i < end; ++i) {
        const Instr& instr = code.code[i];
        if (instr.kind == Instr::kKernel && !instr.is_read && !instr.is_vectors)
          json.String(g.name(instr.node));
      }
      json.Close(']');
    }
    json.Close(']').Close('}');
  }
}

// Returns the nodes that are left out because this kernel computes their values, in the order of their ids.
std::vector<NodeId> InnerNodes(const Stages& stages, const JoinedKernel& joined) {
  std::vector<NodeId> nodes;
  for (const uint32_t v : joined.inner)
    if (const NodeId node = stages.graph.node_of(ValueId{v}); stages.rewrites.LeavesOut(node))
      nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// Writes the nodes that are left out because the kernel of a later node computes their values as well.
void WriteJoined(const Stages& stages, const Partition& part, JsonWriter& json) {
  const Graph& g = stages.graph;
  for (const PlanItem& item : part.items) {
    if (item.kind != PlanItem::kNode) continue;
    const uint32_t join = stages.rewrites.joins.Find(Index(item.node));
    if (join == UINT32_MAX) continue;
    json.Open('{').Key("node").String(g.name(item.node)).Key("nodes").Open('[');
    for (const NodeId node : InnerNodes(stages, stages.rewrites.joined[join]))
      json.String(g.name(node));
    json.Close(']').Close('}');
  }
}

// Appends the nodes of a partition that run again only if a shape has changed, in the order of the
// step.
void AddOnceNodes(const PartitionCode& code, std::vector<NodeId>* nodes) {
  for (const Instr& instr : code.code)
    if (instr.kind == Instr::kOnce) nodes->push_back(instr.node);
}

const char* ReasonOf(uint32_t kind) {
  switch (kind) {
    case Rewrites::kPasses:
      return "passes";
    case Rewrites::kSame:
      return "same";
    default:
      return "undoes";
  }
}

// Writes the transposes that became flags of this product.
void WriteFlags(const Stages& stages, NodeId product, JsonWriter& json) {
  const Graph& g = stages.graph;
  for (uint32_t i = 0; i < 2; ++i) {
    if (!stages.rewrites.Transposes(product, i)) continue;
    const NodeId transpose = g.node_of(stages.rewrites.Replaced(g.input(product, i)));
    if (!stages.rewrites.LeavesOut(transpose)) continue;
    json.Open('{').Key("node").String(g.name(transpose));
    json.Key("with").String(g.ValueName(g.output(product, 0))).Key("why").String("flag").Close('}');
  }
}

// Writes the nodes of a partition whose values are replaced, and the values that take their place.
void WriteMerged(const Stages& stages, const Partition& part, JsonWriter& json) {
  const Graph& g = stages.graph;
  for (const PlanItem& item : part.items) {
    if (item.kind != PlanItem::kNode) continue;
    WriteFlags(stages, item.node, json);
    if (!stages.rewrites.LeavesOut(item.node)) continue;
    const uint32_t by = stages.rewrites.values.Find(Index(g.output(item.node, 0)));
    if (by == UINT32_MAX) continue;
    json.Open('{').Key("node").String(g.name(item.node));
    json.Key("with").String(g.ValueName(ValueId{by}));
    json.Key("why").String(ReasonOf(stages.rewrites.nodes.Find(Index(item.node)))).Close('}');
  }
}

}  // namespace

const char* StateOfSkipped(const Stages& stages, const std::vector<NodeId>& joined,
                           uint32_t position) {
  if (stages.pruned.unused[position]) return "unused";
  const NodeId node = stages.pruned.nodes[position];
  if (!stages.rewrites.LeavesOut(node)) return nullptr;
  if (stages.rewrites.nodes.Find(Index(node)) != Rewrites::kUnneeded) return "merged";
  return std::binary_search(joined.begin(), joined.end(), node) ? "merged" : "unused";
}

std::vector<NodeId> JoinedNodes(const Stages& stages) {
  std::vector<NodeId> nodes;
  for (const JoinedKernel& kernel : stages.rewrites.joined)
    for (const uint32_t v : kernel.inner) nodes.push_back(stages.graph.node_of(ValueId{v}));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<NodeId> OnceNodes(const Program* program) {
  std::vector<NodeId> nodes;
  if (program == nullptr) return nodes;
  for (const PartitionCode& part : program->parts) AddOnceNodes(part, &nodes);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void WriteOptimized(const Stages& stages, const Program& program, const std::vector<size_t>& parts,
                    JsonWriter& json) {
  const auto any = [&](auto has) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](size_t part) { return has(program.parts[part]); });
  };
  if (any([](const PartitionCode& code) { return !code.fused.empty(); })) {
    json.Key("fused").Open('[');
    for (const size_t part : parts) WriteChains(stages.graph, program.parts[part], json);
    json.Close(']');
  }
  if (any([](const PartitionCode& code) { return !code.branches.empty(); })) {
    json.Key("branches").Open('[');
    for (const size_t part : parts) WriteBranches(stages.graph, program.parts[part], json);
    json.Close(']');
  }
  if (!stages.rewrites.joined.empty()) {
    json.Key("joined").Open('[');
    for (const size_t part : parts) WriteJoined(stages, stages.partitioned.parts[part], json);
    json.Close(']');
  }
  std::vector<NodeId> once;
  for (const size_t part : parts) AddOnceNodes(program.parts[part], &once);
  if (!once.empty()) {
    json.Key("once").Open('[');
    for (const NodeId node : once) json.String(stages.graph.name(node));
    json.Close(']');
  }
  if (!stages.rewrites.nodes.size()) return;
  json.Key("merged").Open('[');
  for (const size_t part : parts) WriteMerged(stages, stages.partitioned.parts[part], json);
  json.Close(']');
}

}  // namespace tensh::api
