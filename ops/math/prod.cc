#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/reduce.h"
#include "ops/support/reducers.h"

namespace tensh::ops {
namespace {

struct Prod {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ReduceKernel<T, ProdReducer<T>>(c);
  }
};

Out IntVector(GradScope& g, std::span<const int32_t> v) {
  return g.Const(Tensor::Vector<int32_t>(v));
}

// The product of all the others, for each element: a product of two cumulative products, one from
// each side, along the reduced dimensions packed into the first. Division by x would fail at zeros.
Status ProdGrad(GradScope& g) {
  const Tensor* axes = g.constant(g.x(1));
  const Shape in = g.shape(g.x(0));
  if (!axes || !in.IsFullyKnown())
    return Unimplemented("the gradient of Prod needs a known input shape and constant axes");
  std::vector<int32_t> perm, kept, inverse(in.rank());
  int32_t reduced = 1, others = 1;
  std::vector<bool> is_reduced(in.rank());
  for (int64_t i = 0; i < axes->num_elements(); ++i) {
    const int64_t axis = axes->IntScalar(i);
    is_reduced[axis < 0 ? axis + in.rank() : axis] = true;
  }
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < in.rank(); ++i) {
      if (is_reduced[i] != (pass == 0)) continue;
      inverse[i] = static_cast<int32_t>(perm.size());
      perm.push_back(i);
      kept.push_back(static_cast<int32_t>(in[i]));
      (pass == 0 ? reduced : others) *= static_cast<int32_t>(in[i]);
    }
  const int32_t packed_shape[] = {reduced, others};
  Out spread = SpreadReduced(g, g.dy());
  Out packed = g.Op("Reshape", {g.Op("Transpose", {g.x(0), IntVector(g, perm)}, {}, "transpose"),
                                IntVector(g, packed_shape)});
  Out axis = g.Const(Tensor::Scalar<int32_t>(0), "Cumprod/axis");
  Out left = g.Op("Cumprod", {packed, axis}, {{"exclusive", true}});
  Out right = g.Op("Cumprod", {packed, axis}, {{"exclusive", true}, {"reverse", true}});
  Out product = g.Op("Reshape", {g.Mul(left, right), IntVector(g, kept)});
  Out back = g.Op("Transpose", {product, IntVector(g, inverse)}, {}, "transpose");
  return g.Return({g.Mul(spread, back), Out()});
}

}  // namespace

TENSH_OPS(math_prod) {
  r.Op({.name = "Prod",
        .inputs = "input: T, reduction_indices: Tidx",
        .outputs = "output: T",
        .attrs = "keep_dims: bool = false, " TENSH_NUMBERS ", " TENSH_REDUCE_ATTRS,
        .doc =
            "The product of elements over some dimensions. input: numbers of type T. "
            "reduction_indices: the dimensions to multiply over (Tidx), negative ones count from "
            "the end. keep_dims: keep them with size 1. T: the element type. Tidx: the type of the "
            "indices. The product of nothing is 1.",
        .shape = ReduceShape,
        .grad = ProdGrad,
        .examples = {{"tf.reduce_prod([[1., 2.], [3., 4.]])", "24.0"},
                     {"tf.reduce_prod([[1, 2], [3, 4]], axis=1)", "[ 2 12]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t>(Prod{},
                                                                      {.prepare = PrepareReduce});
}

}  // namespace tensh::ops
