#include "shell/numpy/methods.h"

#include <algorithm>
#include <cmath>

#include "shell/numpy/convert.h"
#include "shell/numpy/dtype_value.h"
#include "shell/numpy/ndarray.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {

// ---- arguments ----

Array SelfArray(const Value& self) { return ToArray(self); }

// The type of arrays has __index__, which only those without axes can answer.
bool IsOneIndex(const Value& v) {
  const auto* array = As<NdArray>(v);
  return IsIndex(v) && !(array && array->array.rank > 0);
}

Extents ShapeArgument(const Value& v) {
  Extents dims;
  if (IsOneIndex(v)) {
    dims.push_back(ToIndex(v));
  } else if (v.is_float()) {
    throw TypeError("expected a sequence of integers or a single integer, got '" + Repr(v) + "'");
  } else {
    for (const Value& d : ToVector(v)) dims.push_back(ToIndex(d));
  }
  return dims;
}

Axes AxesArgument(const Value& v, int rank) {
  Axes axes;
  if (v.is_null() || v.is_none()) return axes;
  // A 0-d array is treated like one with a single axis, unless several axes are given.
  if (rank == 0 && IsOneIndex(v) && (ToIndex(v) == 0 || ToIndex(v) == -1)) return axes;
  axes.all = false;
  for (int64_t axis : ShapeArgument(v)) {
    bool& reduced = axes.reduced[static_cast<size_t>(NormalAxis(axis, rank))];
    if (reduced) throw ValueError("duplicate value in 'axis'");
    reduced = true;
  }
  return axes;
}

int AxisArgument(const Value& v, int rank) {
  if (v.is_null() || v.is_none()) return -1;
  const int64_t axis = ToIndex(v);
  if (rank == 0 && (axis == 0 || axis == -1)) return -1;  // Treated as one axis, hence flattened.
  return NormalAxis(axis, rank);
}

int DTypeArgument(const Value& v) {
  if (v.is_null() || v.is_none()) return 0;
  if (const int dtype = DTypeOf(v)) return dtype;
  if (const int dtype = DefaultDType(v)) return dtype;
  if (IsStr(v)) throw TypeError("data type " + Repr(v) + " not understood");
  throw TypeError("Cannot interpret " + Repr(v) + " as a data type");
}

void StoreOut(const Value& out, const Array& result) {
  if (auto* a = As<NdArray>(out)) return Assign(a->array, result);
  throw TypeError("return arrays must be of ArrayType");
}

namespace {

Value Finish(const Value& out, const Array& result) {
  if (out.is_null() || out.is_none()) return ArrayOrScalar(result);
  StoreOut(out, result);
  return out;
}

// Arguments: axis, dtype, out, keepdims.
template <Reduction R>
Value ReduceTyped(const Array& a, Args& args, size_t first) {
  const ReduceOptions o{Truth(args[first + 3]), DTypeArgument(args[first + 1])};
  return Finish(args[first + 2], Reduce(R, a, AxesArgument(args[first], a.rank), o));
}

// Arguments: axis, out, keepdims.
template <Reduction R>
Value ReducePlain(const Array& a, Args& args, size_t first) {
  const Axes axes = AxesArgument(args[first], a.rank);
  return Finish(args[first + 1], Reduce(R, a, axes, {.keepdims = Truth(args[first + 2])}));
}

}  // namespace

Value SumMethod(const Array& a, Args& args, size_t first) {
  return ReduceTyped<Reduction::kSum>(a, args, first);
}
Value ProdMethod(const Array& a, Args& args, size_t first) {
  return ReduceTyped<Reduction::kProd>(a, args, first);
}
Value MinMethod(const Array& a, Args& args, size_t first) {
  return ReducePlain<Reduction::kMin>(a, args, first);
}
Value MaxMethod(const Array& a, Args& args, size_t first) {
  return ReducePlain<Reduction::kMax>(a, args, first);
}
Value AnyMethod(const Array& a, Args& args, size_t first) {
  return ReducePlain<Reduction::kAny>(a, args, first);
}
Value AllMethod(const Array& a, Args& args, size_t first) {
  return ReducePlain<Reduction::kAll>(a, args, first);
}

namespace {

// Unlike other reductions, mean, var and std reject an axis for a 0-d array.
Axes StrictAxes(const Value& v, int rank) {
  if (rank == 0 && !v.is_null() && !v.is_none() && IsOneIndex(v)) NormalAxis(ToIndex(v), 0);
  return AxesArgument(v, rank);
}

}  // namespace

Value MeanMethod(const Array& a, Args& args, size_t first) {
  const ReduceOptions o{Truth(args[first + 3]), DTypeArgument(args[first + 1])};
  return Finish(args[first + 2], Mean(a, StrictAxes(args[first], a.rank), o));
}

// Arguments: axis, dtype, out, ddof, keepdims.
Value VarMethod(const Array& a, Args& args, size_t first) {
  const ReduceOptions o{Truth(args[first + 4]), DTypeArgument(args[first + 1])};
  const Axes axes = StrictAxes(args[first], a.rank);
  return Finish(args[first + 2], Variance(a, axes, o, ToDouble(args[first + 3])));
}

Value StdMethod(const Array& a, Args& args, size_t first) {
  const ReduceOptions o{Truth(args[first + 4]), DTypeArgument(args[first + 1])};
  const Axes axes = StrictAxes(args[first], a.rank);
  const Array variance = Variance(a, axes, o, ToDouble(args[first + 3]));
  return Finish(args[first + 2], Apply(*FindUfunc("sqrt"), variance));
}

// Arguments: axis, out, keepdims.
Value ArgmaxMethod(const Array& a, Args& args, size_t first) {
  const int axis = AxisArgument(args[first], a.rank);
  return Finish(args[first + 1], ArgExtreme(true, a, axis, Truth(args[first + 2])));
}
Value ArgminMethod(const Array& a, Args& args, size_t first) {
  const int axis = AxisArgument(args[first], a.rank);
  return Finish(args[first + 1], ArgExtreme(false, a, axis, Truth(args[first + 2])));
}

// Arguments: axis, dtype, out.
Value CumsumMethod(const Array& a, Args& args, size_t first) {
  const int axis = AxisArgument(args[first], a.rank);
  return Finish(args[first + 2],
                Cumulate(Reduction::kSum, a, axis, DTypeArgument(args[first + 1])));
}
Value CumprodMethod(const Array& a, Args& args, size_t first) {
  const int axis = AxisArgument(args[first], a.rank);
  return Finish(args[first + 2],
                Cumulate(Reduction::kProd, a, axis, DTypeArgument(args[first + 1])));
}

Value PtpMethod(const Array& a, Args& args, size_t first) {
  const Axes axes = AxesArgument(args[first], a.rank);
  return ArrayOrScalar(Apply(UfuncOf(BinaryOp::kSub), Reduce(Reduction::kMax, a, axes, {}),
                             Reduce(Reduction::kMin, a, axes, {})));
}

// ---- elementwise with arguments ----

Array Round(const Array& a, int64_t decimals) {
  const Ufunc& rint = *FindUfunc("rint");
  if (IsComplexKind(a.dtype)) {
    const Array out = Copy(a);
    for (int part = 0; part < 2; ++part) {
      Array half = out;
      half.dtype = a.dtype == TSH_COMPLEX64 ? TSH_FLOAT : TSH_DOUBLE;
      half.offset += part * ItemSize(half.dtype);
      Assign(half, Round(half, decimals));
    }
    return out;
  }
  if (a.dtype == TSH_BOOL) {
    if (decimals == 0) return Apply(rint, a);
    throw MakeError(kUfuncTypeError,
                    "Cannot cast ufunc 'multiply' output from dtype('float64') to dtype('bool') "
                    "with casting rule 'same_kind'");
  }
  if (Category(a.dtype) < 2 && decimals >= 0) return Copy(a);
  // As in numpy, a single number is scaled in double precision, an array in its own width.
  const bool wide = a.rank == 0 || Category(a.dtype) < 2;
  const Array x = wide ? Cast(a, TSH_DOUBLE) : a;
  if (decimals == 0) return Cast(Apply(rint, x), a.dtype);
  const Array scale = Scalar0(TSH_DOUBLE, std::pow(10.0, static_cast<double>(std::abs(decimals))));
  const Ufunc& up = UfuncOf(decimals > 0 ? BinaryOp::kMul : BinaryOp::kTrueDiv);
  const Ufunc& down = UfuncOf(decimals > 0 ? BinaryOp::kTrueDiv : BinaryOp::kMul);
  Array scaled = Apply(up, x, scale);
  if (Category(a.dtype) == 2) scaled = Cast(scaled, a.dtype);
  const Array whole = Apply(rint, scaled);
  return Cast(Apply(down, wide ? Cast(whole, TSH_DOUBLE) : whole, scale), a.dtype);
}

Value RoundMethod(const Array& a, Args& args, size_t first) {
  return Finish(args[first + 1], Round(a, ToIndex(args[first])));
}

// Arguments: min, max, out.
Value ClipMethod(const Array& a, Args& args, size_t first) {
  const Value &low = args[first], &high = args[first + 1];
  if (low.is_none() && high.is_none()) throw ValueError("One of max or min must be given");
  Array out = a;
  if (!low.is_none()) out = Apply(*FindUfunc("maximum"), out, ToArray(low));
  if (!high.is_none()) out = Apply(*FindUfunc("minimum"), out, ToArray(high));
  return Finish(args[first + 2], out);
}

// ---- operators ----

Value BinaryValues(BinaryOp op, const Value& a, const Value& b) {
  const Array x = ToArray(a), y = ToArray(b);
  if (op == BinaryOp::kMatMul) return ArrayOrScalar(MatMul(x, y));
  if (op == BinaryOp::kPow) return ArrayOrScalar(Power(x, y));
  return ArrayOrScalar(Apply(UfuncOf(op), x, y));
}

Value UnaryValues(UnaryOp op, const Value& v) {
  static constexpr const char* kNames[] = {"negative", "positive", "invert", "absolute"};
  return ArrayOrScalar(Apply(*FindUfunc(kNames[static_cast<size_t>(op)]), ToArray(v)));
}

namespace {

// ---- methods without a matching function ----

Value Reshape(Args& a) {
  const Array self = SelfArray(a.self());
  const auto* shape = Sequence(a[0]);
  const Value& first = shape->empty() ? a[0] : (*shape)[0];
  const bool one = shape->size() == 1 && !IsOneIndex(first);
  const Extents dims = ShapeArgument(one ? first : a[0]);
  return MakeArray(ReshapeOrdered(self, dims, a[1]));
}

Value Transpose(Args& a) {
  const auto* given = Sequence(a[0]);
  const bool one = given->size() == 1 && !IsOneIndex((*given)[0]);
  const Array out = TransposeBy(SelfArray(a.self()), one ? (*given)[0] : a[0]);
  return AsScalar(a.self()) ? ArrayOrScalar(out) : MakeArray(out);
}

Value AsType(Args& a) {
  const Array self = SelfArray(a.self());
  const int dtype = DTypeArgument(a[0]);
  const Array out = dtype == self.dtype || !dtype ? Copy(self) : Cast(self, dtype);
  return As<NdArray>(a.self()) ? MakeArray(out) : ArrayOrScalar(out);
}

Value Flatten(Args& a) {
  const Array self = SelfArray(a.self());
  const bool columns = Str(a[0]) == "F";
  return MakeArray(Copy(Flat(columns ? Transposed(self) : self)));
}

Value Item(Args& a) {
  const Array self = SelfArray(a.self());
  const auto* index = Sequence(a[0]);
  if (index->empty()) {
    if (self.size() != 1)
      throw ValueError("can only convert an array of size 1 to a Python scalar");
    const Array flat = Flat(self);
    return PythonElement(flat, flat.offset);
  }
  const bool nested = index->size() == 1 && !IsOneIndex((*index)[0]);
  const Extents at = ShapeArgument(nested ? (*index)[0] : a[0]);
  Array view = at.size() == 1 ? Flat(self) : self;
  if (static_cast<int>(at.size()) != view.rank)
    throw ValueError("incorrect number of indices for array");
  for (size_t k = 0; k < at.size(); ++k) {
    const int64_t n = view.dim(0);
    if (at[k] < -n || at[k] >= n) {
      throw IndexError("index " + std::to_string(at[k]) + " is out of bounds for axis " +
                       std::to_string(k) + " with size " + std::to_string(n));
    }
    view = DropAxis(view, 0, at[k] < 0 ? at[k] + n : at[k]);
  }
  return PythonElement(view, view.offset);
}

Value Fill(Args& a) {
  const Array self = SelfArray(a.self());
  Array value = Empty(self.dtype, {});
  StoreElement(value, 0, a[0]);
  Assign(self, value);
  return Value::None();
}

Value SortInPlace(Args& a) {
  const Array self = SelfArray(a.self());
  Assign(self, Sort(self, NormalAxis(ToIndex(a[0]), self.rank)));
  return Value::None();
}

Value ToBytes(Args& a) {
  const Array self = Contiguous(SelfArray(a.self()));
  if (!HasBytes(self.dtype)) throw TypeError("only arrays of numbers have bytes");
  return MakeBytes(std::string(self.size() ? self.data() : "",
                               static_cast<size_t>(self.size() * ItemSize(self.dtype))));
}

// Implements round(x): returns an int without digits, and the type of x with digits.
Value RoundScalar(Args& a) {
  if (As<NdArray>(a.self())) throw TypeError("type numpy.ndarray doesn't define __round__ method");
  const Array self = SelfArray(a.self());
  if (self.dtype == TSH_BOOL) throw TypeError("type numpy.bool_ doesn't define __round__ method");
  if (!a[0].is_none()) return ArrayOrScalar(Round(self, ToIndex(a[0])));
  return Call(TypeValue(kIntType), {ArrayOrScalar(Round(self, 0))});
}

// Reinterprets elements of another size. The last axis must be dense, and its extent changes.
Array Recut(Array a, int dtype) {
  const int64_t from = ItemSize(a.dtype), to = ItemSize(dtype);
  if (a.rank == 0) {
    throw ValueError(
        "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
  }
  int64_t& extent = a.extents[static_cast<size_t>(a.rank - 1)];
  int64_t& step = a.steps[static_cast<size_t>(a.rank - 1)];
  if (step != from && a.size() > 0)
    throw ValueError("To change to a dtype of a different size, the last axis must be contiguous");
  if (extent * from % to != 0) {
    throw ValueError(from < to
                         ? "When changing to a larger dtype, its size must be a divisor of the "
                           "total size in bytes of the last axis of the array."
                         : "When changing to a smaller dtype, its size must be a divisor of the "
                           "size of original dtype");
  }
  extent = extent * from / to;
  step = to;
  return a;
}

Value View(Args& a) {
  const Array self = SelfArray(a.self());
  const int dtype = DTypeArgument(a[0]);
  if (!dtype || dtype == self.dtype) return MakeArray(self);
  if (!HasBytes(dtype) || !HasBytes(self.dtype))
    throw TypeError("a view needs types of numbers; astype() converts");
  Array out = ItemSize(dtype) == ItemSize(self.dtype) ? self : Recut(self, dtype);
  out.dtype = dtype;
  return MakeArray(out);
}

Value Conjugate(Args& a) {
  return ArrayOrScalar(Apply(*FindUfunc("conjugate"), SelfArray(a.self())));
}

constexpr const char* kTypedSignature = "axis=None, dtype=None, out=None, keepdims=False";
constexpr const char* kPlainSignature = "axis=None, out=None, keepdims=False";
constexpr const char* kVarSignature = "axis=None, dtype=None, out=None, ddof=0, keepdims=False";

}  // namespace

const FunctionRow kArrayMethods[kArrayMethodCount] = {
    {"sum", kTypedSignature, AsMethod<SumMethod>, "Return the sum along axes (all by default)."},
    {"prod", kTypedSignature, AsMethod<ProdMethod>,
     "Return the product along axes (all by default)."},
    {"mean", kTypedSignature, AsMethod<MeanMethod>, "Return the mean along axes (all by default)."},
    {"var", kVarSignature, AsMethod<VarMethod>, "The variance."},
    {"std", kVarSignature, AsMethod<StdMethod>, "The standard deviation."},
    {"min", kPlainSignature, AsMethod<MinMethod>, "Return the smallest element."},
    {"max", kPlainSignature, AsMethod<MaxMethod>, "Return the largest element."},
    {"any", kPlainSignature, AsMethod<AnyMethod>, "Return true if any element is true."},
    {"all", kPlainSignature, AsMethod<AllMethod>, "Return true if all elements are true."},
    {"argmax", kPlainSignature, AsMethod<ArgmaxMethod>, "Return the index of the largest element."},
    {"argmin", kPlainSignature, AsMethod<ArgminMethod>,
     "Return the index of the smallest element."},
    {"cumsum", "axis=None, dtype=None, out=None", AsMethod<CumsumMethod>,
     "Return the cumulative sum along an axis."},
    {"cumprod", "axis=None, dtype=None, out=None", AsMethod<CumprodMethod>,
     "Return the cumulative product along an axis."},
    {"ptp", "axis=None", AsMethod<PtpMethod>,
     "Return the difference of the largest and the smallest element."},
    {"round", "decimals=0, out=None", AsMethod<RoundMethod>,
     "Round to the given number of decimal places."},
    {"clip", "min=None, max=None, out=None", AsMethod<ClipMethod>,
     "Limit the values to the range between two bounds."},
    {"argsort", "axis=-1, kind=None, order=None", AsMethod<ArgsortMethod>,
     "Return the indices that would sort the array."},
    {"take", "indices, axis=None, out=None, mode='raise'", AsMethod<TakeMethod>,
     "Return the elements at the given indices."},
    {"repeat", "repeats, axis=None", AsMethod<RepeatMethod>, "Repeat each element."},
    {"squeeze", "axis=None", AsMethod<SqueezeMethod>, "Remove axes of extent 1."},
    {"swapaxes", "axis1, axis2, /", AsMethod<SwapaxesMethod>, "Exchange two axes."},
    {"nonzero", "", AsMethod<NonzeroMethod>, "Return the indices of the nonzero elements."},
    {"ravel", "order='C'", AsMethod<RavelMethod>, "Flatten the array, as a view if possible."},
    {"copy", "order='C'", AsMethod<CopyMethod>, "Return a copy."},
    {"dot", "b, out=None", AsMethod<DotMethod>, "Return the product of matrices or vectors."},
    {"diagonal", "offset=0, axis1=0, axis2=1", AsMethod<DiagonalMethod>, "Return the diagonal."},
    {"trace", "offset=0, axis1=0, axis2=1, dtype=None, out=None", AsMethod<TraceMethod>,
     "Return the sum of the diagonal."},
    {"searchsorted", "v, side='left', sorter=None", AsMethod<SearchSortedMethod>,
     "Return the indices at which values must be inserted to keep the array sorted."},
    {"reshape", "*shape, order='C'", Reshape,
     "Give the array another shape without changing its elements."},
    {"transpose", "*axes", Transpose, "Reverse the axes, or permute them in the given order."},
    {"astype", "dtype, order='K', casting='unsafe', subok=True, copy=True", AsType,
     "Return a copy with another element type."},
    {"flatten", "order='C'", Flatten, "Return a flattened copy."},
    {"item", "*args", Item, "Return an element as a Python number."},
    {"tolist", "", [](Args& a) { return ToList(SelfArray(a.self())); }, "Nested Python lists."},
    {"fill", "value", Fill, "Set every element to a value."},
    {"sort", "axis=-1, kind=None, order=None", SortInPlace, "Sort the array in place."},
    {"tobytes", "order='C'", ToBytes, "Return the elements as bytes."},
    {"tostring", "order='C'", ToBytes, "Return the elements as bytes."},
    {"view", "dtype=None, type=None", View, "Return another view of the same memory."},
    {"conj", "", Conjugate, "Return the complex conjugate."},
    {"conjugate", "", Conjugate, "Return the complex conjugate."},
    {"__round__", "ndigits=None", RoundScalar, "round(x)"},
    {"__array__", "dtype=None", [](Args& a) { return MakeArray(SelfArray(a.self())); }, "Itself."},
    {"__len__", "", [](Args& a) { return Value::Int(Len(a.self())); }, "len(x)"},
    {"__float__", "", [](Args& a) { return Call(TypeValue(kFloatType), {a.self()}); }, "float(x)"},
    {"__int__", "", [](Args& a) { return Call(TypeValue(kIntType), {a.self()}); }, "int(x)"},
    {"__copy__", "", [](Args& a) { return ArrayOrScalar(Copy(SelfArray(a.self()))); },
     "Return a copy."},
    {"__deepcopy__", "memo, /", [](Args& a) { return ArrayOrScalar(Copy(SelfArray(a.self()))); },
     "Return a copy."},
};

namespace {

Value DimsTuple(Dims dims) {
  std::vector<Value> items;
  for (int64_t d : dims) items.push_back(Value::Int(d));
  return MakeTuple(std::move(items));
}

Value Part(const Value& v, bool imaginary) {
  const Array a = SelfArray(v);
  if (!IsComplexKind(a.dtype)) return imaginary ? ArrayOrScalar(Zeros(a.dtype, a.dims())) : v;
  Array part = a;
  part.dtype = a.dtype == TSH_COMPLEX64 ? TSH_FLOAT : TSH_DOUBLE;
  if (imaginary) part.offset += ItemSize(part.dtype);
  return As<NdArray>(v) ? MakeArray(part) : ArrayOrScalar(part);
}

void SetShape(const Value& v, const Value& shape) {
  auto* self = As<NdArray>(v);
  if (!self) throw AttributeError("attribute 'shape' of numpy scalars is not writable");
  self->array = Reshaped(self->array, ShapeArgument(shape));
}

Value ItemBytes(const Value& v) { return GetAttr(ArrayDType(SelfArray(v)), Intern("itemsize")); }

}  // namespace

const PropertyRow kArrayProperties[kArrayPropertyCount] = {
    {"shape", [](const Value& v) { return DimsTuple(SelfArray(v).dims()); }, SetShape, "Extents."},
    {"dtype", [](const Value& v) { return ArrayDType(SelfArray(v)); }, nullptr, "Element type."},
    {"ndim", [](const Value& v) { return Value::Int(SelfArray(v).rank); }, nullptr, "Dimensions."},
    {"size", [](const Value& v) { return Value::Int(SelfArray(v).size()); }, nullptr, "Elements."},
    {"T", [](const Value& v) { return AsScalar(v) ? v : MakeArray(Transposed(SelfArray(v))); },
     nullptr, "Transposed."},
    {"itemsize", ItemBytes, nullptr, "Bytes of one element."},
    {"nbytes",
     [](const Value& v) { return Value::Int(SelfArray(v).size() * ToIndex(ItemBytes(v))); },
     nullptr, "Bytes of all elements."},
    {"flat", [](const Value& v) { return MakeArray(Flat(SelfArray(v))); }, nullptr,
     "The elements in one row."},
    {"real", [](const Value& v) { return Part(v, false); }, nullptr, "Return the real part."},
    {"imag", [](const Value& v) { return Part(v, true); }, nullptr, "Return the imaginary part."},
    {"strides", [](const Value& v) { return DimsTuple(SelfArray(v).strides()); }, nullptr,
     "Bytes to the next element along each axis."},
    {"base", [](const Value&) { return Value::None(); }, nullptr, "Not kept."},
};

}  // namespace tensh::shell::np
