// Mean: the average over some dimensions.
#include <limits>

#include "ops/math/reduce/reduce_loops.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/op_types.h"
#include "ops/support/prepare.h"
#include "ops/support/reducers.h"

namespace tensh::ops {
namespace {

// A sum followed by one division. The mean of zero elements is NaN for floats and 0 for integers.
struct Mean {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    ReducePlan plan;
    TENSH_RETURN_IF_ERROR(
        MakeReducePlan(x.shape(), c.in(1), c.state<ReduceState>().keep_dims, plan));
    TENSH_OUTPUT(y, c.Output(0, plan.out));
    const int64_t n = y->num_elements();
    if (!n) return {};
    T* out = y->data<T>();
    Reduce<T, SumReducer<T>>(c, plan, x.data<T>(), out);
    const T count = static_cast<T>(plan.reduced_elements);
    if (count == T{0}) {
      if constexpr (kIsComplex<T>)
        std::fill_n(out, n, T{0} / T{0});
      else
        std::fill_n(out, n, std::numeric_limits<T>::quiet_NaN());  // this is 0 for integers
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = Divide(out[i], count);
    }
    return {};
  }

  // The count may wrap to -1 in a small type; dividing the smallest integer by it must not
  // overflow.
  template <class T>
  static T Divide(T sum, T count) {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      if (count == T{-1}) return WrapNeg(sum);
    return static_cast<T>(sum / count);
  }
};

// Returns the number of elements that each mean is taken over, as a scalar of dy's type.
Out CountOf(GradScope& g, Out like) {
  const Shape in = g.shape(g.x(0)), out = g.shape(g.y(0));
  if (in.IsFullyKnown() && out.IsFullyKnown()) {
    const int64_t count = in.num_elements() / std::max<int64_t>(out.num_elements(), 1);
    return g.Like(static_cast<double>(count), like);
  }
  const int32_t axis[] = {0};
  Out n_in = g.Op("Prod", {g.Op("Shape", {g.x(0)}), g.Const(Tensor::Vector<int32_t>(axis))});
  Out n_out = g.Op("Prod", {g.Op("Shape", {g.y(0)}), g.Const(Tensor::Vector<int32_t>(axis))});
  Out at_least_one = g.Op("Maximum", {n_out, g.Const(Tensor::Scalar<int32_t>(1), "Maximum/y")});
  Out count = g.Op("FloorDiv", {n_in, at_least_one}, {}, "floordiv");
  return g.Op("Cast", {count}, {{"DstT", g.dtype(like)}});
}

Status MeanGrad(GradScope& g) {
  Out spread = SpreadReduced(g, g.dy());
  return g.Return({g.Op("RealDiv", {spread, CountOf(g, spread)}, {}, "truediv"), Out()});
}

}  // namespace

TENSH_OPS(math_reduce_mean) {
  r.Op({.name = "Mean",
        .inputs = "input: T, reduction_indices: Tidx",
        .outputs = "output: T",
        .attrs = "keep_dims: bool = false, " TENSH_NUMBERS ", " TENSH_REDUCE_ATTRS,
        .doc =
            "The mean of elements over some dimensions. input: numbers of type T. "
            "reduction_indices: the dimensions to average over (Tidx); negative ones count from "
            "the end. keep_dims: keep them with extent 1. T: the element type; integers are "
            "rounded towards zero. Tidx: the type of the indices. The mean of no elements is NaN.",
        .contract = "reduction_indices: rank 0..1",
        .shape = ReduceShape,
        .grad = MeanGrad,
        .examples = {{"tf.reduce_mean([[1., 2.], [3., 4.]])", "2.5"},
                     {"tf.reduce_mean([[1., 2.], [3., 4.]], axis=1)", "[1.5 3.5]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128>(Mean{}, {.prepare = PrepareFrom<ReduceState>});
}

}  // namespace tensh::ops
