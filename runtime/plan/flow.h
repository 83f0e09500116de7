#pragma once
// Control flow of what a Run needs, found before anything is placed: which nodes make up a loop, in
// which order everything runs, and which nodes may turn out not to run (a branch not taken).
//
// 1. The nodes of a loop, inner loops included, lie in a row: its Enters, what an iteration runs
//    before and after it is known whether there is one, what runs once behind it, its Exits.
// 2. A loop is usual when one LoopCond decides about every variable of it; any other graph of
// Merges
//    and Switches runs too, iteration by iteration, with every node looking whether its inputs are
//    there.
// 3. Without control flow all vectors are empty and nothing was reordered.
#include <string>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh {

enum class FlowKind : uint8_t {
  kPlain,
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNext,
  kLoopCond,
  kTrigger,
  kArrival  // a Recv: what it gives may be on a branch that was not taken, elsewhere
};

// The kind of an op by its number in the registry.
class FlowKinds {
 public:
  explicit FlowKinds(const OpRegistry& ops);
  FlowKind of(const OpDef& op) const {
    return op.id < kinds_.size() ? kinds_[op.id] : FlowKind::kPlain;  // a function is plain
  }

 private:
  std::vector<FlowKind> kinds_;
};

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
  std::vector<FlowKind> kind;      // by position
  std::vector<bool> guarded;       // by position: may not run although its turn has come
  std::vector<bool> loop_switch;   // by position: a Switch that its usual loop's LoopCond decides
  bool empty() const { return frames.empty(); }
};

}  // namespace tensh
