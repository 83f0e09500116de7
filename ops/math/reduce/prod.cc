// Prod: the product over some dimensions.
#include "ops/math/reduce/reduce_loops.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/prepare.h"
#include "ops/support/reducers.h"

namespace tensh::ops {
namespace {

struct Prod {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ReduceKernel<T, ProdReducer<T>>(c);
  }
};

Out Scalar(GradScope& g, int32_t v, std::string_view name) {
  return g.Const(Tensor::Scalar<int32_t>(v), name);
}

// Returns the product of those extents of `shape` that `dims` names.
Out CountAlong(GradScope& g, Out shape, Out dims) {
  const int32_t all[] = {0};
  Out extents = g.Op("GatherV2", {shape, dims, Scalar(g, 0, "Gather/axis")}, {}, "Gather");
  return g.Op("Prod", {extents, g.Const(Tensor::Vector<int32_t>(all))});
}

// The gradient of an element is the product of all other elements. It is computed as the product of
// two exclusive cumulative products, one from each side, along the reduced dimensions, which are
// first merged into one. Dividing the total product by x would fail at zeros.
Status ProdGrad(GradScope& g) {
  const int32_t flat[] = {-1};
  const Out x = g.x(0);
  Out spread = SpreadReduced(g, g.dy());
  Out axes = g.Op("Reshape", {g.x(1), g.Const(Tensor::Vector<int32_t>(flat), "Reshape/shape")});
  if (g.dtype(axes) != DType::kInt32) axes = GradCast(g, axes, DType::kInt32);
  Out rank = g.Op("Rank", {x}), shape = g.Op("Shape", {x});
  Out reduced = g.Op("FloorMod", {GradAdd(g, axes, rank), rank}, {}, "mod");
  Out dims =
      g.Op("Range", {Scalar(g, 0, "range/start"), rank, Scalar(g, 1, "range/delta")}, {}, "range");
  Out others = g.Op("ListDiff", {dims, reduced});
  Out perm = g.Op("ConcatV2", {reduced, others, Scalar(g, 0, "concat/axis")}, {{"N", 2}}, "concat");
  Out permuted = g.Op("Transpose", {x, perm}, {}, "transpose");
  Out packed_shape = g.Op("Pack", {CountAlong(g, shape, reduced), CountAlong(g, shape, others)},
                          {{"N", 2}}, "Reshape_2/shape");
  Out packed = g.Op("Reshape", {permuted, packed_shape});
  Out first = Scalar(g, 0, "Cumprod/axis");
  Out left = g.Op("Cumprod", {packed, first}, {{"exclusive", true}});
  Out right = g.Op("Cumprod", {packed, first}, {{"exclusive", true}, {"reverse", true}});
  Out product = g.Op("Reshape", {g.Mul(left, right), g.Op("Shape", {permuted})});
  Out back = g.Op("Transpose", {product, g.Op("InvertPermutation", {perm})}, {}, "transpose");
  return g.Return({g.Mul(spread, Conj(g, back)), Out()});
}

}  // namespace

TENSH_OPS(math_reduce_prod) {
  r.Op({.name = "Prod",
        .inputs = "input: T, reduction_indices: Tidx",
        .outputs = "output: T",
        .attrs = "keep_dims: bool = false, " TENSH_NUMBERS ", " TENSH_REDUCE_ATTRS,
        .doc = "The product of elements over some dimensions. input: numbers of type T. "
               "reduction_indices: the dimensions to multiply over (Tidx); negative ones count "
               "from the end. keep_dims: keep them with extent 1. T: the element type. Tidx: the "
               "type of the indices. The product of no elements is 1.",
        .contract = "reduction_indices: rank 0..1",
        .shape = ReduceShape,
        .grad = ProdGrad,
        .examples = {{"tf.reduce_prod([[1., 2.], [3., 4.]])", "24.0"},
                     {"tf.reduce_prod([[1, 2], [3, 4]], axis=1)", "[ 2 12]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128>(Prod{}, {.prepare = PrepareFrom<ReduceState>});
}

}  // namespace tensh::ops
