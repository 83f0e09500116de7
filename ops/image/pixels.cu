// Color ops and CropAndResize on GPUs.
#include "devices/cuda/cuda_reduce.h"
#include "ops/image/color.h"
#include "ops/image/crop.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::cuda {
namespace {

using ops::Pixel;

// ---- colors ----

enum class Change : uint8_t { kToHsv, kToRgb, kTurn, kSaturate };

// The amount of the change is read from device memory.
template <Change change>
struct MapPixels {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    constexpr bool kAdjusts = change == Change::kTurn || change == Change::kSaturate;
    TENSH_RETURN_IF_ERROR(ops::CheckColors(x, kAdjusts));
    const auto in = In<T>(x);
    const auto by = kAdjusts ? In<float>(c.in(1)) : Dev<const float>{nullptr};
    const int64_t pixels = x.num_elements() / 3;
    TENSH_OUTPUT(y, c.Forward(0, 0, x.shape()));
    const auto out = Out<T>(y);
    return ForEach(c, pixels, [=] TENSH_DEVICE(int64_t p) {
      const Pixel<T> from{in[3 * p], in[3 * p + 1], in[3 * p + 2]};
      const Pixel<T> to = change == Change::kToHsv   ? ops::ToHsv(from)
                          : change == Change::kToRgb ? ops::ToRgb(from)
                          : change == Change::kTurn  ? ops::TurnHue(from, static_cast<T>(by[0]))
                                                     : ops::Saturate(from, static_cast<T>(by[0]));
      out[3 * p] = to.a;
      out[3 * p + 1] = to.b;
      out[3 * p + 2] = to.c;
    });
  }
};

// Scales the distance of each channel from its mean over the image.
struct AdjustContrast {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    if (!y->num_elements()) return {};
    const int64_t channels = x.dim(x.rank() - 1);
    const int64_t pixels = x.dim(x.rank() - 3) * x.dim(x.rank() - 2), size = pixels * channels;
    const int64_t means_count = x.num_elements() / pixels;
    TENSH_ASSIGN(const Tensor means, Scratch(c, kDTypeOf<T>, means_count));
    const auto in = In<T>(x);
    const auto mean = Out<T>(means);
    TENSH_RETURN_IF_ERROR(Reduce(
        c, means_count, pixels, true, 0.0,
        [=] TENSH_DEVICE(int64_t o, int64_t k) {
          return static_cast<double>(in[o / channels * size + k * channels + o % channels]);
        },
        [] TENSH_DEVICE(double a, double b) { return a + b; },
        [=] TENSH_DEVICE(int64_t o, double sum) {
          mean[o] = static_cast<T>(sum / static_cast<double>(pixels));
        }));
    const auto factor = In<float>(c.in(1));
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const T m = mean[i / size * channels + i % channels];
      out[i] = (in[i] - m) * static_cast<T>(factor[0]) + m;
    });
  }
};

// ---- boxes ----

using Box = ops::CropBox<float>;
using Sides = ops::CropSides<float>;

// The data that samples are computed from: the sizes, the boxes, and the image of each box. Image
// numbers out of range are errors, so the host checks them first.
struct Crops {
  int64_t rows_in, columns_in, depth, rows, columns;
  Dev<const float> boxes;
  Dev<const int32_t> image_of;

  TENSH_DEVICE Box BoxAt(int64_t n) const {
    return {boxes.at + 4 * n, rows_in, columns_in, rows, columns};
  }
  // Returns the offset of the image that crop n is cut from.
  TENSH_DEVICE int64_t ImageAt(int64_t n) const {
    return image_of[n] * rows_in * columns_in * depth;
  }
  TENSH_DEVICE int64_t At(int64_t row, int64_t column) const {
    return (row * columns_in + column) * depth;
  }
};
// `there` holds the image numbers in device memory.
Crops CropsOf(const Shape& image, const Shape& crops, const Tensor& boxes, const Tensor& there) {
  return {image[1], image[2], image[3], crops[1], crops[2], In<float>(boxes), In<int32_t>(there)};
}

// The position of sample i: crop, row and column in it, channel.
struct Sample {
  int64_t n, row, column, d;
};
TENSH_DEVICE inline Sample SampleAt(const Crops& s, int64_t i) {
  const int64_t pixel = i / s.depth, line = pixel / s.columns;
  return {line / s.rows, line % s.rows, pixel % s.columns, i % s.depth};
}

struct CropAndResize {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape shape, ops::CropsShape(c));
    TENSH_OUTPUT(crops, c.Output(0, shape));
    if (!crops->num_elements()) return {};
    TENSH_ASSIGN(const Tensor there, c.in(2).CopyTo(c.allocator()));
    const Crops s = CropsOf(c.in(0).shape(), shape, c.in(1), there);
    const bool nearest = c.state<ops::CropState>().nearest;
    const float outside = c.state<ops::CropState>().outside;
    const auto in = In<T>(c.in(0));
    const auto out = Out<float>(crops);
    return ForEach(c, crops->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const Sample at = SampleAt(s, i);
      const Box box = s.BoxAt(at.n);
      const float y = box.rows.At(at.row), x = box.columns.At(at.column);
      if (!box.rows.Inside(y) || !box.columns.Inside(x)) {
        out[i] = outside;
        return;
      }
      const T* image = in.at + s.ImageAt(at.n) + at.d;
      if (nearest) {
        out[i] = static_cast<float>(image[s.At(box.rows.Nearest(y), box.columns.Nearest(x))]);
        return;
      }
      const Sides down(box.rows, y), across(box.columns, x);
      const auto tl = static_cast<float>(image[s.At(down.low, across.low)]),
                 tr = static_cast<float>(image[s.At(down.low, across.high)]),
                 bl = static_cast<float>(image[s.At(down.high, across.low)]),
                 br = static_cast<float>(image[s.At(down.high, across.high)]);
      const float above = tl + (tr - tl) * across.part, below = bl + (br - bl) * across.part;
      out[i] = above + (below - above) * down.part;
    });
  }
};

struct GradImage {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &grads = c.in(0), &boxes = c.in(1);
    TENSH_ASSIGN(const Shape image, ops::ShapeFromTensor(c.in(3)));
    TENSH_RETURN_IF_ERROR(ops::CheckImage(image));
    TENSH_ASSIGN(const int64_t count, ops::CountBoxes(boxes, c.in(2), image[0]));
    TENSH_RETURN_IF_ERROR(ops::CheckCropGrads(grads, count));
    if (grads.dim(3) != image[3]) return InvalidArgument("image_size and grads are incompatible");
    TENSH_OUTPUT(dx, c.Output(0, image));
    ops::ZeroElements(c, dx->dtype(), dx->raw(), dx->num_elements());
    if (!grads.num_elements()) return {};
    TENSH_ASSIGN(const Tensor there, c.in(2).CopyTo(c.allocator()));
    const Crops s = CropsOf(image, grads.shape(), boxes, there);
    const bool nearest = c.state<ops::CropState>().nearest;
    const auto dy = In<float>(grads);
    const auto out = Out<T>(dx);
    return ForEach(c, grads.num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const Sample at = SampleAt(s, i);
      const Box box = s.BoxAt(at.n);
      const float y = box.rows.At(at.row), x = box.columns.At(at.column);
      if (!box.rows.Inside(y) || !box.columns.Inside(x)) return;
      T* image_at = out.at + s.ImageAt(at.n) + at.d;
      if (nearest) {
        AtomicAdd(image_at + s.At(box.rows.Nearest(y), box.columns.Nearest(x)),
                  static_cast<T>(dy[i]));
        return;
      }
      const Sides down(box.rows, y), across(box.columns, x);
      const float above = (1 - down.part) * dy[i], below = down.part * dy[i];
      AtomicAdd(image_at + s.At(down.low, across.low), static_cast<T>((1 - across.part) * above));
      AtomicAdd(image_at + s.At(down.low, across.high), static_cast<T>(across.part * above));
      AtomicAdd(image_at + s.At(down.high, across.low), static_cast<T>((1 - across.part) * below));
      AtomicAdd(image_at + s.At(down.high, across.high), static_cast<T>(across.part * below));
    });
  }
};

// Computes the change of the crop with each edge of its box, from the slope of the image.
struct Edges {
  float y1, x1, y2, x2;
};
struct GradBoxes {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &grads = c.in(0), &image = c.in(1), &boxes = c.in(2);
    TENSH_RETURN_IF_ERROR(ops::CheckImage(image.shape()));
    TENSH_ASSIGN(const int64_t count, ops::CountBoxes(boxes, c.in(3), image.dim(0)));
    TENSH_RETURN_IF_ERROR(ops::CheckCropGrads(grads, count));
    if (grads.dim(3) != image.dim(3)) return InvalidArgument("image, grads depth differ");
    TENSH_OUTPUT(db, c.Output(0, Shape({count, 4})));
    if (!count) return {};
    TENSH_ASSIGN(const Tensor there, c.in(3).CopyTo(c.allocator()));
    const Crops s = CropsOf(image.shape(), grads.shape(), boxes, there);
    const int64_t each = s.rows * s.columns * s.depth;
    const auto dy = In<float>(grads);
    const auto in = In<T>(image);
    const auto out = Out<float>(db);
    return ForRows(c, count, each, [=] TENSH_DEVICE(Team team, int64_t n) {
      const Box box = s.BoxAt(n);
      const T* const image_at = in.at + s.ImageAt(n);
      const auto load = [&](int64_t k) -> Edges {
        const Sample at = SampleAt(s, n * each + k);
        const float y = box.rows.At(at.row), x = box.columns.At(at.column);
        if (!box.rows.Inside(y) || !box.columns.Inside(x)) return {0, 0, 0, 0};
        const Sides down(box.rows, y), across(box.columns, x);
        const auto tl = static_cast<float>(image_at[s.At(down.low, across.low) + at.d]),
                   tr = static_cast<float>(image_at[s.At(down.low, across.high) + at.d]),
                   bl = static_cast<float>(image_at[s.At(down.high, across.low) + at.d]),
                   br = static_cast<float>(image_at[s.At(down.high, across.high) + at.d]);
        const float g = dy[n * each + k];
        const float by_y = g * ((1 - across.part) * (bl - tl) + across.part * (br - tr));
        const float by_x = g * ((1 - down.part) * (tr - tl) + down.part * (br - bl));
        const float row = box.rows.Moved(at.row), column = box.columns.Moved(at.column);
        return {by_y * (box.rows.extent - row), by_x * (box.columns.extent - column), by_y * row,
                by_x * column};
      };
      const Edges sum = team.Reduce(each, Edges{0, 0, 0, 0}, load, [](Edges p, Edges q) -> Edges {
        return {p.y1 + q.y1, p.x1 + q.x1, p.y2 + q.y2, p.x2 + q.x2};
      });
      if (!team.leads()) return;
      out[4 * n] = sum.y1, out[4 * n + 1] = sum.x1, out[4 * n + 2] = sum.y2;
      out[4 * n + 3] = sum.x2;
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(image_pixels) {
  r.Add<float, double, Half, Bfloat16>("RGBToHSV", MapPixels<Change::kToHsv>());
  r.Add<float, double, Half, Bfloat16>("HSVToRGB", MapPixels<Change::kToRgb>());
  r.Add<float, Half>("AdjustHue", MapPixels<Change::kTurn>());
  r.Add<float, Half>("AdjustSaturation", MapPixels<Change::kSaturate>());
  r.Add<float, Half>("AdjustContrastv2", AdjustContrast());
  r.Add<float, double, Half>("CropAndResize", CropAndResize(),
                             {.host = "box_ind crop_size",
                              .prepare = ops::PrepareFrom<ops::CropState>,
                              .can_record = false});
  r.Add<float, double, Half>("CropAndResizeGradImage", GradImage(),
                             {.host = "box_ind image_size",
                              .prepare = ops::PrepareFrom<ops::CropState>,
                              .can_record = false});
  r.Add<float, double, Half>("CropAndResizeGradBoxes", GradBoxes(),
                             {.host = "box_ind", .can_record = false});
}

}  // namespace tensh::cuda
