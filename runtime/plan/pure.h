#pragma once
// The nodes that the optimizer may leave out, merge or run less often.
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh {

// Tells whether the values of a node depend on nothing but its inputs and attributes, and whether
// its kernel does nothing else. Nodes with references, handles, variants or functions do not count, and
// neither do nodes without inputs or outputs. Remembers its answers for each op. The graph must
// outlive it.
class PureNodes {
 public:
  explicit PureNodes(const Graph& graph) : g_(graph) {}
  bool Contains(NodeId node);

 private:
  enum Answer : uint8_t { kNew, kNo, kYes };
  static bool IsPure(const OpDef& op);

  const Graph& g_;
  std::vector<Answer> ops_;  // by the id of the op
};

}  // namespace tensh
