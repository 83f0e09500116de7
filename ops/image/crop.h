#pragma once
// CropAndResize: input checks shared by the kernels of all devices, and the sampling positions of a
// box.
#include <algorithm>
#include <cmath>

#include "runtime/core/kernel.h"

namespace tensh::ops {

struct CropState : KernelState {
  bool nearest = false;
  float outside = 0;
  void Read(PrepareCtx& c);
};

// Returns the number of boxes. Checks `boxes` and `indices` against each other, and every index
// against [0, batch), before any of them is used.
Result<int64_t> CountBoxes(const Tensor& boxes, const Tensor& indices, int64_t batch);
// CropsShape checks the kernel's inputs image, boxes, box_ind and crop_size, and returns the shape
// of the output.
Result<Shape> CropsShape(KernelCtx& c);
Status CheckImage(const Shape& image);
// Checks that the gradient of the crops has one image per box.
Status CheckCropGrads(const Tensor& grads, int64_t count);

// One dimension of a box: the positions of its `out` samples among `in` pixels. F is float.
template <class F>
struct CropSamples {
  constexpr CropSamples(F from, F to, int64_t in, int64_t out)
      : first(from), last(to), extent(static_cast<F>(in - 1)), count(out), most(in - 1) {
    if (out > 1) {
      ratio = extent / static_cast<F>(out - 1);
      scale = (to - from) * extent / static_cast<F>(out - 1);
    }
  }
  constexpr F At(int64_t i) const {
    return count > 1 ? first * extent + static_cast<F>(i) * scale
                     : F(0.5) * (first + last) * extent;
  }
  // Returns the derivative of the position of sample i with respect to the box's last edge.
  constexpr F Moved(int64_t i) const {
    return count > 1 ? static_cast<F>(i) * ratio : F(0.5) * extent;
  }
  // False for NaN, which therefore is outside.
  constexpr bool Inside(F at) const { return at >= 0 && at <= extent; }
  // Returns the pixel at a position inside the image. The clamp is needed because a float may round
  // up beyond the last pixel.
  constexpr int64_t Pixel(F at) const {
    const auto pixel = static_cast<int64_t>(at);
    return pixel < most ? pixel : most;
  }
  constexpr int64_t Nearest(F at) const { return Pixel(std::round(at)); }
  F first, last, extent, ratio = 0, scale = 0;
  int64_t count, most;
};

// The pixels on both sides of a sample that lies inside, and its distance from the lower one.
template <class F>
struct CropSides {
  constexpr CropSides(const CropSamples<F>& s, F at)
      : low(s.Pixel(std::floor(at))), high(s.Pixel(std::ceil(at))), part(at - std::floor(at)) {}
  int64_t low, high;
  F part;
};

// The box at b, stored as [y1, x1, y2, x2].
template <class F>
struct CropBox {
  constexpr CropBox(const F* b, int64_t rows_in, int64_t columns_in, int64_t rows_out,
                    int64_t columns_out)
      : rows(b[0], b[2], rows_in, rows_out), columns(b[1], b[3], columns_in, columns_out) {}
  CropSamples<F> rows, columns;
};

}  // namespace tensh::ops
