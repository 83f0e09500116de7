// Reductions: sum, prod, min, max, any, all, mean, var, std, argmin, argmax, and the running ones.
// Float sums add in numpy's order (pairwise along the innermost axis), so that they agree to the
// last bit. Interpreter's thread.
#pragma once

#include "shell/np/array.h"

namespace tensh::shell::np {

enum class Reduction : uint8_t { kSum, kProd, kMin, kMax, kAny, kAll };

// Which axes, as numpy's axis= argument gives them.
struct Axes {
  bool all = true;  // axis=None
  std::array<bool, kMaxRank> reduced{};
};

struct ReduceOptions {
  bool keepdims = false;
  int dtype = 0;  // 0: numpy's choice
};

Array Reduce(Reduction op, const Array& a, const Axes& axes, const ReduceOptions& o);
Array Mean(const Array& a, const Axes& axes, const ReduceOptions& o);
// Variance with `ddof` degrees of freedom taken off.
Array Variance(const Array& a, const Axes& axes, const ReduceOptions& o, double ddof);
// Index of the extreme along an axis; axis -1: of the flattened array.
Array ArgExtreme(bool largest, const Array& a, int axis, bool keepdims);
// Running sum or product along an axis; axis -1: of the flattened array.
Array Cumulate(Reduction op, const Array& a, int axis, int dtype);

// Checks and wraps an axis: AxisError when out of bounds.
int NormalAxis(int64_t axis, int rank);
double PairwiseSum(const double* p, int64_t n, int64_t step);

}  // namespace tensh::shell::np
