#pragma once

// The required accuracy of each op's results, and the comparison with the recorded ones.

#include <cstdint>
#include <string>
#include <string_view>

#include "tensh/tensh.h"

namespace tensh::oracle {

// Accepts a distance in units in the last place, or |got - want| <= relative * max(|want|, 1).
struct Tolerance {
  int ulp = 0;
  double relative_float = 0;
  double relative_double = 0;
  // 16-bit values are differences of values that TensorFlow rounded several times
  bool cancels = false;
};

Tolerance ToleranceOf(std::string_view op);
inline constexpr Tolerance kGradientTolerance = {
    .ulp = 4, .relative_float = 2e-5, .relative_double = 1e-11};

// Returns "" if `got` equals `want` within the tolerance, and otherwise a description of the
// difference. `index` receives the first different element, or -1.
std::string Difference(tsh_tensor* got, tsh_tensor* want, const Tolerance& tolerance,
                       int64_t* index);

}  // namespace tensh::oracle
