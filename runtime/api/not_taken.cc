#include "runtime/api/not_taken.h"

#include <algorithm>

namespace tensh::api {
namespace {

// Returns true for the nodes of a loop that have no kernel of their own, and so no events.
bool IsLoopControl(const Flow& flow, uint32_t position) {
  switch (flow.role[position]) {
    case OpRole::kEnter:
    case OpRole::kExit:
    case OpRole::kNextIteration:
    case OpRole::kLoopCond:
    case OpRole::kMerge:
      return true;
    default:
      return flow.loop_switch[position];
  }
}

bool RanIn(const Stages& stages, const LoopFrame& frame,
           const std::function<bool(NodeId)>& computed) {
  const std::vector<NodeId>& nodes = stages.pruned.nodes;
  return std::any_of(nodes.begin() + frame.begin, nodes.begin() + frame.end, computed);
}

}  // namespace

bool NotTaken(const Stages& stages, uint32_t position, bool knows_loops,
              const std::function<bool(NodeId)>& computed) {
  const Flow& flow = stages.pruned.flow;
  if (flow.empty() || stages.pruned.unused[position]) return false;
  const uint32_t loop = flow.frame_of[position];
  // An inner loop is not entered if its iteration of the outer one is not reached.
  for (uint32_t f = loop; f != 0; f = flow.frames[f].parent)
    if ((flow.frames[f].guarded || (knows_loops && flow.frames[f].parent != 0)) &&
        !RanIn(stages, flow.frames[f], computed))
      return true;
  if (loop != 0 && IsLoopControl(flow, position)) return false;
  const NodeId node = stages.pruned.nodes[position];
  if ((!flow.guarded[position] && (loop == 0 || !knows_loops)) || computed(node)) return false;
  const Graph& g = stages.graph;
  if (g.op(node).role != OpRole::kConst) return true;
  // A constant exists without being computed. It was not taken if what it waits for was not
  // computed.
  for (uint32_t i = 0; i < g.num_controls(node); ++i) {
    const NodeId before = g.control(node, i);
    const uint32_t at = stages.pruned.position.Find(Index(before));
    if (at != UINT32_MAX && !IsLoopControl(flow, at) && !computed(before)) return true;
  }
  return false;
}

}  // namespace tensh::api
