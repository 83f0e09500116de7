// Cumsum, Cumprod and CumulativeLogsumexp: running reductions along one dimension.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/op_types.h"
#include "ops/support/prepare.h"
#include "ops/support/reducers.h"

namespace tensh::ops {
namespace {

struct CumulativeState : KernelState {
  bool exclusive, reverse;
  void Read(PrepareCtx& c) {
    exclusive = c.attrs().Bool("exclusive");
    reverse = c.attrs().Bool("reverse");
  }
};

template <class T, class R>
Status Cumulative(KernelCtx& c) {
  const auto& s = c.state<CumulativeState>();
  const Tensor& x = c.in(0);
  int64_t axis = c.in(1).IntScalar();
  if (axis < -x.rank() || axis >= x.rank())
    return InvalidArgument("Cumulative: Expected scan axis in the range [", -x.rank(), ", ",
                           x.rank(), "), but got ", axis);
  if (axis < 0) axis += x.rank();
  const Shape shape = x.shape();
  const T* in = x.data<T>();
  TENSH_OUTPUT(y, c.Output(0, shape));
  T* out = y->data<T>();
  if (!shape.num_elements()) return {};
  const int64_t n = shape[static_cast<int>(axis)];
  int64_t inner = 1;
  for (int i = static_cast<int>(axis) + 1; i < shape.rank(); ++i) inner *= shape[i];
  const int64_t lines = shape.num_elements() / n;
  c.ParallelFor(lines, static_cast<double>(n), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t base = line / inner * inner * n + line % inner;
      T acc = R::Identity();
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = base + (s.reverse ? n - 1 - k : k) * inner;
        const T before = acc;
        acc = R::Combine(acc, in[at]);
        out[at] = s.exclusive ? before : acc;
      }
    }
  });
  return {};
}

// Combines logarithms of sums: log(exp(a) + exp(b)).
template <class T>
struct LogSumExpReducer {
  static T Identity() { return -std::numeric_limits<T>::infinity(); }
  static T Combine(T a, T b) {
    const T least = std::min(a, b), most = std::max(a, b);
    // Two empty sums are both -inf, whose difference would be NaN.
    return most == Identity() ? most : std::log1p(std::exp(least - most)) + most;
  }
};

struct Cumsum {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return Cumulative<T, SumReducer<T>>(c);
  }
};
struct Cumprod {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return Cumulative<T, ProdReducer<T>>(c);
  }
};

struct CumulativeLogsumexp {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return Cumulative<T, LogSumExpReducer<T>>(c);
  }
};

Status CumsumGrad(GradScope& g) {
  const bool exclusive = g.attrs().Bool("exclusive"), reverse = g.attrs().Bool("reverse");
  Out dx = g.Op("Cumsum", {g.dy(), g.x(1)}, {{"exclusive", exclusive}, {"reverse", !reverse}});
  return g.Return({dx, Out()});
}

Status CumprodGrad(GradScope& g) {
  const bool exclusive = g.attrs().Bool("exclusive"), reverse = g.attrs().Bool("reverse");
  Out prod = g.Op("Cumprod", {g.x(0), g.x(1)}, {{"exclusive", exclusive}, {"reverse", reverse}});
  Out sum = g.Op("Cumsum", {g.Mul(prod, g.dy()), g.x(1)},
                 {{"exclusive", exclusive}, {"reverse", !reverse}});
  // TensorFlow's gradient is 0 where x is 0.
  return g.Return({g.Op("DivNoNan", {sum, g.x(0)}, {}, "truediv"), Out()});
}

// Returns the smallest finite number of t's type.
Out LeastLike(GradScope& g, Out t) {
  const DType type = g.dtype(t);
  double least = std::numeric_limits<double>::lowest();
  if (type == DType::kFloat) least = static_cast<double>(std::numeric_limits<float>::lowest());
  if (type == DType::kHalf) least = -65504;
  if (type == DType::kBfloat16) least = -0x1.fep127;
  return g.Like(least, t);
}

// Positive and negative gradients are processed separately, because the formula needs their
// logarithms.
Status LogsumexpGrad(GradScope& g) {
  const bool exclusive = g.attrs().Bool("exclusive"), reverse = g.attrs().Bool("reverse");
  const Out dy = g.dy(), zero = g.Like(0, dy), none = LeastLike(g, dy);
  const auto part = [&](std::string_view sign, Out magnitude) {
    Out log = g.Op("SelectV2", {g.Op(sign, {dy, zero}), g.Op("Log", {magnitude}), none});
    Out sum = g.Op("CumulativeLogsumexp", {g.Op("Sub", {log, g.y(0)}, {}, "sub"), g.x(1)},
                   {{"exclusive", exclusive}, {"reverse", !reverse}});
    return g.Op("Exp", {g.Op("AddV2", {sum, g.x(0)}, {}, "add")});
  };
  const Out up = part("Greater", dy), down = part("Less", g.Op("Neg", {dy}));
  return g.Return({g.Op("Sub", {up, down}, {}, "sub"), Out()});
}

OpSpec Spec(OpText name, std::string doc, GradFn grad, Example example) {
  return {.name = name,
          .inputs = "x: T, axis: Tidx",
          .outputs = "out: T",
          .attrs = "exclusive: bool = false, reverse: bool = false, " TENSH_NUMBERS
                   ", " TENSH_REDUCE_ATTRS,
          .doc = std::move(doc) +
                 " x: numbers of type T. axis: the dimension (Tidx); a negative one counts from "
                 "the end. exclusive: exclude the element itself. reverse: start from the end. T: "
                 "the element type. Tidx: the type of axis.",
          .contract = "axis: scalar at run",
          .shape = SameAsInput<0>,
          .grad = grad,
          .examples = {example}};
}

}  // namespace

TENSH_OPS(math_reduce_cumulative) {
  r.Op(Spec("Cumsum", "Running sums along a dimension.", CumsumGrad,
            {"tf.cumsum([1, 2, 3], axis=0)", "[1 3 6]"}))
      .Cpu<float, double, int32_t, int64_t, uint64_t, Complex64, Complex128>(
          Cumsum{}, {.prepare = PrepareFrom<CumulativeState>});
  r.Op(Spec("Cumprod", "Running products along a dimension.", CumprodGrad,
            {"tf.cumprod([1, 2, 3], axis=0)", "[1 2 6]"}))
      .Cpu<float, double, int32_t, int64_t, uint64_t, Complex64, Complex128>(
          Cumprod{}, {.prepare = PrepareFrom<CumulativeState>});
  OpSpec logsumexp =
      Spec("CumulativeLogsumexp", "Logarithms of running sums of exponentials along a dimension.",
           LogsumexpGrad, {"tf.math.cumulative_logsumexp([0., 0.])", "[0.        0.6931472]"});
  logsumexp.attrs =
      "exclusive: bool = false, reverse: bool = false, "
      "T: {bfloat16, half, float, double}, " TENSH_REDUCE_ATTRS;
  r.Op(std::move(logsumexp))
      .Cpu<float, double>(CumulativeLogsumexp{}, {.prepare = PrepareFrom<CumulativeState>});
}

}  // namespace tensh::ops
