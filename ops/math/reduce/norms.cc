// EuclideanNorm and Cross.
#include <cmath>

#include "ops/math/reduce/reduce_loops.h"
#include "ops/op_file.h"
#include "ops/support/bounds_bins.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/prepare.h"
#include "ops/support/reducers.h"
#include "ops/support/wrap.h"

namespace tensh::ops {

Status CheckCross(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape()))
    return InvalidArgument("Both inputs must be of same shape: ", a.shape(), " vs. ", b.shape());
  if (a.dim(a.rank() - 1) != 3)
    return FailedPrecondition("Cross-products are only defined for 3-element vectors, got ",
                              a.shape());
  return {};
}

namespace {

struct EuclideanNorm {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    ReducePlan plan;
    TENSH_RETURN_IF_ERROR(
        MakeReducePlan(x.shape(), c.in(1), c.state<ReduceState>().keep_dims, plan));
    TENSH_OUTPUT(y, c.Output(0, plan.out));
    if (!y->num_elements()) return {};
    TENSH_ASSIGN(Tensor squares, Tensor::Make(x.dtype(), x.shape(), c.allocator()));
    for (int64_t i = 0; i < x.num_elements(); ++i)
      squares.data<T>()[i] = WrapMul(x.data<T>()[i], Conjugate(x.data<T>()[i]));
    Reduce<T, SumReducer<T>>(c, plan, squares.data<T>(), y->data<T>());
    for (T& v : y->flat<T>()) v = static_cast<T>(std::sqrt(v));
    return {};
  }
};

Status NormGrad(GradScope& g) {
  Out y = g.y(0), dy = g.dy();
  if (!g.attrs().Bool("keep_dims")) {
    Out shape = KeptDimsShape(g);
    y = g.Op("Reshape", {y, shape});
    dy = g.Op("Reshape", {dy, shape}, {}, "Reshape_1");
  }
  return g.Return({GradDiv(g, g.x(0), GradDiv(g, y, dy)), {}});
}

struct Cross {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &a = c.in(0), &b = c.in(1);
    TENSH_RETURN_IF_ERROR(CheckCross(a, b));
    TENSH_OUTPUT(out, c.Output(0, a.shape()));
    for (int64_t i = 0; i < a.num_elements(); i += 3) {
      const T *u = a.data<T>() + i, *v = b.data<T>() + i;
      T* to = out->data<T>() + i;
      for (int k = 0; k < 3; ++k) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        to[k] = WrapSub(WrapMul(u[p], v[q]), WrapMul(u[q], v[p]));
      }
    }
    return {};
  }
};

Status CrossShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, Shape::Merge(c.in(0), c.in(1)));
  if (out.has_rank() && out[out.rank() - 1] >= 0 && out[out.rank() - 1] != 3)
    return InvalidArgument("Dimension must be 3 but is ", out[out.rank() - 1]);
  c.Set(0, out);
  return {};
}

Status CrossGrad(GradScope& g) {
  Out da = g.Op("Cross", {g.x(1), g.dy()});
  return g.Return({da, g.Op("Cross", {g.dy(), g.x(0)})});
}

}  // namespace

TENSH_OPS(math_reduce_norms) {
  r.Op({.name = "EuclideanNorm",
        .inputs = "input: T, reduction_indices: Tidx",
        .outputs = "output: T",
        .attrs = "keep_dims: bool = false, " TENSH_NUMBERS ", " TENSH_REDUCE_ATTRS,
        .doc = "The square root of the sum of squares over some dimensions. input: numbers. "
               "reduction_indices: the dimensions. keep_dims: keep them with extent 1. T, Tidx: "
               "the types of input and reduction_indices.",
        .contract = "reduction_indices: rank 0..1",
        .shape = ReduceShape,
        .grad = NormGrad,
        .examples = {{"tf.math.reduce_euclidean_norm([3., 4.])", "5.0"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t,
           Complex64, Complex128>(EuclideanNorm{}, {.prepare = PrepareFrom<ReduceState>});
  r.Op({.name = "Cross",
        .inputs = "a: T, b: T",
        .outputs = "product: T",
        .attrs = TENSH_REALS,
        .doc = "Cross products of vectors of three elements. a, b: vectors along the last "
               "dimension. T: the element type.",
        .contract = "a: rank 1+, b: rank 1+",
        .shape = CrossShape,
        .grad = CrossGrad,
        .examples = {{"tf.cross([1, 0, 0], [0, 1, 0])", "[0 0 1]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>(
          Cross{});
}

}  // namespace tensh::ops
