// The division family: RealDiv, Div, TruncateDiv, FloorDiv, FloorMod and others. For integers, a
// zero divisor is an error, and the smallest integer divided by -1 wraps around.
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/wrap.h"
#include "runtime/core/half.h"

namespace tensh::ops {
namespace {

template <class T>
T TruncateDivide(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>)
      if (y == T{-1}) return WrapNeg(x);
    return static_cast<T>(x / y);
  } else {
    return x / y;
  }
}

template <class T>
T TruncateRemainder(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>)
      if (y == T{-1}) return T{0};
    return static_cast<T>(x % y);
  } else {
    return std::fmod(x, y);
  }
}

template <class T>
T FloorDivideInt(T x, T y) {
  T quotient = TruncateDivide(x, y);
  const bool inexact = TruncateRemainder(x, y) != T{0};
  return inexact && (x < T{0}) != (y < T{0}) ? static_cast<T>(quotient - 1) : quotient;
}

// Rounds towards negative infinity, as Python's // does.
template <class T>
T FloorDivide(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) return std::floor(x / y);
  // The quotient is rounded to 16 bits before the floor: 23.99 becomes 24 in bfloat16.
  if constexpr (kIsHalf<T>)
    return T(std::floor(static_cast<float>(T(static_cast<float>(x) / static_cast<float>(y)))));
  else
    return FloorDivideInt(x, y);
}

// As in FloorDivide, the quotient is rounded before it is truncated.
template <class T>
T TruncateQuotient(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) return std::trunc(x / y);
  if constexpr (kIsHalf<T>)
    return T(std::trunc(static_cast<float>(T(static_cast<float>(x) / static_cast<float>(y)))));
  else
    return TruncateDivide(x, y);
}

// The result has the sign of the divisor, as with Python's %.
template <class T>
T FloorRemainder(T x, T y) {
  const T rest = TruncateRemainder(x, y);
  return rest != T{0} && (rest < T{0}) != (y < T{0}) ? static_cast<T>(rest + y) : rest;
}

template <class T>
Status CheckDivisors(KernelCtx& c) {
  if constexpr (std::is_integral_v<T>) {
    const Tensor& y = c.in(1);
    bool zero = false;
    for (T v : y.flat<T>()) zero |= v == T{0};
    if (zero && c.in(0).num_elements()) return InvalidArgument("Integer division by zero");
  }
  return {};
}

#define TENSH_DIVISION(NAME, FUNCTION)                           \
  struct NAME {                                                  \
    template <class T>                                           \
    Status operator()(KernelCtx& c) const {                      \
      TENSH_RETURN_IF_ERROR(CheckDivisors<T>(c));                \
      return MapBinary<T>(c, [](T x, T y) { return FUNCTION; }); \
    }                                                            \
  }
TENSH_DIVISION(Divide, TruncateDivide(x, y));
TENSH_DIVISION(TruncateDiv, TruncateQuotient(x, y));
TENSH_DIVISION(FloorDiv, FloorDivide(x, y));
TENSH_DIVISION(FloorMod, FloorRemainder(x, y));
TENSH_DIVISION(TruncateMod, TruncateRemainder(x, y));
#undef TENSH_DIVISION

Status QuotientGrad(GradScope& g, std::string_view name) {
  Out x = Conj(g, g.x(0)), y = Conj(g, g.x(1)), dy = g.dy();
  Out dx = g.Op("RealDiv", {dy, y}, {}, name);
  Out slope = g.Op("RealDiv", {g.Op("Neg", {x}), y}, {}, name);
  return g.ReturnBroadcast(dx, g.Mul(dy, g.Op("RealDiv", {slope, y}, {}, name)));
}
Status RealDivGrad(GradScope& g) { return QuotientGrad(g, "RealDiv"); }
Status DivGrad(GradScope& g) { return QuotientGrad(g, "truediv"); }

Status NoneGrad(GradScope& g) { return g.Return({Out(), Out()}); }

Status FloorModGrad(GradScope& g) {
  Out quotient = g.Op("FloorDiv", {g.x(0), g.x(1)});
  return g.ReturnBroadcast(g.dy(), g.Mul(g.dy(), g.Op("Neg", {quotient})));
}

constexpr char kModTypes[] =
    "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}";

OpSpec Division(OpText name, OpText attrs, std::string doc, GradFn grad, Examples examples) {
  return {.name = name,
          .inputs = "x: T, y: T",
          .outputs = "z: T",
          .attrs = attrs,
          .doc = std::move(doc) +
                 " x: the dividend. y: the divisor. Both broadcast. T: the element type.",
          .shape = BroadcastInputs,
          .grad = grad,
          .examples = std::move(examples)};
}

}  // namespace

TENSH_OPS(math_elementwise_division) {
  r.Op(Division("RealDiv", TENSH_ARITHMETIC, "x / y for real types, elementwise.", RealDivGrad,
                {{"tf.truediv([1., 3.], 2.)", "[0.5 1.5]"}, {"tf.truediv(3, 2)", "1.5"}}))
      .Cpu<float, double, Complex64, Complex128>(Divide{});
  r.Op(Division("Div", TENSH_ARITHMETIC, "x / y, elementwise; integers are rounded towards zero.",
                DivGrad, {{"tf.raw_ops.Div(x=7, y=2)", "3"}}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128>(Divide{});
  r.Op(Division("TruncateDiv", TENSH_ARITHMETIC, "x / y, rounded towards zero.", NoneGrad,
                {{"tf.raw_ops.TruncateDiv(x=-7, y=2)", "-3"}}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Half, Bfloat16>(
          TruncateDiv{});
  r.Op(Division("FloorDiv", TENSH_ARITHMETIC,
                "x // y, elementwise: rounded towards negative infinity.", NoneGrad,
                {{"tf.floordiv([-7, 7], 2)", "[-4  3]"}}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Half, Bfloat16>(
          FloorDiv{});
  r.Op(Division("FloorMod", kModTypes,
                "The remainder of x // y, elementwise. It has the sign of y.", FloorModGrad,
                {{"tf.floormod([-7, 7], 3)", "[2 1]"}}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t>(FloorMod{});
  for (const char* name : {"Mod", "TruncateMod"}) {
    r.Op(Division(name, "T: {int32, int64, half, bfloat16, float, double}",
                  "The remainder of x / y rounded towards zero, elementwise. It has the sign of x.",
                  nullptr, {{"tf.raw_ops." + std::string(name) + "(x=[-7, 7], y=3)", "[-1  1]"}}))
        .Cpu<float, double, int32_t, int64_t>(TruncateMod{});
  }
}

}  // namespace tensh::ops
