// Functions that compute: ufuncs by name, reductions, products and rounding.
#include <cmath>

#include "shell/numpy/convert.h"
#include "shell/numpy/element.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

namespace tensh::shell::np {
namespace {

const Ufunc& UfuncOfRow(Args& a) { return *FindUfunc(a.row().name); }

// Applies the arguments that all ufuncs share: out, where and dtype.
Value FinishUfunc(Args& a, size_t first, Array result) {
  const int dtype = DTypeArgument(a[first + 2]);
  if (dtype) result = Cast(result, dtype);
  const Value &out = a[first], &where = a[first + 1];
  if (where.is_bool() && where.as_bool()) {
    if (out.is_none()) return ArrayOrScalar(result);
    const auto* tuple = Sequence(out);
    const Value& to = tuple && tuple->size() == 1 ? (*tuple)[0] : out;
    StoreOut(to, result);
    return to;
  }
  const Value kept = out.is_none() ? MakeArray(Zeros(result.dtype, result.dims())) : out;
  Array mask;
  const Array given = Cast(ToArray(where), TSH_BOOL);
  if (!BroadcastTo(given, result.dims(), &mask))
    throw ValueError("where does not broadcast to the result's shape " + ShapeText(result.dims()));
  shell::SetItem(kept, MakeArray(Copy(mask)),
                 shell::GetItem(MakeArray(result), MakeArray(Copy(mask))));
  return kept;
}

// Returns true for an object that implements its own operators, such as a tf.Tensor. A ufunc then
// calls its operators, so that the result is of the same kind.
bool IsOtherType(const Value& v) {
  return v.is_object() && !As<NdArray>(v) && !AsScalar(v) && !Sequence(v) && !As<RangeObject>(v) &&
         ElementType(v) == kDTypeObject && FindSlot(TypeOf(v), &TypeInfo::binary);
}

Value Unary(Args& a) { return FinishUfunc(a, 1, Apply(UfuncOfRow(a), ToArray(a[0]))); }

Value BinaryFn(Args& a) {
  const Ufunc& f = UfuncOfRow(a);
  if (IsOtherType(a[0]) || IsOtherType(a[1])) {
    return f.is_compare ? Compare(f.compare, a[0], a[1]) : Binary(f.op, a[0], a[1]);
  }
  return FinishUfunc(a, 2, Apply(f, ToArray(a[0]), ToArray(a[1])));
}

Value DivmodFunction(Args& a) {
  const Array x = ToArray(a[0]), y = ToArray(a[1]);
  return MakeTuple({ArrayOrScalar(Apply(UfuncOf(BinaryOp::kFloorDiv), x, y)),
                    ArrayOrScalar(Apply(UfuncOf(BinaryOp::kMod), x, y))});
}

Value MatmulFunction(Args& a) {
  const Array result = MatMul(ToArray(a[0]), ToArray(a[1]));
  if (a[2].is_none()) return ArrayOrScalar(result);
  StoreOut(a[2], result);
  return a[2];
}

Value OuterFunction(Args& a) {
  const Array x = Flat(ToArray(a[0])), y = Flat(ToArray(a[1]));
  return MakeArray(Apply(UfuncOf(BinaryOp::kMul), WithAxis(x, 1), y));
}

// Sums products over the last axis of both arrays.
Value InnerFunction(Args& a) {
  const Array x = ToArray(a[0]), y = ToArray(a[1]);
  if (x.rank == 0 || y.rank == 0) return ArrayOrScalar(Apply(UfuncOf(BinaryOp::kMul), x, y));
  std::vector<int> order;
  for (int i = 0; i + 2 < y.rank; ++i) order.push_back(i);
  if (y.rank > 1) order.insert(order.end(), {y.rank - 1, y.rank - 2});
  return ArrayOrScalar(Dot(x, y.rank > 1 ? Transposed(y, order) : y));
}

Value VdotFunction(Args& a) {
  return ArrayOrScalar(
      Dot(Flat(Apply(*FindUfunc("conjugate"), ToArray(a[0]))), Flat(ToArray(a[1]))));
}

Value CrossFunction(Args& a) {
  const Array x = ToArray(a[0]), y = ToArray(a[1]);
  const auto part = [](const Array& v, int64_t i) { return DropAxis(v, v.rank - 1, i); };
  if (x.rank == 0 || y.rank == 0 || x.dim(x.rank - 1) != 3 || y.dim(y.rank - 1) != 3)
    throw ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)");
  std::vector<Array> parts;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t j = (i + 1) % 3, k = (i + 2) % 3;
    const Ufunc& mul = UfuncOf(BinaryOp::kMul);
    const Array v = Apply(UfuncOf(BinaryOp::kSub), Apply(mul, part(x, j), part(y, k)),
                          Apply(mul, part(x, k), part(y, j)));
    parts.push_back(WithAxis(v, v.rank));
  }
  return MakeArray(Concatenate(parts, parts[0].rank - 1));
}

// Arguments: condition, x, y.
Value WhereFunction(Args& a) {
  const Array condition = Cast(ToArray(a[0]), TSH_BOOL);
  if (!a.has(1) && !a.has(2)) {
    Value slots[] = {Value()};
    Args none(a.row(), Value(), slots, 0);
    return NonzeroMethod(condition, none, 0);
  }
  if (!a.has(1) || !a.has(2)) throw ValueError("either both or neither of x and y should be given");
  const Array x = ToArray(a[1]), y = ToArray(a[2]);
  const auto operand = [](const Array& v) {
    const bool scalar = v.rank == 0 && HasBytes(v.dtype);
    return Operand{v.dtype, scalar, scalar ? v.data() : nullptr};
  };
  const int dtype = ResultType(operand(x), operand(y));
  Extents some, dims;
  if (!BroadcastDims(condition.dims(), x.dims(), &some) || !BroadcastDims(some, y.dims(), &dims)) {
    throw ValueError("operands could not be broadcast together with shapes " +
                     ShapeText(condition.dims()) + " " + ShapeText(x.dims()) + " " +
                     ShapeText(y.dims()) + " ");
  }
  const Array out = Empty(dtype, dims);
  Assign(out, y);
  Array mask, chosen;
  BroadcastTo(condition, dims, &mask);
  BroadcastTo(Cast(x, dtype), dims, &chosen);
  std::vector<int64_t> from;
  ForEachOffset(chosen, [&](int64_t at) { from.push_back(at); });
  const int64_t unit = out.unit();
  char* base = HasBytes(dtype) ? out.WritableData() : nullptr;
  size_t k = 0;
  ForEachOffset(mask, [&](int64_t at) {
    const int64_t to = static_cast<int64_t>(k) * unit, source = from[k++];
    if (!*reinterpret_cast<const bool*>(mask.buffer->data() + at)) return;
    if (base)
      std::memcpy(base + to, chosen.buffer->data() + source, static_cast<size_t>(unit));
    else
      StoreElement(out, to, PythonElement(chosen, source));
  });
  return MakeArray(out);
}

Value NanToNum(Args& a) {
  const Array x = Copy(ToArray(a[0]));
  if (!IsFloatKind(x.dtype)) return ArrayOrScalar(x);
  const double biggest = x.dtype == TSH_FLOAT ? 3.4028234663852886e38 : 1.7976931348623157e308;
  const double high = a[3].is_none() ? biggest : ToDouble(a[3]);
  const double low = a[4].is_none() ? -biggest : ToDouble(a[4]);
  const double nan = ToDouble(a[2]);
  WithType(x.dtype, [&]<class T>() {
    if constexpr (kIsFloat<T>) {
      T* p = x.writable<T>();
      for (int64_t i = 0; i < x.size(); ++i) {
        const double v = static_cast<double>(p[i]);
        if (std::isnan(v))
          p[i] = Convert<T>(nan);
        else if (std::isinf(v))
          p[i] = Convert<T>(v > 0 ? high : low);
      }
    }
  });
  return ArrayOrScalar(x);
}

// A reduction that ignores NaN: replaces it by the neutral element.
template <Reduction R>
Value NanReduce(Args& a) {
  const double neutral = R == Reduction::kSum ? 0 : R == Reduction::kMin ? INFINITY : -INFINITY;
  const Array x = ToArray(a[0]);
  Array clean = Copy(Category(x.dtype) == 2 ? x : Cast(x, TSH_DOUBLE));
  shell::SetItem(MakeArray(clean), MakeArray(Apply(*FindUfunc("isnan"), clean)),
                 Value::Float(neutral));
  return ArrayOrScalar(Reduce(R, clean, AxesArgument(a[1], x.rank), {.keepdims = Truth(a[2])}));
}

Value NanMean(Args& a) {
  const Array x = ToArray(a[0]);
  const Array clean = Copy(Category(x.dtype) == 2 ? x : Cast(x, TSH_DOUBLE));
  const Array nan = Apply(*FindUfunc("isnan"), clean);
  shell::SetItem(MakeArray(clean), MakeArray(nan), Value::Float(0));
  const Axes axes = AxesArgument(a[1], x.rank);
  const ReduceOptions o{.keepdims = Truth(a[2])};
  const Array count = Reduce(Reduction::kSum, Apply(*FindUfunc("logical_not"), nan), axes, o);
  return ArrayOrScalar(
      Cast(Apply(UfuncOf(BinaryOp::kTrueDiv), Reduce(Reduction::kSum, clean, axes, o), count),
           clean.dtype));
}

// Returns the value's own attribute if it has one, which numpy tries first.
Value PartOf(const Value& v, const char* name) {
  const Value own = FindAttr(v, Intern(name));
  return own.is_null() ? GetAttr(MakeArray(ToArray(v)), name) : own;
}
Value RealPart(Args& a) { return PartOf(a[0], "real"); }
Value ImagPart(Args& a) { return PartOf(a[0], "imag"); }

constexpr const char* kTyped = "a, axis=None, dtype=None, out=None, keepdims=False";
constexpr const char* kPlain = "a, axis=None, out=None, keepdims=False";
constexpr const char* kVar = "a, axis=None, dtype=None, out=None, ddof=0, keepdims=False";
constexpr const char* kNan = "a, axis=None, keepdims=False";

constexpr FunctionRow kRows[] = {
    {"negative", "x, /, out=None, where=True, dtype=None", Unary, "-x"},
    {"positive", "x, /, out=None, where=True, dtype=None", Unary, "+x"},
    {"absolute", "x, /, out=None, where=True, dtype=None", Unary, "|x|"},
    {"abs", "x, /, out=None, where=True, dtype=None", Unary, "|x|"},
    {"fabs", "x, /, out=None, where=True, dtype=None", Unary, "Return |x| as a float."},
    {"sign", "x, /, out=None, where=True, dtype=None", Unary, "-1, 0 or 1."},
    {"square", "x, /, out=None, where=True, dtype=None", Unary, "x * x"},
    {"reciprocal", "x, /, out=None, where=True, dtype=None", Unary, "1 / x"},
    {"invert", "x, /, out=None, where=True, dtype=None", Unary, "~x"},
    {"bitwise_not", "x, /, out=None, where=True, dtype=None", Unary, "~x"},
    {"conjugate", "x, /, out=None, where=True, dtype=None", Unary, "Return the complex conjugate."},
    {"conj", "x, /, out=None, where=True, dtype=None", Unary, "Return the complex conjugate."},
    {"isnan", "x, /, out=None, where=True, dtype=None", Unary, "Test for NaN."},
    {"isinf", "x, /, out=None, where=True, dtype=None", Unary, "Test for infinity."},
    {"isfinite", "x, /, out=None, where=True, dtype=None", Unary,
     "Test for numbers other than infinity and NaN."},
    {"signbit", "x, /, out=None, where=True, dtype=None", Unary,
     "Test whether the sign bit is set."},
    {"logical_not", "x, /, out=None, where=True, dtype=None", Unary,
     "Return the logical negation."},
    {"sqrt", "x, /, out=None, where=True, dtype=None", Unary, "Return the square root."},
    {"exp", "x, /, out=None, where=True, dtype=None", Unary, "e ** x"},
    {"exp2", "x, /, out=None, where=True, dtype=None", Unary, "2 ** x"},
    {"expm1", "x, /, out=None, where=True, dtype=None", Unary, "exp(x) - 1"},
    {"log", "x, /, out=None, where=True, dtype=None", Unary, "Return the natural logarithm."},
    {"log2", "x, /, out=None, where=True, dtype=None", Unary, "Return the logarithm to base 2."},
    {"log10", "x, /, out=None, where=True, dtype=None", Unary, "Return the logarithm to base 10."},
    {"log1p", "x, /, out=None, where=True, dtype=None", Unary, "log(1 + x)"},
    {"cbrt", "x, /, out=None, where=True, dtype=None", Unary, "Return the cube root."},
    {"sin", "x, /, out=None, where=True, dtype=None", Unary, "Return the sine of x in radians."},
    {"cos", "x, /, out=None, where=True, dtype=None", Unary, "Return the cosine of x in radians."},
    {"tan", "x, /, out=None, where=True, dtype=None", Unary, "Return the tangent of x in radians."},
    {"arcsin", "x, /, out=None, where=True, dtype=None", Unary, "Return the inverse sine."},
    {"arccos", "x, /, out=None, where=True, dtype=None", Unary, "Return the inverse cosine."},
    {"arctan", "x, /, out=None, where=True, dtype=None", Unary, "Return the inverse tangent."},
    {"sinh", "x, /, out=None, where=True, dtype=None", Unary, "Return the hyperbolic sine."},
    {"cosh", "x, /, out=None, where=True, dtype=None", Unary, "Return the hyperbolic cosine."},
    {"tanh", "x, /, out=None, where=True, dtype=None", Unary, "Return the hyperbolic tangent."},
    {"arcsinh", "x, /, out=None, where=True, dtype=None", Unary,
     "Return the inverse hyperbolic sine."},
    {"arccosh", "x, /, out=None, where=True, dtype=None", Unary,
     "Return the inverse hyperbolic cosine."},
    {"arctanh", "x, /, out=None, where=True, dtype=None", Unary,
     "Return the inverse hyperbolic tangent."},
    {"floor", "x, /, out=None, where=True, dtype=None", Unary,
     "Return the largest integer not above x."},
    {"ceil", "x, /, out=None, where=True, dtype=None", Unary,
     "Return the smallest integer not below x."},
    {"trunc", "x, /, out=None, where=True, dtype=None", Unary, "Return x without its fraction."},
    {"rint", "x, /, out=None, where=True, dtype=None", Unary,
     "Round to the nearest integer, halves to even."},
    {"degrees", "x, /, out=None, where=True, dtype=None", Unary, "Convert radians to degrees."},
    {"rad2deg", "x, /, out=None, where=True, dtype=None", Unary, "Convert radians to degrees."},
    {"radians", "x, /, out=None, where=True, dtype=None", Unary, "Convert degrees to radians."},
    {"deg2rad", "x, /, out=None, where=True, dtype=None", Unary, "Convert degrees to radians."},
    {"add", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a + b"},
    {"subtract", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a - b"},
    {"multiply", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a * b"},
    {"divide", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a / b"},
    {"true_divide", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a / b"},
    {"floor_divide", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a // b"},
    {"remainder", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a % b"},
    {"mod", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a % b"},
    {"fmod", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn,
     "Return the remainder of a / b with the sign of a."},
    {"power", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a ** b"},
    {"maximum", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn,
     "Return the larger of each pair of elements."},
    {"minimum", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn,
     "Return the smaller of each pair of elements."},
    {"bitwise_and", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a & b"},
    {"bitwise_or", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a | b"},
    {"bitwise_xor", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a ^ b"},
    {"left_shift", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a << b"},
    {"right_shift", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a >> b"},
    {"arctan2", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn,
     "Return the angle of the point (b, a)."},
    {"hypot", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "sqrt(a² + b²)"},
    {"copysign", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn,
     "Return a with the sign of b."},
    {"logaddexp", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "log(exp(a) + exp(b))"},
    {"less", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a < b"},
    {"less_equal", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a <= b"},
    {"equal", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a == b"},
    {"not_equal", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a != b"},
    {"greater", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a > b"},
    {"greater_equal", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn, "a >= b"},
    {"logical_and", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn,
     "Test whether both are true."},
    {"logical_or", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn,
     "Test whether at least one is true."},
    {"logical_xor", "x1, x2, /, out=None, where=True, dtype=None", BinaryFn,
     "Test whether exactly one is true."},
    {"divmod", "x1, x2, /", DivmodFunction, "Return the quotient and the remainder."},
    {"sum", kTyped, AsFunction<SumMethod>, "Return the sum along axes (all by default)."},
    {"prod", kTyped, AsFunction<ProdMethod>, "Return the product along axes (all by default)."},
    {"product", kTyped, AsFunction<ProdMethod>, "Return the product along axes (all by default)."},
    {"mean", kTyped, AsFunction<MeanMethod>, "Return the mean along axes (all by default)."},
    {"var", kVar, AsFunction<VarMethod>, "The variance."},
    {"std", kVar, AsFunction<StdMethod>, "The standard deviation."},
    {"min", kPlain, AsFunction<MinMethod>, "Return the smallest element."},
    {"amin", kPlain, AsFunction<MinMethod>, "Return the smallest element."},
    {"max", kPlain, AsFunction<MaxMethod>, "Return the largest element."},
    {"amax", kPlain, AsFunction<MaxMethod>, "Return the largest element."},
    {"any", kPlain, AsFunction<AnyMethod>, "Return true if any element is true."},
    {"all", kPlain, AsFunction<AllMethod>, "Return true if all elements are true."},
    {"argmax", kPlain, AsFunction<ArgmaxMethod>, "Return the index of the largest element."},
    {"argmin", kPlain, AsFunction<ArgminMethod>, "Return the index of the smallest element."},
    {"cumsum", "a, axis=None, dtype=None, out=None", AsFunction<CumsumMethod>,
     "Return the cumulative sum along an axis."},
    {"cumprod", "a, axis=None, dtype=None, out=None", AsFunction<CumprodMethod>,
     "Return the cumulative product along an axis."},
    {"ptp", "a, axis=None", AsFunction<PtpMethod>,
     "Return the difference of the largest and the smallest element."},
    {"nansum", kNan, NanReduce<Reduction::kSum>, "Return the sum, ignoring NaN."},
    {"nanmin", kNan, NanReduce<Reduction::kMin>, "Return the smallest element, ignoring NaN."},
    {"nanmax", kNan, NanReduce<Reduction::kMax>, "Return the largest element, ignoring NaN."},
    {"nanmean", kNan, NanMean, "Return the mean, ignoring NaN."},
    {"round", "a, decimals=0, out=None", AsFunction<RoundMethod>,
     "Round to the given number of decimal places."},
    {"around", "a, decimals=0, out=None", AsFunction<RoundMethod>,
     "Round to the given number of decimal places."},
    {"round_", "a, decimals=0, out=None", AsFunction<RoundMethod>,
     "Round to the given number of decimal places."},
    {"clip", "a, a_min=None, a_max=None, out=None", AsFunction<ClipMethod>,
     "Limit the values to the range between two bounds."},
    {"dot", "a, b, out=None", AsFunction<DotMethod>, "Return the product of matrices or vectors."},
    {"matmul", "x1, x2, /, out=None", MatmulFunction,
     "Return the product of matrices, or of stacks of matrices."},
    {"outer", "a, b, out=None", OuterFunction, "Return the outer product of two vectors."},
    {"inner", "a, b, /", InnerFunction, "Return the inner product over the last axes."},
    {"vdot", "a, b, /", VdotFunction, "Return the dot product of two vectors."},
    {"cross", "a, b", CrossFunction, "Return the cross product of vectors of length 3."},
    {"where", "condition, x=..., y=..., /", WhereFunction,
     "Choose elements of x or y by a condition; without x and y, return the indices of its true "
     "elements."},
    {"nan_to_num", "x, copy=True, nan=0.0, posinf=None, neginf=None", NanToNum,
     "Replace NaN and infinities by finite numbers."},
    {"real", "val", RealPart, "Return the real part."},
    {"imag", "val", ImagPart, "Return the imaginary part."},
};

// The methods of elementwise functions are written in Python.
Value UfuncAttribute(const Value& function, StrObject* name) {
  const FunctionRow& row = static_cast<NativeFunction*>(function.object())->row();
  if (&row < std::begin(kRows) || &row >= std::end(kRows) || !FindUfunc(row.name)) return Value();
  return LibraryMethod("numpy_ufuncs", function, name);
}

}  // namespace

std::span<const FunctionRow> MathFunctions() {
  function_attribute = UfuncAttribute;
  return kRows;
}

}  // namespace tensh::shell::np
