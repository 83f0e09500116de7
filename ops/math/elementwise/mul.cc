// Mul: multiplication with broadcasting.
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct Mul {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](T x, T y) { return WrapMul(x, y); });
  }
};

Status MulGrad(GradScope& g) {
  Out dy = g.dy();
  const DType t = g.dtype(dy);
  if (NothingBroadcast(g) && (t == DType::kFloat || t == DType::kInt32)) {
    Out dx0 = g.Op("Mul", {dy, g.x(1)});
    return g.Return({dx0, g.Op("Mul", {dy, g.x(0)})});
  }
  Out x = Conj(g, g.x(0)), y = Conj(g, g.x(1));
  Out dx0 = g.Op("Mul", {dy, y});
  return g.ReturnBroadcast(dx0, g.Op("Mul", {x, dy}));
}

}  // namespace

TENSH_OPS(math_elementwise_mul) {
  r.Op({.name = "Mul",
        .inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs = TENSH_ARITHMETIC,
        .doc =
            "x * y, elementwise, with broadcasting. x, y: numbers of type T. T: the element type; "
            "integers wrap around.",
        .shape = BroadcastInputs,
        .grad = MulGrad,
        .commutative = true,
        .examples = {{"tf.multiply([1., 2.], [3., 4.])", "[3. 8.]"},
                     {"tf.multiply([[1, 2], [3, 4]], 10)", "[[10 20]\n [30 40]]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128>(Mul{});
}

}  // namespace tensh::ops
