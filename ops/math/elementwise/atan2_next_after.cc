// The angle of a point, and the next representable number.
#include <cmath>

#include "ops/math/binary_op.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

TENSH_BINARY_KERNEL(Atan2, std::atan2(x, y));
TENSH_BINARY_KERNEL(NextAfter, std::nextafter(x, y));

Status Atan2Grad(GradScope& g) {
  Out y = g.x(0), x = g.x(1);
  Out sum = GradAdd(g, g.Op("Square", {x}), g.Op("Square", {y}));
  Out inverse = GradDiv(g, g.dy(), sum);
  return g.ReturnBroadcast(g.Mul(inverse, x), g.Mul(inverse, g.Op("Neg", {y})));
}
// The slope with respect to x1 is 1. x2 only gives the direction and gets a zero gradient.
Status NextAfterGrad(GradScope& g) {
  return g.ReturnBroadcast(g.dy(), g.Op("ZerosLike", {g.dy()}, {}, "zeros_like"));
}

}  // namespace

TENSH_OPS(math_elementwise_atan2_next_after) {
  r.Op(BinarySpec("Atan2", TENSH_FLOATS, "The angle of the point (x, y), elementwise.", Atan2Grad,
                  {"tf.atan2(1., 0.)", "1.5707964"}, {"y", "x", "z"}))
      .Cpu<float, double>(Atan2Kernel{});
  r.Op(BinarySpec("NextAfter", "T: {double, float} = float",
                  "The next representable number after x1 towards x2, elementwise.", NextAfterGrad,
                  {"tf.math.nextafter(0., 1.)", "1e-45"}, {"x1", "x2", "output"}))
      .Cpu<float, double>(NextAfterKernel{});
}

}  // namespace tensh::ops
