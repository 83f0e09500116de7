// Whole numbers in a range by Lemire's multiplication, as numpy's Generator draws them: types of 8
// and 16 bits and bools take several numbers from one draw of 32.
#pragma once

#include <cstdint>

#include "shell/np/draws.h"

namespace tensh::shell::np {

class BoundedDraws {
 public:
  // bits: of the type; 1 for bool.
  BoundedDraws(Draws& g, int bits) : g_(g), bits_(bits) {}
  uint64_t Next(uint64_t range);  // 0 … range

 private:
  uint64_t Word();  // of bits_
  Draws& g_;
  int bits_;
  uint32_t held_ = 0;
  int left_ = 0;
};

}  // namespace tensh::shell::np
