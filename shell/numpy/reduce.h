// Reductions: sum, prod, min, max, any, all, mean, var, std, argmin, argmax, and cumulative sums
// and products. Float sums add in numpy's order (pairwise along the innermost axis), so that
// results agree to the last bit. Only the thread that holds the interpreter's lock may call them.
#pragma once

#include "shell/numpy/array.h"

namespace tensh::shell::np {

enum class Reduction : uint8_t { kSum, kProd, kMin, kMax, kAny, kAll };

// The axes to reduce, as given by numpy's axis argument.
struct Axes {
  bool all = true;  // axis=None
  std::array<bool, kMaxRank> reduced{};
};

struct ReduceOptions {
  bool keepdims = false;
  int dtype = 0;  // 0 means numpy's choice.
};

Array Reduce(Reduction op, const Array& a, const Axes& axes, const ReduceOptions& o);
Array Mean(const Array& a, const Axes& axes, const ReduceOptions& o);
// Returns the variance: the sum of squared deviations divided by n - ddof.
Array Variance(const Array& a, const Axes& axes, const ReduceOptions& o, double ddof);
// Returns the index of the largest or smallest element along an axis. Axis -1 flattens the array.
Array ArgExtreme(bool largest, const Array& a, int axis, bool keepdims);
// Returns the cumulative sum or product along an axis. Axis -1 flattens the array.
Array Cumulate(Reduction op, const Array& a, int axis, int dtype);

// Checks an axis and makes it non-negative. Throws AxisError if it is out of bounds.
int NormalAxis(int64_t axis, int rank);
double PairwiseSum(const double* p, int64_t n, int64_t step);

}  // namespace tensh::shell::np
