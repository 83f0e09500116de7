#pragma once
// The rewrites of the optimizer. They run after the partitions are known, in one pass over the
// nodes. Pruning, placements, Sends and Recvs stay as they are, and a plan is made in linear time.
//
// 1. Only nodes without effects are left out (pure.h), and only if nothing that they compute is fed
//    or fetched.
// 2. A value is replaced by one that the same partition has before it.
// 3. A node that may fail is left out only if an equal node fails in its place.
// 4. Runs with loops or branches are not rewritten. Neither are the partitions of a device with its
//    own memory.
// 5. A product takes the input of a Transpose instead of its output only if no node between the two may
//    write to a variable, because the input may be the memory of one.
// 6. Larger plans are not rewritten: their first step, which most of them run once, would take half as
//    long again.
#include "runtime/plan/stages.h"

namespace tensh {

inline constexpr size_t kMostRewritten = 100'000;  // nodes of a plan

Rewrites FindRewrites(const Stages& stages, const DeviceMgr& devices);

// Returns the input that the node passes on, or kNoValue if it does anything else.
ValueId PassedValue(const Graph& graph, NodeId node);

// Returns the value x if `outer` is the transpose of a transpose of x, in which all dimensions of x
// are in order again; otherwise kNoValue. `outer` is a Transpose, and `inner` the node that computes
// its input. The axes must follow from constants, none of which is fed.
ValueId TransposedBack(const Graph& graph, NodeId inner, NodeId outer);

// Returns true if a Transpose exchanges the last two dimensions and keeps the others, in tensors whose
// rank is known. The axes must follow from constants, none of which is fed.
bool TransposesMatrices(const Graph& graph, NodeId transpose);

// A table of nodes, in which nodes with the same op, attributes and inputs are found. Small constants
// are the same if their elements are.
class SameNodes {
 public:
  // `rewrites` has the replacements so far, which are taken into account.
  SameNodes(const Stages& stages, const Rewrites& rewrites);
  // Adds the node at this position. Returns the position of the first node that is the same and, if
  // it is not a constant, in the same partition. Returns `position` if there is none.
  uint32_t FirstOf(uint32_t position);

 private:
  bool IsConst(uint32_t position) const;
  uint64_t HashOf(uint32_t position) const;
  bool AreSame(uint32_t a, uint32_t b) const;
  // Returns the value that stands for all values that are known to be equal to this one.
  ValueId NumberOf(ValueId v) const;

  const Stages& stages_;
  const Graph& g_;
  const Rewrites& rewrites_;
  IdMap constants_;              // value of a constant → value of the first one that is the same
  std::vector<uint32_t> table_;  // positions, or kFree; a power of two of them
};

}  // namespace tensh
