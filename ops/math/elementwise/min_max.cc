// Maximum and Minimum of two tensors. NaN wins, and the gradient follows the chosen input.
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

// Returns y if both are equal, which matters for 0 and -0. NaN wins.
struct Maximum {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](T x, T y) { return x > y || x != x ? x : y; });
  }
};
struct Minimum {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](T x, T y) { return x < y || x != x ? x : y; });
  }
};

// The gradient flows to the input that was chosen, and to x if they are equal.
Status ChoiceGrad(GradScope& g, std::string_view comparison) {
  Out dy = g.dy();
  Out zeros = g.Op("Fill", {g.Op("Shape", {dy}), g.Like(0, dy, "zeros/Const")}, {}, "zeros");
  Out chose_x = g.Op(comparison, {g.x(0), g.x(1)});
  Out dx0 = g.Op("Select", {chose_x, dy, zeros});
  return g.ReturnBroadcast(dx0, g.Op("Select", {chose_x, zeros, dy}));
}
Status MaximumGrad(GradScope& g) { return ChoiceGrad(g, "GreaterEqual"); }
Status MinimumGrad(GradScope& g) { return ChoiceGrad(g, "LessEqual"); }

constexpr char kTypes[] =
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}";

}  // namespace

TENSH_OPS(math_elementwise_min_max) {
  r.Op({.name = "Maximum",
        .inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs = kTypes,
        .doc = "The maximum of x and y, elementwise, with broadcasting; NaN if either is. x, y: "
               "real numbers. T: the element type.",
        .shape = BroadcastInputs,
        .grad = MaximumGrad,
        .examples = {{"tf.maximum([1., 5.], 3.)", "[3. 5.]"}}})
      .Cpu<float, double, int32_t, int64_t, int8_t, uint8_t, int16_t, uint64_t>(Maximum{});
  r.Op({.name = "Minimum",
        .inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs = kTypes,
        .doc = "The minimum of x and y, elementwise, with broadcasting; NaN if either is. x, y: "
               "real numbers. T: the element type.",
        .shape = BroadcastInputs,
        .grad = MinimumGrad,
        .examples = {{"tf.minimum([1., 5.], 3.)", "[1. 3.]"}}})
      .Cpu<float, double, int32_t, int64_t, int8_t, uint8_t, int16_t, uint64_t>(Minimum{});
}

}  // namespace tensh::ops
