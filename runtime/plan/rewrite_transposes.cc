// Leaves out pairs of transposes that undo each other, which graphs that were converted from another
// data format have, and transposes of matrices that are multiplied.
#include "runtime/plan/rewrites.h"

namespace tensh {
namespace {

// Returns the axes of a Transpose, or an empty vector if they are not known.
std::vector<int64_t> AxesOf(const Graph& g, NodeId node) {
  const Tensor value = g.Constant(g.input(node, 1));
  std::vector<int64_t> axes;
  if (!value || value.shape().rank() != 1) return axes;
  for (int64_t i = 0; i < value.num_elements(); ++i) axes.push_back(value.IntScalar(i));
  return axes;
}

}  // namespace

ValueId TransposedBack(const Graph& graph, NodeId inner, NodeId outer) {
  const OpDef& op = graph.op(outer);
  if (&op != &graph.op(inner)) return kNoValue;
  const ValueId x = graph.input(inner, 0);
  const std::vector<int64_t> first = AxesOf(graph, inner);
  const std::vector<int64_t> second = AxesOf(graph, outer);
  const auto rank = static_cast<int64_t>(first.size());
  // If the rank is not known, the transpose may fail.
  if (rank == 0 || second.size() != first.size() || graph.shape(x).rank() != rank) return kNoValue;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t from = second[static_cast<size_t>(i)];
    if (from < 0 || from >= rank || first[static_cast<size_t>(from)] != i) return kNoValue;
  }
  return x;
}

bool TransposesMatrices(const Graph& graph, NodeId transpose) {
  const std::vector<int64_t> axes = AxesOf(graph, transpose);
  const auto rank = static_cast<int64_t>(axes.size());
  if (rank < 2 || graph.shape(graph.input(transpose, 0)).rank() != rank) return false;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t from = i < rank - 2 ? i : 2 * rank - 3 - i;
    if (axes[static_cast<size_t>(i)] != from) return false;
  }
  return true;
}

}  // namespace tensh
