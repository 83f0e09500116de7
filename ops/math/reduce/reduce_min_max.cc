// Max and Min over some dimensions. NaN wins.
#include "ops/math/reduce/reduce_loops.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/prepare.h"
#include "ops/support/reducers.h"

namespace tensh::ops {
namespace {

struct Max {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ReduceKernel<T, MaxReducer<T>>(c);
  }
};
struct Min {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ReduceKernel<T, MinReducer<T>>(c);
  }
};

// The gradient is divided equally among the elements equal to the extremum.
Status ExtremumGrad(GradScope& g) {
  Out kept = KeptDimsShape(g);
  Out y = g.Op("Reshape", {g.y(0), kept});
  Out dy = g.Op("Reshape", {g.dy(), kept});
  Out hits = GradCast(g, g.Op("Equal", {y, g.x(0)}), g.dtype(dy));
  Out count = g.Op("Reshape", {g.Op("Sum", {hits, g.x(1)}), kept});
  return g.Return({g.Mul(GradDiv(g, hits, count), dy), Out()});
}

OpSpec Spec(OpText name, std::string doc, Example example) {
  return {
      .name = name,
      .inputs = "input: T, reduction_indices: Tidx",
      .outputs = "output: T",
      .attrs = "keep_dims: bool = false, " TENSH_REALS ", " TENSH_REDUCE_ATTRS,
      .doc = std::move(doc) +
             " input: real numbers. reduction_indices: the dimensions to reduce (Tidx); negative "
             "ones count from the end. keep_dims: keep them with extent 1. T: the element type. "
             "Tidx: the type of the indices. The result is NaN if any element is.",
      .contract = "reduction_indices: rank 0..1",
      .shape = ReduceShape,
      .grad = ExtremumGrad,
      .examples = {example}};
}

}  // namespace

TENSH_OPS(math_reduce_reduce_min_max) {
  r.Op(Spec("Max", "The largest element over some dimensions.",
            {"tf.reduce_max([[1., 5.], [3., 4.]], axis=1)", "[5. 4.]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>(
          Max{}, {.prepare = PrepareFrom<ReduceState>});
  r.Op(Spec("Min", "The smallest element over some dimensions.",
            {"tf.reduce_min([[1., 5.], [3., 4.]], axis=1)", "[1. 3.]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>(
          Min{}, {.prepare = PrepareFrom<ReduceState>});
}

}  // namespace tensh::ops
