// Reductions over any set of dimensions on GPUs.
#include "devices/cuda/cuda_complex.h"
#include "devices/cuda/cuda_rules.h"
#include "devices/cuda/cuda_view.h"
#include "ops/math/reduce/reduce_loops.h"
#include "ops/support/prepare.h"

namespace tensh::cuda {
namespace {

// The addresses of element k of the reduction of output o: strides of kept and of reduced
// dimensions.
struct Paths {
  View kept, reduced;
  bool columns;  // true if the last dimension is kept
};

Paths PathsOf(const ops::ReducePlan& plan) {
  Paths p;
  int64_t step = 1;
  for (int d = plan.rank - 1; d >= 0; --d) {
    (plan.reduced(d) ? p.reduced : p.kept).Add(plan.dims[d], step);
    step *= plan.dims[d];
  }
  p.columns = plan.rank > 0 && !plan.reduced(plan.rank - 1);
  return p;
}

struct AnyRule {
  template <class T>
  static T First() {
    return false;
  }
  template <class T>
  static TENSH_DEVICE T Combine(T a, T b) {
    return a || b;
  }
};
struct AllRule {
  template <class T>
  static T First() {
    return true;
  }
  template <class T>
  static TENSH_DEVICE T Combine(T a, T b) {
    return a && b;
  }
};

template <class Rule>
struct ReduceBy {
  // If `mean` is set, divides by the number of elements.
  template <class T>
  static Status Run(KernelCtx& c, bool mean) {
    const Tensor& x = c.in(0);
    ops::ReducePlan plan;
    TENSH_RETURN_IF_ERROR(
        ops::MakeReducePlan(x.shape(), c.in(1), c.state<ops::ReduceState>().keep_dims, plan));
    TENSH_OUTPUT(y, c.Output(0, plan.out));
    const int64_t outs = y->num_elements(), n = plan.reduced_elements;
    if (!outs) return {};
    const Paths p = PathsOf(plan);
    const auto in = In<T>(x);
    const auto out = Out<T>(y);
    const T count = static_cast<T>(n);
    return Reduce(
        c, outs, n, p.columns, Rule::template First<T>(),
        [=] TENSH_DEVICE(int64_t o, int64_t k) { return in[p.kept.At(o) + p.reduced.At(k)]; },
        [] TENSH_DEVICE(T a, T b) { return Rule::Combine(a, b); },
        [=] TENSH_DEVICE(int64_t o, T sum) {
          if (mean) sum = sum / count;
          out[o] = sum;
        });
  }
};
template <class Rule, bool mean = false>
struct ReduceOp {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ReduceBy<Rule>::template Run<Seen<T>>(c, mean);
  }
};

struct EuclideanNorm {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    ops::ReducePlan plan;
    TENSH_RETURN_IF_ERROR(
        ops::MakeReducePlan(x.shape(), c.in(1), c.state<ops::ReduceState>().keep_dims, plan));
    TENSH_OUTPUT(y, c.Output(0, plan.out));
    const Paths p = PathsOf(plan);
    const auto in = In<T>(x);
    const auto out = Out<T>(y);
    return Reduce(
        c, y->num_elements(), plan.reduced_elements, p.columns, T(0),
        [=] TENSH_DEVICE(int64_t o, int64_t k) {
          const T v = in[p.kept.At(o) + p.reduced.At(k)];
          return v * v;
        },
        [] TENSH_DEVICE(T a, T b) { return a + b; },
        [=] TENSH_DEVICE(int64_t o, T sum) { out[o] = std::sqrt(sum); });
  }
};

// The maximum (or minimum) so far. The first of equal elements wins, and NaN never wins.
template <class T>
struct Found {
  T value;
  int64_t at;
};

template <bool max>
struct ArgOp {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return c.out_dtype(0) == DType::kInt32 ? Run<T, int32_t>(c) : Run<T, int64_t>(c);
  }
  template <class T, class I>
  static Status Run(KernelCtx& c) {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const ops::ArgPlan p, ops::MakeArgPlan(x.shape(), c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, p.out));
    const int64_t n = p.n, inner = p.inner;
    const auto in = In<T>(x);
    const auto out = Out<I>(y);
    using Limits = std::numeric_limits<T>;
    const Found<T> none{max ? Limits::lowest() : Limits::max(), n};
    return Reduce(
        c, p.outer * inner, n, inner > 1, none,
        [=] TENSH_DEVICE(int64_t o, int64_t k) {
          return Found<T>{in[(o / inner * n + k) * inner + o % inner], k};
        },
        [] TENSH_DEVICE(Found<T> a, Found<T> b) {
          const bool better = max ? b.value > a.value : b.value < a.value;
          return better || (b.value == a.value && b.at < a.at) ? b : a;
        },
        [=] TENSH_DEVICE(int64_t o, Found<T> best) {
          out[o] = static_cast<I>(best.at < n ? best.at : 0);
        });
  }
};

// L2Loss: half of the sum of squares.
struct L2Loss {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto in = In<T>(c.in(0));
    TENSH_OUTPUT(y, c.Output(0, Shape()));
    const auto out = Out<T>(y);
    return Reduce(
        c, 1, c.in(0).num_elements(), false, T(0),
        [=] TENSH_DEVICE(int64_t, int64_t k) { return in[k] * in[k]; },
        [] TENSH_DEVICE(T a, T b) { return a + b; },
        [=] TENSH_DEVICE(int64_t, T sum) { out[0] = sum / T(2); });
  }
};

// Running sums or products, with one thread per lane.
template <bool product>
struct Cumulative {
  struct State : KernelState {
    bool exclusive, reverse;
  };
  static Result<std::unique_ptr<KernelState>> Prepare(PrepareCtx& c) {
    auto state = std::make_unique<State>();
    state->exclusive = c.attrs().Bool("exclusive");
    state->reverse = c.attrs().Bool("reverse");
    return {std::move(state)};
  }
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    const int64_t dim = c.in(1).IntScalar();
    if (dim < -x.rank() || dim >= x.rank())
      return InvalidArgument("ScanOp: Expected scan axis in the range [", -x.rank(), ", ", x.rank(),
                             "), but got ", dim);
    const int axis = static_cast<int>(dim < 0 ? dim + x.rank() : dim);
    int64_t lanes = 1, inner = 1;
    const int64_t n = x.dim(axis);
    for (int i = 0; i < x.rank(); ++i) {
      if (i != axis) lanes *= x.dim(i);
      if (i > axis) inner *= x.dim(i);
    }
    const bool exclusive = c.state<State>().exclusive, reverse = c.state<State>().reverse;
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    const auto in = In<T>(x);
    const auto out = Out<T>(y);
    return ForEach(c, n ? lanes : 0, [=] TENSH_DEVICE(int64_t lane) {
      const int64_t base = lane / inner * n * inner + lane % inner;
      T sum = product ? T(1) : T(0);
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = base + (reverse ? n - 1 - k : k) * inner;
        const T next = product ? sum * in[at] : sum + in[at];
        out[at] = exclusive ? sum : next;
        sum = next;
      }
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(math_reduce_reduce) {
  const RowOptions options{.host = "reduction_indices",
                           .prepare = ops::PrepareFrom<ops::ReduceState>};
  r.Add<float, double, Half, Bfloat16, int64_t>("Sum", ReduceOp<SumRule>(), options);
  r.Add<float, double, Half, Bfloat16, int64_t>("Prod", ReduceOp<ProdRule>(), options);
  r.Add<float, double, Half, Bfloat16, int64_t>("Max", ReduceOp<MaxRule>(), options);
  r.Add<float, double, Half, Bfloat16, int64_t>("Min", ReduceOp<MinRule>(), options);
  r.Add<float, double, Half, Bfloat16>("Mean", ReduceOp<SumRule, true>(), options);
  r.Add<float, double, Half, Bfloat16>("EuclideanNorm", EuclideanNorm(), options);
  for (const char* op : {"Sum", "Prod", "Max", "Min", "Mean"}) r.OnHost<int32_t>(op);
  r.Add<std::complex<float>, std::complex<double>>("Sum", ReduceOp<SumRule>(), options);
  r.Add<std::complex<float>, std::complex<double>>("Prod", ReduceOp<ProdRule>(), options);
  r.Add<std::complex<float>, std::complex<double>>("Mean", ReduceOp<SumRule, true>(), options);
  const RowOptions untyped{.host = "reduction_indices",
                           .type_attr = "Tidx",
                           .prepare = ops::PrepareFrom<ops::ReduceState>};
  const auto any = [](KernelCtx& c) { return ReduceOp<AnyRule>().operator()<bool>(c); };
  const auto all = [](KernelCtx& c) { return ReduceOp<AllRule>().operator()<bool>(c); };
  r.AddAny("Any", any, untyped);
  r.AddAny("All", all, untyped);
  r.Add<float, double, Half, Bfloat16, int64_t>("ArgMax", ArgOp<true>(), {.host = "dimension"});
  r.Add<float, double, Half, Bfloat16, int64_t>("ArgMin", ArgOp<false>(), {.host = "dimension"});
  r.Add<float, double, Half, Bfloat16>("L2Loss", L2Loss());
  r.Add<float, double, Half, Bfloat16>("Cumsum", Cumulative<false>(),
                                       {.host = "axis", .prepare = Cumulative<false>::Prepare});
  r.Add<float, double, Half, Bfloat16>("Cumprod", Cumulative<true>(),
                                       {.host = "axis", .prepare = Cumulative<true>::Prepare});
}

}  // namespace tensh::cuda
