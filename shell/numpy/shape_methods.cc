// Shape, selection and joining: the functions of shell/numpy/methods.h that move elements without
// computing.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "shell/numpy/convert.h"
#include "shell/numpy/element.h"
#include "shell/numpy/methods.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {

Array ReshapeOrdered(const Array& a, Dims dims, const Value& order) {
  if (order.is_null() || order.is_none() || Str(order) != "F") return Reshaped(a, dims);
  const Extents backwards(dims.rbegin(), dims.rend());
  return Transposed(Reshaped(Transposed(a), backwards));
}

Array TransposeBy(const Array& a, const Value& axes) {
  if (axes.is_null() || axes.is_none()) return Transposed(a);
  const Extents given = ShapeArgument(axes);
  if (given.empty() && a.rank != 0) return Transposed(a);
  if (static_cast<int>(given.size()) != a.rank) throw ValueError("axes don't match array");
  std::vector<int> order;
  std::array<bool, kMaxRank> seen{};
  for (int64_t axis : given) {
    const int at = NormalAxis(axis, a.rank);
    if (std::exchange(seen[static_cast<size_t>(at)], true))
      throw ValueError("repeated axis in transpose");
    order.push_back(at);
  }
  return Transposed(a, order);
}

Array SqueezeArray(const Array& a, const Value& axis) {
  const Axes axes = AxesArgument(axis, a.rank);
  Array out = a;
  for (int i = a.rank - 1; i >= 0; --i) {
    const bool named = !axes.all && axes.reduced[static_cast<size_t>(i)];
    if (named && a.dim(i) != 1) {
      throw ValueError("cannot select an axis to squeeze out which has size not equal to one");
    }
    if (a.dim(i) == 1 && (axes.all || named)) out = DropAxis(out, i, 0);
  }
  return out;
}

Value SqueezeMethod(const Array& a, Args& args, size_t first) {
  const Value& given = first == 0 ? args.self() : args[0];
  const Array out = SqueezeArray(a, args[first]);
  return AsScalar(given) ? ArrayOrScalar(out) : MakeArray(out);
}

Value SwapaxesMethod(const Array& a, Args& args, size_t first) {
  const size_t x = static_cast<size_t>(NormalAxis(ToIndex(args[first]), a.rank));
  const size_t y = static_cast<size_t>(NormalAxis(ToIndex(args[first + 1]), a.rank));
  Array out = a;
  std::swap(out.extents[x], out.extents[y]);
  std::swap(out.steps[x], out.steps[y]);
  return MakeArray(out);
}

Value RavelMethod(const Array& a, Args& args, size_t first) {
  const bool columns = !args[first].is_none() && Str(args[first]) == "F";
  return MakeArray(Flat(columns ? Transposed(a) : a));
}

Value CopyMethod(const Array& a, Args& args, size_t first) {
  return first == 0 && AsScalar(args.self()) ? ArrayOrScalar(a) : MakeArray(Copy(a));
}

Value ToList(const Array& a) {
  if (a.rank == 0) return PythonElement(a, a.offset);
  std::vector<Value> items;
  items.reserve(static_cast<size_t>(a.dim(0)));
  for (int64_t i = 0; i < a.dim(0); ++i) {
    const int64_t at = a.offset + i * a.step(0);
    items.push_back(a.rank == 1 ? PythonElement(a, at) : ToList(DropAxis(a, 0, i)));
  }
  return MakeList(std::move(items));
}

std::vector<Array> Nonzero(const Array& a) {
  const Array truth = Cast(a, TSH_BOOL);
  const size_t rank = static_cast<size_t>(std::max(a.rank, 1));
  std::vector<std::vector<int64_t>> found(rank);
  Array view = truth;
  if (a.rank == 0) view = WithAxis(truth, 0);
  std::array<int64_t, kMaxRank> index{};
  ForEachOffset(view, [&](int64_t at) {
    if (*reinterpret_cast<const bool*>(view.buffer->data() + at))
      for (size_t k = 0; k < rank; ++k) found[k].push_back(index[k]);
    for (size_t k = rank; k-- > 0;) {
      if (++index[k] < view.extents[k]) break;
      index[k] = 0;
    }
  });
  std::vector<Array> out;
  for (const std::vector<int64_t>& column : found) {
    const int64_t n = static_cast<int64_t>(column.size());
    const Array a1 = Empty(TSH_INT64, {&n, 1});
    std::copy(column.begin(), column.end(), a1.writable<int64_t>());
    out.push_back(a1);
  }
  return out;
}

Value NonzeroMethod(const Array& a, Args&, size_t) {
  std::vector<Value> items;
  for (Array& index : Nonzero(a)) items.push_back(MakeArray(std::move(index)));
  return MakeTuple(std::move(items));
}

Array Concatenate(std::span<const Array> parts, int64_t axis) {
  if (parts.empty()) throw ValueError("need at least one array to concatenate");
  if (parts[0].rank == 0) throw ValueError("zero-dimensional arrays cannot be concatenated");
  const int at = NormalAxis(axis, parts[0].rank);
  Extents dims(parts[0].dims().begin(), parts[0].dims().end());
  int dtype = parts[0].dtype;
  for (size_t k = 1; k < parts.size(); ++k) {
    const Array& p = parts[k];
    if (p.rank != parts[0].rank) {
      throw ValueError(
          "all the input arrays must have same number of dimensions, but the array at index 0 "
          "has " +
          std::to_string(parts[0].rank) + " dimension(s) and the array at index " +
          std::to_string(k) + " has " + std::to_string(p.rank) + " dimension(s)");
    }
    for (int i = 0; i < p.rank; ++i) {
      if (i == at || p.dim(i) == parts[0].dim(i)) continue;
      throw ValueError(
          "all the input array dimensions except for the concatenation axis must match exactly, "
          "but "
          "along dimension " +
          std::to_string(i) + ", the array at index 0 has size " + std::to_string(parts[0].dim(i)) +
          " and the array at index " + std::to_string(k) + " has size " + std::to_string(p.dim(i)));
    }
    dims[static_cast<size_t>(at)] += p.dim(at);
    dtype = Promote(dtype, p.dtype);
  }
  const Array out = Empty(dtype, dims);
  int64_t start = 0;
  for (const Array& p : parts) {
    Assign(Sliced(out, at, start, 1, p.dim(at)), p);
    start += p.dim(at);
  }
  return out;
}

Array Take(const Array& a, const Array& indices, int axis) {
  if (axis < 0) return Take(Flat(a), indices, 0);
  const Array index = Cast(indices, TSH_INT64);
  const int64_t n = a.dim(axis);
  Extents dims(a.dims().begin(), a.dims().begin() + axis);
  dims.insert(dims.end(), index.dims().begin(), index.dims().end());
  dims.insert(dims.end(), a.dims().begin() + axis + 1, a.dims().end());
  const int64_t count = index.size();
  Extents flat(a.dims().begin(), a.dims().end());
  flat[static_cast<size_t>(axis)] = count;
  const Array out = Empty(a.dtype, flat);
  int64_t k = 0;
  ForEachOffset(index, [&](int64_t at) {
    int64_t i = *reinterpret_cast<const int64_t*>(index.buffer->data() + at);
    if (i < -n || i >= n) {
      throw IndexError("index " + std::to_string(i) + " is out of bounds for axis " +
                       std::to_string(axis) + " with size " + std::to_string(n));
    }
    if (i < 0) i += n;
    Assign(DropAxis(out, axis, k++), DropAxis(a, axis, i));
  });
  return Reshaped(out, dims);
}

Value TakeMethod(const Array& a, Args& args, size_t first) {
  return ArrayOrScalar(Take(a, ToArray(args[first]), AxisArgument(args[first + 1], a.rank)));
}

Array Repeat(const Array& a, const Array& counts, int axis) {
  // A 0-d array is treated like one with a single axis.
  if (axis < 0) return Repeat(Flat(a), counts, 0);
  Array each;
  const int64_t n = a.dim(axis);
  if (!BroadcastTo(Cast(counts, TSH_INT64), {&n, 1}, &each)) {
    throw ValueError("operands could not be broadcast together with shape " + ShapeText({&n, 1}) +
                     " " + ShapeText(counts.dims()));
  }
  std::vector<int64_t> index;
  int64_t i = 0;
  ForEachOffset(each, [&](int64_t at) {
    const int64_t times = *reinterpret_cast<const int64_t*>(each.buffer->data() + at);
    if (times < 0) throw ValueError("repeats may not contain negative values.");
    constexpr int64_t kMost = int64_t{1} << 28;
    if (times > kMost || static_cast<int64_t>(index.size()) > kMost - times)
      throw MakeError(kMemoryError, "");
    index.insert(index.end(), static_cast<size_t>(times), i++);
  });
  const int64_t total = static_cast<int64_t>(index.size());
  const Array picks = Empty(TSH_INT64, {&total, 1});
  std::copy(index.begin(), index.end(), picks.writable<int64_t>());
  return Take(a, picks, axis);
}

Value RepeatMethod(const Array& a, Args& args, size_t first) {
  return MakeArray(Repeat(a, ToArray(args[first]), AxisArgument(args[first + 1], a.rank)));
}

Value DiagonalMethod(const Array& a, Args& args, size_t first) {
  if (a.rank < 2) throw ValueError("diag requires an array of at least two dimensions");
  const int64_t offset = ToIndex(args[first]);
  const int x = NormalAxis(ToIndex(args[first + 1]), a.rank);
  const int y = NormalAxis(ToIndex(args[first + 2]), a.rank);
  if (x == y) throw ValueError("axis1 and axis2 cannot be the same");
  const int64_t row = offset < 0 ? -offset : 0, column = offset > 0 ? offset : 0;
  const int64_t n = std::max<int64_t>(0, std::min(a.dim(x) - row, a.dim(y) - column));
  Array out = a;
  if (n > 0) out.offset += row * a.step(x) + column * a.step(y);
  const int64_t step = a.step(x) + a.step(y);
  out = DropAxis(out, std::max(x, y), 0);
  out = DropAxis(out, std::min(x, y), 0);
  out = WithAxis(out, out.rank);
  out.extents[static_cast<size_t>(out.rank - 1)] = n;
  out.steps[static_cast<size_t>(out.rank - 1)] = step;
  return MakeArray(out);
}

Value TraceMethod(const Array& a, Args& args, size_t first) {
  const Value diagonal = DiagonalMethod(a, args, first);
  const Array& d = As<NdArray>(diagonal)->array;
  Axes last;
  last.all = false;
  last.reduced[static_cast<size_t>(d.rank - 1)] = true;
  return ArrayOrScalar(Reduce(Reduction::kSum, d, last, {}));
}

}  // namespace tensh::shell::np
