// Pow. An integer base with a negative exponent is an error.
#include <cmath>
#include <limits>
#include <optional>

#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

// Computes an integer power by repeated squaring. Wraps around.
template <class T>
T IntegerPower(T x, T y) {
  T result = 1;
  for (auto n = static_cast<WrapType<T>>(y); n; n >>= 1) {
    if (n & 1) result = WrapMul(result, x);
    x = WrapMul(x, x);
  }
  return result;
}

// Common constant exponents (squares, their gradients, roots, and the cube in approximations of GELU) have
// vectorized loops that give the results of std::pow. Returns nullopt for other exponents.
template <class T>
std::optional<Status> PowOfConstant(KernelCtx& c, T y) {
  if (y == T{1}) {
    c.SetOutput(0, c.in(0));
    return Status();
  }
  if (y == T{2}) return MapUnary<T>(c, [](T x) { return x * x; });
  if (y == T{0.5})
    return MapUnary<T>(c, [](T x) {
      constexpr T kInfinity = std::numeric_limits<T>::infinity();
      return x == -kInfinity ? kInfinity : std::sqrt(x + T{0});
    });
  if (y == T{-1}) return MapUnary<T>(c, [](T x) { return T{1} / x; });
  if (y == T{3} && sizeof(T) == 4)  // rounded once
    return MapUnary<T>(c, [](T x) {
      const double wide = static_cast<double>(x);
      return static_cast<T>(wide * wide * wide);
    });
  return std::nullopt;
}

struct Pow {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if constexpr (std::is_integral_v<T>) {
      bool negative = false;
      for (T y : c.in(1).flat<T>()) negative |= y < T{0};
      if (negative && c.in(0).num_elements())
        return InvalidArgument("Integers to negative integer powers are not allowed");
      return MapBinary<T>(
          c, [](T x, T y) { return IntegerPower(x, y); }, 4);
    } else {
      if constexpr (!kIsComplex<T>) {
        const Tensor& y = c.in(1);
        if (y.num_elements() == 1 && y.rank() <= c.in(0).rank())
          if (const std::optional<Status> status = PowOfConstant(c, *y.data<T>())) return *status;
      }
      return MapBinary<T>(
          c, [](T x, T y) { return std::pow(x, y); }, 15);
    }
  }
};

// The gradient for y contains log(x). It is 0 for x <= 0 (for a complex x, for x = 0), because the
// logarithm has no useful value there.
Status PowGrad(GradScope& g) {
  Out x = Conj(g, g.x(0)), y = Conj(g, g.x(1)), z = Conj(g, g.y(0)), dy = g.dy();
  Out less = GradSub(g, y, g.Like(1, y, "sub/y"));
  Out dx = g.Mul(g.Mul(dy, y), g.Op("Pow", {x, less}));
  Out positive = IsComplex(g.dtype(x)) ? g.Op("NotEqual", {x, g.Like(0, x, "NotEqual/y")})
                                       : g.Op("Greater", {x, g.Like(0, x, "Greater/y")});
  Out safe = g.Op("Select", {positive, x, g.Op("OnesLike", {x}, {}, "ones_like")});
  Out log = g.Op("Select", {positive, g.Op("Log", {safe}), GradZerosLike(g, x)});
  return g.ReturnBroadcast(dx, g.Mul(g.Mul(dy, z), log));
}

}  // namespace

TENSH_OPS(math_elementwise_pow) {
  r.Op({.name = "Pow",
        .inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs =
            "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}",
        .doc = "x to the power of y, elementwise, with broadcasting. x, y: numbers of type T; "
               "integers do not allow a negative y. T: the element type.",
        .shape = BroadcastInputs,
        .grad = PowGrad,
        .examples = {{"tf.pow([2., 3.], 2.)", "[4. 9.]"}, {"tf.pow(2, 10)", "1024"}}})
      .Cpu<float, double, int32_t, int64_t, int8_t, int16_t, Complex64, Complex128>(Pow{});
}

}  // namespace tensh::ops
