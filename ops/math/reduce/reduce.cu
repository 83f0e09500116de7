// Reductions over any set of dimensions on GPUs.
#include "devices/cuda/cuda_complex.h"
#include "devices/cuda/cuda_reduce.h"
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
  bool rows;     // true if output o is the reduction of elements [o * n, o * n + n)
  TENSH_DEVICE int64_t At(int64_t o, int64_t k) const { return kept.At(o) + reduced.At(k); }
};

Paths PathsOf(const ops::ReducePlan& plan) {
  Paths p;
  int64_t step = 1;
  for (int d = plan.rank - 1; d >= 0; --d) {
    (plan.reduced(d) ? p.reduced : p.kept).Add(plan.dims[d], step);
    step *= plan.dims[d];
  }
  p.columns = plan.rank > 0 && !plan.reduced(plan.rank - 1);
  p.rows = plan.rank > 0 && !p.columns && p.reduced.rank == 1;
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

// Reduces input 0 to output 0: init ⊕ map(x) ⊕ …, of which finish(sum, n) is stored. Rows are loaded
// 16 bytes at a time if they can be.
template <class T, class Map, class Combine, class Finish>
Status ReduceTo(KernelCtx& c, Computed<T> init, Map map, Combine combine, Finish finish) {
  using A = Computed<T>;
  constexpr int kLanes = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
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
  const auto store = [=] TENSH_DEVICE(int64_t o, A sum) { out[o] = static_cast<T>(finish(sum, n)); };
  const bool wide = n % kLanes == 0 && AreAligned(16, in.at);
  if (p.rows)
    return ReduceRows<2>(
        c, outs, (n + kLanes - 1) / kLanes, init,
        [=] TENSH_DEVICE(int64_t o, int64_t k) {
          const T* const at = in.at + o * n + k * kLanes;
          const int64_t left = n - k * kLanes;
          Lanes<T, kLanes> lanes;
          if (wide)
            lanes = LoadLanes<kLanes>(at);
          else
            for (int i = 0; i < kLanes; ++i)
              if (i < left) lanes.v[i] = at[i];
          A sum = map(static_cast<A>(lanes.v[0]));
          for (int i = 1; i < kLanes; ++i)
            if (i < left) sum = combine(sum, map(static_cast<A>(lanes.v[i])));
          return sum;
        },
        combine, store);
  if (p.columns && plan.rank == 2)
    return ReduceColumns<4>(
        c, outs, n, init,
        [=] TENSH_DEVICE(int64_t o, int64_t k) { return map(static_cast<A>(in[k * outs + o])); },
        combine, store);
  return Reduce(
      c, outs, n, p.columns, init,
      [=] TENSH_DEVICE(int64_t o, int64_t k) { return map(static_cast<A>(in[p.At(o, k)])); },
      combine, store);
}

struct InHalves {
  using TakesHalves = void;
};
struct ByFloat {};

// If `mean` is set, divides by the number of elements.
template <class Rule, bool mean = false>
struct ReduceOp : std::conditional_t<std::is_same_v<Rule, SumRule>, InHalves, ByFloat> {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using S = Seen<T>;
    using A = Computed<S>;
    return ReduceTo<S>(
        c, Rule::template First<A>(), [] TENSH_DEVICE(A x) { return x; },
        [] TENSH_DEVICE(A a, A b) { return Rule::Combine(a, b); },
        [] TENSH_DEVICE(A sum, int64_t n) { return mean ? A(sum / static_cast<A>(n)) : sum; });
  }
};

struct EuclideanNorm {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using A = Computed<T>;
    return ReduceTo<T>(
        c, A(0), [] TENSH_DEVICE(A x) { return x * x; },
        [] TENSH_DEVICE(A a, A b) { return a + b; },
        [] TENSH_DEVICE(A sum, int64_t) { return std::sqrt(sum); });
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
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const ops::ArgPlan p, ops::MakeArgPlan(x.shape(), c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, p.out));
    const int64_t n = p.n, inner = p.inner;
    const auto in = In<T>(x);
    const auto out = Out<char>(y);
    const bool wide = y->dtype() == DType::kInt64;
    using Limits = std::numeric_limits<T>;
    const Found<T> none{max ? Limits::lowest() : Limits::max(), n};
    const Divider by_inner(inner);
    return Reduce<2>(
        c, p.outer * inner, n, inner > 1, none,
        [=] TENSH_DEVICE(int64_t o, int64_t k) {
          const int64_t inside = by_inner.Take(o);
          return Found<T>{in[(o * n + k) * inner + inside], k};
        },
        [] TENSH_DEVICE(Found<T> a, Found<T> b) {
          const bool better = max ? b.value > a.value : b.value < a.value;
          return better || (b.value == a.value && b.at < a.at) ? b : a;
        },
        [=] TENSH_DEVICE(int64_t o, Found<T> best) {
          const int64_t at = best.at < n ? best.at : 0;
          if (wide)
            reinterpret_cast<int64_t*>(out.at)[o] = at;
          else
            reinterpret_cast<int32_t*>(out.at)[o] = static_cast<int32_t>(at);
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
    return ReduceRows<4>(
        c, 1, c.in(0).num_elements(), T(0),
        [=] TENSH_DEVICE(int64_t, int64_t k) { return in[k] * in[k]; },
        [] TENSH_DEVICE(T a, T b) { return a + b; },
        [=] TENSH_DEVICE(int64_t, T sum) { out[0] = sum / T(2); });
  }
};

// Running sums or products.
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
    const Divider by_inner(inner);
    const auto at = [=] TENSH_DEVICE(int64_t lane, int64_t k) {
      const int64_t inside = by_inner.Take(lane);
      return (lane * n + (reverse ? n - 1 - k : k)) * inner + inside;
    };
    return Scan(
        c, lanes, n, inner > 1, T(product),
        [=] TENSH_DEVICE(int64_t lane, int64_t k) { return in[at(lane, k)]; },
        [] TENSH_DEVICE(T a, T b) { return product ? a * b : a + b; },
        [=] TENSH_DEVICE(int64_t lane, int64_t k, T before, T after) {
          out[at(lane, k)] = exclusive ? before : after;
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
