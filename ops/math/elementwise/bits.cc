// Bitwise functions of integers.
#include <bit>

#include "ops/math/binary_op.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

TENSH_BINARY_KERNEL(BitwiseAnd, x& y);
TENSH_BINARY_KERNEL(BitwiseOr, x | y);
TENSH_BINARY_KERNEL(BitwiseXor, x ^ y);

// Returns the shift distance, limited to the range in which a shift is defined.
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

constexpr char kBits[] = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";

}  // namespace

TENSH_OPS(math_elementwise_bits) {
  auto bits = [&r](auto kernel, OpSpec spec, bool commutative) {
    spec.no_gradient = true;
    spec.commutative = commutative;
    r.Op(std::move(spec))
        .Cpu<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(kernel);
  };
  bits(BitwiseAndKernel{},
       BinarySpec("BitwiseAnd", kBits, "x & y, elementwise.", nullptr,
                  {"tf.bitwise.bitwise_and([5, 6], 3)", "[1 2]"}),
       true);
  bits(BitwiseOrKernel{},
       BinarySpec("BitwiseOr", kBits, "x | y, elementwise.", nullptr,
                  {"tf.bitwise.bitwise_or([5, 6], 3)", "[7 7]"}),
       true);
  bits(BitwiseXorKernel{},
       BinarySpec("BitwiseXor", kBits, "x ^ y, elementwise.", nullptr,
                  {"tf.bitwise.bitwise_xor([5, 6], 3)", "[6 5]"}),
       true);
  bits(LeftShiftKernel{},
       BinarySpec("LeftShift", kBits, "x << y, elementwise; y is clamped to the type's bits.",
                  nullptr, {"tf.bitwise.left_shift([5, 6], 1)", "[10 12]"}),
       false);
  bits(RightShiftKernel{},
       BinarySpec("RightShift", kBits, "x >> y, elementwise; y is clamped to the type's bits.",
                  nullptr, {"tf.bitwise.right_shift([5, 6], 1)", "[2 3]"}),
       false);
  bits(InvertKernel{},
       {.name = "Invert",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = kBits,
        .doc = "~x, elementwise. x: integers. T: the element type.",
        .shape = SameAsInput<0>,
        .elementwise = Elementwise::kSameShape,
        .examples = {{"tf.bitwise.invert([5, -1])", "[-6  0]"}}},
       false);
  bits(PopulationCountKernel{},
       {.name = "PopulationCount",
        .inputs = "x: T",
        .outputs = "y: uint8",
        .attrs = kBits,
        .doc = "The number of bits that are set, elementwise. x: integers. T: the element type.",
        .shape = SameAsInput<0>,
        .elementwise = Elementwise::kSameShape,
        .examples = {{"tf.raw_ops.PopulationCount(x=[5, 0])", "[2 0]"}}},
       false);
}

}  // namespace tensh::ops
