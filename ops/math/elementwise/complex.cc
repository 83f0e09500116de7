// Complex, Real, Imag, Angle, ComplexAbs and Conj: complex numbers and their parts.
#include "ops/math/elementwise/complex_functions.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"

namespace tensh::ops {
namespace {

// ---- kernels, selected by the complex type ----

// The error for a pair of types that the signature allows but whose widths differ.
Status NoKernel(DType from, DType to) {
  return NotFound("no kernel computes ", Name(to), " from ", Name(from));
}

// Writes the parts as single numbers, which compilers vectorize.
template <class T, class C>
void Interleave(const T* re, const T* im, int64_t n, C* out) {
  T* parts = reinterpret_cast<T*>(out);
  TENSH_VECTORIZE
  for (int64_t e = 0; e < n; ++e) {
    parts[2 * e] = re[e];
    parts[2 * e + 1] = im[e];
  }
}

struct MakeComplex {
  template <class C>
  Status operator()(KernelCtx& c) const {
    using T = typename C::value_type;
    if (c.in(0).dtype() != kDTypeOf<T>) return NoKernel(c.in(0).dtype(), kDTypeOf<C>);
    BroadcastPlan plan;
    TENSH_RETURN_IF_ERROR(MakeBroadcastPlan(c.in(0).shape(), c.in(1).shape(), plan));
    TENSH_OUTPUT(z, c.Output(0, plan.out));
    const T *re = c.in(0).data<T>(), *im = c.in(1).data<T>();
    C* out = z->data<C>();
    const bool step_re = plan.kind != RowKind::kScalarA, step_im = plan.kind != RowKind::kScalarB;
    if (!z->num_elements()) return {};
    ForEachRow(plan, 0, plan.rows, [&](int64_t i, int64_t j, int64_t k) {
      if (step_re && step_im) return Interleave(re + i, im + j, plan.row, out + k);
      for (int64_t e = 0; e < plan.row; ++e)
        out[k + e] = C(re[i + step_re * e], im[j + step_im * e]);
    });
    return {};
  }
};

template <class C, class Fn>
Status MapToReal(KernelCtx& c, Fn fn) {
  using T = typename C::value_type;
  if (c.out_dtype(0) != kDTypeOf<T>) return NoKernel(kDTypeOf<C>, c.out_dtype(0));
  const Tensor& x = c.in(0);
  const C* in = x.data<C>();
  TENSH_OUTPUT(y, c.Output(0, x.shape()));
  T* out = y->data<T>();
  c.ParallelFor(x.num_elements(), 5, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = fn(in[i]);
  });
  return {};
}

#define TENSH_PART_KERNEL(NAME, EXPRESSION)                   \
  struct NAME {                                               \
    template <class C>                                        \
    Status operator()(KernelCtx& c) const {                   \
      return MapToReal<C>(c, [](C x) { return EXPRESSION; }); \
    }                                                         \
  }
TENSH_PART_KERNEL(Real, x.real());
TENSH_PART_KERNEL(Imag, x.imag());
TENSH_PART_KERNEL(Angle, std::arg(x));
TENSH_PART_KERNEL(ComplexAbs, std::abs(x));
#undef TENSH_PART_KERNEL

struct ConjKernel {
  template <class C>
  Status operator()(KernelCtx& c) const {
    return MapUnary<C>(c, [](C x) { return std::conj(x); });
  }
};

// ---- gradients ----

DType ComplexOf(DType real) {
  return real == DType::kDouble ? DType::kComplex128 : DType::kComplex64;
}
DType RealOf(DType complex) {
  return complex == DType::kComplex128 ? DType::kDouble : DType::kFloat;
}
Out Join(GradScope& g, Out re, Out im) {
  return g.Op("Complex", {re, im}, {{"Tout", ComplexOf(g.dtype(re))}});
}
Out Part(GradScope& g, std::string_view op, Out z) {
  return g.Op(op, {z}, {{"Tout", RealOf(g.dtype(z))}});
}

Status ComplexGrad(GradScope& g) {
  Out re = Part(g, "Real", g.dy());
  return g.ReturnBroadcast(re, Part(g, "Imag", g.dy()));
}
Status RealGrad(GradScope& g) { return g.Return({Join(g, g.dy(), g.Like(0, g.dy()))}); }
Status ImagGrad(GradScope& g) { return g.Return({Join(g, g.Like(0, g.dy()), g.dy())}); }
Status AngleGrad(GradScope& g) {
  Out re = Part(g, "Real", g.x(0)), im = Part(g, "Imag", g.x(0));
  Out z = g.Op("Reciprocal", {Join(g, im, re)});
  Out dy = Join(g, g.dy(), g.Like(0, g.dy()));
  return g.Return({g.Mul(g.Op("Neg", {dy}), z)});
}
Status AbsGrad(GradScope& g) {
  Out dy = Join(g, g.dy(), GradZerosLike(g, g.dy()));
  return g.Return({g.Mul(dy, g.Op("Sign", {g.x(0)}))});
}
Status ConjGrad(GradScope& g) { return g.Return({g.Op("Conj", {g.dy()})}); }

// ---- registrations ----

OpSpec Part(OpText name, OpText in, OpText out, OpText doc, GradFn grad, Example example) {
  return {
      .name = name,
      .inputs = StrCat(in, ": T"),
      .outputs = StrCat(out, ": Tout"),
      .attrs = "T: {complex64, complex128} = complex64, Tout: {float, double} = float",
      .doc = StrCat(doc, " ", in, ": complex numbers of type T. Tout: the type of their parts."),
      .shape = SameAsInput<0>,
      .grad = grad,
      .elementwise = Elementwise::kSameShape,
      .examples = {example}};
}

}  // namespace

TENSH_OPS(math_elementwise_complex) {
  r.Op({.name = "Complex",
        .inputs = "real: T, imag: T",
        .outputs = "out: Tout",
        .attrs = "T: {float, double} = float, Tout: {complex64, complex128} = complex64",
        .doc = "Complex numbers from their parts, elementwise, with broadcasting. real, imag: the "
               "parts, of type T. Tout: the complex type.",
        .shape = BroadcastInputs,
        .grad = ComplexGrad,
        .examples = {{"tf.complex([1., 2.], [3., 4.])", "[1.+3.j 2.+4.j]"}}})
      .Cpu<Complex64, Complex128>(MakeComplex{}, {.type_attr = "Tout"});
  r.Op(Part("Real", "input", "output", "The real part, elementwise.", RealGrad,
            {"tf.real([1.+3.j, 2.+4.j])", "[1. 2.]"}))
      .Cpu<Complex64, Complex128>(Real{});
  r.Op(Part("Imag", "input", "output", "The imaginary part, elementwise.", ImagGrad,
            {"tf.imag([1.+3.j, 2.+4.j])", "[3. 4.]"}))
      .Cpu<Complex64, Complex128>(Imag{});
  r.Op(Part("Angle", "input", "output", "The angle in the complex plane, elementwise.", AngleGrad,
            {"tf.angle([1.+0.j, 0.+2.j])", "[0.         1.57079633]"}))
      .Cpu<Complex64, Complex128>(Angle{});
  r.Op(Part("ComplexAbs", "x", "y", "The absolute value of complex numbers, elementwise.", AbsGrad,
            {"tf.abs([3.+4.j, 0.-2.j])", "[5. 2.]"}))
      .Cpu<Complex64, Complex128>(ComplexAbs{});
  r.Op({.name = "Conj",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: {complex64, complex128, variant} = complex64",
        .doc = "The conjugate, elementwise. input: complex numbers. T: their type.",
        .shape = SameAsInput<0>,
        .grad = ConjGrad,
        .elementwise = Elementwise::kSameShape,
        .examples = {{"tf.conj([1.+3.j, 2.-4.j])", "[1.-3.j 2.+4.j]"}}})
      .Cpu<Complex64, Complex128>(ConjKernel{});
}

}  // namespace tensh::ops
