#pragma once
// What kernels of all devices share that look at numbers one by one: bounds, checks, bins and
// buckets.
#include <vector>

#include "ops/support/shape_util.h"

namespace tensh::ops {

struct MessageState : KernelState {
  std::string message;
};
Result<std::unique_ptr<KernelState>> PrepareMessage(PrepareCtx& c);
// CheckNumerics' InvalidArgument, where there is infinity or nan.
Status NumericsStatus(const MessageState& s, bool inf, bool nan);

// ClipByValue's bounds are scalars, or have the shape of x.
Status CheckClipBounds(const Tensor& x, const Tensor& low, const Tensor& high);
// Cross takes two of a shape, vectors of three.
Status CheckCross(const Tensor& a, const Tensor& b);

// ---- bins ----

struct BucketState : KernelState {
  std::vector<float> boundaries;
};
Result<std::unique_ptr<KernelState>> PrepareBuckets(PrepareCtx& c);

struct BinaryState : KernelState {
  bool binary = false;  // any number of times is 1
};
Result<std::unique_ptr<KernelState>> PrepareBinary(PrepareCtx& c);

// How many of the n elements of a rising row lie before `value`, or, where `upper`, not behind it.
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

// Equal parts of a range.
struct Bins {
  double low, step;
  int64_t count;
  // Values outside fall into the first and the last; nan into none, -1.
  constexpr int64_t Of(double value) const {
    const double place = (value - low) / step, most = static_cast<double>(count - 1);
    if (place != place) return -1;
    return static_cast<int64_t>(place < 0 ? 0 : place > most ? most : place);
  }
};
// Checks both inputs of a kernel, which lie in host memory.
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

// Checks numbers, size and weights of a kernel that counts; gives size.
Result<int64_t> BincountSize(KernelCtx& c);

}  // namespace tensh::ops
