#pragma once
// Mirrored borders, as every device makes them.
#include "runtime/core/kernel.h"

namespace tensh::ops {

struct MirrorState : KernelState {
  int64_t skip = 0;  // 1: the edge itself is not repeated (REFLECT)
};
Result<std::unique_ptr<KernelState>> PrepareMirror(PrepareCtx& c);

// The padded shape, or for the gradient (sign -1) the shape without the border.
Result<Shape> MirrorShapeOf(const Shape& in, const Tensor& paddings, int64_t skip, int sign);

// Which of `inner` elements lies at a place that counts from the first of them.
constexpr int64_t MirrorPlace(int64_t at, int64_t inner, int64_t skip) {
  if (at < 0) at = -at - 1 + skip;
  return at >= inner ? 2 * inner - 1 - at - skip : at;
}

}  // namespace tensh::ops
