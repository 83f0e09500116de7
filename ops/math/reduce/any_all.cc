// Any and All: reductions of booleans.
#include "ops/math/reduce/reduce_loops.h"
#include "ops/op_file.h"
#include "ops/support/op_types.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

struct AnyReducer {
  static bool Identity() { return false; }
  static bool Combine(bool a, bool b) { return a | b; }
};
struct AllReducer {
  static bool Identity() { return true; }
  static bool Combine(bool a, bool b) { return a & b; }
};

Status Any(KernelCtx& c) { return ReduceKernel<bool, AnyReducer>(c); }
Status All(KernelCtx& c) { return ReduceKernel<bool, AllReducer>(c); }

OpSpec Spec(OpText name, std::string doc, Example example) {
  return {
      .name = name,
      .inputs = "input: bool, reduction_indices: Tidx",
      .outputs = "output: bool",
      .attrs = "keep_dims: bool = false, " TENSH_REDUCE_ATTRS,
      .doc =
          std::move(doc) +
          " input: booleans. reduction_indices: the dimensions to reduce (Tidx); negative ones "
          "count from the end. keep_dims: keep them with extent 1. Tidx: the type of the indices.",
      .contract = "reduction_indices: rank 0..1",
      .shape = ReduceShape,
      .no_gradient = true,
      .examples = {example}};
}

}  // namespace

TENSH_OPS(math_reduce_any_all) {
  r.Op(Spec("Any", "True if any element over some dimensions is true.",
            {"tf.reduce_any([[True, False], [False, False]], axis=1)", "[ True False]"}))
      .CpuAny(Any, PrepareFrom<ReduceState>);
  r.Op(Spec("All", "True if all elements over some dimensions are true.",
            {"tf.reduce_all([[True, True], [True, False]], axis=1)", "[ True False]"}))
      .CpuAny(All, PrepareFrom<ReduceState>);
}

}  // namespace tensh::ops
