// The module math.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "shell/python/modules/modules.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

Value Checked(double r, bool finite_input) {
  if (std::isnan(r) && finite_input) throw ValueError("math domain error");
  if (std::isinf(r) && finite_input) throw OverflowError("math range error");
  return Value::Float(r);
}

using Unary1 = double (*)(double);
using Binary2 = double (*)(double, double);

template <Unary1 F>
Value Call1(Args& a) {
  const double x = ToDouble(a[0]);
  return Checked(F(x), std::isfinite(x));
}
template <Binary2 F>
Value Call2(Args& a) {
  const double x = ToDouble(a[0]), y = ToDouble(a[1]);
  return Checked(F(x, y), std::isfinite(x) && std::isfinite(y));
}

// Result of a function with a pole, where C returns infinity and Python raises ValueError.
Value PoleIsDomain(double r, double x) {
  if (std::isfinite(x) && !std::isfinite(r)) throw ValueError("math domain error");
  if (std::isnan(r) && !std::isnan(x)) throw ValueError("math domain error");
  return Value::Float(r);
}

Value LogOf(const Value& v, double (*f)(double)) {
  if (IsBigInt(v)) {
    if (BigNegative(v)) throw ValueError("math domain error");
    // For ints that are too large for a double, uses log(m * 2^e) = log(m) + e log(2).
    const int64_t drop = BitLength(v) - 60;
    Value top = IntBinary(BinaryOp::kRShift, v, Value::Int(drop));
    return Value::Float(f(ToDouble(top)) + static_cast<double>(drop) * f(2.0));
  }
  const double x = ToDouble(v);
  return PoleIsDomain(f(x), x);
}
double Log(double x) { return std::log(x); }
double Log2(double x) { return std::log2(x); }
double Log10(double x) { return std::log10(x); }
Value LogMethod(Args& a) {
  Value top = LogOf(a[0], Log);
  if (!a.has(1)) return top;
  const double base = LogOf(a[1], Log).as_float();
  if (base == 0) throw ZeroDivisionError("float division by zero");
  return Value::Float(top.as_float() / base);
}
Value Log2Method(Args& a) { return LogOf(a[0], Log2); }
Value Log10Method(Args& a) { return LogOf(a[0], Log10); }
Value Log1p(Args& a) { return PoleIsDomain(std::log1p(ToDouble(a[0])), ToDouble(a[0])); }
Value Atanh(Args& a) { return PoleIsDomain(std::atanh(ToDouble(a[0])), ToDouble(a[0])); }

Value Whole(Args& a, Unary1 f, const char* method) {
  if (IsInt(a[0])) return Unary(UnaryOp::kPos, a[0]);
  if (!a[0].is_float()) {
    if (Value m = FindAttr(a[0], Intern(method)); !m.is_null()) return Call(m, CallArgs{});
  }
  const double x = f(ToDouble(a[0]));
  if (std::isnan(x)) throw ValueError("cannot convert float NaN to integer");
  if (std::isinf(x)) throw OverflowError("cannot convert float infinity to integer");
  return IntFromDouble(x);
}
Value Floor(Args& a) { return Whole(a, std::floor, "__floor__"); }
Value Ceil(Args& a) { return Whole(a, std::ceil, "__ceil__"); }
Value Trunc(Args& a) { return Whole(a, std::trunc, "__trunc__"); }

Value Sqrt(Args& a) { return PoleIsDomain(std::sqrt(ToDouble(a[0])), ToDouble(a[0])); }
Value Fmod(Args& a) {
  const double x = ToDouble(a[0]), y = ToDouble(a[1]);
  if (std::isinf(x) || y == 0) {
    if (!std::isnan(x) && !std::isnan(y)) throw ValueError("math domain error");
  }
  return Value::Float(std::fmod(x, y));
}
Value PowMethod(Args& a) {
  const double x = ToDouble(a[0]), y = ToDouble(a[1]);
  if (x == 0 && y < 0 && std::isfinite(y)) throw ValueError("math domain error");
  return Checked(std::pow(x, y), std::isfinite(x) && std::isfinite(y));
}
Value Hypot(Args& a) {
  double sum = 0;
  for (const Value& v : As<TupleObject>(a[0])->items) sum = std::hypot(sum, ToDouble(v));
  return Value::Float(sum);
}
Value Degrees(Args& a) { return Value::Float(ToDouble(a[0]) * (180.0 / M_PI)); }
Value Radians(Args& a) { return Value::Float(ToDouble(a[0]) * (M_PI / 180.0)); }
Value IsNan(Args& a) { return Value::Bool(std::isnan(ToDouble(a[0]))); }
Value IsInf(Args& a) { return Value::Bool(std::isinf(ToDouble(a[0]))); }
Value IsFinite(Args& a) { return Value::Bool(std::isfinite(ToDouble(a[0]))); }
Value IsClose(Args& a) {
  const double x = ToDouble(a[0]), y = ToDouble(a[1]), rel = ToDouble(a[2]), abs = ToDouble(a[3]);
  if (x == y) return Value::Bool(true);
  if (std::isinf(x) || std::isinf(y)) return Value::Bool(false);
  return Value::Bool(std::fabs(x - y) <= std::max(rel * std::max(std::fabs(x), std::fabs(y)), abs));
}
Value Factorial(Args& a) {
  if (a[0].is_float()) throw TypeError("'float' object cannot be interpreted as an integer");
  if (IsBigInt(a[0]) && !BigNegative(a[0])) {
    throw OverflowError("factorial() argument should not exceed 9223372036854775807");
  }
  const int64_t n = IsBigInt(a[0]) ? -1 : ToIndex(a[0]);
  if (n < 0) throw ValueError("factorial() not defined for negative values");
  if (n > 20000) throw OverflowError("factorial() argument is too large");
  Value r = Value::Int(1);
  for (int64_t i = 2; i <= n; ++i) r = IntBinary(BinaryOp::kMul, r, Value::Int(i));
  return r;
}
Value Gcd(Args& a) {
  Value r = Value::Int(0);
  for (const Value& v : As<TupleObject>(a[0])->items) {
    if (!IsInt(v))
      throw TypeError("'" + TypeName(v) + "' object cannot be interpreted as an integer");
    r = IntGcd(r, v);
  }
  return r;
}
Value Lcm(Args& a) {
  Value r = Value::Int(1);
  for (const Value& v : As<TupleObject>(a[0])->items) {
    if (!IsInt(v))
      throw TypeError("'" + TypeName(v) + "' object cannot be interpreted as an integer");
    if (!Truth(v)) return Value::Int(0);
    r = Unary(UnaryOp::kAbs,
              IntBinary(BinaryOp::kMul, IntBinary(BinaryOp::kFloorDiv, r, IntGcd(r, v)), v));
  }
  return r;
}
Value Isqrt(Args& a) {
  if (!IsInt(a[0]))
    throw TypeError("'" + TypeName(a[0]) + "' object cannot be interpreted as an integer");
  if (IntCompare(a[0], Value::Int(0)) < 0) throw ValueError("isqrt() argument must be nonnegative");
  return IntSqrt(a[0]);
}
Value Choose(Args& a, bool ordered) {
  const int64_t n = ToIndex(a[0]), k = a[1].is_none() ? n : ToIndex(a[1]);
  if (n < 0) throw ValueError("n must be a non-negative integer");
  if (k < 0) throw ValueError("k must be a non-negative integer");
  if (k > n) return Value::Int(0);
  Value r = Value::Int(1);
  const int64_t steps = ordered ? k : std::min(k, n - k);
  if (steps > 20000) throw OverflowError("the result is too large");
  for (int64_t i = 0; i < steps; ++i) {
    r = IntBinary(BinaryOp::kMul, r, Value::Int(n - i));
    if (!ordered) r = IntBinary(BinaryOp::kFloorDiv, r, Value::Int(i + 1));
  }
  return r;
}
Value Comb(Args& a) { return Choose(a, false); }
Value Perm(Args& a) { return Choose(a, true); }
Value Prod(Args& a) {
  Value r = a[1], it = Iter(a[0]), v;
  while (Next(it, &v)) r = Binary(BinaryOp::kMul, r, v);
  return r;
}
Value Frexp(Args& a) {
  int e;
  const double m = std::frexp(ToDouble(a[0]), &e);
  return MakeTuple({Value::Float(m), Value::Int(e)});
}
Value Ldexp(Args& a) {
  return Checked(
      std::ldexp(ToDouble(a[0]), static_cast<int>(std::clamp<int64_t>(ToIndex(a[1]), -5000, 5000))),
      std::isfinite(ToDouble(a[0])));
}
Value Modf(Args& a) {
  double whole;
  const double part = std::modf(ToDouble(a[0]), &whole);
  return MakeTuple({Value::Float(part), Value::Float(whole)});
}
// Shewchuk's partial sums, as in CPython: the sum is exact until it is rounded once at the end.
Value Fsum(Args& a) {
  std::vector<double> partials;
  Value it = Iter(a[0]), v;
  double special = 0;
  while (Next(it, &v)) {
    double x = ToDouble(v);
    if (!std::isfinite(x)) {
      special += x;
      continue;
    }
    size_t kept = 0;
    for (double y : partials) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials.resize(kept);
    partials.push_back(x);
  }
  if (special != 0) return Value::Float(special);
  double high = 0, low = 0;
  size_t n = partials.size();
  if (n > 0) {
    high = partials[--n];
    while (n > 0) {
      const double x = high, y = partials[--n];
      high = x + y;
      low = y - (high - x);
      if (low != 0) break;
    }
    // A half-way case is rounded in the direction of the next partial.
    if (n > 0 && ((low < 0 && partials[n - 1] < 0) || (low > 0 && partials[n - 1] > 0))) {
      const double twice = low * 2, x = high + twice;
      if (twice == x - high) high = x;
    }
  }
  return Value::Float(high);
}
Value Dist(Args& a) {
  std::vector<Value> p = ToVector(a[0]), q = ToVector(a[1]);
  if (p.size() != q.size()) throw ValueError("both points must have the same number of dimensions");
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) sum = std::hypot(sum, ToDouble(p[i]) - ToDouble(q[i]));
  return Value::Float(sum);
}

Value Pi() { return Value::Float(M_PI); }
Value E() { return Value::Float(M_E); }
Value Tau() { return Value::Float(2 * M_PI); }
Value Inf() { return Value::Float(INFINITY); }
Value Nan() { return Value::Float(NAN); }

#define ONE(name, f) \
  { name, "x, /", Call1<f> }
const FunctionRow kRows[] = {
    ONE("exp", std::exp),
    ONE("expm1", std::expm1),
    ONE("exp2", std::exp2),
    ONE("sin", std::sin),
    ONE("cos", std::cos),
    ONE("tan", std::tan),
    ONE("asin", std::asin),
    ONE("acos", std::acos),
    ONE("atan", std::atan),
    ONE("sinh", std::sinh),
    ONE("cosh", std::cosh),
    ONE("tanh", std::tanh),
    ONE("asinh", std::asinh),
    ONE("acosh", std::acosh),
    ONE("erf", std::erf),
    ONE("erfc", std::erfc),
    ONE("gamma", std::tgamma),
    ONE("lgamma", std::lgamma),
    ONE("fabs", std::fabs),
    ONE("cbrt", std::cbrt),
    {"atan2", "y, x, /", Call2<std::atan2>},
    {"copysign", "x, y, /", Call2<std::copysign>},
    {"remainder", "x, y, /", Call2<std::remainder>},
    {"nextafter", "x, y, /", Call2<std::nextafter>},
    {"atanh", "x, /", Atanh},
    {"sqrt", "x, /", Sqrt},
    {"log", "x, base=..., /", LogMethod},
    {"log2", "x, /", Log2Method},
    {"log10", "x, /", Log10Method},
    {"log1p", "x, /", Log1p},
    {"floor", "x, /", Floor},
    {"ceil", "x, /", Ceil},
    {"trunc", "x, /", Trunc},
    {"fmod", "x, y, /", Fmod},
    {"pow", "x, y, /", PowMethod},
    {"hypot", "*coordinates", Hypot},
    {"dist", "p, q, /", Dist},
    {"degrees", "x, /", Degrees},
    {"radians", "x, /", Radians},
    {"isnan", "x, /", IsNan},
    {"isinf", "x, /", IsInf},
    {"isfinite", "x, /", IsFinite},
    {"isclose", "a, b, *, rel_tol=1e-09, abs_tol=0.0", IsClose},
    {"factorial", "x, /", Factorial},
    {"gcd", "*integers", Gcd},
    {"lcm", "*integers", Lcm},
    {"isqrt", "n, /", Isqrt},
    {"comb", "n, k, /", Comb},
    {"perm", "n, k=None, /", Perm},
    {"prod", "iterable, /, *, start=1", Prod},
    {"frexp", "x, /", Frexp},
    {"ldexp", "x, i, /", Ldexp},
    {"modf", "x, /", Modf},
    {"fsum", "seq, /", Fsum},
};
#undef ONE
const ConstantRow kConstants[] = {{"pi", Pi}, {"e", E}, {"tau", Tau}, {"inf", Inf}, {"nan", Nan}};

}  // namespace

const ModuleDef kMathModule = {.name = "math", .functions = kRows, .constants = kConstants};

}  // namespace tensh::shell
