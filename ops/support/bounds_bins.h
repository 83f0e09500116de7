#pragma once
// Helpers shared by the kernels that check, clip or count numbers: bounds, bins and buckets.
#include <vector>

#include "ops/support/shape_util.h"

namespace tensh::ops {

struct MessageState : KernelState {
  std::string message;
  bool signs = false;  // the error tells the signs of infinities
  void Read(PrepareCtx& c);
};
// Returns the InvalidArgument of CheckNumerics if there is an infinity or NaN.
Status NumericsStatus(const MessageState& s, bool inf, bool nan);

// Checks that the bounds of ClipByValue are scalars or have the shape of x.
Status CheckClipBounds(const Tensor& x, const Tensor& low, const Tensor& high);
// Checks that the inputs of Cross have equal shapes whose last extent is 3.
Status CheckCross(const Tensor& a, const Tensor& b);

// ---- bins ----

struct BucketState : KernelState {
  std::vector<float> boundaries;
  Status Read(PrepareCtx& c);
};

struct BinaryState : KernelState {
  bool binary = false;  // any positive count becomes 1
  void Read(PrepareCtx& c);
};

// Returns the number of elements in a sorted row that are less than `value`, or, if `upper` is set,
// less than or equal to it.
template <class T>
constexpr int64_t BoundIn(const T* row, int64_t n, T value, bool upper) {
  int64_t begin = 0;
  while (begin < n) {
    const int64_t middle = begin + (n - begin) / 2;
    if (upper ? !(value < row[middle]) : row[middle] < value)
      begin = middle + 1;
    else
      n = middle;
  }
  return begin;
}

// A range divided into `count` equal bins.
struct Bins {
  double low, step;
  int64_t count;
  // Returns the bin of a value. Values outside the range belong to the first or last bin; NaN gives
  // -1.
  constexpr int64_t Of(double value) const {
    const double place = (value - low) / step, most = static_cast<double>(count - 1);
    if (place != place) return -1;
    return static_cast<int64_t>(place < 0 ? 0 : place > most ? most : place);
  }
};
// Checks both inputs, which are in host memory, and returns the bins.
template <class T>
Result<Bins> BinsOf(const Tensor& range, const Tensor& count) {
  if (range.dim(0) != 2)
    return InvalidArgument("value_range should be a vector of 2 elements, got ", range.shape());
  const int64_t bins = IndexAt(count, 0);
  if (bins <= 0) return InvalidArgument("nbins should be a positive number, but got '", bins, "'");
  const double low = static_cast<double>(range.data<T>()[0]);
  const double high = static_cast<double>(range.data<T>()[1]);
  if (!(low < high))
    return InvalidArgument("value_range should satisfy value_range[0] < value_range[1], but got '[",
                           low, ", ", high, "]'");
  return Bins{low, (high - low) / static_cast<double>(bins), bins};
}

// Checks the inputs numbers, size and weights of a counting kernel and returns size.
Result<int64_t> BincountSize(KernelCtx& c);

}  // namespace tensh::ops
