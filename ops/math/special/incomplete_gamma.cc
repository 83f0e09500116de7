// Incomplete gamma and beta functions, the zeta function and the derivatives of digamma.
#include <cmath>

#include "ops/math/binary_op.h"
#include "ops/math/special/special_functions.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

TENSH_BINARY_KERNEL(Igamma, IgammaLower(static_cast<double>(x), static_cast<double>(y)));
TENSH_BINARY_KERNEL(Igammac, IgammaUpper(static_cast<double>(x), static_cast<double>(y)));
TENSH_BINARY_KERNEL(IgammaGradA, IgammaSlope(static_cast<double>(x), static_cast<double>(y)));
TENSH_BINARY_KERNEL(Zeta, Zeta(static_cast<double>(x), static_cast<double>(y)));
TENSH_BINARY_KERNEL(Polygamma, Polygamma(static_cast<double>(x), static_cast<double>(y)));

// The inputs are scalars or tensors of equal shape.
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

// Returns the density of the gamma distribution: exp(-x + (a - 1) * log(x) - lgamma(a)).
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

// The slope with respect to x is x ** (a - 1) * (1 - x) ** (b - 1) / B(a, b).
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

constexpr char kReal2[] = "T: {float, double}";

}  // namespace

TENSH_OPS(math_special_incomplete_gamma) {
  r.Op(BinarySpec("Igamma", TENSH_FLOATS,
                  "The lower regularized incomplete gamma function, elementwise.", IgammaGrad,
                  {"tf.igamma(1., 0.)", "0.0"}, {"a", "x", "z"}))
      .Cpu<float, double>(IgammaKernel{});
  r.Op(BinarySpec("Igammac", TENSH_FLOATS,
                  "The upper regularized incomplete gamma function, elementwise.", IgammacGrad,
                  {"tf.igammac(1., 0.)", "1.0"}, {"a", "x", "z"}))
      .Cpu<float, double>(IgammacKernel{});
  r.Op(BinarySpec("IgammaGradA", kReal2, "The derivative of igamma with respect to a, elementwise.",
                  nullptr, {"tf.raw_ops.IgammaGradA(a=1., x=0.)", "0.0"}, {"a", "x", "z"}))
      .Cpu<float, double>(IgammaGradAKernel{});
  r.Op(BinarySpec("Zeta", kReal2, "The Hurwitz zeta function, elementwise.", ZetaGrad,
                  {"tf.zeta(2., 1.)", "1.644934"}, {"x", "q", "z"}))
      .Cpu<float, double>(ZetaKernel{});
  r.Op(BinarySpec("Polygamma", kReal2, "The derivative of order a of digamma at x, elementwise.",
                  PolygammaGrad, {"tf.polygamma(1., 1.)", "1.644934"}, {"a", "x", "z"}))
      .Cpu<float, double>(PolygammaKernel{});
  r.Op({.name = "Betainc",
        .inputs = "a: T, b: T, x: T",
        .outputs = "z: T",
        .attrs = kReal2,
        .doc = "The regularized incomplete beta function, elementwise. a, b: the parameters. x: "
               "numbers in [0, 1]. All have equal shapes or are scalars. T: the element type.",
        .shape = BetaincShape,
        .grad = BetaincGrad,
        .examples = {{"tf.betainc(1., 1., 0.25)", "0.25"}}})
      .Cpu<float, double>(BetaincKernel{});
}

}  // namespace tensh::ops
