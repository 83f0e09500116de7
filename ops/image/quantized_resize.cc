// QuantizedResizeBilinear: bilinear interpolation of quantized images in fixed point.
#include <algorithm>
#include <cmath>

#include "ops/image/resize_axis.h"
#include "ops/nn/quantize/quantized.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

// The two input pixels around an output pixel, and its distance from the first.
struct Between {
  int64_t low, high;
  float part;
};

std::vector<Between> Positions(const ResizeAxis& axis, int64_t out) {
  std::vector<Between> all;
  all.reserve(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    const float at = axis.At(o), floor = std::floor(at);
    all.push_back({axis.Bound(floor), axis.Bound(std::ceil(at)), at - floor});
  }
  return all;
}

// Quantized numbers are interpolated as integers. Parts of a distance have `bits` bits after the point.
template <int bits, class T>
T InFixedPoint(const T (&x)[4], float across, float down) {
  constexpr int64_t kOne = int64_t{1} << bits;
  const auto part = [&](float of) { return static_cast<int64_t>(of * static_cast<float>(kOne)); };
  // TensorFlow's quantized integers become numbers by way of float.
  const auto number = [&](int i) { return static_cast<int64_t>(static_cast<float>(x[i])); };
  const int64_t top = number(0) * kOne + (number(1) - number(0)) * part(across);
  const int64_t bottom = number(2) * kOne + (number(3) - number(2)) * part(across);
  const int64_t sum = top + (bottom - top) / kOne * part(down);
  return static_cast<T>(static_cast<int32_t>((sum + kOne / 2) / kOne));
}

uint8_t Interpolate(const uint8_t (&x)[4], float across, float down) {
  return InFixedPoint<7>(x, across, down);
}
int32_t Interpolate(const int32_t (&x)[4], float across, float down) {
  return InFixedPoint<30>(x, across, down);
}
float Interpolate(const float (&x)[4], float across, float down) {
  const float top = x[0] + (x[1] - x[0]) * across, bottom = x[2] + (x[3] - x[2]) * across;
  return top + (bottom - top) * down;
}

template <class T>
void Resize(KernelCtx& c, const ResizeState& s, const Tensor& x, Tensor* y) {
  const Shape& shape = y->shape();
  const std::vector<Between> rows = Positions(ResizeAxis(s, x.dim(1), shape[1]), shape[1]);
  const std::vector<Between> columns = Positions(ResizeAxis(s, x.dim(2), shape[2]), shape[2]);
  const int64_t depth = x.dim(3), line = x.dim(2) * depth, out_line = shape[2] * depth;
  c.ParallelFor(shape[0] * shape[1], 3.0 * static_cast<double>(out_line),
                [&](int64_t b, int64_t e) {
                  for (int64_t i = b; i < e; ++i) {
                    const Between& row = rows[static_cast<size_t>(i % shape[1])];
                    const T* image = x.data<T>() + i / shape[1] * x.dim(1) * line;
                    const T *top = image + row.low * line, *bottom = image + row.high * line;
                    T* to = y->data<T>() + i * out_line;
                    for (const Between& k : columns)
                      for (int64_t d = 0; d < depth; ++d) {
                        const T corners[] = {top[k.low * depth + d], top[k.high * depth + d],
                                             bottom[k.low * depth + d], bottom[k.high * depth + d]};
                        *to++ = Interpolate(corners, k.part, row.part);
                      }
                  }
                });
}

Status ResizeBilinear(KernelCtx& c) {
  const auto& s = c.state<ResizeState>();
  const Tensor& x = c.in(0);
  const DType type = x.dtype();
  TENSH_RETURN_IF_ERROR(NeedTypes(type == kQuint8 || type == kQint32 || type == DType::kFloat,
                                  "QuantizedResizeBilinear", "tf.quint8, tf.qint32 or tf.float32"));
  TENSH_ASSIGN(const Shape shape, ResizedShape(x, c.in(1)));
  TENSH_OUTPUT(y, c.Output(0, shape));
  if (shape == x.shape())
    CopyElements(type, y->raw(), x.raw(), x.num_elements());
  else if (type == kQuint8)
    Resize<uint8_t>(c, s, x, y);
  else if (type == kQint32)
    Resize<int32_t>(c, s, x, y);
  else
    Resize<float>(c, s, x, y);
  return RangeOutput(c, RangeInput(c, 2));
}

Status ResizeBilinearShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(ResizeShape(c));
  c.Set(1, Shape());
  c.Set(2, Shape());
  return {};
}

}  // namespace

TENSH_OPS(image_quantized_resize) {
  r.Op({.name = "QuantizedResizeBilinear",
        .inputs = "images: T, size: int32, min: float, max: float",
        .outputs = "resized_images: T, out_min: float, out_max: float",
        .attrs = "T: {quint8, qint32, float}, align_corners: bool = false, "
                 "half_pixel_centers: bool = false",
        .doc = "Resizes quantized images by bilinear interpolation. images: [batch, rows, columns, "
               "channels] of type T, for the floats from min to max. size: the new rows and "
               "columns. align_corners: the corner pixels of both images have the same centers. "
               "half_pixel_centers: the centers of pixels are at halves. out_min, out_max: the "
               "range of resized_images, that of images.",
        .contract = "images: rank 4, size: vector of 2, min: scalar, max: scalar",
        .shape = ResizeBilinearShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.QuantizedResizeBilinear(images=tf.bitcast(tf.constant([[[[0], "
                      "[100]]]], tf.uint8), tf.quint8), size=[1, 4], min=0., max=1."
                      ").resized_images",
                      "[[[[  0]\n   [ 50]\n   [100]\n   [100]]]]"}}})
      .CpuAny(ResizeBilinear, PrepareFrom<ResizeState>);
}

}  // namespace tensh::ops
