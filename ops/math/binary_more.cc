// Functions of two numbers beyond arithmetic: products and quotients that mind zeros, angles,
// incomplete gamma functions, bits.
#include <bit>
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/complex_math.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/shape_util.h"
#include "ops/support/special.h"

namespace tensh::ops {
namespace {

#define TENSH_BINARY_KERNEL(NAME, EXPRESSION)                         \
  struct NAME##Kernel {                                               \
    template <class T>                                                \
    Status operator()(KernelCtx& c) const {                           \
      return MapBinary<T>(                                            \
          c, [](T x, T y) { return static_cast<T>(EXPRESSION); }, 5); \
    }                                                                 \
  }
TENSH_BINARY_KERNEL(Xdivy, x == T{0} ? T{0} : x / y);
TENSH_BINARY_KERNEL(Xlogy, x == T{0} ? T{0} : x * std::log(y));
TENSH_BINARY_KERNEL(Xlog1py, x == T{0} ? T{0} : x * Log1pOf(y));
TENSH_BINARY_KERNEL(DivNoNan, y == T{0} ? T{0} : x / y);
TENSH_BINARY_KERNEL(MulNoNan, y == T{0} ? T{0} : x * y);
TENSH_BINARY_KERNEL(Atan2, std::atan2(x, y));
TENSH_BINARY_KERNEL(NextAfter, std::nextafter(x, y));
TENSH_BINARY_KERNEL(Igamma, IgammaLower(static_cast<double>(x), static_cast<double>(y)));
TENSH_BINARY_KERNEL(Igammac, IgammaUpper(static_cast<double>(x), static_cast<double>(y)));
TENSH_BINARY_KERNEL(IgammaGradA, IgammaSlope(static_cast<double>(x), static_cast<double>(y)));
TENSH_BINARY_KERNEL(Zeta, Zeta(static_cast<double>(x), static_cast<double>(y)));
TENSH_BINARY_KERNEL(Polygamma, Polygamma(static_cast<double>(x), static_cast<double>(y)));
TENSH_BINARY_KERNEL(BitwiseAnd, x& y);
TENSH_BINARY_KERNEL(BitwiseOr, x | y);
TENSH_BINARY_KERNEL(BitwiseXor, x ^ y);
#undef TENSH_BINARY_KERNEL

// A shift beyond the type's bits is one by the most there is.
template <class T>
int ShiftBy(T y) {
  constexpr int kBits = sizeof(T) * 8;
  return y < T{0} ? 0 : y >= static_cast<T>(kBits) ? kBits - 1 : static_cast<int>(y);
}
struct LeftShiftKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](T x, T y) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(uint64_t{static_cast<U>(x)} << ShiftBy(y)));
    });
  }
};
struct RightShiftKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](T x, T y) { return static_cast<T>(x >> ShiftBy(y)); });
  }
};
struct InvertKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return static_cast<T>(~x); });
  }
};
struct PopulationCountKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    for (int64_t i = 0; i < x.num_elements(); ++i)
      y->data<uint8_t>()[i] =
          static_cast<uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(x.data<T>()[i])));
    return {};
  }
};

// One scalar or three tensors of a shape.
struct BetaincKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape shape, BetaincOutput(c.in(0), c.in(1), c.in(2)));
    const T* in[] = {c.in(0).data<T>(), c.in(1).data<T>(), c.in(2).data<T>()};
    TENSH_OUTPUT(out, c.Output(0, shape));
    T* to = out->data<T>();
    auto at = [&](int i, int64_t k) {
      return static_cast<double>(in[i][c.in(i).rank() > 0 ? k : 0]);
    };
    c.ParallelFor(out->num_elements(), 300, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k)
        to[k] = static_cast<T>(Betainc(at(0, k), at(1, k), at(2, k)));
    });
    return {};
  }
};

Status BetaincShape(ShapeCtx& c) {
  Shape out;
  bool unknown = false;
  for (int i = 0; i < 3; ++i) {
    unknown |= !c.in(i).has_rank();
    if (!c.in(i).has_rank() || c.in(i).rank() == 0) continue;
    if (out.rank() == 0) {
      out = c.in(i);
    } else {
      TENSH_ASSIGN(out, Shape::Merge(out, c.in(i)));
    }
  }
  c.Set(0, unknown && out.rank() == 0 ? Shape::Unknown() : out);
  return {};
}

// 1 where x is not 0.
Out NotZero(GradScope& g) {
  Out x = g.x(0);
  Out differs = g.Op("NotEqual", {x, g.Like(0, x, "NotEqual/y")});
  return GradCast(g, differs, g.dtype(x));
}

Status XdivyGrad(GradScope& g) {
  Out dx = g.Op("Xdivy", {NotZero(g), g.x(1)});
  Out dy = g.Op("Xdivy", {g.Op("Neg", {g.x(0)}), g.Op("Square", {g.x(1)})});
  return g.ReturnBroadcast(g.Mul(dx, g.dy()), g.Mul(dy, g.dy()));
}
Status XlogyGrad(GradScope& g) {
  Out dx = g.Op("Xlogy", {NotZero(g), g.x(1)});
  return g.ReturnBroadcast(g.Mul(dx, g.dy()), g.Mul(g.Op("Xdivy", {g.x(0), g.x(1)}), g.dy()));
}
Status Xlog1pyGrad(GradScope& g) {
  Out dx = g.Op("Xlog1py", {NotZero(g), g.x(1)});
  Out more = GradAdd(g, g.x(1), g.Like(1, g.x(1), "add/y"));
  return g.ReturnBroadcast(g.Mul(dx, g.dy()), g.Mul(g.Op("Xdivy", {g.x(0), more}), g.dy()));
}
Status DivNoNanGrad(GradScope& g) {
  Out dx = g.Op("DivNoNan", {g.dy(), Conj(g, g.x(1))}, {}, "div_no_nan");
  Out slope =
      g.Op("DivNoNan", {g.Op("Neg", {Conj(g, g.x(0))}), Conj(g, g.x(1))}, {}, "div_no_nan_1");
  slope = g.Op("DivNoNan", {slope, Conj(g, g.x(1))}, {}, "div_no_nan_2");
  return g.ReturnBroadcast(dx, g.Mul(g.dy(), slope));
}
Status MulNoNanGrad(GradScope& g) {
  Out dx = g.Op("MulNoNan", {g.dy(), g.x(1)}, {}, "mul_no_nan");
  return g.ReturnBroadcast(dx, g.Op("MulNoNan", {g.x(0), g.dy()}, {}, "mul_no_nan_1"));
}
Status Atan2Grad(GradScope& g) {
  Out y = g.x(0), x = g.x(1);
  Out sum = GradAdd(g, g.Op("Square", {x}), g.Op("Square", {y}));
  Out inverse = GradDiv(g, g.dy(), sum);
  return g.ReturnBroadcast(g.Mul(inverse, x), g.Mul(inverse, g.Op("Neg", {y})));
}
// The density of the gamma distribution: exp(-x + (a - 1) * log(x) - lgamma(a)).
Out GammaSlope(GradScope& g) {
  Out a = g.x(0), x = g.x(1);
  Out less = GradSub(g, a, g.Like(1, a, "sub/y"));
  Out sum = GradAdd(g, g.Op("Neg", {x}), g.Op("Xlogy", {less, x}));
  return g.Op("Exp", {GradSub(g, sum, g.Op("Lgamma", {a}))});
}
Status IgammaGrad(GradScope& g) {
  Out da = g.Op("IgammaGradA", {g.x(0), g.x(1)});
  return g.ReturnBroadcast(g.Mul(da, g.dy()), g.Mul(GammaSlope(g), g.dy()));
}
Status IgammacGrad(GradScope& g) {
  Out da = g.Op("Neg", {g.Op("IgammaGradA", {g.x(0), g.x(1)})});
  return g.ReturnBroadcast(g.Mul(da, g.dy()), g.Mul(g.Op("Neg", {GammaSlope(g)}), g.dy()));
}
Status ZetaGrad(GradScope& g) {
  Out x = g.x(0), q = g.x(1);
  Out next = g.Op("Zeta", {GradAdd(g, x, g.Like(1, x, "add/y")), q});
  return g.ReturnBroadcast(Out(), g.Mul(g.Mul(g.Op("Neg", {x}), next), g.dy()));
}
Status PolygammaGrad(GradScope& g) {
  Out n = g.x(0), x = g.x(1);
  Out next = g.Op("Polygamma", {GradAdd(g, n, g.Like(1, n, "add/y")), x});
  return g.ReturnBroadcast(Out(), g.Mul(next, g.dy()));
}

// x1 follows one to one; x2 only says the way.
Status NextAfterGrad(GradScope& g) {
  return g.ReturnBroadcast(g.dy(), g.Op("ZerosLike", {g.dy()}, {}, "zeros_like"));
}
// x ** (a - 1) * (1 - x) ** (b - 1) / B(a, b)
Status BetaincGrad(GradScope& g) {
  Out a = g.x(0), b = g.x(1), x = g.x(2);
  Out sum = GradSub(g, GradAdd(g, g.Op("Lgamma", {a}), g.Op("Lgamma", {b})),
                    g.Op("Lgamma", {GradAdd(g, a, b)}));
  Out right = g.Op("Xlog1py", {GradSub(g, b, g.Like(1, b, "sub/y")), g.Op("Neg", {x})});
  Out left = g.Op("Xlogy", {GradSub(g, a, g.Like(1, a, "sub/y")), x});
  Out slope = g.Op("Exp", {GradSub(g, GradAdd(g, right, left), sum)});
  Out dx = g.Mul(slope, g.dy());
  if (g.shape(x).has_rank() && g.shape(x).rank() == 0 && g.shape(dx).has_rank()) {
    std::vector<int64_t> axes;
    for (int i = 0; i < g.shape(dx).rank(); ++i) axes.push_back(i);
    dx = g.Op("Sum", {dx, g.Const(IndexVector(DType::kInt32, axes), "Const")});
  }
  return g.Return({{}, {}, g.Op("Reshape", {dx, ShapeOf(g, x)})});
}

struct Names {
  const char *x = "x", *y = "y", *z = "z";
};

OpSpec Spec(std::string name, std::string attrs, std::string doc, GradFn grad, Example example,
            Names names = {}) {
  return {.name = std::move(name),
          .inputs = StrCat(names.x, ": T, ", names.y, ": T"),
          .outputs = StrCat(names.z, ": T"),
          .attrs = std::move(attrs),
          .doc = StrCat(doc, " ", names.x, ", ", names.y,
                        ": numbers; they broadcast. T: the element type."),
          .shape = BroadcastInputs,
          .grad = grad,
          .examples = {std::move(example)}};
}

constexpr char kBits[] = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";
constexpr char kReal2[] = "T: {float, double}";

void RegisterZeroAware(OpRegistry& r) {
  r.Op(Spec("Xdivy", TENSH_FLOATS_COMPLEX, "0 where x is 0, else x / y, elementwise.", XdivyGrad,
            {"tf.math.xdivy([0., 6.], [0., 2.])", "[0. 3.]"}))
      .Cpu<float, double, Complex64, Complex128>(XdivyKernel{});
  r.Op(Spec("Xlogy", TENSH_FLOATS_COMPLEX, "0 where x is 0, else x * log(y), elementwise.",
            XlogyGrad, {"tf.math.xlogy([0., 6.], [0., 1.])", "[0. 0.]"}))
      .Cpu<float, double, Complex64, Complex128>(XlogyKernel{});
  r.Op(Spec("Xlog1py", TENSH_FLOATS_COMPLEX, "0 where x is 0, else x * log1p(y), elementwise.",
            Xlog1pyGrad, {"tf.math.xlog1py([0., 6.], [-1., 0.])", "[0. 0.]"}))
      .Cpu<float, double, Complex64, Complex128>(Xlog1pyKernel{});
  r.Op(Spec("DivNoNan", TENSH_FLOATS_COMPLEX, "0 where y is 0, else x / y, elementwise.",
            DivNoNanGrad, {"tf.div_no_nan([1., 6.], [0., 2.])", "[0. 3.]"}))
      .Cpu<float, double, Complex64, Complex128>(DivNoNanKernel{});
  r.Op(Spec("MulNoNan", TENSH_FLOATS_COMPLEX, "0 where y is 0, else x * y, elementwise.",
            MulNoNanGrad, {"tf.math.multiply_no_nan([1., 6.], [0., 2.])", "[ 0. 12.]"}))
      .Cpu<float, double, Complex64, Complex128>(MulNoNanKernel{});
  r.Op(Spec("Atan2", TENSH_FLOATS, "The angle of the point (x, y), elementwise.", Atan2Grad,
            {"tf.atan2(1., 0.)", "1.5707964"}, {"y", "x", "z"}))
      .Cpu<float, double>(Atan2Kernel{});
  r.Op(Spec("NextAfter", "T: {double, float} = float",
            "The next number after x1 towards x2, elementwise.", NextAfterGrad,
            {"tf.math.nextafter(0., 1.)", "1e-45"}, {"x1", "x2", "output"}))
      .Cpu<float, double>(NextAfterKernel{});
}

void RegisterGammas(OpRegistry& r) {
  r.Op(Spec("Igamma", TENSH_FLOATS, "The lower regularised incomplete gamma function, elementwise.",
            IgammaGrad, {"tf.igamma(1., 0.)", "0.0"}, {"a", "x", "z"}))
      .Cpu<float, double>(IgammaKernel{});
  r.Op(Spec("Igammac", TENSH_FLOATS,
            "The upper regularised incomplete gamma function, elementwise.", IgammacGrad,
            {"tf.igammac(1., 0.)", "1.0"}, {"a", "x", "z"}))
      .Cpu<float, double>(IgammacKernel{});
  r.Op(Spec("IgammaGradA", kReal2, "The slope of igamma in a, elementwise.", nullptr,
            {"tf.raw_ops.IgammaGradA(a=1., x=0.)", "0.0"}, {"a", "x", "z"}))
      .Cpu<float, double>(IgammaGradAKernel{});
  r.Op(Spec("Zeta", kReal2, "The Hurwitz zeta function, elementwise.", ZetaGrad,
            {"tf.zeta(2., 1.)", "1.644934"}, {"x", "q", "z"}))
      .Cpu<float, double>(ZetaKernel{});
  r.Op(Spec("Polygamma", kReal2, "Derivative number a of digamma at x, elementwise.", PolygammaGrad,
            {"tf.polygamma(1., 1.)", "1.644934"}, {"a", "x", "z"}))
      .Cpu<float, double>(PolygammaKernel{});
  r.Op({.name = "Betainc",
        .inputs = "a: T, b: T, x: T",
        .outputs = "z: T",
        .attrs = kReal2,
        .doc = "The regularised incomplete beta function, elementwise. a, b: the parameters. x: "
               "numbers in [0, 1]. All of one shape, or scalars. T: the element type.",
        .shape = BetaincShape,
        .grad = BetaincGrad,
        .examples = {{"tf.betainc(1., 1., 0.25)", "0.25"}}})
      .Cpu<float, double>(BetaincKernel{});
}

}  // namespace

TENSH_OPS(math_binary_more) {
  RegisterZeroAware(r);
  RegisterGammas(r);
  auto bits = [&r](auto kernel, OpSpec spec, bool commutative) {
    spec.no_gradient = true;
    spec.commutative = commutative;
    r.Op(std::move(spec))
        .Cpu<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(kernel);
  };
  bits(BitwiseAndKernel{},
       Spec("BitwiseAnd", kBits, "x & y, elementwise.", nullptr,
            {"tf.bitwise.bitwise_and([5, 6], 3)", "[1 2]"}),
       true);
  bits(BitwiseOrKernel{},
       Spec("BitwiseOr", kBits, "x | y, elementwise.", nullptr,
            {"tf.bitwise.bitwise_or([5, 6], 3)", "[7 7]"}),
       true);
  bits(BitwiseXorKernel{},
       Spec("BitwiseXor", kBits, "x ^ y, elementwise.", nullptr,
            {"tf.bitwise.bitwise_xor([5, 6], 3)", "[6 5]"}),
       true);
  bits(LeftShiftKernel{},
       Spec("LeftShift", kBits, "x << y, elementwise; y is kept within the type's bits.", nullptr,
            {"tf.bitwise.left_shift([5, 6], 1)", "[10 12]"}),
       false);
  bits(RightShiftKernel{},
       Spec("RightShift", kBits, "x >> y, elementwise; y is kept within the type's bits.", nullptr,
            {"tf.bitwise.right_shift([5, 6], 1)", "[2 3]"}),
       false);
  bits(InvertKernel{},
       {.name = "Invert",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = kBits,
        .doc = "~x, elementwise. x: integers. T: the element type.",
        .shape = SameAsInput<0>,
        .elementwise = true,
        .examples = {{"tf.bitwise.invert([5, -1])", "[-6  0]"}}},
       false);
  bits(PopulationCountKernel{},
       {.name = "PopulationCount",
        .inputs = "x: T",
        .outputs = "y: uint8",
        .attrs = kBits,
        .doc = "How many bits are set, elementwise. x: integers. T: the element type.",
        .shape = SameAsInput<0>,
        .elementwise = true,
        .examples = {{"tf.raw_ops.PopulationCount(x=[5, 0])", "[2 0]"}}},
       false);
}

}  // namespace tensh::ops
