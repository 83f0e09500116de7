// ResizeBilinear and ResizeNearestNeighbor, with their gradients.
#include <algorithm>
#include <cmath>

#include "ops/image/resize_axis.h"
#include "ops/op_file.h"
#include "ops/support/isa.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// The two input pixels around an output pixel, and its distance from the first.
struct Between {
  int64_t low, high;
  float part;
};

std::vector<Between> Positions(const ResizeAxis& axis, int64_t out) {
  std::vector<Between> all(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    const float at = axis.At(o), floor = std::floor(at);
    all[static_cast<size_t>(o)] = {axis.Bound(floor), axis.Bound(std::ceil(at)), at - floor};
  }
  return all;
}

// A line of output pixels, interpolated between two lines of the image.
template <class T>
struct BilinearLine {
  TENSH_ALWAYS_INLINE static void Run(const T* top, const T* bottom, float part,
                                      const Between* columns, int64_t count, int64_t depth,
                                      float* to) {
    for (const Between* k = columns; k != columns + count; ++k, to += depth) {
      const T *tl = top + k->low * depth, *tr = top + k->high * depth;
      const T *bl = bottom + k->low * depth, *br = bottom + k->high * depth;
      const float across = k->part;
      TENSH_VECTORIZE
      for (int64_t d = 0; d < depth; ++d) {
        const float a = static_cast<float>(tl[d]), b = static_cast<float>(tr[d]);
        const float e = static_cast<float>(bl[d]), f = static_cast<float>(br[d]);
        const float above = a + (b - a) * across, below = e + (f - e) * across;
        to[d] = above + (below - above) * part;
      }
    }
  }
};

struct Bilinear {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const Shape shape, ResizedShape(x, c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto& s = c.state<ResizeState>();
    const int64_t in_row = x.dim(2) * x.dim(3), depth = x.dim(3);
    const std::vector<Between> rows = Positions(ResizeAxis(s, x.dim(1), shape[1]), shape[1]);
    const std::vector<Between> columns = Positions(ResizeAxis(s, x.dim(2), shape[2]), shape[2]);
    const T* in = x.data<T>();
    float* out = y->data<float>();
    const int64_t out_row = shape[2] * depth;
    c.ParallelFor(shape[0] * shape[1], 0.8 * static_cast<double>(out_row),
                  [&](int64_t b, int64_t e) {
                    for (int64_t line = b; line < e; ++line) {
                      const Between& r = rows[static_cast<size_t>(line % shape[1])];
                      const T* image = in + line / shape[1] * x.dim(1) * in_row;
                      const T *top = image + r.low * in_row, *bottom = image + r.high * in_row;
                      DispatchFor<T, BilinearLine<T>>(top, bottom, r.part, columns.data(), shape[2],
                                                      depth, out + line * out_row);
                    }
                  });
    return {};
  }
};

// Distributes each gradient to the four pixels that its output was interpolated from.
struct BilinearGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &dy = c.in(0), &original = c.in(1);
    TENSH_RETURN_IF_ERROR(CheckResizeGradient(dy, original));
    TENSH_OUTPUT(dx, c.Output(0, original.shape()));
    T* out = dx->data<T>();
    std::fill_n(out, dx->num_elements(), T{0});
    if (!dy.num_elements()) return {};
    const auto& s = c.state<ResizeState>();
    const int64_t row = dx->dim(2) * dx->dim(3), depth = dx->dim(3);
    const std::vector<Between> rows = Positions(ResizeAxis(s, dx->dim(1), dy.dim(1)), dy.dim(1));
    const std::vector<Between> columns = Positions(ResizeAxis(s, dx->dim(2), dy.dim(2)), dy.dim(2));
    const int64_t per_image = dy.num_elements() / dy.dim(0);
    c.ParallelFor(dy.dim(0), 8.0 * static_cast<double>(per_image), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const float* in = dy.data<float>() + b * dy.dim(1) * dy.dim(2) * depth;
        T* image = out + b * dx->dim(1) * row;
        for (const Between& r : rows)
          for (const Between& k : columns)
            for (int64_t d = 0; d < depth; ++d) Spread(*in++, r, k, image + d, row, depth);
      }
    });
    return {};
  }

  template <class T>
  static void Spread(float g, const Between& r, const Between& k, T* image, int64_t row,
                     int64_t depth) {
    const float up = 1.0f - r.part, left = 1.0f - k.part;
    image[r.low * row + k.low * depth] += static_cast<T>(g * up * left);
    image[r.low * row + k.high * depth] += static_cast<T>(g * up * k.part);
    image[r.high * row + k.low * depth] += static_cast<T>(g * r.part * left);
    image[r.high * row + k.high * depth] += static_cast<T>(g * r.part * k.part);
  }
};

struct Nearest {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const Shape shape, ResizedShape(x, c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto& s = c.state<ResizeState>();
    const ResizeAxis rows(s, x.dim(1), shape[1]), columns(s, x.dim(2), shape[2]);
    const int64_t depth = x.dim(3), in_row = x.dim(2) * depth, out_row = shape[2] * depth;
    const T* in = x.data<T>();
    T* out = y->data<T>();
    c.ParallelFor(
        shape[0] * shape[1], 1.0 * static_cast<double>(out_row), [&](int64_t b, int64_t e) {
          for (int64_t line = b; line < e; ++line) {
            const T* from =
                in + (line / shape[1] * x.dim(1) + rows.Nearest(line % shape[1])) * in_row;
            for (int64_t k = 0; k < shape[2]; ++k)
              std::copy_n(from + columns.Nearest(k) * depth, depth,
                          out + line * out_row + k * depth);
          }
        });
    return {};
  }
};

struct NearestGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& dy = c.in(0);
    TENSH_ASSIGN(const Shape shape, ResizedShape(dy, c.in(1)));
    TENSH_OUTPUT(dx, c.Output(0, shape));
    T* out = dx->data<T>();
    std::fill_n(out, dx->num_elements(), T{0});
    const auto& s = c.state<ResizeState>();
    const ResizeAxis rows(s, shape[1], dy.dim(1)), columns(s, shape[2], dy.dim(2));
    const int64_t depth = shape[3];
    const T* in = dy.data<T>();
    for (int64_t b = 0; b < shape[0]; ++b)
      for (int64_t r = 0; r < dy.dim(1); ++r)
        for (int64_t k = 0; k < dy.dim(2); ++k) {
          T* to = out + ((b * shape[1] + rows.Nearest(r)) * shape[2] + columns.Nearest(k)) * depth;
          for (int64_t d = 0; d < depth; ++d) to[d] = static_cast<T>(to[d] + *in++);
        }
    return {};
  }
};

// ---- shapes, gradients, registrations ----

Status BilinearBackward(GradScope& g) {
  return g.Return({g.Op("ResizeBilinearGrad", {g.dy(), g.x(0)}, ResizeCenters(g)), {}});
}

Status NearestBackward(GradScope& g) {
  const Shape shape = g.shape(g.x(0));
  Out size;
  if (shape.has_rank() && shape.rank() == 4 && shape[1] >= 0 && shape[2] >= 0)
    size = ConstInts(g, {shape[1], shape[2]}, "size");
  else
    size = g.Op(
        "StridedSlice",
        {g.Op("Shape", {g.x(0)}), ConstInts(g, {1}, "strided_slice/stack"),
         ConstInts(g, {3}, "strided_slice/stack_1"), ConstInts(g, {1}, "strided_slice/stack_2")},
        {}, "strided_slice");
  return g.Return({g.Op("ResizeNearestNeighborGrad", {g.dy(), size}, ResizeCenters(g)), {}});
}

constexpr char kPixels[] =
    "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}, "
    "align_corners: bool = false, half_pixel_centers: bool = false";
constexpr char kDoc[] =
    " size: rows and columns. T: the type of images. align_corners: align the centers of the "
    "corner pixels. half_pixel_centers: pixel centers are at half-integer positions.";

constexpr KernelOptions kOptions = {.prepare = PrepareFrom<ResizeState>};

void RegisterBilinear(OpRegistry& r) {
  r.Op({.name = "ResizeBilinear",
        .inputs = "images: T, size: int32",
        .outputs = "resized_images: float",
        .attrs = kPixels,
        .doc = StrCat(
            "Resizes images by bilinear interpolation. images: [batch, rows, columns, channels].",
            kDoc),
        .contract = "images: rank 4, size: vector of 2",
        .shape = ResizeShape,
        .grad = BilinearBackward,
        .examples = {{"tf.image.resize_bilinear([[[[1.], [3.]]]], [1, 4])[0, 0, :, 0]",
                      "[1. 2. 3. 3.]"}}})
      .Cpu<float, double, int32_t, int64_t>(Bilinear{}, kOptions);
  r.Op({.name = "ResizeBilinearGrad",
        .inputs = "grads: float, original_image: T",
        .outputs = "output: T",
        .attrs = "T: {float, bfloat16, half, double}, align_corners: bool = false, "
                 "half_pixel_centers: bool = false",
        .doc = "The gradient of ResizeBilinear. grads: the incoming gradient. original_image: the "
               "image that was resized. T: its type. align_corners, half_pixel_centers: those of "
               "ResizeBilinear.",
        .contract = "grads: rank 4 at run, original_image: rank 4 at run",
        .shape = SameAsInput<1>,
        .examples = {{"tf.raw_ops.ResizeBilinearGrad(grads=[[[[1.], [1.]]]], "
                      "original_image=[[[[0.]]]])",
                      "[[[[2.]]]]"}}})
      .Cpu<float, double>(BilinearGrad{}, kOptions);
}

void RegisterNearest(OpRegistry& r) {
  r.Op({.name = "ResizeNearestNeighbor",
        .inputs = "images: T, size: int32",
        .outputs = "resized_images: T",
        .attrs = kPixels,
        .doc = StrCat(
            "Resizes images by taking the nearest pixel. images: [batch, rows, columns, channels].",
            kDoc),
        .contract = "images: rank 4, size: vector of 2",
        .shape = ResizeShape,
        .grad = NearestBackward,
        .examples = {{"tf.image.resize_nearest_neighbor([[[[1], [3]]]], [1, 4])[0, 0, :, 0]",
                      "[1 1 3 3]"}}})
      .Cpu<float, double, int32_t, int64_t>(Nearest{}, kOptions);
  r.Op({.name = "ResizeNearestNeighborGrad",
        .inputs = "grads: T, size: int32",
        .outputs = "output: T",
        .attrs = "T: {uint8, int8, int32, half, float, double, bfloat16}, align_corners: bool = "
                 "false, half_pixel_centers: bool = false",
        .doc = "The gradient of ResizeNearestNeighbor. grads: the incoming gradient. size: rows "
               "and columns of the image that was resized. T: its type. align_corners, "
               "half_pixel_centers: those of ResizeNearestNeighbor.",
        .contract = "grads: rank 4, size: vector of 2",
        .shape = ResizeShape,
        .examples = {{"tf.raw_ops.ResizeNearestNeighborGrad(grads=[[[[1.], [1.]]]], size=[1, 1])",
                      "[[[[2.]]]]"}}})
      .Cpu<float, double, int32_t>(NearestGrad{}, kOptions);
}

}  // namespace

TENSH_OPS(image_resize) {
  RegisterBilinear(r);
  RegisterNearest(r);
}

}  // namespace tensh::ops
