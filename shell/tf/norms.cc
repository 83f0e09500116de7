// tf.norm, tf.tensordot, clipping by a global norm, cumulative sums.
#include "shell/tf/build.h"
#include "shell/tf/rows.h"
#include "shell/tf/shape.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

// tensor, ord, axis, keepdims, name, keep_dims
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
  squeeze.In(made);
  for (const OpAttr& attr : squeeze.info().attrs) {
    if (attr.name == "squeeze_dims" && !a[2].is_none()) squeeze.Attr(attr, a[2]);
  }
  return squeeze.AddValue();
}

// sqrt(sum of the squares of all elements of all tensors)
Out GlobalNormOf(GraphObject& g, const std::vector<Value>& tensors) {
  NameScope scope(g, "global_norm");
  std::vector<Out> halves;
  for (const Value& t : tensors) {
    if (!t.is_none()) halves.push_back(Op(g, "L2Loss", {t}));
  }
  if (halves.empty()) throw ValueError("t_list holds no tensor");
  const Out packed =
      OpCall(g, GetOp("Pack"), "", "stack").InList(std::span<const Out>(halves)).Add();
  const Out half = ReduceOut(g, "Sum", packed, Value::None(), false);
  const Out twice = MulOp(g, half, ScalarConstant(g, 2, BaseType(g.handle().DType(half))));
  return Op(g, "Sqrt", {twice}, g.scope);
}

std::vector<Value> ListOf(const Value& v) {
  if (!Sequence(v)) throw TypeError("t_list should be a sequence");
  return *Sequence(v);
}

Value GlobalNorm(Args& a) {
  GraphObject* g = FindGraphOf(a[0]);
  return (g ? *g : DefaultGraph()).Tensor(GlobalNormOf(g ? *g : DefaultGraph(), ListOf(a[0])));
}

// t_list, clip_norm, use_norm, name
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
  const Out scale = MulOp(g, limit, Op(g, "Minimum", {inverse, largest}));
  std::vector<Value> clipped;
  for (const Value& t : tensors) {
    clipped.push_back(t.is_none() ? t : g.Tensor(MulOp(g, t, scale)));
  }
  return MakeTuple({MakeList(std::move(clipped)), g.Tensor(norm)});
}

int64_t Product(std::span<const int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

// a, b, axes, name: axes a number, the shapes known.
Value TensorDot(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  if (!a[2].is_int()) {
    throw NotImplementedError("tf.tensordot takes a number of axes here; transpose before.");
  }
  NameScope scope(g, NameOr(a[3], "Tensordot"));
  const Out x = Convert(g, a[0], "a");
  const Out y = Convert(g, a[1], "b", {.preferred = BaseType(g.handle().DType(x))});
  const ShapeInfo xs = g.handle().Shape(x), ys = g.handle().Shape(y);
  const int64_t axes = a[2].as_int();
  if (xs.rank < 0 || ys.rank < 0 || axes < 0 || axes > xs.rank || axes > ys.rank) {
    throw ValueError("'axes' must be between 0 and the ranks of a and b, which must be known.");
  }
  const size_t n = static_cast<size_t>(axes);
  const Dims left = xs.dims().first(xs.dims().size() - n), right = ys.dims().subspan(n);
  const Dims inner = ys.dims().first(n);
  std::vector<int64_t> dims(left.begin(), left.end());
  dims.insert(dims.end(), right.begin(), right.end());
  int64_t unknown = 0;
  for (int64_t d : dims) unknown += d < 0;
  for (int64_t d : inner) unknown += d < 0 ? 2 : 0;
  if (unknown > 1) throw ValueError("tf.tensordot needs shapes with at most one unknown size.");
  bool left_known = true, right_known = true;
  for (int64_t d : left) left_known &= d >= 0;
  for (int64_t d : right) right_known &= d >= 0;
  const int64_t rows[] = {left_known ? Product(left) : -1, Product(inner)};
  const int64_t columns[] = {Product(inner), right_known ? Product(right) : -1};
  const Out product = Op(g, "MatMul", {ReshapeTo(g, x, rows), ReshapeTo(g, y, columns)});
  std::vector<Value> shape;
  for (int64_t d : dims) shape.push_back(Value::Int(d));
  const Value list = dims.empty() ? Value() : MakeList(std::move(shape));
  if (!dims.empty()) return g.Tensor(Reshape(g, product, list, g.scope));
  return g.Tensor(Reshape(g, product, Constant(g, TensorHandle::Int32s({}), "shape"), g.scope));
}

constexpr const char* kCumulative = "x, axis=0, exclusive=False, reverse=False, name=None";

const FunctionRow kRows[] = {
    {"norm", "tensor, ord='euclidean', axis=None, keepdims=None, name=None, keep_dims=None", Norm,
     "The length of vectors."},
    {"global_norm", "t_list, name=None", GlobalNorm, "The length of all tensors together."},
    {"clip_by_global_norm", "t_list, clip_norm, use_norm=None, name=None", ClipByGlobalNorm,
     "Tensors scaled to a common length."},
    {"tensordot", "a, b, axes, name=None", TensorDot, "The product summed over axes."},
    {"cumsum", kCumulative, CallOp, "Sums so far.", "Cumsum exclusive reverse"},
    {"cumprod", kCumulative, CallOp, "Products so far.", "Cumprod exclusive reverse"},
};

}  // namespace

std::span<const FunctionRow> NormRows() { return kRows; }

}  // namespace tensh::shell::tf
