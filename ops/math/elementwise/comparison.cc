// Greater, GreaterEqual, Less, LessEqual, Equal and NotEqual.
#include <algorithm>

#include "ops/math/elementwise/equal.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

#define TENSH_COMPARISON(NAME, EXPRESSION)                                               \
  struct NAME {                                                                          \
    template <class T>                                                                   \
    Status operator()(KernelCtx& c) const {                                              \
      return MapBinary<T>(c, [](const T& x, const T& y) -> bool { return EXPRESSION; }); \
    }                                                                                    \
  }
TENSH_COMPARISON(Greater, x > y);
TENSH_COMPARISON(GreaterEqual, x >= y);
TENSH_COMPARISON(Less, x < y);
TENSH_COMPARISON(LessEqual, x <= y);
#undef TENSH_COMPARISON

// If incompatible_shape_error is false, shapes that do not broadcast give a single boolean.
template <bool equal>
struct Equality {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if (!c.state<EqualState>().shapes_must_match &&
        !BroadcastShapes(c.in(0).shape(), c.in(1).shape()).ok()) {
      TENSH_OUTPUT(z, c.Output(0, Shape()));
      *z->data<bool>() = !equal;
      return {};
    }
    return MapBinary<T>(c, [](const T& x, const T& y) -> bool { return (x == y) == equal; });
  }
};

Status EqualityShape(ShapeCtx& c) {
  Result<Shape> shape = BroadcastShapes(c.in(0), c.in(1));
  if (c.attrs().Bool("incompatible_shape_error")) {
    if (!shape.ok()) return std::move(shape).status();
    c.Set(0, *shape);
    return {};
  }
  // The result is a scalar if the shapes do not broadcast. If that depends on an unknown dimension,
  // the shape is unknown. As in TensorFlow, two unknown dimensions are assumed to match.
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) return {};
  if (!shape.ok()) {
    if (c.in(0).IsFullyKnown() && c.in(1).IsFullyKnown()) c.Set(0, Shape());
    return {};
  }
  const int common = std::min(c.in(0).rank(), c.in(1).rank());
  for (int i = 1; i <= common; ++i) {
    const int64_t x = c.in(0)[c.in(0).rank() - i], y = c.in(1)[c.in(1).rank() - i];
    if ((x < 0) != (y < 0) && std::max(x, y) != 1) return {};
  }
  c.Set(0, *shape);
  return {};
}

OpSpec Comparison(OpText name, std::string doc, Example example) {
  return {.name = name,
          .inputs = "x: T, y: T",
          .outputs = "z: bool",
          .attrs = TENSH_REALS,
          .doc = std::move(doc) + " x, y: real numbers; they broadcast. T: their type.",
          .shape = BroadcastInputs,
          .no_gradient = true,
          .examples = {example}};
}

OpSpec EqualityOp(OpText name, std::string doc, Example example) {
  return {
      .name = name,
      .inputs = "x: T, y: T",
      .outputs = "z: bool",
      .attrs = "T: type, incompatible_shape_error: bool = true",
      .doc =
          std::move(doc) +
          " x, y: the values to compare; they broadcast. T: their type. incompatible_shape_error: "
          "if true, shapes that do not broadcast are an error; otherwise they count as different.",
      .shape = EqualityShape,
      .no_gradient = true,
      .commutative = true,
      .examples = {example}};
}

}  // namespace

TENSH_OPS(math_elementwise_comparison) {
  r.Op(Comparison("Greater", "x > y, elementwise.", {"tf.greater([1, 3], 2)", "[False  True]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t>(Greater{});
  r.Op(Comparison("GreaterEqual", "x >= y, elementwise.",
                  {"tf.greater_equal([1, 2], 2)", "[False  True]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t>(GreaterEqual{});
  r.Op(Comparison("Less", "x < y, elementwise.", {"tf.less([1, 3], 2)", "[ True False]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t>(Less{});
  r.Op(Comparison("LessEqual", "x <= y, elementwise.",
                  {"tf.less_equal([2, 3], 2)", "[ True False]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t>(LessEqual{});
  r.Op(EqualityOp("Equal", "x == y, elementwise.", {"tf.equal([1, 2], [1, 3])", "[ True False]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128, bool, std::string>(Equality<true>{}, {.prepare = PrepareEqual});
  r.Op(EqualityOp("NotEqual", "x != y, elementwise.",
                  {"tf.not_equal([1, 2], [1, 3])", "[False  True]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128, bool, std::string>(Equality<false>{}, {.prepare = PrepareEqual});
}

}  // namespace tensh::ops
