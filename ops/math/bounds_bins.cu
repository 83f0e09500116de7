// GPU kernels that examine each number separately: bounds, checks, cross products, bins and
// buckets. Bincount skips negative numbers instead of reporting them, because the step does not
// wait for the kernel.
#include "devices/cuda/cuda_reduce.h"
#include "devices/cuda/cuda_view.h"
#include "ops/support/bounds_bins.h"
#include "ops/support/prepare.h"

namespace tensh::cuda {
namespace {

struct Clip {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &x = c.in(0), &low = c.in(1), &high = c.in(2);
    TENSH_RETURN_IF_ERROR(ops::CheckClipBounds(x, low, high));
    const int64_t step_low = low.rank() != 0, step_high = high.rank() != 0;
    const auto in = In<T>(x), least = In<T>(low), most = In<T>(high);
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const T lo = least[step_low * i], hi = most[step_high * i];
      const T v = hi < in[i] ? hi : in[i];  // keeps NaN
      out[i] = v < lo ? lo : v;
    });
  }
};

// Waits for the result of the check, as TensorFlow does, so that no later kernel sees a bad value.
struct CheckNumerics {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const Tensor verdict, Scratch(c, DType::kInt32, 1));
    const auto in = In<T>(x);
    const auto out = Out<int32_t>(verdict);
    TENSH_RETURN_IF_ERROR(Reduce(
        c, 1, x.num_elements(), false, int32_t{0},
        [=] TENSH_DEVICE(int64_t, int64_t k) {
          const auto v = static_cast<Computed<T>>(in[k]);
          return v != v ? 2 : v - v != v - v ? 1 : 0;
        },
        [] TENSH_DEVICE(int32_t a, int32_t b) { return a | b; },
        [=] TENSH_DEVICE(int64_t, int32_t seen) { out[0] = seen; }));
    TENSH_ASSIGN(const Tensor here, verdict.CopyTo(HostAllocator()));
    const int32_t seen = *here.data<int32_t>();
    TENSH_RETURN_IF_ERROR(
        ops::NumericsStatus(c.state<ops::MessageState>(), (seen & 1) != 0, (seen & 2) != 0));
    c.SetOutput(0, x);
    return {};
  }
};

struct Cross {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_RETURN_IF_ERROR(ops::CheckCross(c.in(0), c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, c.in(0).shape()));
    const auto u = In<T>(c.in(0)), v = In<T>(c.in(1));
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t first = i - i % 3, p = first + (i + 1) % 3, q = first + (i + 2) % 3;
      out[i] = u[p] * v[q] - u[q] * v[p];
    });
  }
};

// ---- bins ----

// Writes results of type int32 or int64.
class Places {
 public:
  explicit Places(Tensor* t) : at_(Out<char>(t).at), wide_(t->dtype() == DType::kInt64) {}
  TENSH_DEVICE void Set(int64_t i, int64_t value) const {
    if (wide_)
      reinterpret_cast<int64_t*>(at_)[i] = value;
    else
      reinterpret_cast<int32_t*>(at_)[i] = static_cast<int32_t>(value);
  }
  TENSH_DEVICE void Count(int64_t i) const {
    if (wide_)
      AtomicAdd(&reinterpret_cast<int64_t*>(at_)[i], int64_t{1});
    else
      AtomicAdd(&reinterpret_cast<int32_t*>(at_)[i], 1);
  }

 private:
  char* at_;
  bool wide_;
};

struct Bucketize {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const std::vector<float>& boundaries = c.state<ops::BucketState>().boundaries;
    const auto n = static_cast<int64_t>(boundaries.size());
    TENSH_ASSIGN(const Tensor here, Tensor::Make(DType::kFloat, Shape({n})));
    std::copy(boundaries.begin(), boundaries.end(), here.data<float>());
    TENSH_ASSIGN(const Tensor there, here.CopyTo(c.allocator()));
    const auto row = In<float>(there);
    const auto in = In<T>(c.in(0));
    TENSH_OUTPUT(y, c.Output(0, c.in(0).shape()));
    const auto out = Out<int32_t>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      out[i] = static_cast<int32_t>(ops::BoundIn(row.at, n, static_cast<float>(in[i]), true));
    });
  }
};

template <bool upper>
struct Bound {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &sorted = c.in(0), &values = c.in(1);
    if (sorted.dim(0) != values.dim(0))
      return InvalidArgument("Leading dim_size of both tensors must match: ", sorted.shape(),
                             " and ", values.shape());
    TENSH_OUTPUT(y, c.Output(0, values.shape()));
    const int64_t n = sorted.dim(1), m = values.dim(1);
    const auto rows = In<T>(sorted), in = In<T>(values);
    const Places out(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      out.Set(i, ops::BoundIn(rows.at + i / m * n, n, in[i], upper));
    });
  }
};

struct HistogramFixedWidth {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const ops::Bins bins, ops::BinsOf<T>(c.in(1), c.in(2)));
    TENSH_OUTPUT(y, c.Output(0, Shape({bins.count})));
    const auto in = In<T>(c.in(0));
    const Places out(y);
    TENSH_RETURN_IF_ERROR(ForEach(c, bins.count, [=] TENSH_DEVICE(int64_t i) { out.Set(i, 0); }));
    return ForEach(c, c.in(0).num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t bin = bins.Of(static_cast<double>(in[i]));
      if (bin >= 0) out.Count(bin);
    });
  }
};

// Stores `rows` rows of `size` bins, which count the numbers of input 0, in output 0. If `once` is
// set, any positive count becomes 1.
template <class T>
Status CountInto(KernelCtx& c, const Shape& shape, int64_t rows, int64_t size, bool once) {
  const Tensor &numbers = c.in(0), &weights = c.in(2);
  const bool weighted = weights.num_elements() > 0;
  TENSH_OUTPUT(y, c.Output(0, shape));
  const auto out = Out<T>(y);
  TENSH_RETURN_IF_ERROR(
      ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); }));
  const int64_t n = numbers.num_elements(), run = rows ? n / rows : 0;
  const Indices number(numbers);
  const auto weight = In<T>(weights);
  return ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
    const int64_t bin = number[i];
    if (bin < 0 || bin >= size) return;
    T* const to = &out[i / run * size + bin];
    if (once)
      AtomicUpdate(to, [](T) { return T(1); });
    else
      AtomicAdd(to, weighted ? weight[i] : T(1));
  });
}

struct Bincount {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const int64_t size, ops::BincountSize(c));
    return CountInto<T>(c, Shape({size}), 1, size, false);
  }
};

struct DenseBincount {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const int64_t size, ops::BincountSize(c));
    const bool matrix = c.in(0).rank() == 2;
    const int64_t dims[] = {matrix ? c.in(0).dim(0) : 1, size};
    TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
    return CountInto<T>(c, matrix ? shape : Shape({size}), dims[0], size,
                        c.state<ops::BinaryState>().binary);
  }
};

}  // namespace

TENSH_CUDA_KERNELS(math_bounds_bins) {
  r.Add<float, double, Half, Bfloat16, int64_t>("ClipByValue", Clip());
  r.Add<float, double, Half, Bfloat16>(
      "CheckNumerics", CheckNumerics(),
      {.prepare = ops::PrepareFrom<ops::MessageState>, .can_record = false});
  r.Add<float, double, int64_t>("Cross", Cross());
  r.Add<float, double, int64_t>(
      "Bucketize", Bucketize(),
      {.prepare = ops::PrepareFrom<ops::BucketState>, .can_record = false});
  r.Add<float, double, int64_t>("LowerBound", Bound<false>());
  r.Add<float, double, int64_t>("UpperBound", Bound<true>());
  r.Add<float, double, int64_t>("HistogramFixedWidth", HistogramFixedWidth(),
                                {.host = "value_range nbins"});
  r.Add<float, double, int64_t>("Bincount", Bincount(), {.host = "size"});
  r.Add<float, double, int64_t>("DenseBincount", DenseBincount(),
                                {.host = "size", .prepare = ops::PrepareFrom<ops::BinaryState>});
  for (const char* op : {"ClipByValue", "Cross", "Bucketize", "LowerBound", "UpperBound",
                         "HistogramFixedWidth", "Bincount", "DenseBincount"})
    r.OnHost<int32_t>(op);
}

}  // namespace tensh::cuda
