#pragma once
// Which iteration of its loops a partition is in, as TensorFlow's keys say it: frame:iteration.
// Part of a partition's run, in whose thread everything is called.
#include <string>
#include <vector>

#include "runtime/plan/flow.h"

namespace tensh {

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
