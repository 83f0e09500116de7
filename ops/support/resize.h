#pragma once
// What the ops that resize images share: their attributes, where an output pixel lies in the input
// (in float, as TensorFlow computes it), checks and shapes. Plain values, read-only during steps.
#include <cmath>

#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct ResizeState : KernelState {
  bool align_corners = false, half_pixel = false;
};
Result<std::unique_ptr<KernelState>> PrepareResize(PrepareCtx& c);

// One dimension: where an output pixel lies among `in` input pixels, of which there is at least
// one.
struct ResizeAxis {
  ResizeAxis(const ResizeState& s, int64_t in, int64_t out);
  constexpr float At(int64_t o) const {
    const float x = static_cast<float>(o);
    return half ? (x + 0.5f) * scale - 0.5f : x * scale;
  }
  constexpr int64_t Nearest(int64_t o) const {
    const float x = static_cast<float>(o), at = half ? (x + 0.5f) * scale : x * scale;
    return Bound(align ? std::round(at) : std::floor(at));
  }
  // The input pixel there is for `at`, or the last one on that side. Any float will do.
  constexpr int64_t Bound(float at) const {
    if (!(at > 0)) return 0;
    return at >= static_cast<float>(in_size - 1) ? in_size - 1 : static_cast<int64_t>(at);
  }
  int64_t in_size;
  bool align, half;
  float scale;
};

// InvalidArgument unless the images [batch, rows, columns, channels] have pixels and channels.
Status CheckResizable(const Tensor& images);
// The gradient of what was made of the image `original`.
Status CheckResizeGradient(const Tensor& dy, const Tensor& original);
// The result's shape for images [batch, …, …, channels] of a size asked for.
Result<Shape> ResizedShape(const Tensor& images, const Tensor& size);

// Shape function of inputs (images, size).
Status ResizeShape(ShapeCtx& c);

// For gradients: the attributes as the forward op has them.
std::vector<NamedAttr> ResizeCenters(GradScope& g);

}  // namespace tensh::ops
