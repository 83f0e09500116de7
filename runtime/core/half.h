#pragma once
// The 16-bit floating-point types of runtime/base as elements of tensors.
#include "runtime/base/half.h"
#include "runtime/core/dtype.h"

namespace tensh {

template <>
inline constexpr DType kDTypeOf<Half> = DType::kHalf;
template <>
inline constexpr DType kDTypeOf<Bfloat16> = DType::kBfloat16;

}  // namespace tensh
