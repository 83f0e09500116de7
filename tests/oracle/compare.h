#pragma once

// How close a result must be to the recorded one, and the difference in words.

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/api/tensh.h"

namespace tensh::oracle {

// Either a distance in units in the last place, or |got - want| <= relative * max(|want|, 1).
struct Tolerance {
  int ulp = 0;
  double relative_float = 0;
  double relative_double = 0;
  bool cancels = false;  // 16-bit values are differences of what TensorFlow rounded several times
};

Tolerance ToleranceOf(std::string_view op);
inline constexpr Tolerance kGradientTolerance = {
    .ulp = 4, .relative_float = 2e-5, .relative_double = 1e-11};

// "" when got is want within the tolerance; else what differs. *index receives the first element
// that does, or -1.
std::string Difference(tsh_tensor* got, tsh_tensor* want, const Tolerance& tolerance,
                       int64_t* index);

}  // namespace tensh::oracle
