// Functions that remove elements of an array, or insert some.
#include <algorithm>
#include <numeric>

#include "shell/numpy/convert.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {
namespace {

// Arguments: arr, obj, axis.
Value DeleteFunction(Args& a) {
  Array x = ToArray(a[0]);
  int axis = AxisArgument(a[2], x.rank);
  if (axis < 0) x = Flat(x), axis = 0;
  const int64_t n = x.dim(axis);
  std::vector<bool> gone(static_cast<size_t>(n));
  Extents drop;
  if (auto* slice = As<SliceObject>(a[1])) {
    int64_t first, last, step;
    const int64_t count = slice->Indices(n, &first, &last, &step);
    for (int64_t i = 0; i < count; ++i) drop.push_back(first + i * step);
  } else {
    drop = ShapeArgument(a[1]);
  }
  for (int64_t i : drop) {
    if (i < -n || i >= n) {
      throw IndexError("index " + std::to_string(i) + " is out of bounds for axis " +
                       std::to_string(axis) + " with size " + std::to_string(n));
    }
    gone[static_cast<size_t>(i < 0 ? i + n : i)] = true;
  }
  std::vector<Array> kept;
  for (int64_t i = 0; i < n; ++i)
    if (!gone[static_cast<size_t>(i)]) kept.push_back(Sliced(x, axis, i, 1, 1));
  return MakeArray(kept.empty() ? Sliced(x, axis, 0, 1, 0) : Concatenate(kept, axis));
}

// Inserts slices of the values, in the order of their places, each before an element of x.
Value InsertAt(const Array& x, const Extents& places, const Array& values, int axis) {
  Extents dims(x.dims().begin(), x.dims().end());
  dims[static_cast<size_t>(axis)] = static_cast<int64_t>(places.size());
  const Array spread = Empty(x.dtype, dims);
  Assign(spread, values);
  std::vector<size_t> order(places.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t i, size_t j) { return places[i] < places[j]; });
  std::vector<Array> parts;
  int64_t from = 0;
  for (size_t k : order) {
    parts.push_back(Sliced(x, axis, from, 1, places[k] - from));
    parts.push_back(Sliced(spread, axis, static_cast<int64_t>(k), 1, 1));
    from = places[k];
  }
  parts.push_back(Sliced(x, axis, from, 1, x.dim(axis) - from));
  return MakeArray(Concatenate(parts, axis));
}

int64_t InsertionPlace(int64_t at, const Value& shown, int64_t n, int axis) {
  if (at < -n || at > n) {
    throw IndexError("index " + Repr(shown) + " is out of bounds for axis " + std::to_string(axis) +
                     " with size " + std::to_string(n));
  }
  return at < 0 ? at + n : at;
}

// Arguments: arr, obj, values, axis.
Value InsertFunction(Args& a) {
  Array x = ToArray(a[0]);
  int axis = AxisArgument(a[3], x.rank);
  if (axis < 0) x = Flat(x), axis = 0;
  const int64_t n = x.dim(axis);
  if (!IsOneIndex(a[1])) {
    Extents places = ShapeArgument(a[1]);
    const bool one = places.size() == 1;
    for (int64_t& at : places) at = InsertionPlace(at, one ? a[1] : Value::Int(at), n, axis);
    return InsertAt(x, places, Cast(ToArray(a[2]), x.dtype), axis);
  }
  const int64_t at = InsertionPlace(ToIndex(a[1]), a[1], n, axis);
  const Array values = Cast(ToArray(a[2]), x.dtype);
  Extents dims(x.dims().begin(), x.dims().end());
  dims[static_cast<size_t>(axis)] = values.rank == x.rank ? values.dim(axis)
                                    : x.rank == 1         ? values.size()
                                                          : 1;
  const Array middle = Empty(x.dtype, dims);
  Assign(middle, values);
  const std::vector<Array> parts{Sliced(x, axis, 0, 1, at), middle, Sliced(x, axis, at, 1, n - at)};
  return MakeArray(Concatenate(parts, axis));
}

constexpr FunctionRow kRows[] = {
    {"delete", "arr, obj, axis=None", DeleteFunction, "Return a copy without some elements."},
    {"insert", "arr, obj, values, axis=None", InsertFunction,
     "Return a copy with values inserted."},
};

}  // namespace

std::span<const FunctionRow> EditFunctions() { return kRows; }

}  // namespace tensh::shell::np
