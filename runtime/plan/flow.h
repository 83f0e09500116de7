#pragma once
// The control flow of a pruned graph, found before placement: the nodes of each loop, the order in
// which all nodes run, and the nodes that may not run because they lie on a branch not taken.
//
// 1. The nodes of a loop, including its inner loops, are consecutive: the Enters, the nodes that
//    run before the loop condition is known, those that run after it, those that run once when the
//    loop has ended, and the Exits.
// 2. A loop is called usual if a single LoopCond controls all of its variables. Every loop
//    that tf.while_loop builds is usual. Any other graph of Merges and Switches runs iteration by
//    iteration, and every node checks whether its inputs arrived.
// 3. Without control flow all vectors are empty and the order is unchanged.
#include <string>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh {

struct LoopFrame {
  std::string name;
  uint32_t parent = 0;  // index in Flow::frames; 0 for an outermost loop
  // Positions in Pruned::nodes: the Enters are [begin, body), the nodes of an iteration [body,
  // tail), the nodes that run once when the loop has ended [tail, exits), and the Exits [exits,
  // end).
  uint32_t begin = 0, body = 0, tail = 0, exits = 0, end = 0;
  uint32_t test = 0;  // usual loops: nodes from here on run only if the LoopCond is true
  bool usual = true;
  bool guarded = false;   // the whole loop lies on a branch that may not be taken
  NodeId cond = kNoNode;  // the LoopCond, or kNoNode if the loop has none
};

struct Flow {
  std::vector<LoopFrame> frames;   // frames[0] holds the nodes outside loops
  std::vector<uint32_t> frame_of;  // by position
  std::vector<OpRole> role;        // by position
  std::vector<bool> guarded;       // by position: lies on a branch that may not be taken
  std::vector<bool> loop_switch;   // by position: a Switch that is decided by its loop's LoopCond
  bool empty() const { return frames.empty(); }
};

}  // namespace tensh
