// Add and AddV2: addition with broadcasting. Only Add also joins strings.
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct Add {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T>(c, [](const T& x, const T& y) { return WrapAdd(x, y); });
  }
};

Status AddGrad(GradScope& g) { return g.ReturnBroadcast(g.dy(), g.dy()); }

constexpr char kTypes[] =
    "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, "
    "complex64, complex128}";

}  // namespace

TENSH_OPS(math_elementwise_add) {
  r.Op({.name = "AddV2",
        .inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs = kTypes,
        .doc =
            "x + y, elementwise, with broadcasting. x, y: numbers of type T. T: the element type; "
            "integers wrap around.",
        .shape = BroadcastInputs,
        .grad = AddGrad,
        .commutative = true,
        .aggregate = true,
        .examples = {{"tf.add([1., 2.], [2., 3.])", "[3. 5.]"},
                     {"tf.add([[1], [2]], [10, 20])", "[[11 21]\n [12 22]]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128>(Add{});
  r.Op({.name = "Add",
        .inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs = "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
                 "complex128, string}",
        .doc = "x + y, elementwise, with broadcasting; strings are concatenated. x, y: values of "
               "type T. T: the element type. New graphs use AddV2.",
        .shape = BroadcastInputs,
        .grad = AddGrad,
        .examples = {{"tf.raw_ops.Add(x=['a', 'b'], y='c')", "[b'ac' b'bc']"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, std::string, Complex64,
           Complex128>(Add{});
}

}  // namespace tensh::ops
