// Image resizing on GPUs. Gradients are added atomically, in any order, because several outputs may
// use the same pixel.
#include "devices/cuda/cuda_kernel.h"
#include "ops/image/resize_axis.h"
#include "ops/support/prepare.h"

namespace tensh::cuda {
namespace {

using ops::ResizeAxis;

// The coordinates of output element i of [batch, rows, columns, depth].
struct Place {
  int64_t image, row, column, channel;
};
struct Sizes {
  int64_t rows, columns, depth;
  TENSH_DEVICE Place At(int64_t i) const {
    const int64_t pixel = i / depth;
    return {pixel / columns / rows, pixel / columns % rows, pixel % columns, i % depth};
  }
  TENSH_DEVICE int64_t Index(const Place& p) const {
    return ((p.image * rows + p.row) * columns + p.column) * depth + p.channel;
  }
};
Sizes SizesOf(const Shape& s) { return {s[1], s[2], s[3]}; }

// An image and its resized version. Pixels of `resized` are computed from those of `original`.
struct Grid {
  Grid(const ops::ResizeState& s, const Shape& original_shape, const Shape& resized_shape)
      : rows(s, original_shape[1], resized_shape[1]),
        columns(s, original_shape[2], resized_shape[2]),
        original(SizesOf(original_shape)),
        resized(SizesOf(resized_shape)) {}
  // Returns the offset in the original of the pixel nearest to a pixel of the resized image.
  TENSH_DEVICE int64_t Nearest(int64_t i) const {
    const Place p = resized.At(i);
    return original.Index({p.image, rows.Nearest(p.row), columns.Nearest(p.column), p.channel});
  }
  ResizeAxis rows, columns;
  Sizes original, resized;
};

// The two input pixels around an output pixel, and its distance from the first.
struct Between {
  int64_t low, high;
  float part;
};
TENSH_DEVICE inline Between BetweenAt(const ResizeAxis& axis, int64_t o) {
  const float at = axis.At(o), floor = std::floor(at);
  return {axis.Bound(floor), axis.Bound(std::ceil(at)), at - floor};
}

struct Bilinear {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const Shape shape, ops::ResizedShape(x, c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const Grid grid(c.state<ops::ResizeState>(), x.shape(), shape);
    const auto in = In<T>(x);
    const auto out = Out<float>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const Place p = grid.resized.At(i);
      const Between r = BetweenAt(grid.rows, p.row), k = BetweenAt(grid.columns, p.column);
      const auto pixel = [&](int64_t row, int64_t column) {
        return static_cast<float>(in[grid.original.Index({p.image, row, column, p.channel})]);
      };
      const float left = pixel(r.low, k.low), low_left = pixel(r.high, k.low);
      const float above = left + (pixel(r.low, k.high) - left) * k.part;
      const float below = low_left + (pixel(r.high, k.high) - low_left) * k.part;
      out[i] = above + (below - above) * r.part;
    });
  }
};

template <class T>
Status Zero(KernelCtx& c, Tensor* y) {
  const auto out = Out<T>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); });
}

struct BilinearGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &dy = c.in(0), &original = c.in(1);
    TENSH_RETURN_IF_ERROR(ops::CheckResizeGradient(dy, original));
    TENSH_OUTPUT(dx, c.Output(0, original.shape()));
    TENSH_RETURN_IF_ERROR(Zero<T>(c, dx));
    const Grid grid(c.state<ops::ResizeState>(), dx->shape(), dy.shape());
    const auto in = In<float>(dy);
    const auto out = Out<T>(dx);
    return ForEach(c, dy.num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const Place p = grid.resized.At(i);
      const Between r = BetweenAt(grid.rows, p.row), k = BetweenAt(grid.columns, p.column);
      const float up = 1.0f - r.part, left = 1.0f - k.part, g = in[i];
      const auto add = [&](int64_t row, int64_t column, float part) {
        AtomicAdd(&out[grid.original.Index({p.image, row, column, p.channel})],
                  static_cast<T>(part));
      };
      add(r.low, k.low, g * up * left);
      add(r.low, k.high, g * up * k.part);
      add(r.high, k.low, g * r.part * left);
      add(r.high, k.high, g * r.part * k.part);
    });
  }
};

struct Nearest {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const Shape shape, ops::ResizedShape(x, c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const Grid grid(c.state<ops::ResizeState>(), x.shape(), shape);
    const auto in = In<T>(x);
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(),
                   [=] TENSH_DEVICE(int64_t i) { out[i] = in[grid.Nearest(i)]; });
  }
};

struct NearestGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& dy = c.in(0);
    TENSH_ASSIGN(const Shape shape, ops::ResizedShape(dy, c.in(1)));
    TENSH_OUTPUT(dx, c.Output(0, shape));
    TENSH_RETURN_IF_ERROR(Zero<T>(c, dx));
    const Grid grid(c.state<ops::ResizeState>(), shape, dy.shape());
    const auto in = In<T>(dy);
    const auto out = Out<T>(dx);
    return ForEach(c, dy.num_elements(),
                   [=] TENSH_DEVICE(int64_t i) { AtomicAdd(&out[grid.Nearest(i)], in[i]); });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(image_resize) {
  const RowOptions sized{.host = "size", .prepare = ops::PrepareFrom<ops::ResizeState>};
  r.Add<float, double, Half, Bfloat16>("ResizeBilinear", Bilinear(), sized);
  r.Add<float, double, Half, Bfloat16>("ResizeBilinearGrad", BilinearGrad(),
                                       {.prepare = ops::PrepareFrom<ops::ResizeState>});
  r.Add<float, double, Half, Bfloat16, int64_t>("ResizeNearestNeighbor", Nearest(), sized);
  r.Add<float, double, Half, Bfloat16>("ResizeNearestNeighborGrad", NearestGrad(), sized);
}

}  // namespace tensh::cuda
