// Sum: the sum over some dimensions. Float sums are pairwise; see reduce_loops.h.
#include "ops/math/reduce/reduce_loops.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/op_types.h"
#include "ops/support/prepare.h"
#include "ops/support/reducers.h"

namespace tensh::ops {
namespace {

struct Sum {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return ReduceKernel<T, SumReducer<T>>(c);
  }
};

Status SumGrad(GradScope& g) { return g.Return({SpreadReduced(g, g.dy()), Out()}); }

}  // namespace

TENSH_OPS(math_reduce_sum) {
  r.Op({.name = "Sum",
        .inputs = "input: T, reduction_indices: Tidx",
        .outputs = "output: T",
        .attrs = "keep_dims: bool = false, " TENSH_NUMBERS ", " TENSH_REDUCE_ATTRS,
        .doc = "The sum of elements over some dimensions. input: numbers of type T. "
               "reduction_indices: the dimensions to sum over (Tidx); negative ones count from the "
               "end. keep_dims: keep them with extent 1. T: the element type. Tidx: the type of "
               "the indices. The sum of no elements is 0.",
        .contract = "reduction_indices: rank 0..1",
        .shape = ReduceShape,
        .grad = SumGrad,
        .examples = {{"tf.reduce_sum([[1., 2.], [3., 4.]])", "10.0"},
                     {"tf.reduce_sum([[1, 2], [3, 4]], axis=0)", "[4 6]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128>(Sum{}, {.prepare = PrepareFrom<ReduceState>});
}

}  // namespace tensh::ops
