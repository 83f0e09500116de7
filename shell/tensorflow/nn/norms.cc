// tf.norm, clipping by a global norm, and cumulative sums.
#include <cmath>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/indexed_slices.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/shape.h"

namespace tensh::shell::tf {
namespace {

// Arguments: tensor, ord, axis, keepdims, name, keep_dims.
Value Norm(Args& a) {
  const Value& keep = a[3].is_none() ? a[5] : a[3];
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[4], "norm"));
  const Out x = Convert(g, a[0], "tensor");
  const bool keep_dims = !keep.is_none() && Truth(keep);
  const std::string ord = IsStr(a[1]) ? std::string(StrView(a[1])) : Str(a[1]);
  Out made;
  if (ord == "euclidean" || ord == "fro" || ord == "2" || ord == "2.0") {
    const Out sum = ReduceOut(g, "Sum", MulOp(g, x, x), a[2], true);
    made = Op(g, "Sqrt", {sum});
  } else if (ord == "1" || ord == "1.0") {
    made = ReduceOut(g, "Sum", Op(g, "Abs", {x}), a[2], true);
  } else if (ord == "inf") {
    made = ReduceOut(g, "Max", Op(g, "Abs", {x}), a[2], true);
  } else {
    throw ValueError("'ord' must be 'euclidean', 1, 2 or np.inf here, got " + Repr(a[1]));
  }
  if (keep_dims) return g.Tensor(made);
  OpCall squeeze(g, "Squeeze", g.scope);
  return squeeze.In(made).Attr("squeeze_dims", a[2]).AddValue();
}

// sqrt(sum of the squares of all elements of all tensors)
Out GlobalNormOf(GraphObject& g, const std::vector<Value>& tensors) {
  NameScope scope(g, "global_norm");
  std::vector<Out> halves;
  for (const Value& t : tensors) {
    if (t.is_none()) continue;
    const Out values = ValuesOf(g, t, "t_" + std::to_string(halves.size()));
    const ColocateScope with(g, values.node);
    halves.push_back(Op(g, "L2Loss", {values}));
  }
  if (halves.empty()) throw ValueError("t_list holds no tensor");
  const Out packed =
      OpCall(g, GetOp("Pack"), "", "stack").InList(std::span<const Out>(halves)).Add();
  const Out half = ReduceOut(g, "Sum", packed, Value::None(), false);
  const Out twice = MulOp(g, half, ScalarConstant(g, 2, BaseType(g.handle().DType(half))));
  return Op(g, "Sqrt", {twice}, "global_norm");
}

std::vector<Value> ListOf(const Value& v) {
  if (!Sequence(v)) throw TypeError("t_list should be a sequence");
  return *Sequence(v);
}

Value GlobalNorm(Args& a) {
  GraphObject* g = FindGraphOf(a[0]);
  return (g ? *g : DefaultGraph()).Tensor(GlobalNormOf(g ? *g : DefaultGraph(), ListOf(a[0])));
}

// Arguments: t_list, clip_norm, use_norm, name.
Value ClipByGlobalNorm(Args& a) {
  const std::vector<Value> tensors = ListOf(a[0]);
  GraphObject* found = FindGraphOf(a[0]);
  GraphObject& g = found ? *found : DefaultGraph();
  const Out norm = a[2].is_none() ? GlobalNormOf(g, tensors) : Convert(g, a[2], "use_norm");
  NameScope scope(g, NameOr(a[3], "clip_by_global_norm"));
  const int dtype = BaseType(g.handle().DType(norm));
  const Out limit = Convert(g, a[1], "clip_norm", {.dtype = dtype});
  const Out inverse = Operator(g, BinaryOp::kTrueDiv, Arg(ScalarConstant(g, 1, dtype)), norm);
  const Out largest = Operator(g, BinaryOp::kTrueDiv, Arg(ScalarConstant(g, 1, dtype)), limit);
  const Out finite = MulOp(g, limit, Op(g, "Minimum", {inverse, largest}));
  // If the norm is not finite, all results are NaN.
  const Out scale =
      Op(g, "Select", {Op(g, "IsFinite", {norm}), finite, ScalarConstant(g, std::nan(""), dtype)});
  std::vector<Value> clipped;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Value& t = tensors[i];
    if (t.is_none()) {
      clipped.push_back(t);
      continue;
    }
    const Out values = ValuesOf(g, t, "t_" + std::to_string(i));
    const ColocateScope with(g, values.node);
    // The full name of the scope, repeated inside the enclosing scope.
    const std::string own = g.scope + "_" + std::to_string(i);
    clipped.push_back(LikeRows(g, t, Op(g, "Identity", {MulOp(g, values, scale)}, own)));
  }
  return MakeTuple({MakeList(std::move(clipped)), g.Tensor(norm)});
}

constexpr const char* kCumulative = "x, axis=0, exclusive=False, reverse=False, name=None";

const FunctionRow kRows[] = {
    {"norm", "tensor, ord='euclidean', axis=None, keepdims=None, name=None, keep_dims=None", Norm,
     "The norm of vectors or matrices."},
    {"global_norm", "t_list, name=None", GlobalNorm, "The common norm of all tensors."},
    {"clip_by_global_norm", "t_list, clip_norm, use_norm=None, name=None", ClipByGlobalNorm,
     "Scales tensors to limit their common norm."},
    {"cumsum", kCumulative, CallOp, "Cumulative sums.", "Cumsum exclusive reverse"},
    {"cumprod", kCumulative, CallOp, "Cumulative products.", "Cumprod exclusive reverse"},
};

}  // namespace

std::span<const FunctionRow> NormRows() { return kRows; }

}  // namespace tensh::shell::tf
