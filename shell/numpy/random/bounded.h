// Unbiased integers in a range by Lemire's multiplication, as numpy's Generator draws them. For
// types of 8 and 16 bits and for bool, one 32-bit draw yields several numbers.
#pragma once

#include <cstdint>

#include "shell/numpy/random/draws.h"

namespace tensh::shell::np {

class BoundedDraws {
 public:
  // `bits` is the size of the type; 1 for bool.
  BoundedDraws(Draws& g, int bits) : g_(g), bits_(bits) {}
  uint64_t Next(uint64_t range);  // Returns a number in [0, range].

 private:
  uint64_t Word();  // Returns a draw of bits_ bits.
  Draws& g_;
  int bits_;
  uint32_t held_ = 0;
  int left_ = 0;
};

}  // namespace tensh::shell::np
