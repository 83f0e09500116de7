// Special functions on GPUs, computed in double as on the CPU.
#include "devices/cuda/cuda_view.h"
#include "ops/math/special/special_functions.h"
#include "ops/math/special/special_on_device.h"

namespace tensh::cuda {
namespace {

#define TENSH_SPECIAL(name, expression)    \
  struct name {                            \
    template <class T>                     \
    TENSH_DEVICE T operator()(T v) const { \
      const auto x = double{v};            \
      return static_cast<T>(expression);   \
    }                                      \
  };
#define TENSH_SPECIAL_BINARY(name, expression)                               \
  struct name {                                                              \
    template <class T>                                                       \
    TENSH_DEVICE T operator()(T x, T y) const {                              \
      return static_cast<T>(ops::special::expression(double{x}, double{y})); \
    }                                                                        \
  };
TENSH_SPECIAL(Digamma, ops::special::Digamma(x))
TENSH_SPECIAL(Erfinv, ops::special::Erfinv(x))
TENSH_SPECIAL(Ndtri, ops::special::Ndtri(x))
TENSH_SPECIAL(BesselI0e, ops::special::BesselI0e(x))
TENSH_SPECIAL(BesselI1e, ops::special::BesselI1e(x))
TENSH_SPECIAL(BesselI0, ops::special::BesselI0e(x) * std::exp(std::abs(x)))
TENSH_SPECIAL(BesselI1, ops::special::BesselI1e(x) * std::exp(std::abs(x)))
TENSH_SPECIAL(BesselJ0, ::j0(x))
TENSH_SPECIAL(BesselJ1, ::j1(x))
TENSH_SPECIAL_BINARY(Igamma, IgammaLower)
TENSH_SPECIAL_BINARY(Igammac, IgammaUpper)
TENSH_SPECIAL_BINARY(IgammaGradA, IgammaSlope)
TENSH_SPECIAL_BINARY(Zeta, Zeta)
TENSH_SPECIAL_BINARY(Polygamma, Polygamma)

// 16-bit floats are converted by way of float. The conversion is cheap compared to the function.
template <class Fn>
struct Special {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T, T>(c, Fn());
  }
};
template <class Fn>
struct SpecialBinary {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T, T>(c, Fn());
  }
};

// a, b and x are scalars or have equal shapes.
struct Betainc {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape shape, ops::BetaincOutput(c.in(0), c.in(1), c.in(2)));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto a = In<T>(c.in(0)), b = In<T>(c.in(1)), x = In<T>(c.in(2));
    const int64_t step_a = c.in(0).rank() > 0, step_b = c.in(1).rank() > 0,
                  step_x = c.in(2).rank() > 0;
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      out[i] = static_cast<T>(ops::special::Betainc(double{a[i * step_a]}, double{b[i * step_b]},
                                                    double{x[i * step_x]}));
    });
  }
};

template <class Fn>
void Add1(KernelTable& r, const char* op) {
  r.Add<float, double, Half, Bfloat16>(op, Special<Fn>());
}
template <class Fn>
void Add2(KernelTable& r, const char* op) {
  r.Add<float, double, Half, Bfloat16>(op, SpecialBinary<Fn>());
}

}  // namespace

TENSH_CUDA_KERNELS(math_special_special_ops) {
  Add1<Digamma>(r, "Digamma");
  Add1<Erfinv>(r, "Erfinv");
  Add1<Ndtri>(r, "Ndtri");
  Add1<BesselI0>(r, "BesselI0");
  Add1<BesselI0e>(r, "BesselI0e");
  Add1<BesselI1>(r, "BesselI1");
  Add1<BesselI1e>(r, "BesselI1e");
  Add1<BesselJ0>(r, "BesselJ0");
  Add1<BesselJ1>(r, "BesselJ1");
  Add2<Igamma>(r, "Igamma");
  Add2<Igammac>(r, "Igammac");
  r.Add<float, double>("IgammaGradA", SpecialBinary<IgammaGradA>());
  r.Add<float, double>("Zeta", SpecialBinary<Zeta>());
  r.Add<float, double>("Polygamma", SpecialBinary<Polygamma>());
  r.Add<float, double>("Betainc", Betainc());
}

}  // namespace tensh::cuda
