// Statistics, differences, interpolation and np.vectorize.
#include <algorithm>
#include <cmath>

#include "shell/numpy/convert.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/text/float_text.h"

namespace tensh::shell::np {
namespace {

Array Times(const Array& a, const Array& b) { return Apply(UfuncOf(BinaryOp::kMul), a, b); }
Array Plus(const Array& a, const Array& b) { return Apply(UfuncOf(BinaryOp::kAdd), a, b); }
Array Minus(const Array& a, const Array& b) { return Apply(UfuncOf(BinaryOp::kSub), a, b); }
Array Over(const Array& a, const Array& b) { return Apply(UfuncOf(BinaryOp::kTrueDiv), a, b); }
Array Number(double v) { return Scalar0(TSH_DOUBLE, v); }

// Returns the quantile q in [0, 1] along an axis, interpolated linearly between neighbors.
Array Quantile(const Array& given, double q, int axis) {
  if (!(q >= 0 && q <= 1)) throw ValueError("Quantiles must be in the range [0, 1]");
  const Array a = axis < 0 ? Flat(given) : given;
  const int at = axis < 0 ? 0 : axis;
  const Array sorted = Sort(Category(a.dtype) == 2 ? a : Cast(a, TSH_DOUBLE), at);
  const int64_t n = sorted.dim(at);
  if (n == 0) return Number(std::nan(""));
  const double place = q * static_cast<double>(n - 1);
  const int64_t low = static_cast<int64_t>(std::floor(place));
  const int64_t high = std::min(low + 1, n - 1);
  const double t = place - static_cast<double>(low);
  const Array x = DropAxis(sorted, at, low), y = DropAxis(sorted, at, high);
  const Array step = Minus(y, x);
  // Interpolates from the nearer end, so that t = 1 gives exactly y.
  return t >= 0.5 ? Minus(y, Times(step, Number(1 - t))) : Plus(x, Times(step, Number(t)));
}

template <int kScale>
Value QuantileFunction(Args& a) {
  const Array x = ToArray(a[0]);
  const int axis = AxisArgument(a[2], x.rank);
  const Array q = ToArray(a[1], TSH_DOUBLE);
  if (q.rank == 0) return ArrayOrScalar(Quantile(x, *q.as<double>() / kScale, axis));
  std::vector<Array> parts;
  for (int64_t i = 0; i < q.size(); ++i)
    parts.push_back(WithAxis(Quantile(x, Contiguous(q).as<double>()[i] / kScale, axis), 0));
  return MakeArray(Concatenate(parts, 0));
}

// Arguments: a, axis. Returns the middle element, or the mean of the two middle ones.
Value MedianFunction(Args& a) {
  const Array given = ToArray(a[0]);
  const int axis = AxisArgument(a[1], given.rank);
  const Array x = axis < 0 ? Flat(given) : given;
  const int at = std::max(axis, 0);
  const Array sorted = Sort(x, at);
  const int64_t n = x.dim(at);
  // The median of no elements is the mean of no elements: NaN.
  const Array middle = n ? Sliced(sorted, at, (n - 1) / 2, 1, n % 2 ? 1 : 2) : sorted;
  Axes axes;
  axes.all = false;
  axes.reduced[static_cast<size_t>(at)] = true;
  return ArrayOrScalar(Mean(middle, axes, {}));
}

// Arguments: a, axis, weights.
Value AverageFunction(Args& a) {
  const Array x = ToArray(a[0]);
  const Axes axes = AxesArgument(a[1], x.rank);
  if (a[2].is_none()) return ArrayOrScalar(Mean(x, axes, {}));
  Array w = Cast(ToArray(a[2]), TSH_DOUBLE);
  if (!SameDims(w.dims(), x.dims())) {
    if (axes.all || w.rank != 1)
      throw TypeError("Axis must be specified when shapes of a and weights differ.");
    const int axis = AxisArgument(a[1], x.rank);
    for (int i = axis + 1; i < x.rank; ++i) w = WithAxis(w, w.rank);
    Array wide;
    if (!BroadcastTo(w, x.dims(), &wide))
      throw ValueError("Length of weights not compatible with specified axis.");
    w = wide;
  }
  const Array total = Reduce(Reduction::kSum, w, axes, {});
  return ArrayOrScalar(Over(Reduce(Reduction::kSum, Times(x, w), axes, {}), total));
}

Value DiffFunction(Args& a) {
  Array x = ToArray(a[0]);
  const int axis = NormalAxis(ToIndex(a[2]), x.rank);
  for (int64_t k = ToIndex(a[1]); k > 0 && x.dim(axis) > 0; --k) {
    const int64_t n = x.dim(axis) - 1;
    const Array after = Sliced(x, axis, 1, 1, n), before = Sliced(x, axis, 0, 1, n);
    x = x.dtype == TSH_BOOL ? Apply(UfuncOf(CompareOp::kNe), after, before) : Minus(after, before);
  }
  return MakeArray(x);
}

Value TrapzFunction(Args& a) {
  const Array y = Contiguous(Cast(Flat(ToArray(a[0])), TSH_DOUBLE));
  const bool even = a[1].is_none();
  const Array x = even ? y : Contiguous(Cast(Flat(ToArray(a[1])), TSH_DOUBLE));
  const double dx = ToDouble(a[2]);
  if (x.size() != y.size()) throw ValueError("x and y must have the same length");
  double sum = 0;
  for (int64_t i = 1; i < y.size(); ++i) {
    const double d = even ? dx : x.as<double>()[i] - x.as<double>()[i - 1];
    sum += d * (y.as<double>()[i] + y.as<double>()[i - 1]) / 2.0;
  }
  const double result = sum;
  return MakeScalar(TSH_DOUBLE, &result);
}

// Arguments: x, xp, fp.
Value InterpFunction(Args& a) {
  const Array x = Cast(ToArray(a[0]), TSH_DOUBLE);
  const Array xp = Contiguous(Cast(ToArray(a[1]), TSH_DOUBLE));
  const Array fp = Contiguous(Cast(ToArray(a[2]), TSH_DOUBLE));
  const int64_t n = xp.size();
  if (n == 0) throw ValueError("array of sample points is empty");
  if (fp.size() != n) throw ValueError("fp and xp are not of the same length.");
  const double *p = xp.as<double>(), *f = fp.as<double>();
  const Array out = Copy(x);
  double* to = out.writable<double>();
  for (int64_t i = 0; i < out.size(); ++i) {
    const double v = to[i];
    if (std::isnan(v)) continue;
    const int64_t k = std::upper_bound(p, p + n, v) - p;
    if (k == 0)
      to[i] = f[0];
    else if (k == n)
      to[i] = f[n - 1];
    else
      to[i] = (f[k] - f[k - 1]) / (p[k] - p[k - 1]) * (v - p[k - 1]) + f[k - 1];
  }
  return ArrayOrScalar(out);
}

Array EdgesBetween(const Array& x, const Value& bins, const Value& range) {
  const int64_t n = ToIndex(bins);
  if (n < 1) throw ValueError("`bins` must be positive, when an integer");
  double low = 0, high = 1;
  if (!range.is_none()) {
    const std::vector<Value> bounds = ToVector(range);
    if (bounds.size() != 2) throw ValueError("range must be a pair");
    low = ToDouble(bounds[0]);
    high = ToDouble(bounds[1]);
  } else if (x.size() > 0) {
    low = *std::min_element(x.as<double>(), x.as<double>() + x.size());
    high = *std::max_element(x.as<double>(), x.as<double>() + x.size());
  }
  if (!std::isfinite(low) || !std::isfinite(high))
    throw ValueError("autodetected range of [" + FloatScalarText(low, FloatWidth::kDouble) + ", " +
                     FloatScalarText(high, FloatWidth::kDouble) + "] is not finite");
  if (low == high) low -= 0.5, high += 0.5;
  const int64_t count = n + 1;
  const Array edges = Empty(TSH_DOUBLE, {&count, 1});
  double* to = edges.writable<double>();
  const double step = (high - low) / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) to[i] = low + static_cast<double>(i) * step;
  to[n] = high;
  return edges;
}

// Adds each weight, or 1, to the bin of its value. Values outside the edges have no bin.
template <class T>
Array Counted(const Array& x, const Array& edges, const Array* weights) {
  const int64_t n = edges.size() - 1;
  const double* e = edges.as<double>();
  const Array counts = Zeros(weights ? TSH_DOUBLE : TSH_INT64, {&n, 1});
  T* to = counts.writable<T>();
  for (int64_t i = 0; i < x.size(); ++i) {
    const double v = x.as<double>()[i];
    if (!(v >= e[0] && v <= e[n])) continue;
    const int64_t k = std::upper_bound(e, e + n + 1, v) - e - 1;
    to[std::min(k, n - 1)] += weights ? static_cast<T>(weights->as<double>()[i]) : T{1};
  }
  return counts;
}

// Arguments: a, bins, range, density, weights.
Value HistogramFunction(Args& a) {
  const Array x = Contiguous(Cast(Flat(ToArray(a[0])), TSH_DOUBLE));
  const Array edges = IsOneIndex(a[1]) ? EdgesBetween(x, a[1], a[2]) : ToArray(a[1]);
  const Array limits = Contiguous(Cast(edges, TSH_DOUBLE));
  if (limits.size() < 2) throw ValueError("`bins` must have at least two edges");
  Array counts;
  if (a[4].is_none()) {
    counts = Counted<int64_t>(x, limits, nullptr);
  } else {
    const Array weights = Contiguous(Cast(Flat(ToArray(a[4])), TSH_DOUBLE));
    if (weights.size() != x.size()) throw ValueError("weights should have the same shape as a.");
    counts = Counted<double>(x, limits, &weights);
  }
  if (!Truth(a[3])) return MakeTuple({MakeArray(counts), MakeArray(edges)});
  const int64_t n = limits.size() - 1;
  const Array widths = Minus(Sliced(limits, 0, 1, 1, n), Sliced(limits, 0, 0, 1, n));
  const Array total = Reduce(Reduction::kSum, counts, {}, {});
  return MakeTuple({MakeArray(Over(Over(counts, widths), total)), MakeArray(edges)});
}

Value DigitizeFunction(Args& a) {
  Value slots[] = {a[0], MakeStr(Truth(a[2]) ? "left" : "right"), Value::None()};
  Args args(a.row(), Value(), slots, 3);
  return SearchSortedMethod(ToArray(a[1]), args, 0);
}

Array Covariance(const Array& rows, double ddof) {
  Axes last;
  last.all = false;
  last.reduced[1] = true;
  const Array x = Minus(rows, Mean(rows, last, {.keepdims = true}));
  return Over(MatMul(x, Transposed(x)), Number(static_cast<double>(rows.dim(1)) - ddof));
}
Array AsRows(Args& a) {
  Array x = Cast(ToArray(a[0]), TSH_DOUBLE);
  if (x.rank < 2) x = WithAxis(x.rank ? x : WithAxis(x, 0), 0);
  if (x.rank != 2) throw ValueError("m has more than 2 dimensions");
  if (a[1].is_none()) return x;
  Array y = Cast(ToArray(a[1]), TSH_DOUBLE);
  if (y.rank < 2) y = WithAxis(y, 0);
  return Concatenate(std::vector<Array>{x, y}, 0);
}
Array SqueezeOne(const Array& a) { return a.size() == 1 ? Reshaped(a, {}) : a; }
Value CovFunction(Args& a) { return ArrayOrScalar(SqueezeOne(Covariance(AsRows(a), 1))); }
Value CorrFunction(Args& a) {
  const Array c = Covariance(AsRows(a), 1);
  Value slots[] = {Value::Int(0), Value::Int(0), Value::Int(1)};
  Args args(a.row(), Value(), slots, 3);
  const Array d = Apply(*FindUfunc("sqrt"), ToArray(DiagonalMethod(c, args, 0)));
  return ArrayOrScalar(SqueezeOne(Over(Over(c, WithAxis(d, 1)), WithAxis(d, 0))));
}

Value ApplyAlongAxis(Args& a) {
  const Array x = ToArray(a[2]);
  const int axis = NormalAxis(ToIndex(a[1]), x.rank);
  std::vector<int> order;
  for (int i = 0; i < x.rank; ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  const Array t = Copy(Transposed(x, order));
  const int64_t n = x.dim(axis);
  std::vector<Array> results;
  for (int64_t i = 0; n && i < t.size() / n; ++i) {
    Array line = Flat(t);
    line = Sliced(line, 0, i * n, 1, n);
    results.push_back(WithAxis(ToArray(Call(a[0], {MakeArray(line)})), 0));
  }
  if (results.empty())
    throw ValueError("Cannot apply_along_axis when any iteration dimensions are 0");
  const Array joined = Concatenate(results, 0);
  Extents dims(t.dims().begin(), t.dims().end() - 1);
  dims.insert(dims.end(), joined.dims().begin() + 1, joined.dims().end());
  return ArrayOrScalar(Reshaped(joined, dims));
}

// The result of np.vectorize: a function that is called for each element of the broadcast
// arguments.
class Vectorized : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit Vectorized(Value fn) : TrackedObject(kType), fn(std::move(fn)) {}
  void DropRefs() override { fn = Value(); }
  Value fn;
};

Value CallVectorized(const Value& self, const CallArgs& call) {
  if (call.keyword_count())
    throw TypeError("tensh does not pass keyword arguments to a vectorized function");
  std::vector<Array> args;
  Extents dims;
  for (const Value& v : call.args) {
    args.push_back(ToArray(v));
    Extents wider;
    if (!BroadcastDims(dims, args.back().dims(), &wider))
      throw ValueError("shape mismatch: objects cannot be broadcast to a single shape");
    dims = wider;
  }
  if (args.empty()) throw ValueError("args can not be empty");
  for (Array& a : args) {
    BroadcastTo(a, dims, &a);
    a = Copy(a);
  }
  std::vector<Value> results;
  for (int64_t i = 0; i < Product(dims); ++i) {
    std::vector<Value> row;
    for (const Array& a : args) row.push_back(ScalarElement(a, a.offset + i * a.unit()));
    results.push_back(Call(static_cast<Vectorized*>(self.object())->fn, row));
  }
  if (results.empty())
    throw ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set");
  return ArrayOrScalar(Reshaped(ToArray(MakeList(std::move(results))), dims));
}

const TypeInfo Vectorized::kType = {.name = "vectorize", .module = "numpy", .call = CallVectorized};
Value VectorizeFunction(Args& a) { return New<Vectorized>(a[0]); }

Value KronFunction(Args& a) {
  Array x = ToArray(a[0]), y = ToArray(a[1]);
  while (x.rank < y.rank) x = WithAxis(x, 0);
  while (y.rank < x.rank) y = WithAxis(y, 0);
  if (2 * x.rank > kMaxRank) throw ValueError("kron of arrays with that many dimensions");
  Extents dims;
  for (int i = 0; i < x.rank; ++i) dims.push_back(x.dim(i) * y.dim(i));
  for (int i = static_cast<int>(dims.size()); i-- > 0;) {
    x = WithAxis(x, i + 1);
    y = WithAxis(y, i);
  }
  return ArrayOrScalar(Reshaped(Times(x, y), dims));
}

// Splits the axes of an operand of tensordot into the kept ones and the summed ones, in order.
void SplitAxes(const Array& a, const Extents& summed, std::vector<int>* kept,
               std::vector<int>* gone) {
  for (int64_t axis : summed) gone->push_back(NormalAxis(axis, a.rank));
  for (int i = 0; i < a.rank; ++i)
    if (std::find(gone->begin(), gone->end(), i) == gone->end()) kept->push_back(i);
  if (kept->size() + gone->size() != static_cast<size_t>(a.rank))
    throw ValueError("repeated axis in tensordot");
}

// Moves the summed axes to the end of x and to the front of y, so that one matrix product does the
// work.
Value TensordotFunction(Args& a) {
  const Array x = ToArray(a[0]), y = ToArray(a[1]);
  Extents left, right;
  if (IsOneIndex(a[2])) {
    const int64_t n = ToIndex(a[2]);
    if (n < 0 || n > x.rank || n > y.rank) throw ValueError("tuple index out of range");
    for (int64_t i = 0; i < n; ++i) {
      left.push_back(x.rank - n + i);
      right.push_back(i);
    }
  } else {
    const std::vector<Value> pair = ToVector(a[2]);
    if (pair.size() != 2) throw ValueError("axes must be a number or two lists");
    left = ShapeArgument(pair[0]);
    right = ShapeArgument(pair[1]);
  }
  std::vector<int> kept_x, gone_x, kept_y, gone_y;
  SplitAxes(x, left, &kept_x, &gone_x);
  SplitAxes(y, right, &kept_y, &gone_y);
  if (gone_x.size() != gone_y.size()) throw ValueError("shape-mismatch for sum");
  Extents dims;
  int64_t rows = 1, inner = 1, columns = 1;
  for (size_t k = 0; k < gone_x.size(); ++k) {
    if (x.dim(gone_x[k]) != y.dim(gone_y[k])) throw ValueError("shape-mismatch for sum");
    inner *= x.dim(gone_x[k]);
  }
  for (int i : kept_x) dims.push_back(x.dim(i)), rows *= x.dim(i);
  for (int i : kept_y) dims.push_back(y.dim(i)), columns *= y.dim(i);
  kept_x.insert(kept_x.end(), gone_x.begin(), gone_x.end());
  gone_y.insert(gone_y.end(), kept_y.begin(), kept_y.end());
  const int64_t m[] = {rows, inner}, n[] = {inner, columns};
  const Array product =
      MatMul(Reshaped(Transposed(x, kept_x), m), Reshaped(Transposed(y, gone_y), n));
  return ArrayOrScalar(Reshaped(product, dims));
}

constexpr FunctionRow kRows[] = {
    {"vectorize", "pyfunc", VectorizeFunction, "Make a function that is applied to every element."},
    {"kron", "a, b", KronFunction, "Return the Kronecker product."},
    {"tensordot", "a, b, axes=2", TensordotFunction, "Sum products over the given axes."},
    {"median", "a, axis=None, out=None", MedianFunction, "Return the median."},
    {"percentile", "a, q, axis=None", QuantileFunction<100>,
     "Return percentiles, with linear interpolation."},
    {"quantile", "a, q, axis=None", QuantileFunction<1>,
     "Return quantiles, with linear interpolation."},
    {"average", "a, axis=None, weights=None", AverageFunction, "Return the weighted mean."},
    {"diff", "a, n=1, axis=-1", DiffFunction, "Return the differences of neighboring elements."},
    {"trapz", "y, x=None, dx=1.0", TrapzFunction, "Integrate by the trapezoidal rule."},
    {"interp", "x, xp, fp, left=None, right=None", InterpFunction, "Interpolate linearly."},
    {"histogram", "a, bins=10, range=None, density=None, weights=None", HistogramFunction,
     "Count the elements in each bin."},
    {"digitize", "x, bins, right=False", DigitizeFunction, "Return the bin of each element."},
    {"cov", "m, y=None", CovFunction, "Return the covariance matrix."},
    {"corrcoef", "x, y=None", CorrFunction, "Return the correlation matrix."},
    {"apply_along_axis", "func1d, axis, arr", ApplyAlongAxis,
     "Apply a function to every line along an axis."},
};

}  // namespace

std::span<const FunctionRow> StatsFunctions() { return kRows; }

}  // namespace tensh::shell::np
