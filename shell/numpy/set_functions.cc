// Functions that sort, search, compare and count.
#include <algorithm>
#include <cmath>

#include "shell/numpy/convert.h"
#include "shell/numpy/element.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {
namespace {

Array Indices(const std::vector<int64_t>& v) {
  const int64_t n = static_cast<int64_t>(v.size());
  const Array out = Empty(TSH_INT64, {&n, 1});
  std::copy(v.begin(), v.end(), out.writable<int64_t>());
  return out;
}

bool SameElement(const Array& a, int64_t x, int64_t y) {
  return Equal(PythonElement(a, a.offset + x * a.unit()),
               PythonElement(a, a.offset + y * a.unit()));
}

// Arguments: ar, return_index, return_inverse, return_counts.
Value UniqueFunction(Args& a) {
  const Array x = Contiguous(Flat(ToArray(a[0])));
  if (!a[4].is_none()) throw NotImplementedError("np.unique does not support axis");
  const Array order = ArgSort(x, 0);
  const int64_t* at = order.as<int64_t>();
  const int64_t n = x.size();
  std::vector<int64_t> first, counts, inverse(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    if (i == 0 || !SameElement(x, at[i - 1], at[i])) {
      first.push_back(at[i]);
      counts.push_back(0);
    }
    ++counts.back();
    inverse[static_cast<size_t>(at[i])] = static_cast<int64_t>(first.size()) - 1;
  }
  std::vector<Value> out{MakeArray(Take(x, Indices(first), 0))};
  if (Truth(a[1])) out.push_back(MakeArray(Indices(first)));
  if (Truth(a[2])) out.push_back(MakeArray(Indices(inverse)));
  if (Truth(a[3])) out.push_back(MakeArray(Indices(counts)));
  return out.size() == 1 ? out[0] : MakeTuple(std::move(out));
}

Array UniqueOf(const Array& a) {
  const Array sorted = Sort(Flat(a), 0);
  std::vector<int64_t> keep;
  for (int64_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || !SameElement(sorted, i - 1, i)) keep.push_back(i);
  return Take(sorted, Indices(keep), 0);
}

// Returns an array that is true for the elements of a that occur in b.
Array IsIn(const Array& a, const Array& b) {
  const int dtype = Promote(a.dtype, b.dtype);
  const Array x = Contiguous(Cast(a, dtype)), pool = Sort(Contiguous(Flat(Cast(b, dtype))), 0);
  const Array out = Empty(TSH_BOOL, a.dims());
  bool* to = out.writable<bool>();
  const int64_t unit = x.unit();
  for (int64_t i = 0; i < x.size(); ++i) {
    const Value v = PythonElement(x, x.offset + i * unit);
    int64_t low = 0, high = pool.size();
    while (low < high) {
      const int64_t mid = (low + high) / 2;
      const Value m = PythonElement(pool, pool.offset + mid * pool.unit());
      if (CompareTruth(CompareOp::kLt, m, v))
        low = mid + 1;
      else
        high = mid;
    }
    to[i] = low < pool.size() && Equal(v, PythonElement(pool, pool.offset + low * pool.unit()));
  }
  return out;
}

Value IsInFunction(Args& a) {
  const Array in = IsIn(ToArray(a[0]), ToArray(a[1]));
  return ArrayOrScalar(Truth(a[3]) ? Apply(*FindUfunc("logical_not"), in) : in);
}

Array Selected(const Array& a, const Array& mask) { return Take(a, Nonzero(mask)[0], 0); }

Value Intersect(Args& a) {
  const Array x = UniqueOf(ToArray(a[0]));
  return MakeArray(Selected(x, IsIn(x, ToArray(a[1]))));
}
Value Union(Args& a) {
  return MakeArray(
      UniqueOf(Concatenate(std::vector<Array>{Flat(ToArray(a[0])), Flat(ToArray(a[1]))}, 0)));
}
Value SetDifference(Args& a) {
  const Array x = UniqueOf(ToArray(a[0]));
  return MakeArray(Selected(x, Apply(*FindUfunc("logical_not"), IsIn(x, ToArray(a[1])))));
}

// Tests |a - b| <= atol + rtol |b|. Infinities are equal to themselves.
Array IsClose(const Array& a, const Array& b, double rtol, double atol, bool equal_nan) {
  const Array x = Cast(a, TSH_DOUBLE), y = Cast(b, TSH_DOUBLE);
  Extents dims;
  if (!BroadcastDims(x.dims(), y.dims(), &dims)) {
    throw ValueError("operands could not be broadcast together with shapes " + ShapeText(x.dims()) +
                     " " + ShapeText(y.dims()) + " ");
  }
  Array p, q;
  BroadcastTo(x, dims, &p);
  BroadcastTo(y, dims, &q);
  p = Contiguous(p);
  q = Contiguous(q);
  const Array out = Empty(TSH_BOOL, dims);
  for (int64_t i = 0; i < out.size(); ++i) {
    const double u = p.as<double>()[i], v = q.as<double>()[i];
    out.writable<bool>()[i] =
        u == v || (equal_nan && std::isnan(u) && std::isnan(v)) ||
        (std::isfinite(u) && std::isfinite(v) && std::fabs(u - v) <= atol + rtol * std::fabs(v));
  }
  return out;
}

Array CloseArgs(Args& a) {
  return IsClose(ToArray(a[0]), ToArray(a[1]), ToDouble(a[2]), ToDouble(a[3]), Truth(a[4]));
}
bool All(const Array& a) { return Truth(ArrayOrScalar(Reduce(Reduction::kAll, a, {}, {}))); }
Value IsCloseFunction(Args& a) { return ArrayOrScalar(CloseArgs(a)); }
Value AllClose(Args& a) { return Value::Bool(All(CloseArgs(a))); }

Value ArrayEqual(Args& a) {
  const Array x = ToArray(a[0]), y = ToArray(a[1]);
  if (!SameDims(x.dims(), y.dims())) return Value::Bool(false);
  if (Truth(a[2]) && HasBytes(x.dtype) && HasBytes(y.dtype))
    return Value::Bool(All(IsClose(x, y, 0, 0, true)));
  return Value::Bool(All(Apply(UfuncOf(CompareOp::kEq), x, y)));
}
Value ArrayEquivalent(Args& a) {
  const Array x = ToArray(a[0]), y = ToArray(a[1]);
  Extents dims;
  if (!BroadcastDims(x.dims(), y.dims(), &dims)) return Value::Bool(false);
  return Value::Bool(All(Apply(UfuncOf(CompareOp::kEq), x, y)));
}

Value CountNonzero(Args& a) {
  const Array x = Cast(ToArray(a[0]), TSH_BOOL);
  const Array n = Reduce(Reduction::kSum, x, AxesArgument(a[1], x.rank), {});
  return n.rank == 0 ? PythonElement(n, n.offset) : MakeArray(n);
}
Value FlatNonzero(Args& a) { return MakeArray(Nonzero(Flat(ToArray(a[0])))[0]); }
Value ArgWhere(Args& a) {
  std::vector<Array> columns = Nonzero(ToArray(a[0]));
  for (Array& c : columns) c = WithAxis(c, 1);
  return MakeArray(Concatenate(columns, 1));
}

// np.ix_: puts each list on a separate axis.
Value OpenMesh(Args& a) {
  const auto* given = Sequence(a[0]);
  std::vector<Value> out;
  for (size_t k = 0; k < given->size(); ++k) {
    Array x = ToArray((*given)[k]);
    if (x.rank != 1) throw ValueError("Cross index must be 1 dimensional");
    if (x.dtype == TSH_BOOL) x = Nonzero(x)[0];
    for (size_t i = 0; i < k; ++i) x = WithAxis(x, 0);
    for (size_t i = k + 1; i < given->size(); ++i) x = WithAxis(x, x.rank);
    out.push_back(MakeArray(x));
  }
  return MakeTuple(std::move(out));
}

// Arguments: x, weights, minlength.
Value BinCount(Args& a) {
  const Array x = Contiguous(Cast(ToArray(a[0]), TSH_INT64));
  int64_t n = ToIndex(a[2]);
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t v = x.as<int64_t>()[i];
    if (v < 0) throw ValueError("'list' argument must have no negative elements");
    if (v > (int64_t{1} << 32)) throw MakeError(kMemoryError, "bincount of a number that large");
    n = std::max(n, v + 1);
  }
  if (a[1].is_none()) {
    const Array out = Zeros(TSH_INT64, {&n, 1});
    for (int64_t i = 0; i < x.size(); ++i) ++out.writable<int64_t>()[x.as<int64_t>()[i]];
    return MakeArray(out);
  }
  const Array weights = Contiguous(Cast(ToArray(a[1]), TSH_DOUBLE));
  if (weights.size() != x.size())
    throw ValueError("The weights and list don't have the same length.");
  const Array out = Zeros(TSH_DOUBLE, {&n, 1});
  for (int64_t i = 0; i < x.size(); ++i)
    out.writable<double>()[x.as<int64_t>()[i]] += weights.as<double>()[i];
  return MakeArray(out);
}

constexpr const char* kClose = "a, b, rtol=1e-05, atol=1e-08, equal_nan=False";
constexpr FunctionRow kRows[] = {
    {"sort", "a, axis=-1, kind=None, order=None", AsFunction<SortedMethod>,
     "Return a sorted copy."},
    {"argsort", "a, axis=-1, kind=None, order=None", AsFunction<ArgsortMethod>,
     "Return the indices that would sort the array."},
    {"searchsorted", "a, v, side='left', sorter=None", AsFunction<SearchSortedMethod>,
     "Return the indices at which values must be inserted to keep the array sorted."},
    {"unique", "ar, return_index=False, return_inverse=False, return_counts=False, axis=None",
     UniqueFunction, "Return the distinct elements, sorted."},
    {"isin", "element, test_elements, assume_unique=False, invert=False", IsInFunction,
     "Test for each element whether it is in another array."},
    {"in1d", "ar1, ar2, assume_unique=False, invert=False", IsInFunction,
     "Test for each element whether it is in another array."},
    {"intersect1d", "ar1, ar2", Intersect, "Return the elements that are in both arrays, sorted."},
    {"union1d", "ar1, ar2", Union, "Return the elements that are in either array, sorted."},
    {"setdiff1d", "ar1, ar2", SetDifference,
     "Return the elements of the first array that are not in the second, sorted."},
    {"isclose", kClose, IsCloseFunction, "Test which elements are equal within a tolerance."},
    {"allclose", kClose, AllClose, "Test whether all elements are equal within a tolerance."},
    {"array_equal", "a1, a2, equal_nan=False", ArrayEqual,
     "Test whether two arrays have the same shape and elements."},
    {"array_equiv", "a1, a2", ArrayEquivalent,
     "Test whether two arrays have the same elements after broadcasting."},
    {"nonzero", "a", AsFunction<NonzeroMethod>, "Return the indices of the nonzero elements."},
    {"count_nonzero", "a, axis=None", CountNonzero, "Count the nonzero elements."},
    {"flatnonzero", "a", FlatNonzero,
     "Return the indices of the nonzero elements of the flattened array."},
    {"argwhere", "a", ArgWhere, "Return the indices of the nonzero elements, one per row."},
    {"ix_", "*args", OpenMesh, "Return an open mesh of indices for several lists."},
    {"bincount", "x, weights=None, minlength=0", BinCount,
     "Count the occurrences of each non-negative integer."},
};

}  // namespace

std::span<const FunctionRow> SetFunctions() { return kRows; }

}  // namespace tensh::shell::np
