// tf.bitwise.
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

const FunctionRow kRows[] = {
    TENSH_BINARY("bitwise_and", "BitwiseAnd"), TENSH_BINARY("bitwise_or", "BitwiseOr"),
    TENSH_BINARY("bitwise_xor", "BitwiseXor"), TENSH_BINARY("left_shift", "LeftShift"),
    TENSH_BINARY("right_shift", "RightShift"), TENSH_UNARY("invert", "Invert"),
};

}  // namespace

std::span<const FunctionRow> BitRows() { return kRows; }

}  // namespace tensh::shell::tf
