#pragma once
// Which iteration of its loops a partition is in, as TensorFlow's keys say it: frame:iteration.
// Part of a partition's run, in whose thread everything is called.
#include <string>
#include <string_view>
#include <vector>

#include "runtime/plan/flow.h"

namespace tensh {

// The number of a loop that begins in that iteration of the loop around it; 0, 0: in no loop.
uint64_t LoopNumber(uint64_t around, uint64_t iteration, std::string_view frame_name);

class LoopKeys {
 public:
  void Begin(const Flow& flow, uint32_t frame);
  void Next(uint32_t frame) { ++at_[frame].iteration; }
  // The key of this iteration; an edge outside loops has its own.
  std::string Key(const std::string& key, uint32_t frame) const;

 private:
  struct At {
    uint64_t frame = 0, iteration = 0;
  };
  std::vector<At> at_;  // by frame; [0]: no loop
};

}  // namespace tensh
