// tf.reduce_*: reductions with the various spellings of axis and keepdims in TensorFlow 1.x.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

// "input_tensor, axis, keepdims, name, reduction_indices, keep_dims"
constexpr const char* kSignature =
    "input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None";

struct Given {
  Value axis;
  bool keep_dims = false;
};

Given AxisOf(Args& a) {
  if (!a[1].is_none() && !a[4].is_none()) {
    throw ValueError("Cannot specify both 'axis' and 'reduction_indices'");
  }
  if (!a[2].is_none() && !a[5].is_none()) {
    throw ValueError("Cannot specify both 'keepdims' and 'keep_dims'");
  }
  const Value& keep = a[2].is_none() ? a[5] : a[2];
  return {a[1].is_none() ? a[4] : a[1], !keep.is_none() && Truth(keep)};
}

Value ReduceFn(Args& a) {
  const Given given = AxisOf(a);
  GraphObject& g = GraphOf({&a[0], &given.axis});
  return g.Tensor(Reduce(g, static_cast<const char*>(a.row().data), a[0], given.axis,
                         given.keep_dims, NameText(a[3])));
}

Value LogSumExp(Args& a) {
  const Given given = AxisOf(a);
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[3], "ReduceLogSumExp"));
  const Out x = Convert(g, a[0], "input");
  const Out raw = ReduceOut(g, "Max", x, given.axis, true);
  const Out finite =
      Op(g, "Select", {Op(g, "IsFinite", {raw}), raw, FilledLike(g, raw, 0, 0, "zeros_like")});
  const Out top = Op(g, "StopGradient", {finite});
  const Out sum =
      ReduceOut(g, "Sum", Op(g, "Exp", {Op(g, "Sub", {x, top})}), given.axis, given.keep_dims);
  const Out shifted = given.keep_dims ? top : Reshape(g, top, ShapeOf(g, sum));
  return g.Tensor(Op(g, "AddV2", {Op(g, "Log", {sum}), shifted}, g.scope));
}

// Computes the variance or, if row.data is set, the standard deviation.
Value Variance(Args& a) {
  const Given given = AxisOf(a);
  GraphObject& g = GraphOf({&a[0]});
  const bool root = a.row().data != nullptr;
  NameScope scope(g, NameOr(a[3], root ? "reduce_std" : "reduce_variance"));
  const Out x = Convert(g, a[0], "input");
  const Out means = ReduceOut(g, "Mean", x, given.axis, true);
  const Out squares = Op(g, "Square", {SubOp(g, x, means)});
  const Out variance = ReduceOut(g, "Mean", squares, given.axis, given.keep_dims);
  return g.Tensor(root ? Op(g, "Sqrt", {variance}) : variance);
}

// Arguments: input_tensor, axis, keepdims, dtype, name, reduction_indices, keep_dims, input.
Value CountNonzero(Args& a) {
  const Value& input = a[0].is_none() ? a[7] : a[0];
  Value others[] = {input, a[1], a[2], a[4], a[5], a[6]};
  Args rest(a.row(), a.self(), others, 6);
  const Given given = AxisOf(rest);
  GraphObject& g = GraphOf({&input});
  NameScope scope(g, NameOr(a[4], "count_nonzero"));
  const Out x = Convert(g, input, "input_tensor");
  const Out zero = ScalarConstant(g, 0, BaseType(g.handle().DType(x)), "zeros");
  const Out ones = Cast(g, Op(g, "NotEqual", {x, zero}), TSH_INT64);
  const Out count = ReduceOut(g, "Sum", ones, given.axis, given.keep_dims);
  return g.Tensor(Cast(g, count, a[3].is_none() ? TSH_INT64 : ToDType(a[3])));
}

const FunctionRow kRows[] = {
    {"reduce_sum", kSignature, ReduceFn, "The sum over axes (all by default).", "Sum"},
    {"reduce_mean", kSignature, ReduceFn, "The mean over axes (all by default).", "Mean"},
    {"reduce_prod", kSignature, ReduceFn, "The product over axes (all by default).", "Prod"},
    {"reduce_max", kSignature, ReduceFn, "The maximum over axes (all by default).", "Max"},
    {"reduce_min", kSignature, ReduceFn, "The minimum over axes (all by default).", "Min"},
    {"reduce_any", kSignature, ReduceFn, "True if any element over axes is true.", "Any"},
    {"reduce_all", kSignature, ReduceFn, "True if all elements over axes are true.", "All"},
    {"reduce_logsumexp", kSignature, LogSumExp, "log(sum(exp(x))) over axes."},
    {"reduce_variance", kSignature, Variance, "The variance over axes."},
    {"reduce_std", kSignature, Variance, "The standard deviation over axes.", "std"},
    {"count_nonzero",
     "input_tensor=None, axis=None, keepdims=None, dtype=None, name=None, reduction_indices=None, "
     "keep_dims=None, input=None",
     CountNonzero, "The number of nonzero elements."},
};

}  // namespace

std::span<const FunctionRow> ReduceRows() { return kRows; }

}  // namespace tensh::shell::tf
