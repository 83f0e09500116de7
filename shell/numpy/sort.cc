// Sorting and searching: the functions of shell/numpy/methods.h that compare. NaN sorts last; argsort
// is stable.
#include <algorithm>
#include <numeric>

#include "shell/numpy/convert.h"
#include "shell/numpy/element.h"
#include "shell/numpy/methods.h"
#include "shell/python/values/collections/sort.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {
namespace {

template <class T>
bool Before(const T& a, const T& b) {
  if constexpr (kIsComplex<T>) {
    if (a.real() != b.real()) return Before(a.real(), b.real());
    return Before(a.imag(), b.imag());
  } else if constexpr (kIsFloat<T>) {
    return a < b || (b != b && a == a);
  } else {
    return a < b;
  }
}

// Calls fn(elements, indices) for every line along an axis.
template <class T, class F>
void ForEachLine(const Array& a, int axis, F fn) {
  const Array lines = DropAxis(a, axis, 0);
  const int64_t n = a.dim(axis), step = a.step(axis);
  if (n == 0) return;
  const char* base = a.buffer->data();
  std::vector<T> row(static_cast<size_t>(n));
  ForEachOffset(lines, [&](int64_t at) {
    for (int64_t i = 0; i < n; ++i)
      row[static_cast<size_t>(i)] = *reinterpret_cast<const T*>(base + at + i * step);
    fn(at, row);
  });
}

// Returns the type to sort in: the widest of its kind. It is exact, and only four sorts are
// compiled instead of fourteen.
int SortType(int dtype) {
  switch (KindOf(dtype)) {
    case Kind::kBool:
    case Kind::kUnsigned:
      return TSH_UINT64;
    case Kind::kSigned:
      return TSH_INT64;
    case Kind::kFloat:
      return TSH_DOUBLE;
    case Kind::kComplex:
      return TSH_COMPLEX128;
    default:
      throw TypeError("this needs an array of numbers");
  }
}

template <class F>
void WithSortType(int dtype, F fn) {
  switch (dtype) {
    case TSH_UINT64:
      return fn.template operator()<uint64_t>();
    case TSH_INT64:
      return fn.template operator()<int64_t>();
    case TSH_DOUBLE:
      return fn.template operator()<double>();
    default:
      return fn.template operator()<std::complex<double>>();
  }
}

std::vector<std::string> Texts(const Array& a) {
  std::vector<std::string> texts;
  ForEachOffset(a, [&](int64_t at) { texts.emplace_back(a.string_at(at)); });
  return texts;
}

void RequireLine(const Array& a) {
  if (a.rank != 1 || a.objects)
    throw TypeError("only one-dimensional arrays of text can be sorted this way");
}

Array SortValuesArray(const Array& a) {
  if (a.rank != 1) throw TypeError("only one-dimensional arrays of text or objects can be sorted");
  const Array out = Empty(a.dtype, a.dims());
  if (a.objects) {
    std::vector<Value> items;
    ForEachOffset(a, [&](int64_t at) { items.push_back(PythonElement(a, at)); });
    SortValues(&items, Value::None(), false);
    out.objects->items = std::move(items);
    return out;
  }
  std::vector<std::string> texts = Texts(a);
  std::stable_sort(texts.begin(), texts.end());
  for (size_t i = 0; i < texts.size(); ++i) out.SetString(static_cast<int64_t>(i), texts[i]);
  return out;
}

}  // namespace

Array Sort(const Array& a, int axis) {
  if (!HasBytes(a.dtype)) return SortValuesArray(a);
  const Array out = Copy(Cast(a, SortType(a.dtype)));
  char* base = out.WritableData() - out.offset;
  const int64_t step = out.rank ? out.step(axis) : 0;
  if (out.rank == 0)
    throw MakeError(kValueError, "axis -1 is out of bounds for array of dimension 0");
  WithSortType(out.dtype, [&]<class T>() {
    ForEachLine<T>(out, axis, [&](int64_t at, std::vector<T>& row) {
      std::sort(row.begin(), row.end(), Before<T>);
      for (size_t i = 0; i < row.size(); ++i)
        *reinterpret_cast<T*>(base + at + static_cast<int64_t>(i) * step) = row[i];
    });
  });
  return Cast(out, a.dtype);
}

Array ArgSort(const Array& a, int axis) {
  const Array out = Empty(TSH_INT64, a.dims());
  if (!HasBytes(a.dtype)) {
    RequireLine(a);
    const std::vector<std::string> texts = Texts(a);
    int64_t* to = out.writable<int64_t>();
    std::iota(to, to + texts.size(), 0);
    std::stable_sort(to, to + texts.size(), [&](int64_t x, int64_t y) {
      return texts[static_cast<size_t>(x)] < texts[static_cast<size_t>(y)];
    });
    return out;
  }
  const Array rows = DropAxis(out, axis, 0);
  std::vector<int64_t> places;
  ForEachOffset(rows, [&](int64_t at) { places.push_back(at); });
  char* base = out.WritableData() - out.offset;
  size_t line = 0;
  const Array wide = Cast(a, SortType(a.dtype));
  WithSortType(wide.dtype, [&]<class T>() {
    ForEachLine<T>(wide, axis, [&](int64_t, std::vector<T>& row) {
      std::vector<int64_t> order(row.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
        return Before(row[static_cast<size_t>(x)], row[static_cast<size_t>(y)]);
      });
      for (size_t i = 0; i < order.size(); ++i) {
        char* to = base + places[line] + static_cast<int64_t>(i) * out.step(axis);
        *reinterpret_cast<int64_t*>(to) = order[i];
      }
      ++line;
    });
  });
  return out;
}

// Arguments: axis, kind, order.
Value SortedMethod(const Array& a, Args& args, size_t first) {
  if (args[first].is_none()) return MakeArray(Sort(Flat(a), 0));
  return MakeArray(Sort(a, NormalAxis(ToIndex(args[first]), a.rank)));
}

Value ArgsortMethod(const Array& a, Args& args, size_t first) {
  if (args[first].is_none()) return MakeArray(ArgSort(Flat(a), 0));
  const int axis = AxisArgument(args[first], a.rank);
  return MakeArray(axis < 0 ? ArgSort(Flat(a), 0) : ArgSort(a, axis));
}

// Arguments: v, side, sorter.
Value SearchSortedMethod(const Array& a, Args& args, size_t first) {
  if (a.rank != 1) throw ValueError("object too deep for desired array");
  const bool right = Str(args[first + 1]) == "right";
  const Array v = ToArray(args[first]);
  const int dtype = SortType(Promote(a.dtype, v.dtype));
  const Array sorted = Contiguous(Cast(a, dtype)), wanted = Contiguous(Cast(v, dtype));
  const Array out = Empty(TSH_INT64, v.dims());
  int64_t* to = out.writable<int64_t>();
  WithSortType(dtype, [&]<class T>() {
    const T *begin = sorted.as<T>(), *end = begin + sorted.size();
    const T* values = wanted.as<T>();
    for (int64_t i = 0; i < wanted.size(); ++i) {
      const T* at = right ? std::upper_bound(begin, end, values[i], Before<T>)
                          : std::lower_bound(begin, end, values[i], Before<T>);
      to[i] = at - begin;
    }
  });
  return ArrayOrScalar(out);
}

}  // namespace tensh::shell::np
