// ResizeBicubic: cubic convolution (Keys, 1981), with its gradient. Like TensorFlow, takes the
// coefficients from a table of 1024 positions between two pixels.
#include <algorithm>
#include <cmath>

#include "ops/image/resize_axis.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

constexpr int kPlaces = 1024;

// Keys' kernel with parameter a, tabulated at the distances i / 1024 and 1 + i / 1024.
struct CubicTable {
  explicit CubicTable(double a) {
    for (int i = 0; i <= kPlaces; ++i) {
      const double x = i * 1.0 / kPlaces, far = x + 1;
      near_[i] = static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
      far_[i] = static_cast<float>(((a * far - 5 * a) * far + 8 * a) * far - 4 * a);
    }
  }
  float near_[kPlaces + 1], far_[kPlaces + 1];
};

const CubicTable& TableFor(bool half_pixel) {
  static const CubicTable keys(-0.5), old(-0.75);
  return half_pixel ? keys : old;
}

// The four input pixels along one dimension that an output pixel is computed from.
struct Four {
  int64_t at[4];
  float weight[4];
};

Four MakeFour(const ResizeAxis& axis, const CubicTable& table, int64_t o) {
  const float at = axis.At(o), floor = std::floor(at);
  const int place = static_cast<int>(std::lrintf((at - floor) * kPlaces));
  Four f{{},
         {table.far_[place], table.near_[place], table.near_[kPlaces - place],
          table.far_[kPlaces - place]}};
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    const float wanted = floor + static_cast<float>(i - 1);
    f.at[i] = axis.Bound(wanted);
    // With half-pixel centers, positions outside of the image have weight 0.
    if (axis.half && static_cast<float>(f.at[i]) != wanted) f.weight[i] = 0;
    sum += f.weight[i];
  }
  if (axis.half && std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min()) {
    const float scale = 1.0f / sum;
    for (float& w : f.weight) w *= scale;
  }
  return f;
}

std::vector<Four> Places(const ResizeAxis& axis, int64_t out) {
  std::vector<Four> all;
  all.reserve(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) all.push_back(MakeFour(axis, TableFor(axis.half), o));
  return all;
}

struct Bicubic {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const Shape shape, ResizedShape(x, c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto& s = c.state<ResizeState>();
    const std::vector<Four> rows = Places(ResizeAxis(s, x.dim(1), shape[1]), shape[1]);
    const std::vector<Four> columns = Places(ResizeAxis(s, x.dim(2), shape[2]), shape[2]);
    const int64_t depth = x.dim(3), in_row = x.dim(2) * depth, out_row = shape[2] * depth;
    const T* in = x.data<T>();
    float* out = y->data<float>();
    c.ParallelFor(shape[0] * shape[1], 3.0 * static_cast<double>(in_row + 2 * out_row),
                  [&](int64_t begin, int64_t end) {
                    std::vector<float> mixed(static_cast<size_t>(in_row));  // four rows combined
                    for (int64_t line = begin; line < end; ++line) {
                      const Four& r = rows[static_cast<size_t>(line % shape[1])];
                      MixRows(in + line / shape[1] * x.dim(1) * in_row, r, in_row, mixed.data());
                      MixColumns(mixed.data(), columns, depth, out + line * out_row);
                    }
                  });
    return {};
  }

  template <class T>
  static void MixRows(const T* image, const Four& r, int64_t n, float* mixed) {
    const T* row[4];
    for (int k = 0; k < 4; ++k) row[k] = image + r.at[k] * n;
    for (int64_t i = 0; i < n; ++i)
      mixed[i] = static_cast<float>(row[0][i]) * r.weight[0] +
                 static_cast<float>(row[1][i]) * r.weight[1] +
                 static_cast<float>(row[2][i]) * r.weight[2] +
                 static_cast<float>(row[3][i]) * r.weight[3];
  }

  static void MixColumns(const float* mixed, const std::vector<Four>& columns, int64_t depth,
                         float* out) {
    for (const Four& q : columns)
      for (int64_t d = 0; d < depth; ++d) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += mixed[q.at[k] * depth + d] * q.weight[k];
        *out++ = sum;
      }
  }
};

// Distributes each gradient to the sixteen pixels that its output was computed from.
struct BicubicGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &dy = c.in(0), &original = c.in(1);
    TENSH_RETURN_IF_ERROR(CheckResizeGradient(dy, original));
    TENSH_OUTPUT(dx, c.Output(0, original.shape()));
    T* out = dx->data<T>();
    std::fill_n(out, dx->num_elements(), T{0});
    if (!dy.num_elements()) return {};
    const auto& s = c.state<ResizeState>();
    const std::vector<Four> rows = Places(ResizeAxis(s, dx->dim(1), dy.dim(1)), dy.dim(1));
    const std::vector<Four> columns = Places(ResizeAxis(s, dx->dim(2), dy.dim(2)), dy.dim(2));
    const int64_t depth = dx->dim(3), row = dx->dim(2) * depth;
    const int64_t given = dy.num_elements() / dy.dim(0);
    c.ParallelFor(dy.dim(0), 20.0 * static_cast<double>(given), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const float* in = dy.data<float>() + b * given;
        for (const Four& r : rows)
          for (const Four& q : columns) {
            Spread(in, r, q, depth, row, out + b * dx->dim(1) * row);
            in += depth;
          }
      }
    });
    return {};
  }

  template <class T>
  static void Spread(const float* in, const Four& r, const Four& q, int64_t depth, int64_t row,
                     T* image) {
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const float weight = r.weight[i] * q.weight[j];
        T* to = image + r.at[i] * row + q.at[j] * depth;
        for (int64_t d = 0; d < depth; ++d) to[d] += static_cast<T>(in[d] * weight);
      }
  }
};

// Integer images get no gradient.
Status BicubicBackward(GradScope& g) {
  const DType type = g.dtype(g.x(0));
  if (type != DType::kFloat && type != DType::kDouble) return g.Return({{}, {}});
  return g.Return({g.Op("ResizeBicubicGrad", {g.dy(), g.x(0)}, ResizeCenters(g)), {}});
}

}  // namespace

TENSH_OPS(image_resize_bicubic) {
  constexpr KernelOptions kOptions = {.prepare = PrepareFrom<ResizeState>};
  r.Op({.name = "ResizeBicubic",
        .inputs = "images: T, size: int32",
        .outputs = "resized_images: float",
        .attrs = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}, "
                 "align_corners: bool = false, half_pixel_centers: bool = false",
        .doc =
            "Resizes images by cubic convolution. images: [batch, rows, columns, channels]. size: "
            "rows and columns. T: the type of images. align_corners: align the centers of the "
            "corner pixels. half_pixel_centers: pixel centers are at half-integer positions.",
        .contract = "images: rank 4, size: vector of 2",
        .shape = ResizeShape,
        .grad = BicubicBackward,
        .examples = {{"tf.image.resize_bicubic([[[[1.], [3.]]]], [1, 4])[0, 0, :, 0]",
                      "[1.     2.     3.     3.1875]"}}})
      .Cpu<float, double, int32_t, int64_t>(Bicubic{}, kOptions);
  r.Op({.name = "ResizeBicubicGrad",
        .inputs = "grads: float, original_image: T",
        .outputs = "output: T",
        .attrs =
            "T: {float, double}, align_corners: bool = false, half_pixel_centers: bool = false",
        .doc = "The gradient of ResizeBicubic. grads: the incoming gradient. original_image: the "
               "image that was resized. T: its type. align_corners, half_pixel_centers: those of "
               "ResizeBicubic.",
        .contract = "grads: rank 4 at run, original_image: rank 4 at run",
        .shape = SameAsInput<1>,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ResizeBicubicGrad(grads=[[[[1.], [1.]]]], "
                      "original_image=[[[[0.]]]])",
                      "[[[[2.]]]]"}}})
      .Cpu<float, double>(BicubicGrad{}, kOptions);
}

}  // namespace tensh::ops
