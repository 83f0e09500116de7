// Functions that rearrange, join and split arrays.
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

std::vector<Array> ArraysOf(const Value& v) {
  std::vector<Array> out;
  for (const Value& item : ToVector(v)) out.push_back(ToArray(item));
  return out;
}

Array AtLeast1(const Array& a) { return a.rank == 0 ? WithAxis(a, 0) : a; }
Array AtLeast2(const Array& a) { return a.rank < 2 ? WithAxis(AtLeast1(a), 0) : a; }
Array AtLeast3(const Array& a) {
  const Array b = AtLeast2(a);
  return b.rank < 3 ? WithAxis(b, 2) : b;
}

template <Array (*F)(const Array&)>
Value AtLeastFunction(Args& a) {
  std::vector<Value> out;
  for (const Array& x : ArraysOf(a[0])) out.push_back(MakeArray(F(x)));
  return out.size() == 1 ? out[0] : MakeList(std::move(out));
}

Value ReshapeFunction(Args& a) {
  return MakeArray(ReshapeOrdered(ToArray(a[0]), ShapeArgument(a[1]), a[2]));
}
Value TransposeFunction(Args& a) {
  const Array out = TransposeBy(ToArray(a[0]), a[1]);
  return AsScalar(a[0]) ? ArrayOrScalar(out) : MakeArray(out);
}

Value ConcatenateFunction(Args& a) {
  std::vector<Array> parts = ArraysOf(a[0]);
  if (a[1].is_none()) {
    for (Array& p : parts) p = Flat(p);
    return MakeArray(Concatenate(parts, 0));
  }
  return MakeArray(Concatenate(parts, ToIndex(a[1])));
}

Array Stack(std::span<const Array> parts, int64_t axis) {
  if (parts.empty()) throw ValueError("need at least one array to stack");
  std::vector<Array> wide;
  const int at = NormalAxis(axis, parts[0].rank + 1);
  for (const Array& p : parts) {
    if (!SameDims(p.dims(), parts[0].dims()))
      throw ValueError("all input arrays must have the same shape");
    wide.push_back(WithAxis(p, at));
  }
  return Concatenate(wide, at);
}
Value StackFunction(Args& a) { return MakeArray(Stack(ArraysOf(a[0]), ToIndex(a[1]))); }

Value VstackFunction(Args& a) {
  std::vector<Array> parts = ArraysOf(a[0]);
  for (Array& p : parts) p = AtLeast2(p);
  return MakeArray(Concatenate(parts, 0));
}
Value HstackFunction(Args& a) {
  std::vector<Array> parts = ArraysOf(a[0]);
  for (Array& p : parts) p = AtLeast1(p);
  return MakeArray(Concatenate(parts, !parts.empty() && parts[0].rank == 1 ? 0 : 1));
}
Value DstackFunction(Args& a) {
  std::vector<Array> parts = ArraysOf(a[0]);
  for (Array& p : parts) p = AtLeast3(p);
  return MakeArray(Concatenate(parts, 2));
}
Value ColumnStack(Args& a) {
  std::vector<Array> parts = ArraysOf(a[0]);
  for (Array& p : parts)
    if (p.rank < 2) p = WithAxis(AtLeast1(p), 1);
  return MakeArray(Concatenate(parts, 1));
}

Value AppendFunction(Args& a) {
  const Array x = ToArray(a[0]), y = ToArray(a[1]);
  if (a[2].is_none()) return MakeArray(Concatenate(std::vector<Array>{Flat(x), Flat(y)}, 0));
  return MakeArray(Concatenate(std::vector<Array>{x, y}, ToIndex(a[2])));
}

// Splits an array at the given indices along an axis.
Value SplitAt(const Array& a, std::span<const int64_t> cuts, int axis) {
  std::vector<Value> out;
  const int64_t n = a.dim(axis);
  int64_t start = 0;
  for (size_t k = 0; k <= cuts.size(); ++k) {
    int64_t stop = k < cuts.size() ? cuts[k] : n;
    if (stop < 0) stop += n;
    stop = std::clamp<int64_t>(stop, 0, n);
    const int64_t count = std::max<int64_t>(0, stop - start);
    out.push_back(MakeArray(Sliced(a, axis, std::min(start, n), 1, count)));
    start = stop;
  }
  return MakeList(std::move(out));
}

Value Split(const Array& a, const Value& sections, int axis, bool even) {
  if (!IsOneIndex(sections)) return SplitAt(a, ShapeArgument(sections), axis);
  const int64_t n = a.dim(axis), parts = ToIndex(sections);
  if (parts <= 0) throw ValueError("number sections must be larger than 0.");
  if (even && n % parts) throw ValueError("array split does not result in an equal division");
  Extents cuts;
  for (int64_t k = 1; k < parts; ++k) cuts.push_back(k * (n / parts) + std::min(k, n % parts));
  return SplitAt(a, cuts, axis);
}

template <bool kEven>
Value SplitFunction(Args& a) {
  const Array x = ToArray(a[0]);
  return Split(x, a[1], NormalAxis(ToIndex(a[2]), x.rank), kEven);
}
Value HsplitFunction(Args& a) {
  const Array x = ToArray(a[0]);
  if (x.rank == 0) throw ValueError("hsplit only works on arrays of 1 or more dimensions");
  return Split(x, a[1], x.rank > 1 ? 1 : 0, true);
}
Value VsplitFunction(Args& a) {
  const Array x = ToArray(a[0]);
  if (x.rank < 2) throw ValueError("vsplit only works on arrays of 2 or more dimensions");
  return Split(x, a[1], 0, true);
}

Value TileFunction(Args& a) {
  Array x = ToArray(a[0]);
  Extents reps = ShapeArgument(a[1]);
  while (static_cast<int>(reps.size()) < x.rank) reps.insert(reps.begin(), 1);
  while (x.rank < static_cast<int>(reps.size())) x = WithAxis(x, 0);
  for (int i = 0; i < x.rank; ++i) {
    const int64_t times = std::max<int64_t>(0, reps[static_cast<size_t>(i)]);
    if (times == 1) continue;
    if (times == 0) {
      x = Sliced(x, i, 0, 1, 0);
      continue;
    }
    const std::vector<Array> parts(static_cast<size_t>(times), x);
    x = Concatenate(parts, i);
  }
  return MakeArray(Copy(x));
}

Value ExpandDims(Args& a) {
  Array x = ToArray(a[0]);
  Extents axes = ShapeArgument(a[1]);
  const int rank = x.rank + static_cast<int>(axes.size());
  for (int64_t& axis : axes) axis = NormalAxis(axis, rank);
  std::sort(axes.begin(), axes.end());
  for (int64_t axis : axes) x = WithAxis(x, static_cast<int>(axis));
  return MakeArray(x);
}

Array Flip(Array a, const Axes& axes) {
  for (int i = 0; i < a.rank; ++i)
    if (axes.all || axes.reduced[static_cast<size_t>(i)])
      a = Sliced(a, i, a.dim(i) - 1, -1, a.dim(i));
  return a;
}
Value FlipFunction(Args& a) {
  const Array x = ToArray(a[0]);
  return ArrayOrScalar(Flip(x, AxesArgument(a[1], x.rank)));
}
template <int kAxis>
Value FlipOne(Args& a) {
  const Array x = ToArray(a[0]);
  if (x.rank <= kAxis) throw ValueError("Input must be >= " + std::to_string(kAxis + 1) + "-d.");
  return MakeArray(Sliced(x, kAxis, x.dim(kAxis) - 1, -1, x.dim(kAxis)));
}

Array Roll(const Array& a, int64_t shift, int axis) {
  const int64_t n = a.dim(axis);
  if (n == 0) return Copy(a);
  shift = ((shift % n) + n) % n;
  const std::vector<Array> parts{Sliced(a, axis, n - shift, 1, shift),
                                 Sliced(a, axis, 0, 1, n - shift)};
  return Concatenate(parts, axis);
}
Value RollFunction(Args& a) {
  const Array x = ToArray(a[0]);
  const Extents shifts = ShapeArgument(a[1]);
  if (a[2].is_none()) {
    const int64_t shift = std::accumulate(shifts.begin(), shifts.end(), int64_t{0});
    return MakeArray(Reshaped(Roll(Flat(x), shift, 0), x.dims()));
  }
  const Extents axes = ShapeArgument(a[2]);
  if (shifts.size() != axes.size() && shifts.size() != 1 && axes.size() != 1)
    throw ValueError(
        "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between "
        "arg 0 with shape (" +
        std::to_string(shifts.size()) + ",) and arg 1 with shape (" + std::to_string(axes.size()) +
        ",).");
  Array out = x;
  for (size_t k = 0; k < std::max(shifts.size(), axes.size()); ++k) {
    out = Roll(out, shifts[shifts.size() == 1 ? 0 : k],
               NormalAxis(axes[axes.size() == 1 ? 0 : k], x.rank));
  }
  return MakeArray(out);
}

Value Rot90(Args& a) {
  Array x = ToArray(a[0]);
  if (x.rank < 2)
    throw ValueError("Axes=(0, 1) out of range for array of ndim=" + std::to_string(x.rank) + ".");
  const int64_t k = ((ToIndex(a[1]) % 4) + 4) % 4;
  for (int64_t i = 0; i < k; ++i) {
    x = Sliced(x, 1, x.dim(1) - 1, -1, x.dim(1));
    std::swap(x.extents[0], x.extents[1]);
    std::swap(x.steps[0], x.steps[1]);
  }
  return MakeArray(x);
}

Value MoveAxis(Args& a) {
  const Array x = ToArray(a[0]);
  const Extents from = ShapeArgument(a[1]), to = ShapeArgument(a[2]);
  if (from.size() != to.size())
    throw ValueError("`source` and `destination` arguments must have the same number of elements");
  std::vector<int> order(static_cast<size_t>(x.rank), -1);
  std::vector<bool> moved(static_cast<size_t>(x.rank));
  for (size_t k = 0; k < from.size(); ++k) {
    const int source = NormalAxis(from[k], x.rank);
    order[static_cast<size_t>(NormalAxis(to[k], x.rank))] = source;
    moved[static_cast<size_t>(source)] = true;
  }
  int next = 0;
  for (int& axis : order) {
    if (axis >= 0) continue;
    while (next < x.rank && moved[static_cast<size_t>(next)]) ++next;
    axis = next++;
  }
  if (std::any_of(order.begin(), order.end(), [&](int i) { return i >= x.rank; }))
    throw ValueError("repeated axis in moveaxis");
  return MakeArray(Transposed(x, order));
}

Value BroadcastToFunction(Args& a) {
  const Array x = ToArray(a[0]);
  const Extents dims = ShapeArgument(a[1]);
  Array out;
  if (dims.size() > kMaxRank || !BroadcastTo(x, dims, &out)) {
    throw ValueError(
        "operands could not be broadcast together with remapped shapes "
        "[original->remapped]: " +
        ShapeText(x.dims()) + "  and requested shape " + ShapeText(dims));
  }
  return MakeArray(Copy(out));
}

Value ResizeFunction(Args& a) {
  const Array x = Flat(ToArray(a[0]));
  const Extents dims = ShapeArgument(a[1]);
  const Array out = Zeros(x.dtype, dims);
  const int64_t n = out.size();
  const Array flat = Flat(out);
  for (int64_t at = 0; at < n && x.size() > 0; at += x.size()) {
    const int64_t part = std::min(x.size(), n - at);
    Assign(Sliced(flat, 0, at, 1, part), Sliced(x, 0, 0, 1, part));
  }
  return MakeArray(out);
}

Value ShapeFunction(Args& a) { return GetAttr(MakeArray(ToArray(a[0])), "shape"); }
Value NdimFunction(Args& a) { return Value::Int(ToArray(a[0]).rank); }
Value SizeFunction(Args& a) {
  const Array x = ToArray(a[0]);
  return Value::Int(a[1].is_none() ? x.size() : x.dim(NormalAxis(ToIndex(a[1]), x.rank)));
}

constexpr FunctionRow kRows[] = {
    {"reshape", "a, newshape, order='C'", ReshapeFunction,
     "Give the array another shape without changing its elements."},
    {"transpose", "a, axes=None", TransposeFunction,
     "Reverse the axes, or permute them in the given order."},
    {"swapaxes", "a, axis1, axis2", AsFunction<SwapaxesMethod>, "Exchange two axes."},
    {"moveaxis", "a, source, destination", MoveAxis, "Move axes to new positions."},
    {"ravel", "a, order='C'", AsFunction<RavelMethod>, "Flatten the array, as a view if possible."},
    {"squeeze", "a, axis=None", AsFunction<SqueezeMethod>, "Remove axes of extent 1."},
    {"expand_dims", "a, axis", ExpandDims, "Insert a new axis of extent 1."},
    {"concatenate", "arrays, axis=0, out=None", ConcatenateFunction, "Join arrays along an axis."},
    {"stack", "arrays, axis=0, out=None", StackFunction, "Join arrays along a new axis."},
    {"vstack", "tup", VstackFunction, "Join arrays along the first axis."},
    {"row_stack", "tup", VstackFunction, "Join arrays along the first axis."},
    {"hstack", "tup", HstackFunction, "Join arrays along the second axis."},
    {"dstack", "tup", DstackFunction, "Join arrays along the third axis."},
    {"column_stack", "tup", ColumnStack, "Join vectors as the columns of a matrix."},
    {"append", "arr, values, axis=None", AppendFunction, "Append values at the end."},
    {"split", "ary, indices_or_sections, axis=0", SplitFunction<true>,
     "Split an array into equal parts."},
    {"array_split", "ary, indices_or_sections, axis=0", SplitFunction<false>,
     "Split an array into parts."},
    {"hsplit", "ary, indices_or_sections", HsplitFunction, "Split an array along the second axis."},
    {"vsplit", "ary, indices_or_sections", VsplitFunction, "Split an array along the first axis."},
    {"tile", "A, reps", TileFunction, "Repeat the whole array."},
    {"repeat", "a, repeats, axis=None", AsFunction<RepeatMethod>, "Repeat each element."},
    {"take", "a, indices, axis=None, out=None, mode='raise'", AsFunction<TakeMethod>,
     "Return the elements at the given indices."},
    {"flip", "m, axis=None", FlipFunction, "Reverse the elements along an axis."},
    {"flipud", "m", FlipOne<0>, "Reverse the rows."},
    {"fliplr", "m", FlipOne<1>, "Reverse the columns."},
    {"roll", "a, shift, axis=None", RollFunction, "Shift the elements cyclically."},
    {"rot90", "m, k=1", Rot90, "Rotate an array by multiples of 90 degrees."},
    {"broadcast_to", "array, shape, subok=False", BroadcastToFunction,
     "Broadcast an array to a shape."},
    {"resize", "a, new_shape", ResizeFunction, "Repeat or cut the elements to fill a shape."},
    {"diagonal", "a, offset=0, axis1=0, axis2=1", AsFunction<DiagonalMethod>,
     "Return the diagonal."},
    {"trace", "a, offset=0, axis1=0, axis2=1, dtype=None, out=None", AsFunction<TraceMethod>,
     "Return the sum of the diagonal."},
    {"atleast_1d", "*arys", AtLeastFunction<AtLeast1>,
     "Return the array with at least one dimension."},
    {"atleast_2d", "*arys", AtLeastFunction<AtLeast2>,
     "Return the array with at least two dimensions."},
    {"atleast_3d", "*arys", AtLeastFunction<AtLeast3>,
     "Return the array with at least three dimensions."},
    {"shape", "a", ShapeFunction, "Return the shape."},
    {"ndim", "a", NdimFunction, "Return the number of dimensions."},
    {"size", "a, axis=None", SizeFunction, "Return the number of elements."},
};

}  // namespace

std::span<const FunctionRow> ShapeFunctions() { return kRows; }

}  // namespace tensh::shell::np
