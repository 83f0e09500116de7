// Leaves out nodes that pass on their input: Identity, and Cast to the type that its input has. A
// graph with gradients contains one of them for each gradient.
#include "runtime/plan/rewrites.h"

namespace tensh {

ValueId PassedValue(const Graph& graph, NodeId node) {
  const OpRole role = graph.op(node).role;
  if (role != OpRole::kIdentity && role != OpRole::kCast) return kNoValue;
  if (graph.num_inputs(node) != 1 || graph.num_outputs(node) != 1) return kNoValue;
  const ValueId in = graph.input(node, 0);
  return graph.dtype(in) == graph.dtype(graph.output(node, 0)) ? in : kNoValue;
}

}  // namespace tensh
