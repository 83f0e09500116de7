// TopK and InTopK. The threads of a block search a row together and find its largest elements one
// after the other.
#include "devices/cuda/cuda_kernel.h"
#include "ops/nn/top_dims.h"

namespace tensh::cuda {
namespace {

// A candidate and its index; a negative index means none.
template <class T>
struct Found {
  T value;
  int64_t at;

  // True if this candidate comes first in the output: larger values first, the lower index first
  // among equals, NaN last.
  TENSH_DEVICE bool Before(const Found& other) const {
    if (at < 0 || other.at < 0) return at >= 0;
    const bool nan = value != value, other_nan = other.value != other.value;
    if (nan != other_nan) return other_nan;
    if (!nan && value != other.value) return value > other.value;
    return at < other.at;
  }
};

struct TopK {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if (c.out_dtype(1) == DType::kInt64) return Run<T, int64_t>(c);
    if (c.out_dtype(1) == DType::kInt16) return Run<T, int16_t>(c);
    return Run<T, int32_t>(c);
  }
  template <class T, class I>
  static Status Run(KernelCtx& c) {
    TENSH_ASSIGN(const ops::TopDims d, ops::TopDimsOf(c));
    TENSH_OUTPUT(values, c.Output(0, d.out));
    TENSH_OUTPUT(indices, c.Output(1, d.out));
    if (!values->num_elements()) return {};
    const int64_t n = d.n, k = d.k;
    const auto in = In<T>(c.in(0));
    const auto best = Out<T>(values);
    const auto where = Out<I>(indices);
    return ForRows(c, c.in(0).num_elements() / n, [=] TENSH_DEVICE(Block b, int64_t row) {
      Found<T> last{T(0), -1};
      for (int64_t i = 0; i < k; ++i) {
        const Found<T> before = last;
        last = b.Reduce(
            n, Found<T>{T(0), -1},
            [=](int64_t j) {
              const Found<T> here{in[row * n + j], j};
              return before.at < 0 || before.Before(here) ? here : Found<T>{T(0), -1};
            },
            [](Found<T> x, Found<T> y) { return y.Before(x) ? y : x; });
        if (!b.leads()) continue;
        best[row * k + i] = last.value;
        where[row * k + i] = static_cast<I>(last.at);
      }
    });
  }
};

struct InTopK {
  template <class I>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const int64_t k, ops::InTopCount(c));
    TENSH_OUTPUT(y, c.Output(0, c.in(1).shape()));
    const int64_t n = c.in(0).dim(1);
    const auto in = In<float>(c.in(0));
    const auto target = In<I>(c.in(1));
    const auto out = Out<bool>(y);
    return ForRows(c, y->num_elements(), [=] TENSH_DEVICE(Block b, int64_t row) {
      const int64_t at = target[row];
      const bool known = at >= 0 && at < n;
      const float wanted = known ? in[row * n + at] : 0.0f;
      // A non-finite logit makes the count exceed n, so that the result is false.
      const int64_t above = b.Reduce(
          n, int64_t{0},
          [=](int64_t j) {
            const float x = in[row * n + j];
            return x - x != x - x ? n + 1 : int64_t{x > wanted};
          },
          [](int64_t a, int64_t c) { return a + c; });
      if (b.leads()) out[row] = known && above <= n && above < k;
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_top_k) {
  r.Add<float, double, Half, Bfloat16, int64_t>("TopKV2", TopK(),
                                                {.host = "k", .prepare = ops::PrepareTop});
  r.Add<float, double, Half, Bfloat16, int64_t>("TopK", TopK(), {.prepare = ops::PrepareTop});
  r.Add<int32_t, int64_t>("InTopKV2", InTopK(), {.host = "k", .prepare = ops::PrepareTop});
  r.Add<int32_t, int64_t>("InTopK", InTopK(), {.prepare = ops::PrepareTop});
}

}  // namespace tensh::cuda
