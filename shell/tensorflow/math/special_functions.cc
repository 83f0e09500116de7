// Functions of tf: special functions, divisions that return 0 for a zero divisor, histograms and
// counts.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

// Arguments: x, y, name. Both are converted in a scope with the function's name.
Value InScope(Args& a) {
  const std::string_view op = static_cast<const char*>(a.row().data);
  GraphObject& g = GraphOf({&a[0], &a[1]});
  const std::string_view name = a.row().name;
  NameScope scope(g, NameOr(a[2], name));
  const Out x = Convert(g, a[0], "x");
  const Out y = Convert(g, a[1], "y", {.dtype = BaseType(g.handle().DType(x))});
  return g.Tensor(Op(g, op, {x, y}, g.scope));
}

// Arguments: arr, weights, minlength, maxlength, dtype.
Value Bincount(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2], &a[3]});
  NameScope scope(g, "bincount");
  const Out arr = Convert(g, a[0], "arr", {.dtype = TSH_INT32});
  const Out count = ReduceOut(g, "Prod", ShapeOf(g, arr), Value::None(), false);
  const Out some = Op(g, "Greater", {count, Arg(Value::Int(0))});
  const Out most = ReduceOut(g, "Max", arr, Value::None(), false);
  Out size = MulOp(g, Cast(g, some, TSH_INT32), AddOp(g, most, Value::Int(1)));
  if (!a[2].is_none()) {
    const Out least = Convert(g, a[2], "minlength", {.dtype = TSH_INT32});
    size = Op(g, "Maximum", {least, size});
  }
  if (!a[3].is_none()) {
    const Out limit = Convert(g, a[3], "maxlength", {.dtype = TSH_INT32});
    size = Op(g, "Minimum", {limit, size});
  }
  if (!a[1].is_none()) {
    const Out weights = Convert(g, a[1], "weights");
    return g.Tensor(Op(g, "UnsortedSegmentSum", {weights, arr, size}));
  }
  const Out none =
      Constant(g, TensorHandle::Make(BaseType(ToDType(a[4])), std::vector<int64_t>{0}), "Const");
  return g.Tensor(Op(g, "Bincount", {arr, size, none}));
}

// Arguments: values, value_range, nbins, dtype, name.
Value Histogram(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  NameScope scope(g, NameOr(a[4], "histogram_fixed_width"));
  OpCall call(g, "HistogramFixedWidth", g.scope);
  call.In(a[0]).In(a[1]).In(a[2]).Type("dtype", BaseType(ToDType(a[3])));
  return call.AddValue();
}

// Arguments: input_tensor, axis, keepdims, name.
Value EuclideanNorm(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  return g.Tensor(Reduce(g, "EuclideanNorm", a[0], a[1], Truth(a[2]), NameText(a[3])));
}

const FunctionRow kRows[] = {
    TENSH_UNARY("erfc", "Erfc"),
    TENSH_UNARY("lgamma", "Lgamma"),
    TENSH_UNARY("digamma", "Digamma"),
    TENSH_UNARY("asinh", "Asinh"),
    TENSH_UNARY("acosh", "Acosh"),
    TENSH_UNARY("atanh", "Atanh"),
    TENSH_UNARY("erfinv", "Erfinv"),
    TENSH_UNARY("ndtri", "Ndtri"),
    TENSH_UNARY("bessel_i0e", "BesselI0e"),
    TENSH_UNARY("bessel_i1e", "BesselI1e"),
    TENSH_UNARY("rint", "Rint"),
    {"atan2", "y, x, name=None", CallOp, "The angle of the point (x, y).", "Atan2"},
    {"igamma", "a, x, name=None", CallOp, "The lower incomplete gamma function.", "Igamma"},
    {"igammac", "a, x, name=None", CallOp, "The upper incomplete gamma function.", "Igammac"},
    {"zeta", "x, q, name=None", CallOp, "The Hurwitz zeta function.", "Zeta"},
    {"polygamma", "a, x, name=None", CallOp, "Derivatives of digamma.", "Polygamma"},
    {"betainc", "a, b, x, name=None", CallOp, "The incomplete beta function.", "Betainc"},
    TENSH_BINARY("xdivy", "Xdivy"),
    TENSH_BINARY("xlogy", "Xlogy"),
    TENSH_BINARY("xlog1py", "Xlog1py"),
    TENSH_BINARY("truncatediv", "TruncateDiv"),
    TENSH_BINARY("truncatemod", "TruncateMod"),
    {"div_no_nan", "x, y, name=None", InScope, "x / y, or 0 where y is 0.", "DivNoNan"},
    {"multiply_no_nan", "x, y, name=None", InScope, "x * y, or 0 where y is 0.", "MulNoNan"},
    {"nextafter", "x1, x2, name=None", CallOp, "The next floating-point number towards x2.",
     "NextAfter"},
    {"reduce_euclidean_norm", "input_tensor, axis=None, keepdims=False, name=None", EuclideanNorm,
     "The Euclidean norm along axes."},
    {"bincount", "arr, weights=None, minlength=None, maxlength=None, dtype='int32'", Bincount,
     "Counts the occurrences of each number."},
    {"histogram_fixed_width", "values, value_range, nbins=100, dtype='int32', name=None", Histogram,
     "Counts values in bins of equal width."},
};

}  // namespace

std::span<const FunctionRow> SpecialFunctionRows() { return kRows; }

}  // namespace tensh::shell::tf
