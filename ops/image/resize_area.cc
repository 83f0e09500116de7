// ResizeArea: each output pixel is the mean of the input area that it covers.
#include <algorithm>
#include <cmath>

#include "ops/image/resize_axis.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

// The range that an output pixel covers along one dimension: input pixels [begin, end), of which
// the first and the last may be covered partially.
struct Span {
  int64_t begin, end;
  float from, to;
  // Returns the covered part of pixel i, where an output pixel covers `scale` input pixels.
  float Part(int64_t i, float scale) const {
    const float x = static_cast<float>(i);
    if (x < from) return x + 1 > to ? scale : x + 1 - from;
    return x + 1 > to ? to - x : 1.0f;
  }
};

std::vector<Span> Spans(const ResizeAxis& axis, int64_t out) {
  std::vector<Span> all;
  all.reserve(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    const float from = static_cast<float>(o) * axis.scale;
    const float to = static_cast<float>(o + 1) * axis.scale;
    all.push_back(
        {static_cast<int64_t>(std::floor(from)), static_cast<int64_t>(std::ceil(to)), from, to});
  }
  return all;
}

struct Area {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const Shape shape, ResizedShape(x, c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto& s = c.state<ResizeState>();
    const ResizeAxis rows(s, x.dim(1), shape[1]), columns(s, x.dim(2), shape[2]);
    const std::vector<Span> down = Spans(rows, shape[1]), across = Spans(columns, shape[2]);
    const int64_t depth = x.dim(3), in_row = x.dim(2) * depth, out_row = shape[2] * depth;
    const float whole = 1.0f / (rows.scale * columns.scale);
    const T* in = x.data<T>();
    float* out = y->data<float>();
    const double ns =
        2 * (static_cast<double>(rows.scale) + 2) * static_cast<double>(in_row + out_row);
    c.ParallelFor(shape[0] * shape[1], ns, [&](int64_t begin, int64_t end) {
      std::vector<float> sums(static_cast<size_t>(depth));
      for (int64_t line = begin; line < end; ++line) {
        const T* image = in + line / shape[1] * x.dim(1) * in_row;
        const Span& r = down[static_cast<size_t>(line % shape[1])];
        float* to = out + line * out_row;
        for (const Span& q : across) {
          std::fill(sums.begin(), sums.end(), 0.0f);
          for (int64_t i = r.begin; i < r.end; ++i) {
            const T* row = image + Clamp(i, rows) * in_row;
            const float part = r.Part(i, rows.scale) * whole;
            for (int64_t j = q.begin; j < q.end; ++j) {
              const float weight = part * q.Part(j, columns.scale);
              const T* pixel = row + Clamp(j, columns) * depth;
              for (int64_t d = 0; d < depth; ++d)
                sums[static_cast<size_t>(d)] += static_cast<float>(pixel[d]) * weight;
            }
          }
          to = std::copy(sums.begin(), sums.end(), to);
        }
      }
    });
    return {};
  }
  static int64_t Clamp(int64_t i, const ResizeAxis& axis) {
    return std::clamp<int64_t>(i, 0, axis.in_size - 1);
  }
};

}  // namespace

TENSH_OPS(image_resize_area) {
  r.Op({.name = "ResizeArea",
        .inputs = "images: T, size: int32",
        .outputs = "resized_images: float",
        .attrs = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}, "
                 "align_corners: bool = false",
        .doc = "Resizes images: each pixel is the mean of the area that it covers. images: [batch, "
               "rows, columns, channels]. size: rows and columns. T: the type of images. "
               "align_corners: align the centers of the corner pixels.",
        .contract = "images: rank 4, size: vector of 2",
        .shape = ResizeShape,
        .examples = {{"tf.image.resize_area([[[[1.], [3.], [5.]]]], [1, 2])[0, 0, :, 0]",
                      "[1.6666667 4.3333335]"}}})
      .Cpu<float, double, int32_t, int64_t>(Area{}, {.prepare = PrepareFrom<ResizeState>});
}

}  // namespace tensh::ops
