#pragma once
// Tracks the current iteration of each loop in a partition, in the form of TensorFlow's keys:
// frame:iteration. Belongs to one partition and is used by the thread that runs it.
#include <string>
#include <string_view>
#include <vector>

#include "runtime/plan/flow.h"

namespace tensh {

// Returns the number of a loop that begins in the given iteration of the loop around it. Outermost
// loops begin in iteration 0 of number 0.
uint64_t LoopNumber(uint64_t around, uint64_t iteration, std::string_view frame_name);

class LoopKeys {
 public:
  void Begin(const Flow& flow, uint32_t frame);
  void Next(uint32_t frame) { ++at_[frame].iteration; }
  // Returns the key of an edge in the current iteration of `frame`. If frame is 0, returns `key`
  // unchanged.
  std::string Key(const std::string& key, uint32_t frame) const;

 private:
  struct At {
    uint64_t frame = 0, iteration = 0;
  };
  std::vector<At> at_;  // by frame; at_[0] is unused
};

}  // namespace tensh
