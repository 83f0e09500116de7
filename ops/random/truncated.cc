// ParameterizedTruncatedNormal: normal numbers with separate bounds for each batch, by rejection
// sampling. The streams and the choice of proposals are TensorFlow's, number for number.
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/random/distributions.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

constexpr int kMaxTries = 1000;
// If the mean lies within the bounds and one of them is this many standard deviations away, plain
// normal numbers are accepted often enough.
constexpr double kInside = 1.3;

// The parameters of one batch. After Normalize, the bounds are in standard deviations from the
// mean.
template <class T>
struct Batch {
  T mean, deviation, low, high;

  // Returns false if the parameters do not describe a distribution.
  bool Normalize() {
    if (!(deviation > T(0)) || !(low < high) || (std::isinf(low) && std::isinf(high)) ||
        std::isnan(mean))
      return false;
    // A single finite bound is made the lower one by mirroring.
    if ((std::isinf(low) && low < T(0)) || high < mean) {
      std::swap(low, high);
      deviation = -deviation;
    }
    low = (low - mean) / deviation;
    high = (high - mean) / deviation;
    return true;
  }
  T Scaled(T x) const { return x * deviation + mean; }
};

// Counts consecutive rejections.
class Tries {
 public:
  bool Failed(bool accepted) {
    failed_ = accepted ? 0 : failed_ + 1;
    return failed_ >= kMaxTries;
  }

 private:
  int failed_ = 0;
};

Status Refused() { return Internal("the rejection sampler failed to accept a sample"); }

template <class T>
Status FillNormal(const Batch<T>& b, Philox& philox, T* to, T* end) {
  constexpr int64_t kSize = kPerBlock<T>;
  Tries tries;
  while (to < end) {
    T x[kSize];
    Normal<T>()(philox, x);
    for (int64_t i = 0; i < kSize && to < end; ++i) {
      const bool accepted = x[i] >= b.low && x[i] <= b.high;
      if (accepted) *to++ = b.Scaled(x[i]);
      if (tries.Failed(accepted)) return Refused();
    }
  }
  return {};
}

// Draws from uniform proposals between the bounds.
template <class T>
Status FillUniform(const Batch<T>& b, Philox& philox, T* to, T* end) {
  constexpr int64_t kSize = kPerBlock<T>;
  const T more = b.low < T(0) ? T(0) : b.low * b.low;
  Tries tries;
  while (to < end) {
    T x[kSize], u[kSize];
    Uniform<T>()(philox, x);
    Uniform<T>()(philox, u);
    for (int64_t i = 0; i < kSize && to < end; ++i) {
      const T z = x[i] * (b.high - b.low) + b.low;
      const bool accepted = u[i] <= std::exp((more - z * z) / T(2));
      if (accepted) *to++ = b.Scaled(z);
      if (tries.Failed(accepted)) return Refused();
    }
  }
  return {};
}

// Draws from exponential proposals that start at the lower bound.
template <class T>
Status FillExponential(const Batch<T>& b, Philox& philox, T* to, T* end) {
  constexpr int64_t kSize = kPerBlock<T>;
  const T alpha = (b.low + std::sqrt(b.low * b.low + T(4))) / T(2);
  Tries tries;
  while (to < end) {
    T x[kSize];
    Uniform<T>()(philox, x);
    for (int64_t i = 0; i < kSize && to < end; i += 2) {
      const T z = -std::log(x[i]) / alpha + b.low;
      const T off = b.low < alpha ? alpha - z : b.low - alpha;
      const bool accepted = x[i + 1] <= std::exp(-off * off / T(2)) && z < b.high;
      if (accepted) *to++ = b.Scaled(z);
      if (tries.Failed(accepted)) return Refused();
    }
  }
  return {};
}

template <class T>
Status FillBatch(Batch<T> b, Philox& philox, T* to, T* end) {
  if (!b.Normalize()) return InvalidArgument("Invalid parameters");
  const T root = std::sqrt(b.low * b.low + T(4));
  const T cutoff = T(2) * std::exp(T(0.5) + b.low * (b.low - root) / T(4)) / (b.low + root);
  const bool inside =
      (b.low < T(-kInside) && b.high >= T(0)) || (b.high > T(kInside) && b.low <= T(0));
  if (inside) return FillNormal(b, philox, to, end);
  if (b.high - b.low < cutoff) return FillUniform(b, philox, to, end);
  return FillExponential(b, philox, to, end);
}

constexpr const char* kParameters[] = {"means", "stdevs", "minvals", "maxvals"};

struct Truncated {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape shape, ShapeFromTensor(c.in(0)));
    if (shape.rank() < 1) return InvalidArgument("Shape tensor must not be empty");
    bool same = true;  // all batches have the same parameters
    for (int i = 0; i < 4; ++i) {
      const Tensor& p = c.in(i + 1);
      if (p.num_elements() != 1 && p.num_elements() != shape[0])
        return InvalidArgument("Input ", kParameters[i],
                               " should have length 1 or shape[0]: ", shape[0],
                               ", got shape: ", p.shape());
      same = same && p.num_elements() == 1;
    }
    TENSH_OUTPUT(out, c.Output(0, shape));
    const int64_t n = out->num_elements();
    if (n == 0) return {};
    // If all parameters are equal, the batches are the pieces into which TensorFlow divides the
    // work.
    constexpr int64_t kPiece = 100;
    const int64_t run = same ? kPiece : n / shape[0];
    const int64_t batches = (n + run - 1) / run;
    Philox philox = c.state<RandomState>().generator->Reserve(
        static_cast<uint64_t>(batches) * 2 * kMaxTries * static_cast<uint64_t>(run + 3) / 4);
    T* to = out->data<T>();
    for (int64_t b = 0; b < batches && !c.cancelled(); ++b) {
      auto parameter = [&](int i) {
        const Tensor& p = c.in(i);
        return p.data<T>()[p.num_elements() == 1 ? 0 : b];
      };
      TENSH_RETURN_IF_ERROR(FillBatch<T>({parameter(1), parameter(2), parameter(3), parameter(4)},
                                         philox, to + b * run, to + std::min(n, (b + 1) * run)));
    }
    return {};
  }
};

Status TruncatedShape(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape out, ShapeInput(c, 0));
  c.Set(0, out);
  return {};
}

}  // namespace

TENSH_OPS(random_truncated) {
  r.Op({.name = "ParameterizedTruncatedNormal",
        .inputs = "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype",
        .outputs = "output: dtype",
        .attrs = "seed: int = 0, seed2: int = 0, dtype: {half, bfloat16, float, double}, "
                 "T: {int32, int64}",
        .doc = "Normal random numbers within bounds. shape: the shape of output, a vector of type "
               "T; its first dimension is the batch. means, stdevs, minvals, maxvals: scalars, or "
               "one entry per batch, of type dtype. seed and seed2 determine the random stream "
               "unless both are 0; each run of the node continues it.",
        .contract = "shape: vector, means: rank 0..1, stdevs: rank 0..1, minvals: rank 0..1, "
                    "maxvals: rank 0..1",
        .shape = TruncatedShape,
        .no_gradient = true,
        .stateful = true,
        .never_waits = true,
        .examples = {{"tf.raw_ops.ParameterizedTruncatedNormal(shape=[0], means=0., stdevs=1., "
                      "minvals=-1., maxvals=1.)",
                      "[]"}}})
      .Cpu<float, double>(Truncated{}, {.prepare = PrepareRandom, .type_attr = "dtype"});
}

}  // namespace tensh::ops
