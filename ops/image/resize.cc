// Images of another size, and the gradients of that. Where an output pixel lies in the input is
// computed in float, as TensorFlow computes it.
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct ResizeState : KernelState {
  bool align_corners = false, half_pixel = false;
};

Result<std::unique_ptr<KernelState>> PrepareResize(PrepareCtx& c) {
  auto state = std::make_unique<ResizeState>();
  state->align_corners = c.attrs().Bool("align_corners");
  state->half_pixel = c.attrs().Bool("half_pixel_centers");
  if (state->align_corners && state->half_pixel)
    return InvalidArgument("If half_pixel_centers is True, align_corners must be False.");
  return {std::move(state)};
}

// One dimension: where an output pixel lies among `in` input pixels.
struct Axis {
  Axis(const ResizeState& s, int64_t in, int64_t out)
      : in_size(in), align(s.align_corners), half(s.half_pixel) {
    scale = align && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                             : static_cast<float>(in) / static_cast<float>(out);
  }
  float At(int64_t o) const {
    const float x = static_cast<float>(o);
    return half ? (x + 0.5f) * scale - 0.5f : x * scale;
  }
  int64_t Nearest(int64_t o) const {
    const float x = static_cast<float>(o);
    const float at = half ? (x + 0.5f) * scale : x * scale;
    const float whole = align ? std::round(at) : std::floor(at);
    return std::clamp<int64_t>(static_cast<int64_t>(whole), 0, in_size - 1);
  }
  int64_t in_size;
  bool align, half;
  float scale;
};

// The two pixels an output lies between, and how far it is from the first.
struct Between {
  int64_t low, high;
  float part;
};

std::vector<Between> Positions(const Axis& axis, int64_t out) {
  std::vector<Between> all(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    const float at = axis.At(o), floor = std::floor(at);
    all[static_cast<size_t>(o)] = {
        std::clamp<int64_t>(static_cast<int64_t>(floor), 0, axis.in_size - 1),
        std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, axis.in_size - 1), at - floor};
  }
  return all;
}

Status ReadSize(const Tensor& size, int64_t* rows, int64_t* columns) {
  if (size.rank() != 1) return InvalidArgument("shape_t must be 1-dimensional", size.shape());
  if (size.num_elements() != 2)
    return InvalidArgument("shape_t must have two elements", size.shape());
  *rows = IndexAt(size, 0);
  *columns = IndexAt(size, 1);
  if (*rows <= 0 || *columns <= 0) return InvalidArgument("output dimensions must be positive");
  return {};
}

Status CheckImages(const Tensor& images) {
  if (images.rank() != 4) return InvalidArgument("input must be 4-dimensional", images.shape());
  if (images.dim(1) <= 0 || images.dim(2) <= 0)
    return InvalidArgument("input image must be of non-zero size");
  if (images.dim(3) <= 0) return InvalidArgument("image must have at least one channel");
  return {};
}

// The result's shape for images [batch, …, …, channels] of a size asked for.
Result<Shape> ResizedShape(const Tensor& images, const Tensor& size) {
  TENSH_RETURN_IF_ERROR(CheckImages(images));
  int64_t rows = 0, columns = 0;
  TENSH_RETURN_IF_ERROR(ReadSize(size, &rows, &columns));
  const int64_t dims[] = {images.dim(0), rows, columns, images.dim(3)};
  return Shape::Make(dims, true);
}

struct Bilinear {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const Shape shape, ResizedShape(x, c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto& s = c.state<ResizeState>();
    const int64_t in_row = x.dim(2) * x.dim(3), depth = x.dim(3);
    const std::vector<Between> rows = Positions(Axis(s, x.dim(1), shape[1]), shape[1]);
    const std::vector<Between> columns = Positions(Axis(s, x.dim(2), shape[2]), shape[2]);
    const T* in = x.data<T>();
    float* out = y->data<float>();
    const int64_t out_row = shape[2] * depth;
    c.ParallelFor(
        shape[0] * shape[1], 3.0 * static_cast<double>(out_row), [&](int64_t b, int64_t e) {
          for (int64_t line = b; line < e; ++line) {
            const Between& r = rows[static_cast<size_t>(line % shape[1])];
            const T* image = in + line / shape[1] * x.dim(1) * in_row;
            const T *top = image + r.low * in_row, *bottom = image + r.high * in_row;
            float* to = out + line * out_row;
            for (const Between& k : columns)
              for (int64_t d = 0; d < depth; ++d, ++to) {
                const float tl = static_cast<float>(top[k.low * depth + d]);
                const float tr = static_cast<float>(top[k.high * depth + d]);
                const float bl = static_cast<float>(bottom[k.low * depth + d]);
                const float br = static_cast<float>(bottom[k.high * depth + d]);
                const float above = tl + (tr - tl) * k.part, below = bl + (br - bl) * k.part;
                *to = above + (below - above) * r.part;
              }
          }
        });
    return {};
  }
};

// Every gradient goes to the four pixels its output was made of.
struct BilinearGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &dy = c.in(0), &original = c.in(1);
    if (dy.rank() != 4) return InvalidArgument("input_grad must be 4-dimensional", dy.shape());
    TENSH_RETURN_IF_ERROR(CheckImages(original));
    if (dy.dim(0) != original.dim(0) || dy.dim(3) != original.dim(3))
      return InvalidArgument("gradients and original_image must have the same batch and channels: ",
                             dy.shape(), " vs. ", original.shape());
    TENSH_OUTPUT(dx, c.Output(0, original.shape()));
    T* out = dx->data<T>();
    std::fill_n(out, dx->num_elements(), T{0});
    if (!dy.num_elements()) return {};
    const auto& s = c.state<ResizeState>();
    const int64_t row = dx->dim(2) * dx->dim(3), depth = dx->dim(3);
    const std::vector<Between> rows = Positions(Axis(s, dx->dim(1), dy.dim(1)), dy.dim(1));
    const std::vector<Between> columns = Positions(Axis(s, dx->dim(2), dy.dim(2)), dy.dim(2));
    c.ParallelFor(dy.dim(0), 8.0 * static_cast<double>(dy.num_elements() / dy.dim(0)),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t b = begin; b < end; ++b) {
                      const float* in = dy.data<float>() + b * dy.dim(1) * dy.dim(2) * depth;
                      T* image = out + b * dx->dim(1) * row;
                      for (const Between& r : rows)
                        for (const Between& k : columns)
                          for (int64_t d = 0; d < depth; ++d)
                            Spread(*in++, r, k, image + d, row, depth);
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
    const Axis rows(s, x.dim(1), shape[1]), columns(s, x.dim(2), shape[2]);
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
    const Axis rows(s, shape[1], dy.dim(1)), columns(s, shape[2], dy.dim(2));
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

// ---- shapes, gradients, rows ----

Status ResizeShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(c.WithRank(0, 4));
  TENSH_RETURN_IF_ERROR(c.WithRank(1, 1));
  if (c.in(1).has_rank() && c.in(1)[0] >= 0 && c.in(1)[0] != 2)
    return InvalidArgument("Dimension must be 2 but is ", c.in(1)[0]);
  Shape out = Shape::UnknownOfRank(4);
  if (c.in(0).has_rank()) {
    out.set_dim(0, c.in(0)[0]);
    out.set_dim(3, c.in(0)[3]);
  }
  if (const Tensor* size = c.constant(1)) {
    for (int i = 0; i < 2; ++i) {
      if (IndexAt(*size, i) < 0)
        return InvalidArgument("Dimension ", IndexAt(*size, i), " must be >= 0");
      out.set_dim(i + 1, IndexAt(*size, i));
    }
  }
  c.Set(0, out);
  return {};
}

std::vector<NamedAttr> Centers(GradScope& g) {
  return {{"align_corners", g.attrs().Bool("align_corners")},
          {"half_pixel_centers", g.attrs().Bool("half_pixel_centers")}};
}

Status BilinearBackward(GradScope& g) {
  return g.Return({g.Op("ResizeBilinearGrad", {g.dy(), g.x(0)}, Centers(g)), {}});
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
  return g.Return({g.Op("ResizeNearestNeighborGrad", {g.dy(), size}, Centers(g)), {}});
}

constexpr char kPixels[] =
    "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}, "
    "align_corners: bool = false, half_pixel_centers: bool = false";
constexpr char kDoc[] =
    " size: two numbers, rows and columns. T: the type of images. align_corners: the corners of "
    "both are the same. half_pixel_centers: pixels are squares, and are compared at their centres.";

}  // namespace

TENSH_OPS(image_resize) {
  constexpr KernelOptions kOptions = {.prepare = PrepareResize};
  r.Op({.name = "ResizeBilinear",
        .inputs = "images: T, size: int32",
        .outputs = "resized_images: float",
        .attrs = kPixels,
        .doc = StrCat("Images of another size, bilinearly interpolated. images: [batch, rows, "
                      "columns, channels].",
                      kDoc),
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
        .doc = "The gradient of ResizeBilinear. grads: what arrives. original_image: what was "
               "resized. T: its type. align_corners, half_pixel_centers: as there.",
        .shape = SameAsInput<1>,
        .examples = {{"tf.raw_ops.ResizeBilinearGrad(grads=[[[[1.], [1.]]]], "
                      "original_image=[[[[0.]]]])",
                      "[[[[2.]]]]"}}})
      .Cpu<float, double>(BilinearGrad{}, kOptions);
  r.Op({.name = "ResizeNearestNeighbor",
        .inputs = "images: T, size: int32",
        .outputs = "resized_images: T",
        .attrs = kPixels,
        .doc = StrCat("Images of another size: the nearest pixel. images: [batch, rows, columns, "
                      "channels].",
                      kDoc),
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
        .doc = "The gradient of ResizeNearestNeighbor. grads: what arrives. size: rows and columns "
               "of what was resized. T: its type. align_corners, half_pixel_centers: as there.",
        .shape = ResizeShape,
        .examples = {{"tf.raw_ops.ResizeNearestNeighborGrad(grads=[[[[1.], [1.]]]], size=[1, 1])",
                      "[[[[2.]]]]"}}})
      .Cpu<float, double, int32_t>(NearestGrad{}, kOptions);
}

}  // namespace tensh::ops
