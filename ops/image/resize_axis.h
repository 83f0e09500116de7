#pragma once
// Helpers shared by the image resizing ops: attributes, the mapping from output to input pixels (in
// float, as TensorFlow computes it), checks and shapes. Plain values, read-only during steps.
#include <cmath>

#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct ResizeState : KernelState {
  bool align_corners = false, half_pixel = false;
  Status Read(PrepareCtx& c);
};

// The mapping along one dimension: the position of each output pixel among `in` input pixels, of
// which there must be at least one.
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
  // Returns the index of the input pixel at `at`, clamped to the image. Accepts any float,
  // including NaN.
  constexpr int64_t Bound(float at) const {
    if (!(at > 0)) return 0;
    return at >= static_cast<float>(in_size - 1) ? in_size - 1 : static_cast<int64_t>(at);
  }
  int64_t in_size;
  bool align, half;
  float scale;
};

// Returns InvalidArgument unless the images [batch, rows, columns, channels] have pixels and
// channels.
Status CheckResizable(const Tensor& images);
// Checks dy, the gradient of an image resized from `original`.
Status CheckResizeGradient(const Tensor& dy, const Tensor& original);
// Returns the shape of the images [batch, …, …, channels] after resizing to `size`.
Result<Shape> ResizedShape(const Tensor& images, const Tensor& size);

// Shape function for the inputs (images, size).
Status ResizeShape(ShapeCtx& c);

// Returns the forward op's attributes for its gradient op.
std::vector<NamedAttr> ResizeCenters(GradScope& g);

}  // namespace tensh::ops
