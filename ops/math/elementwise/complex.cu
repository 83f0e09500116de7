// Elementwise arithmetic of complex numbers on GPUs.
#include "devices/cuda/cuda_complex.h"
#include "devices/cuda/cuda_view.h"

namespace tensh::cuda {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

// ---- functions ----

template <class T>
TENSH_DEVICE Complex<T> Conjugate(Complex<T> z) {
  return {z.re, -z.im};
}
template <class T>
TENSH_DEVICE T Size(Complex<T> z) {
  return std::hypot(z.re, z.im);
}
template <class T>
TENSH_DEVICE T AngleOf(Complex<T> z) {
  return std::atan2(z.im, z.re);
}
template <class T>
TENSH_DEVICE Complex<T> ExpOf(Complex<T> z) {
  const T size = std::exp(z.re);
  return {size * std::cos(z.im), size * std::sin(z.im)};
}
template <class T>
TENSH_DEVICE Complex<T> LogOf(Complex<T> z) {
  return {std::log(Size(z)), AngleOf(z)};
}
template <class T>
TENSH_DEVICE Complex<T> SqrtOf(Complex<T> z) {
  if (z == Complex<T>(0)) return {T(0), z.im};
  const T root = std::sqrt((std::abs(z.re) + Size(z)) / 2), other = z.im / (2 * root);
  if (z.re >= 0) return {root, other};
  return {std::abs(other), std::copysign(root, z.im)};
}
// Returns log(1 + z), accurate for small z: log |1 + z| = log1p(2 x + |z|^2) / 2.
template <class T>
TENSH_DEVICE Complex<T> Log1pOf(Complex<T> z) {
  if (!(std::abs(z.re) < T(0.5) && std::abs(z.im) < T(0.5))) return LogOf(Complex<T>(1) + z);
  return {std::log1p(2 * z.re + z.re * z.re + z.im * z.im) / 2, std::atan2(z.im, 1 + z.re)};
}
template <class T>
TENSH_DEVICE Complex<T> Expm1Of(Complex<T> z) {
  const T half = std::sin(z.im / 2);
  return {std::expm1(z.re) * std::cos(z.im) - 2 * half * half, std::exp(z.re) * std::sin(z.im)};
}
template <class T>
TENSH_DEVICE Complex<T> SinhOf(Complex<T> z) {
  return {std::sinh(z.re) * std::cos(z.im), std::cosh(z.re) * std::sin(z.im)};
}
template <class T>
TENSH_DEVICE Complex<T> CoshOf(Complex<T> z) {
  return {std::cosh(z.re) * std::cos(z.im), std::sinh(z.re) * std::sin(z.im)};
}
template <class T>
TENSH_DEVICE Complex<T> TanhOf(Complex<T> z) {
  if (std::abs(z.re) > T(20)) return {std::copysign(T(1), z.re), T(0)};
  const T size = std::cosh(2 * z.re) + std::cos(2 * z.im);
  return {std::sinh(2 * z.re) / size, std::sin(2 * z.im) / size};
}
// Multiplication by i, for identities such as sin z = -i sinh(i z).
template <class T>
TENSH_DEVICE Complex<T> TimesI(Complex<T> z) {
  return {-z.im, z.re};
}
template <class T>
TENSH_DEVICE Complex<T> OverI(Complex<T> z) {
  return {z.im, -z.re};
}
template <class T>
TENSH_DEVICE Complex<T> PowOf(Complex<T> x, Complex<T> y) {
  if (y == Complex<T>(0)) return {1};
  if (x == Complex<T>(0)) return {0};
  return ExpOf(y * LogOf(x));
}

#define TENSH_COMPLEX(name, expression)                      \
  struct name {                                              \
    template <class T>                                       \
    TENSH_DEVICE Complex<T> operator()(Complex<T> z) const { \
      using C [[maybe_unused]] = Complex<T>;                 \
      return expression;                                     \
    }                                                        \
  };
#define TENSH_COMPLEX_BINARY(name, expression)                             \
  struct name {                                                            \
    template <class T>                                                     \
    TENSH_DEVICE Complex<T> operator()(Complex<T> x, Complex<T> y) const { \
      using C [[maybe_unused]] = Complex<T>;                               \
      return expression;                                                   \
    }                                                                      \
  };

TENSH_COMPLEX(Conj, Conjugate(z))
TENSH_COMPLEX(Neg, -z)
TENSH_COMPLEX(Square, z* z)
TENSH_COMPLEX(SignOf, z == C(0) ? C(0) : C(z.re / Size(z), z.im / Size(z)))
TENSH_COMPLEX(Reciprocal, C(1) / z)
TENSH_COMPLEX(Sqrt, SqrtOf(z))
TENSH_COMPLEX(Rsqrt, C(1) / SqrtOf(z))
TENSH_COMPLEX(Exp, ExpOf(z))
TENSH_COMPLEX(Expm1, Expm1Of(z))
TENSH_COMPLEX(Log, LogOf(z))
TENSH_COMPLEX(Log1p, Log1pOf(z))
TENSH_COMPLEX(Sin, OverI(SinhOf(TimesI(z))))
TENSH_COMPLEX(Cos, CoshOf(TimesI(z)))
TENSH_COMPLEX(Tan, OverI(TanhOf(TimesI(z))))
TENSH_COMPLEX(Sinh, SinhOf(z))
TENSH_COMPLEX(Cosh, CoshOf(z))
TENSH_COMPLEX(Tanh, TanhOf(z))
TENSH_COMPLEX(Sigmoid, C(1) / (C(1) + ExpOf(-z)))

TENSH_COMPLEX_BINARY(Add, x + y)
TENSH_COMPLEX_BINARY(Sub, x - y)
TENSH_COMPLEX_BINARY(Mul, x* y)
TENSH_COMPLEX_BINARY(Div, x / y)
TENSH_COMPLEX_BINARY(DivNoNan, y == C(0) ? C(0) : x / y)
TENSH_COMPLEX_BINARY(MulNoNan, y == C(0) ? C(0) : x * y)
TENSH_COMPLEX_BINARY(Pow, PowOf(x, y))
TENSH_COMPLEX_BINARY(Xdivy, x == C(0) ? C(0) : x / y)
TENSH_COMPLEX_BINARY(Xlogy, x == C(0) ? C(0) : x * LogOf(y))
TENSH_COMPLEX_BINARY(Xlog1py, x == C(0) ? C(0) : x * Log1pOf(y))
TENSH_COMPLEX_BINARY(SquaredDifference, (x - y) * Conjugate(x - y))
// Gradients as functions of the forward result y and dy. The conjugates are where TensorFlow has
// them. A zero dy gives zero instead of NaN, as on the CPU.
TENSH_COMPLEX_BINARY(TanhGrad, y*(C(1) - x * x))
TENSH_COMPLEX_BINARY(SigmoidGrad, y*(x*(C(1) - x)))
TENSH_COMPLEX_BINARY(SqrtGrad, y == C(0) ? C(0) : y * (C(T(0.5)) / Conjugate(x)))
TENSH_COMPLEX_BINARY(RsqrtGrad,
                     y == C(0) ? C(0) : C(T(-0.5)) * Conjugate(x * x) * (Conjugate(x) * y))
TENSH_COMPLEX_BINARY(ReciprocalGrad, y == C(0) ? C(0) : -Conjugate(x * x) * y)

// ---- kernels ----

template <class Fn>
struct Map1 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<Seen<T>, Seen<T>>(c, Fn());
  }
};
template <class Fn>
struct Map2 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<Seen<T>, Seen<T>>(c, Fn());
  }
};

// Maps complex numbers to real numbers of the same precision.
template <class Fn>
struct Part {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using R = typename T::value_type;
    if (c.out_dtype(0) != kDTypeOf<R>)
      return NotFound("no kernel computes ", Name(c.out_dtype(0)), " from ", Name(kDTypeOf<T>));
    const auto in = In<Seen<T>>(c.in(0));
    TENSH_OUTPUT(y, c.Output(0, c.in(0).shape()));
    const auto out = Out<R>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = Fn()(in[i]); });
  }
};
#define TENSH_PART(name, expression)                \
  struct name {                                     \
    template <class T>                              \
    TENSH_DEVICE T operator()(Complex<T> z) const { \
      return expression;                            \
    }                                               \
  };
TENSH_PART(Real, z.re)
TENSH_PART(Imag, z.im)
TENSH_PART(Angle, AngleOf(z))
TENSH_PART(Abs, Size(z))

struct Make {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using R = typename T::value_type;
    if (c.in(0).dtype() != kDTypeOf<R>)
      return NotFound("no kernel computes ", Name(kDTypeOf<T>), " from ", Name(c.in(0).dtype()));
    ops::BroadcastPlan plan;
    TENSH_RETURN_IF_ERROR(ops::MakeBroadcastPlan(c.in(0).shape(), c.in(1).shape(), plan));
    const View at_re = BroadcastView(c.in(0).shape(), plan.out),
               at_im = BroadcastView(c.in(1).shape(), plan.out);
    TENSH_OUTPUT(z, c.Output(0, plan.out));
    const auto re = In<R>(c.in(0)), im = In<R>(c.in(1));
    const auto out = Out<Seen<T>>(z);
    return ForEach(c, z->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      out[i] = Complex<R>(re[at_re.At(i)], im[at_im.At(i)]);
    });
  }
};

template <class Fn>
void Add1(KernelTable& r, const char* op) {
  r.Add<C64, C128>(op, Map1<Fn>());
}
template <class Fn>
void Add2(KernelTable& r, const char* op) {
  r.Add<C64, C128>(op, Map2<Fn>());
}

void RegisterFunctions(KernelTable& r) {
  Add1<Neg>(r, "Neg");
  Add1<Square>(r, "Square");
  Add1<SignOf>(r, "Sign");
  for (const char* op : {"Reciprocal", "Inv"}) Add1<Reciprocal>(r, op);
  Add1<Sqrt>(r, "Sqrt");
  Add1<Rsqrt>(r, "Rsqrt");
  Add1<Exp>(r, "Exp");
  Add1<Expm1>(r, "Expm1");
  Add1<Log>(r, "Log");
  Add1<Log1p>(r, "Log1p");
  Add1<Sin>(r, "Sin");
  Add1<Cos>(r, "Cos");
  Add1<Tan>(r, "Tan");
  Add1<Sinh>(r, "Sinh");
  Add1<Cosh>(r, "Cosh");
  Add1<Tanh>(r, "Tanh");
  Add1<Sigmoid>(r, "Sigmoid");
}

}  // namespace

TENSH_CUDA_KERNELS(math_elementwise_complex) {
  RegisterFunctions(r);
  for (const char* op : {"Add", "AddV2"}) Add2<Add>(r, op);
  Add2<Sub>(r, "Sub");
  Add2<Mul>(r, "Mul");
  for (const char* op : {"Div", "RealDiv"}) Add2<Div>(r, op);
  Add2<DivNoNan>(r, "DivNoNan");
  Add2<MulNoNan>(r, "MulNoNan");
  Add2<Pow>(r, "Pow");
  Add2<Xdivy>(r, "Xdivy");
  Add2<Xlogy>(r, "Xlogy");
  Add2<Xlog1py>(r, "Xlog1py");
  Add2<SquaredDifference>(r, "SquaredDifference");
  Add2<TanhGrad>(r, "TanhGrad");
  Add2<SigmoidGrad>(r, "SigmoidGrad");
  Add2<SqrtGrad>(r, "SqrtGrad");
  Add2<RsqrtGrad>(r, "RsqrtGrad");
  for (const char* op : {"ReciprocalGrad", "InvGrad"}) Add2<ReciprocalGrad>(r, op);
  Add1<Conj>(r, "Conj");
  r.Add<C64, C128>("Real", Part<Real>());
  r.Add<C64, C128>("Imag", Part<Imag>());
  r.Add<C64, C128>("Angle", Part<Angle>());
  r.Add<C64, C128>("ComplexAbs", Part<Abs>());
  r.Add<C64, C128>("Complex", Make(), {.type_attr = "Tout"});
}

}  // namespace tensh::cuda
