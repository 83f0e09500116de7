#pragma once
// Decoding of Snappy's block format, in which some programs compress the blocks of sorted tables. A
// block is the length of the result, followed by elements: literal bytes, or a copy of bytes that
// were decoded before. There is no encoder, because TensorFlow reads uncompressed tables as well.
#include <string>
#include <string_view>

#include "runtime/core/status.h"

namespace tensh::ops {

// Returns DataLoss if the input is not a complete Snappy block. The input is not trusted: memory is
// allocated in proportion to its size.
Result<std::string> DecodeSnappy(std::string_view in);

}  // namespace tensh::ops
