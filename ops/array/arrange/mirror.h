#pragma once
// Index arithmetic of MirrorPad, shared by the kernels of all devices.
#include "runtime/core/kernel.h"

namespace tensh::ops {

struct MirrorState : KernelState {
  int64_t skip = 0;  // 1 if the edge itself is not repeated (REFLECT), otherwise 0
  void Read(PrepareCtx& c);
};

// Returns the padded shape or, for the gradient (sign -1), the shape without the border.
Result<Shape> MirrorShapeOf(const Shape& in, const Tensor& paddings, int64_t skip, int sign);

// Returns the index, in [0, inner), of the element that mirrors position `at`.
constexpr int64_t MirrorPlace(int64_t at, int64_t inner, int64_t skip) {
  if (at < 0) at = -at - 1 + skip;
  return at >= inner ? 2 * inner - 1 - at - skip : at;
}

}  // namespace tensh::ops
