// Sub: subtraction with broadcasting.
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/op_types.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct Sub {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](T x, T y) { return WrapSub(x, y); });
  }
};

Status SubGrad(GradScope& g) {
  Out dy = g.dy();
  return g.ReturnBroadcast(dy, g.Op("Neg", {dy}));
}

}  // namespace

TENSH_OPS(math_elementwise_sub) {
  r.Op({.name = "Sub",
        .inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs = TENSH_ARITHMETIC,
        .doc =
            "x - y, elementwise, with broadcasting. x, y: numbers of type T. T: the element type; "
            "integers wrap around.",
        .shape = BroadcastInputs,
        .grad = SubGrad,
        .examples = {{"tf.subtract([1., 2.], [2., 5.])", "[-1. -3.]"},
                     {"tf.subtract(10, [1, 2, 3])", "[9 8 7]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128>(Sub{});
}

}  // namespace tensh::ops
