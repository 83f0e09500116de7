#pragma once
// Boxes cut out of images: what kernels of all devices read and check, and where the samples of a
// box lie.
#include <algorithm>
#include <cmath>

#include "runtime/core/kernel.h"

namespace tensh::ops {

struct CropState : KernelState {
  bool nearest = false;
  float outside = 0;
};
Result<std::unique_ptr<KernelState>> PrepareCrop(PrepareCtx& c);

// What boxes and box_ind say; [0, batch) is checked for every index before anything is read.
Result<int64_t> CountBoxes(const Tensor& boxes, const Tensor& indices, int64_t batch);
// Checks image, boxes, box_ind and crop_size of a kernel; gives the output's shape.
Result<Shape> CropsShape(KernelCtx& c);
Status CheckImage(const Shape& image);
// The gradients of crops must be one image a box.
Status CheckCropGrads(const Tensor& grads, int64_t count);

// One dimension of a box: where its `out` samples lie among `in` pixels. F is float.
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
  // How far sample i moves with the last edge.
  constexpr F Moved(int64_t i) const {
    return count > 1 ? static_cast<F>(i) * ratio : F(0.5) * extent;
  }
  // Not for nan: that is outside.
  constexpr bool Inside(F at) const { return at >= 0 && at <= extent; }
  // The pixel at a place inside. A float may round beyond the last one.
  constexpr int64_t Pixel(F at) const {
    const auto pixel = static_cast<int64_t>(at);
    return pixel < most ? pixel : most;
  }
  constexpr int64_t Nearest(F at) const { return Pixel(std::round(at)); }
  F first, last, extent, ratio = 0, scale = 0;
  int64_t count, most;
};

// The pixels on both sides of a sample inside, and how far it is from the first.
template <class F>
struct CropSides {
  constexpr CropSides(const CropSamples<F>& s, F at)
      : low(s.Pixel(std::floor(at))), high(s.Pixel(std::ceil(at))), part(at - std::floor(at)) {}
  int64_t low, high;
  F part;
};

// The box at b: [y1, x1, y2, x2].
template <class F>
struct CropBox {
  constexpr CropBox(const F* b, int64_t rows_in, int64_t columns_in, int64_t rows_out,
                    int64_t columns_out)
      : rows(b[0], b[2], rows_in, rows_out), columns(b[1], b[3], columns_in, columns_out) {}
  CropSamples<F> rows, columns;
};

}  // namespace tensh::ops
