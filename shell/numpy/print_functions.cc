// Functions for printing arrays and inspecting types.
#include <algorithm>
#include <cmath>
#include <limits>

#include "shell/numpy/convert.h"
#include "shell/numpy/dtype_value.h"
#include "shell/numpy/element.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {

PrintOptions& Options() {
  static PrintOptions options;
  return options;
}

namespace {

constexpr const char* kModes[] = {"fixed", "unique", "maxprec", "maxprec_equal"};

int64_t Count(const Value& v, const char* name) {
  if (v.is_float()) {
    if (std::isnan(v.as_float()))
      throw ValueError(std::string(name) +
                       " must be non-NAN, try sys.maxsize for untruncated representation");
    return v.as_float() >= 9e18 ? std::numeric_limits<int64_t>::max()
                                : static_cast<int64_t>(v.as_float());
  }
  if (IsInt(v) && !v.is_int() && !v.is_bool()) return std::numeric_limits<int64_t>::max();
  return ToIndex(v);
}

// Arguments: precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr, formatter, sign,
// floatmode.
void SetOptions(Args& a, size_t first, PrintOptions* o) {
  const auto given = [&](size_t i) { return !a[first + i].is_none(); };
  PrintOptions next = *o;
  if (given(0)) {
    const int64_t p = ToIndex(a[first]);
    if (p < 0) throw ValueError("precision must be non-negative");
    next.precision = static_cast<int>(std::min<int64_t>(p, 1000));
  }
  if (given(1)) next.threshold = Count(a[first + 1], "threshold");
  if (given(2)) next.edgeitems = std::max<int64_t>(1, Count(a[first + 2], "edgeitems"));
  if (given(3)) next.linewidth = Count(a[first + 3], "linewidth");
  if (given(4)) next.suppress = Truth(a[first + 4]);
  if (given(5)) next.nanstr = Str(a[first + 5]);
  if (given(6)) next.infstr = Str(a[first + 6]);
  if (given(7))
    throw NotImplementedError(
        "set_printoptions(formatter=) is not there; use precision, suppress or floatmode");
  if (given(8)) {
    const std::string sign = Str(a[first + 8]);
    if (sign != "-" && sign != "+" && sign != " ")
      throw ValueError("sign option must be one of ' ', '+', or '-'");
    next.sign = sign[0];
  }
  if (given(9)) {
    const std::string mode = Str(a[first + 9]);
    const auto* at = std::find(std::begin(kModes), std::end(kModes), mode);
    if (at == std::end(kModes))
      throw ValueError(
          "floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", \"maxprec_equal\"");
    next.floatmode = static_cast<PrintOptions::FloatMode>(at - kModes);
  }
  *o = next;
}

Value SetPrintOptions(Args& a) {
  SetOptions(a, 0, &Options());
  return Value::None();
}

Value OptionsDict() {
  const PrintOptions& o = Options();
  return MakeDict({{"edgeitems", Value::Int(o.edgeitems)},
                   {"threshold", Value::Int(o.threshold)},
                   {"floatmode", MakeStr(kModes[static_cast<size_t>(o.floatmode)])},
                   {"precision", Value::Int(o.precision)},
                   {"suppress", Value::Bool(o.suppress)},
                   {"linewidth", Value::Int(o.linewidth)},
                   {"nanstr", MakeStr(o.nanstr)},
                   {"infstr", MakeStr(o.infstr)},
                   {"sign", MakeStr(std::string(1, o.sign))},
                   {"formatter", Value::None()},
                   {"legacy", Value::Bool(false)}});
}
Value GetPrintOptions(Args&) { return OptionsDict(); }

// The context manager of: with np.printoptions(precision=3): …
class OptionsScope : public Object {
 public:
  static const TypeInfo kType;
  explicit OptionsScope(PrintOptions inside) : Object(kType), inside(std::move(inside)) {}
  PrintOptions inside, outside;
};
Value EnterOptions(const Value& v) {
  auto* scope = static_cast<OptionsScope*>(v.object());
  scope->outside = std::exchange(Options(), scope->inside);
  return OptionsDict();
}
bool ExitOptions(const Value& v, const Value&) {
  Options() = static_cast<OptionsScope*>(v.object())->outside;
  return false;
}
const TypeInfo OptionsScope::kType = {
    .name = "printoptions", .module = "numpy", .enter = EnterOptions, .exit = ExitOptions};
Value PrintOptionsFunction(Args& a) {
  PrintOptions inside = Options();
  SetOptions(a, 0, &inside);
  return New<OptionsScope>(std::move(inside));
}

// np.errstate and np.seterr, which have no effect: tensh never prints floating point warnings.
class ErrorState : public Object {
 public:
  static const TypeInfo kType;
  ErrorState() : Object(kType) {}
};
const TypeInfo ErrorState::kType = {.name = "errstate",
                                    .module = "numpy",
                                    .enter = [](const Value& v) { return v; },
                                    .exit = [](const Value&, const Value&) { return false; }};
Value ErrorStateFunction(Args&) { return New<ErrorState>(); }
Value SetErr(Args&) { return MakeDict(); }

// Arguments: a, max_line_width, precision, suppress_small, separator, prefix.
Value Array2String(Args& a) {
  PrintOptions o = Options();
  if (!a[1].is_none()) o.linewidth = ToIndex(a[1]);
  if (!a[2].is_none()) o.precision = static_cast<int>(std::clamp<int64_t>(ToIndex(a[2]), 0, 1000));
  if (!a[3].is_none()) o.suppress = Truth(a[3]);
  const Array x = ToArray(a[0]);
  return MakeStr(TensorBody(MakeView(x), o, Str(a[4]), CodePoints(Str(a[5])), 0));
}
Value ArrayReprFunction(Args& a) { return MakeStr(Repr(MakeArray(ToArray(a[0])))); }
Value ArrayStrFunction(Args& a) { return MakeStr(Str(MakeArray(ToArray(a[0])))); }

// ---- types ----

Value IsScalarFunction(Args& a) {
  const Value& v = a[0];
  return Value::Bool(AsScalar(v) || IsInt(v) || v.is_float() || IsStr(v) || As<BytesObject>(v) ||
                     As<ComplexObject>(v));
}
Value PromoteTypes(Args& a) {
  return DTypeValue(Promote(DTypeArgument(a[0]), DTypeArgument(a[1])));
}
Value ResultTypeFunction(Args& a) {
  int found = 0;
  for (const Value& v : *Sequence(a[0])) {
    const bool type = !As<NdArray>(v) && !AsScalar(v) && DTypeOf(v);
    const int dtype = type ? DTypeOf(v) : ToArray(v).dtype;
    found = found ? Promote(found, dtype) : dtype;
  }
  if (!found) throw ValueError("at least one array or dtype is required");
  return DTypeValue(found);
}
Value CanCastFunction(Args& a) {
  const int to = DTypeArgument(a[1]);
  const int from = DTypeOf(a[0]) && !As<NdArray>(a[0]) ? DTypeOf(a[0]) : ToArray(a[0]).dtype;
  return Value::Bool(Promote(from, to) == to);
}
Value IsSubDType(Args& a) {
  const int dtype = DTypeOf(a[0]);
  auto* wanted = As<Type>(a[1]);
  if (!dtype && As<Type>(a[0]) && wanted) return Value::Bool(As<Type>(a[0])->IsSubtypeOf(*wanted));
  if (const int other = DTypeOf(a[1])) return Value::Bool(other == dtype);
  if (!wanted || !HasBytes(dtype)) return Value::Bool(false);
  // float64 is a floating type, although its class first derives from Python's float.
  const TypeInfo& type = ScalarTypeInfo(dtype == TSH_DOUBLE ? +TSH_FLOAT : dtype);
  return Value::Bool(DerivesFrom(type, wanted->info()));
}

// The results of finfo and iinfo.
class Limits : public Object {
 public:
  static const TypeInfo kType;
  explicit Limits(int dtype) : Object(kType), dtype(dtype) {}
  const int dtype;
};
int DTypeOfLimits(const Value& v) { return static_cast<Limits*>(v.object())->dtype; }
Value MakeLimits(Args& a) {
  int dtype = DTypeOf(a[0]) && !As<NdArray>(a[0]) ? DTypeOf(a[0]) : ToArray(a[0]).dtype;
  if (dtype == TSH_COMPLEX64) dtype = TSH_FLOAT;  // The limits of its parts.
  if (dtype == TSH_COMPLEX128) dtype = TSH_DOUBLE;
  return New<Limits>(dtype);
}
template <class F>
Value Limit(const Value& v, F fn) {
  Value out;
  const int dtype = DTypeOfLimits(v);
  WithType(dtype, [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const T value = fn(std::numeric_limits<T>());
      if constexpr (std::is_integral_v<T>) {
        const Array a = Empty(dtype, {});
        *a.template writable<T>() = value;
        out = PythonElement(a, 0);
      } else {
        out = MakeScalar(dtype, &value);
      }
    }
  });
  if (out.is_null()) throw ValueError("no such limit for this type");
  return out;
}
constexpr PropertyRow kLimitRows[] = {
    {"min", [](const Value& v) { return Limit(v, [](auto l) { return l.lowest(); }); }},
    {"max", [](const Value& v) { return Limit(v, [](auto l) { return l.max(); }); }},
    {"eps", [](const Value& v) { return Limit(v, [](auto l) { return l.epsilon(); }); }},
    {"tiny", [](const Value& v) { return Limit(v, [](auto l) { return l.min(); }); }},
    {"bits", [](const Value& v) { return Value::Int(8 * ItemSize(DTypeOfLimits(v))); }},
    {"dtype", [](const Value& v) { return DTypeValue(DTypeOfLimits(v)); }},
};
const TypeInfo Limits::kType = {.name = "finfo", .module = "numpy", .properties = kLimitRows};

constexpr const char* kOptions =
    "precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None, "
    "infstr=None, formatter=None, sign=None, floatmode=None, legacy=None";
constexpr FunctionRow kRows[] = {
    {"set_printoptions", kOptions, SetPrintOptions, "Sets the form in which arrays are printed."},
    {"get_printoptions", "", GetPrintOptions, "Return the current print options."},
    {"printoptions", kOptions, PrintOptionsFunction,
     "Sets the form in which arrays are printed inside a with block."},
    {"array2string",
     "a, max_line_width=None, precision=None, suppress_small=None, separator=' ', prefix=''",
     Array2String, "Return an array as text."},
    {"array_repr", "arr", ArrayReprFunction, "repr(arr)"},
    {"array_str", "a", ArrayStrFunction, "str(a)"},
    {"errstate", "**kwargs", ErrorStateFunction,
     "Accepted without effect: tensh does not print these warnings."},
    {"seterr", "**kwargs", SetErr, "Accepted without effect: tensh does not print these warnings."},
    {"isscalar", "element", IsScalarFunction, "Test whether the argument is a scalar."},
    {"promote_types", "type1, type2", PromoteTypes,
     "Return the smallest type that can hold both types."},
    {"result_type", "*arrays_and_dtypes", ResultTypeFunction,
     "Return the type of the result of an operation on the arguments."},
    {"can_cast", "from_, to, casting='safe'", CanCastFunction,
     "Test whether one type can be cast to another."},
    {"issubdtype", "arg1, arg2", IsSubDType, "Test whether a type is a subtype of another."},
    {"finfo", "dtype", MakeLimits, "The limits of a float type."},
    {"iinfo", "type", MakeLimits, "The limits of an integer type."},
};

}  // namespace

std::span<const FunctionRow> PrintFunctions() { return kRows; }

}  // namespace tensh::shell::np
