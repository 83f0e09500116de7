// Functions that create arrays.
#include <algorithm>
#include <cmath>

#include "shell/numpy/convert.h"
#include "shell/numpy/dtype_value.h"
#include "shell/numpy/element.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {
namespace {

int TypeOr(const Value& v, int fallback) {
  const int dtype = DTypeArgument(v);
  return dtype ? dtype : fallback;
}

Array AtLeast(Array a, int64_t rank) {
  while (a.rank < rank) a = WithAxis(a, 0);
  return a;
}

// Arguments: object, dtype, copy, order, subok, ndmin.
Value MakeArrayFunction(Args& a) {
  Array out = ToArray(a[0], DTypeArgument(a[1]));
  const bool fresh =
      !As<NdArray>(a[0]) || out.buffer.get() != As<NdArray>(a[0])->array.buffer.get();
  if (Truth(a[2]) && !fresh) out = Copy(out);
  return MakeArray(AtLeast(out, ToIndex(a[5])));
}

Value AsArrayFunction(Args& a) {
  const int dtype = DTypeArgument(a[1]);
  auto* given = As<NdArray>(a[0]);
  if (given && (!dtype || dtype == given->array.dtype)) return a[0];
  return MakeArray(ToArray(a[0], dtype));
}

Array Filled(Dims dims, int dtype, const Value& v) {
  const Array out = Empty(dtype, dims);
  Array one = Empty(dtype, {});
  StoreElement(one, 0, v);
  Assign(out, one);
  return out;
}

Value ZerosFunction(Args& a) {
  return MakeArray(Zeros(TypeOr(a[1], TSH_DOUBLE), ShapeArgument(a[0])));
}
Value OnesFunction(Args& a) {
  return MakeArray(Filled(ShapeArgument(a[0]), TypeOr(a[1], TSH_DOUBLE), Value::Int(1)));
}
Value FullFunction(Args& a) {
  const Array value = ToArray(a[1]);
  const Array out = Empty(TypeOr(a[2], value.dtype), ShapeArgument(a[0]));
  Assign(out, value);
  return MakeArray(out);
}

// Returns the shape argument of a _like function, or the shape of the model if it is None.
Extents LikeDims(const Array& model, const Value& shape) {
  if (!shape.is_none()) return ShapeArgument(shape);
  return Extents(model.dims().begin(), model.dims().end());
}
Value ZerosLike(Args& a) {
  const Array model = ToArray(a[0]);
  return MakeArray(Zeros(TypeOr(a[1], model.dtype), LikeDims(model, a[4])));
}
Value OnesLike(Args& a) {
  const Array model = ToArray(a[0]);
  return MakeArray(Filled(LikeDims(model, a[4]), TypeOr(a[1], model.dtype), Value::Int(1)));
}
Value FullLike(Args& a) {
  const Array model = ToArray(a[0]);
  const Array out = Empty(TypeOr(a[2], model.dtype), LikeDims(model, a[5]));
  Assign(out, ToArray(a[1]));
  return MakeArray(out);
}

// Returns a matrix with ones on the k-th diagonal.
Array Diagonal(int64_t rows, int64_t columns, int64_t k, int dtype) {
  const int64_t dims[] = {rows, columns};
  const Array out = Zeros(dtype, dims);
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t j = i + k;
    if (j >= 0 && j < columns) StoreElement(out, (i * columns + j) * out.unit(), Value::Int(1));
  }
  return out;
}
Value EyeFunction(Args& a) {
  const int64_t rows = ToIndex(a[0]), columns = a[1].is_none() ? rows : ToIndex(a[1]);
  return MakeArray(Diagonal(rows, columns, ToIndex(a[2]), TypeOr(a[3], TSH_DOUBLE)));
}
Value IdentityFunction(Args& a) {
  const int64_t n = ToIndex(a[0]);
  return MakeArray(Diagonal(n, n, 0, TypeOr(a[1], TSH_DOUBLE)));
}

// Fills like numpy: first, second, and further elements by their difference.
template <class T>
void FillSteps(T* to, int64_t n, T first, T second) {
  const T delta = second - first;
  for (int64_t i = 0; i < n; ++i) to[i] = first + static_cast<T>(i) * delta;
}

Array IntRange(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) throw ZeroDivisionError("division by zero");
  const __int128 span = static_cast<__int128>(stop) - start;
  const __int128 wide = step > 0 ? (span + step - 1) / step : (span + step + 1) / step;
  if (wide > (int64_t{1} << 40)) throw ValueError("Maximum allowed size exceeded");
  const int64_t n = std::max<int64_t>(0, static_cast<int64_t>(wide));
  const Array out = Empty(TSH_INT64, {&n, 1});
  int64_t* to = out.writable<int64_t>();
  for (int64_t i = 0; i < n; ++i) to[i] = start + i * step;
  return out;
}

Array FloatRange(double start, double stop, double step, int dtype) {
  const double length = std::ceil((stop - start) / step);
  if (std::isnan(length)) throw ValueError("arange: cannot compute length");
  if (length > 1e12) throw ValueError("Maximum allowed size exceeded");
  const int64_t n = std::max<int64_t>(0, static_cast<int64_t>(length));
  if (dtype == TSH_FLOAT) {
    const Array out = Empty(TSH_FLOAT, {&n, 1});
    FillSteps(out.writable<float>(), n, static_cast<float>(start),
              static_cast<float>(start + step));
    return out;
  }
  const Array out = Empty(TSH_DOUBLE, {&n, 1});
  FillSteps(out.writable<double>(), n, start, start + step);
  return Cast(out, dtype);
}

// Arguments: start, stop, step, dtype.
Value ArangeFunction(Args& a) {
  if (!a.has(0)) throw TypeError("arange() requires stop to be specified.");
  const bool only_stop = !a.has(1) || a[1].is_none();
  const Value start = only_stop ? Value::Int(0) : a[0];
  const Value stop = only_stop ? a[0] : a[1];
  const Value step = a.has(2) && !a[2].is_none() ? a[2] : Value::Int(1);
  int found = TSH_INT64;
  for (const Value* v : {&start, &stop, &step}) found = Promote(found, ToArray(*v).dtype);
  const int dtype = TypeOr(a[3], found);
  if (Category(found) < 2)
    return MakeArray(Cast(IntRange(ToIndex(start), ToIndex(stop), ToIndex(step)), dtype));
  return MakeArray(FloatRange(ToDouble(start), ToDouble(stop), ToDouble(step), dtype));
}

struct Spaced {
  Array values;
  Array step;
};

Spaced Linspace(const Array& first, const Array& last, int64_t n, bool endpoint) {
  if (n < 0)
    throw ValueError("Number of samples, " + std::to_string(n) + ", must be non-negative.");
  const Array start = Cast(first, Promote(first.dtype, TSH_DOUBLE));
  const Array stop = Cast(last, Promote(last.dtype, TSH_DOUBLE));
  const int64_t parts = endpoint ? n - 1 : n;
  const Array delta = Apply(UfuncOf(BinaryOp::kSub), stop, start);
  Array y = Cast(IntRange(0, n, 1), TSH_DOUBLE);
  for (int i = 0; i < delta.rank; ++i) y = WithAxis(y, y.rank);
  const Array count = Scalar0(TSH_DOUBLE, static_cast<double>(parts));
  const Array step = parts > 0 ? Apply(UfuncOf(BinaryOp::kTrueDiv), delta, count)
                               : Scalar0(TSH_DOUBLE, std::nan(""));
  y = Apply(UfuncOf(BinaryOp::kMul), y, parts > 0 ? step : delta);
  y = Apply(UfuncOf(BinaryOp::kAdd), y, start);
  if (endpoint && n > 1) Assign(DropAxis(y, 0, n - 1), stop);
  return {y, step};
}

// Arguments: start, stop, num, endpoint, retstep, dtype, axis.
Value LinspaceFunction(Args& a) {
  const Spaced s = Linspace(ToArray(a[0]), ToArray(a[1]), ToIndex(a[2]), Truth(a[3]));
  const int dtype = DTypeArgument(a[5]);
  const bool whole = dtype && Category(dtype) < 2;
  const Array y = whole ? Apply(*FindUfunc("floor"), s.values) : s.values;
  const Value out = MakeArray(dtype ? Cast(y, dtype) : y);
  return Truth(a[4]) ? MakeTuple({out, ArrayOrScalar(s.step)}) : out;
}

// Arguments: start, stop, num, endpoint, base, dtype.
Value LogspaceFunction(Args& a) {
  const Spaced s = Linspace(ToArray(a[0]), ToArray(a[1]), ToIndex(a[2]), Truth(a[3]));
  const Array y = Apply(UfuncOf(BinaryOp::kPow), ToArray(a[4]), s.values);
  const int dtype = DTypeArgument(a[5]);
  return MakeArray(dtype ? Cast(y, dtype) : y);
}

Value DiagFunction(Args& a) {
  const Array v = ToArray(a[0]);
  const int64_t k = ToIndex(a[1]);
  if (v.rank == 2) {
    Value slots[] = {Value::Int(k), Value::Int(0), Value::Int(1)};
    Args args(a.row(), Value(), slots, 3);
    return MakeArray(Copy(As<NdArray>(DiagonalMethod(v, args, 0))->array));
  }
  if (v.rank != 1) throw ValueError("Input must be 1- or 2-d.");
  const int64_t n = v.dim(0) + std::abs(k);
  const int64_t dims[] = {n, n};
  const Array out = Zeros(v.dtype, dims);
  for (int64_t i = 0; i < v.dim(0); ++i) {
    const int64_t row = k < 0 ? i - k : i, column = k > 0 ? i + k : i;
    StoreElement(out, (row * n + column) * out.unit(), PythonElement(v, v.offset + i * v.step(0)));
  }
  return MakeArray(out);
}

// Implements tril and triu.
template <bool kLower>
Value Triangle(Args& a) {
  Array m = ToArray(a[0]);
  if (m.rank == 0) throw ValueError("tril and triu need an array of at least one dimension");
  if (m.rank == 1) {
    const int64_t square[] = {m.dim(0), m.dim(0)};
    BroadcastTo(m, square, &m);
  }
  m = Copy(m);
  const int64_t k = ToIndex(a[1]);
  const int row_axis = m.rank - 2;
  const Array zero = Zeros(m.dtype, {});
  for (int64_t i = 0; i < m.dim(row_axis); ++i) {
    const Array row = DropAxis(m, row_axis, i);
    const int64_t n = row.dim(row.rank - 1);
    const int64_t cut = std::clamp<int64_t>(i + k + (kLower ? 1 : 0), 0, n);
    Assign(
        kLower ? Sliced(row, row.rank - 1, cut, 1, n - cut) : Sliced(row, row.rank - 1, 0, 1, cut),
        zero);
  }
  return MakeArray(m);
}

Value MeshgridFunction(Args& a) {
  const auto* given = Sequence(a[0]);
  const bool swap = Str(a[2]) == "xy" && given->size() > 1;
  std::vector<Array> axes;
  Extents dims;
  for (const Value& v : *given) {
    axes.push_back(Flat(ToArray(v)));
    dims.push_back(axes.back().dim(0));
  }
  if (swap) std::swap(dims[0], dims[1]);
  std::vector<Value> out;
  for (size_t k = 0; k < axes.size(); ++k) {
    const size_t at = swap && k < 2 ? 1 - k : k;
    Array wide = axes[k];
    for (size_t i = at + 1; i < dims.size(); ++i) wide = WithAxis(wide, wide.rank);
    Array full;
    BroadcastTo(wide, dims, &full);
    out.push_back(MakeArray(Copy(full)));
  }
  return MakeList(std::move(out));
}

Value FromFunction(Args& a) {
  const Extents dims = ShapeArgument(a[1]);
  std::vector<Value> index;
  for (size_t k = 0; k < dims.size(); ++k) {
    Array line = Cast(IntRange(0, dims[k], 1), TypeOr(a[2], TSH_DOUBLE));
    for (size_t i = k + 1; i < dims.size(); ++i) line = WithAxis(line, line.rank);
    Array full;
    BroadcastTo(line, dims, &full);
    index.push_back(MakeArray(Copy(full)));
  }
  return Call(a[0], index);
}

Value FromBuffer(Args& a) {
  auto* bytes = As<BytesObject>(a[0]);
  if (!bytes) throw TypeError("a bytes-like object is required, not '" + TypeName(a[0]) + "'");
  const bool swap = TakeByteOrder(&a[1]);
  const int dtype = TypeOr(a[1], TSH_DOUBLE);
  if (!HasBytes(dtype)) throw ValueError("cannot create an OBJECT array from memory buffer");
  const int64_t size = ItemSize(dtype), length = static_cast<int64_t>(bytes->data.size());
  const int64_t count = ToIndex(a[2]), offset = ToIndex(a[3]);
  if (offset < 0 || offset > length)
    throw ValueError("offset must be non-negative and no greater than buffer length (" +
                     std::to_string(length) + ")");
  const int64_t have = length - offset;
  if (count < 0 && have % size) throw ValueError("buffer size must be a multiple of element size");
  if (count > have / size) throw ValueError("buffer is smaller than requested size");
  const int64_t n = count < 0 ? have / size : count;
  const Array out = Empty(dtype, {&n, 1});
  if (n)
    std::memcpy(out.WritableData(), bytes->data.data() + offset, static_cast<size_t>(n * size));
  if (swap) SwapBytes(out);
  return MakeArray(out);
}

Value CopyFunction(Args& a) { return MakeArray(Copy(ToArray(a[0]))); }

constexpr const char* kLike = "a, dtype=None, order='K', subok=True, shape=None";
constexpr FunctionRow kRows[] = {
    {"array", "object, dtype=None, copy=True, order='K', subok=False, ndmin=0", MakeArrayFunction,
     "Return an array made from nested lists, numbers or another array."},
    {"asarray", "a, dtype=None, order=None", AsArrayFunction,
     "Return the argument itself if it is an array, otherwise a new array."},
    {"asanyarray", "a, dtype=None, order=None", AsArrayFunction, "Return the same as asarray."},
    {"ascontiguousarray", "a, dtype=None", AsArrayFunction, "Return the same as asarray."},
    {"copy", "a, order='K', subok=False", CopyFunction, "Return a copy."},
    {"zeros", "shape, dtype=None, order='C'", ZerosFunction, "Return an array of zeros."},
    {"empty", "shape, dtype=None, order='C'", ZerosFunction,
     "Return an array without meaningful content (tensh fills it with zeros)."},
    {"ones", "shape, dtype=None, order='C'", OnesFunction, "Return an array of ones."},
    {"full", "shape, fill_value, dtype=None, order='C'", FullFunction,
     "Return an array filled with one value."},
    {"zeros_like", kLike, ZerosLike, "Zeros of an array's shape and type."},
    {"empty_like", kLike, ZerosLike, "An array of an array's shape and type."},
    {"ones_like", kLike, OnesLike, "Ones of an array's shape and type."},
    {"full_like", "a, fill_value, dtype=None, order='K', subok=True, shape=None", FullLike,
     "Return an array filled with one value, in the shape and type of another."},
    {"eye", "N, M=None, k=0, dtype=None, order='C'", EyeFunction,
     "Return a matrix with ones on a diagonal."},
    {"identity", "n, dtype=None", IdentityFunction, "Return the identity matrix."},
    {"arange", "start=..., stop=..., step=..., dtype=None", ArangeFunction,
     "Return evenly spaced values, given start, stop and step."},
    {"linspace", "start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0",
     LinspaceFunction, "Return values evenly spaced over an interval."},
    {"logspace", "start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0",
     LogspaceFunction, "Return values evenly spaced on a logarithmic scale."},
    {"diag", "v, k=0", DiagFunction,
     "Return the diagonal of a matrix, or the matrix with this diagonal."},
    {"tril", "m, k=0", Triangle<true>, "Return the lower triangle of a matrix."},
    {"triu", "m, k=0", Triangle<false>, "Return the upper triangle of a matrix."},
    {"meshgrid", "*xi, copy=True, indexing='xy', sparse=False", MeshgridFunction,
     "Return coordinate matrices for coordinate vectors."},
    {"fromfunction", "function, shape, dtype=None", FromFunction,
     "Return an array of function values, computed from the indices."},
    {"frombuffer", "buffer, dtype=None, count=-1, offset=0", FromBuffer,
     "Interpret bytes as an array of numbers."},
};

}  // namespace

std::span<const FunctionRow> CreateFunctions() { return kRows; }

}  // namespace tensh::shell::np
