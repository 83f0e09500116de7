#pragma once
// The control flow of a pruned graph, found before placement: the nodes of each loop, the order in
// which all nodes run, and the nodes that may not run because they lie on a branch not taken.
//
// 1. The nodes of a loop, including its inner loops, are consecutive: the Enters, the nodes that
//    run before the loop condition is known, those that run after it, those that run once when the
//    loop has ended, and the Exits.
// 2. A loop is regular if a single LoopCond decides about all of its variables. Any other graph of
//    Merges and Switches runs iteration by iteration, and every node checks whether its inputs
//    arrived.
// 3. Without control flow all vectors are empty and the order is unchanged.
#include <string>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh {

struct LoopFrame {
  std::string name;
  uint32_t parent = 0;  // index in Flow::frames; 0: no loop
  // Positions: Enters [begin, body), iterations [body, tail), what runs once the loop has ended
  // [tail, exits), Exits [exits, end).
  uint32_t begin = 0, body = 0, tail = 0, exits = 0, end = 0;
  uint32_t test = 0;  // usual: from here on an iteration runs only when the LoopCond holds
  bool usual = true;
  bool guarded = false;   // the loop as a whole may not run
  NodeId cond = kNoNode;  // the LoopCond, when there is one
};

struct Flow {
  std::vector<LoopFrame> frames;   // [0] stands for what is in no loop; empty: no control flow
  std::vector<uint32_t> frame_of;  // by position
  std::vector<OpRole> role;        // by position
  std::vector<bool> guarded;       // by position: may not run although its turn has come
  std::vector<bool> loop_switch;   // by position: a Switch that its usual loop's LoopCond decides
  bool empty() const { return frames.empty(); }
};

}  // namespace tensh
