// RGBToHSV, HSVToRGB, AdjustContrast, AdjustHue and AdjustSaturation.
#include <algorithm>
#include <cmath>

#include "ops/image/color.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
Status CheckColors(const Tensor& x, bool adjusted) {
  if (x.dim(x.rank() - 1) == 3) return {};
  const std::string text =
      StrCat("input must have 3 channels but instead has ", x.dim(x.rank() - 1), " channels.");
  return adjusted ? InvalidArgument(text) : FailedPrecondition(text);
}

namespace {

// Sets output 0 to fn(pixel) for each pixel of input 0.
template <class T, class Fn>
Status MapPixels(KernelCtx& c, Fn fn) {
  const Tensor& x = c.in(0);
  const T* in = x.data<T>();
  const int64_t pixels = x.num_elements() / 3;
  TENSH_OUTPUT(y, c.Forward(0, 0, x.shape()));
  T* out = y->data<T>();
  c.ParallelFor(pixels, 20, [&](int64_t begin, int64_t end) {
    for (int64_t p = 3 * begin; p < 3 * end; p += 3) {
      const Pixel<T> made = fn(Pixel<T>{in[p], in[p + 1], in[p + 2]});
      out[p] = made.a;
      out[p + 1] = made.b;
      out[p + 2] = made.c;
    }
  });
  return {};
}

struct RgbToHsv {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_RETURN_IF_ERROR(CheckColors(c.in(0)));
    return MapPixels<T>(c, [](Pixel<T> p) { return ToHsv(p); });
  }
};
struct HsvToRgb {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_RETURN_IF_ERROR(CheckColors(c.in(0)));
    return MapPixels<T>(c, [](Pixel<T> p) { return ToRgb(p); });
  }
};

struct AdjustHue {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_RETURN_IF_ERROR(CheckColors(c.in(0), true));
    const T delta = *c.in(1).data<float>();
    return MapPixels<T>(c, [delta](Pixel<T> p) { return TurnHue(p, delta); });
  }
};

struct AdjustSaturation {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_RETURN_IF_ERROR(CheckColors(c.in(0), true));
    const T scale = *c.in(1).data<float>();
    return MapPixels<T>(c, [scale](Pixel<T> p) { return Saturate(p, scale); });
  }
};

// Scales the distance of each channel from its mean over the image.
struct AdjustContrast {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    const float factor = *c.in(1).data<float>();
    const T* in = x.data<T>();
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    if (!y->num_elements()) return {};
    T* out = y->data<T>();
    const int64_t channels = x.dim(x.rank() - 1);
    const int64_t area = x.dim(x.rank() - 3) * x.dim(x.rank() - 2);
    const int64_t size = area * channels;
    const double pixels = static_cast<double>(area);
    c.ParallelFor(x.num_elements() / size, 2.0 * static_cast<double>(size),
                  [&](int64_t b, int64_t e) {
                    std::vector<double> means(static_cast<size_t>(channels));
                    for (int64_t image = b * size; image < e * size; image += size) {
                      std::fill(means.begin(), means.end(), 0.0);
                      for (int64_t i = image; i < image + size; i += channels)
                        for (int64_t k = 0; k < channels; ++k)
                          means[static_cast<size_t>(k)] += static_cast<double>(in[i + k]);
                      for (double& mean : means) mean /= pixels;
                      for (int64_t i = image; i < image + size; i += channels)
                        for (int64_t k = 0; k < channels; ++k) {
                          const T mean = static_cast<T>(means[static_cast<size_t>(k)]);
                          out[i + k] = (in[i + k] - mean) * factor + mean;
                        }
                    }
                  });
    return {};
  }
};

// ---- shapes, gradients, registrations ----

Status ColorShape(ShapeCtx& c) {
  Shape s = c.in(0);
  if (s.has_rank()) {
    const int last = s.rank() - 1;
    if (s[last] >= 0 && s[last] != 3)
      return InvalidArgument("Dimension must be 3 but is ", s[last]);
    s.set_dim(last, 3);
  }
  c.Set(0, s);
  return {};
}

Status ImageShape(ShapeCtx& c) {
  c.Set(0, c.in(0));
  return {};
}

Status ContrastShape(ShapeCtx& c) { return ImageShape(c); }

// The gradient of RGBToHSV. `greatest` is 1 for the first of the largest channels and `least` for
// the last of the smallest; both are 0 elsewhere.
//   value = max                         d = greatest
//   saturation = (max - min) / max      d = greatest * min / max^2 - least / max
//   hue = n / (6 * (max - min)) + ...   n is the difference of the two channels that follow the
//                                       largest in cyclic order; d by the quotient rule
// The gradient of an undefined quotient is 0.
Status HsvBackward(GradScope& g) {
  const Out x = g.x(0), dy = g.dy();
  const DType type = g.dtype(x);
  const Out last = ConstInt(g, -1, "axis"), three = ConstInt(g, 3, "depth");
  const Out on = g.Like(1, x, "on"), off = g.Like(0, x, "off");
  auto reduce = [&](const char* op, Out t) { return g.Op(op, {t, last}, {{"keep_dims", true}}); };
  auto one_hot = [&](Out at) { return g.Op("OneHot", {at, three, on, off}); };
  auto divide = [&](Out a, Out b) { return g.Op("DivNoNan", {a, b}); };
  auto positive = [&](Out t) { return GradCast(g, g.Op("Greater", {t, off}), type); };
  auto turn = [&](Out t, std::initializer_list<int64_t> order) {
    return g.Op("GatherV2", {t, ConstInts(g, order, "order"), last});
  };
  const Out most = reduce("Max", x), least = reduce("Min", x), range = GradSub(g, most, least);
  const Out greatest = one_hot(g.Op("ArgMax", {x, last}));
  const Out smallest = turn(one_hot(g.Op("ArgMin", {turn(x, {2, 1, 0}), last})), {2, 1, 0});
  const Out n_slope = GradSub(g, turn(greatest, {2, 0, 1}), turn(greatest, {1, 2, 0}));
  const Out n = reduce("Sum", g.Mul(x, n_slope));
  const Out back = divide(g.Mul(n, GradSub(g, greatest, smallest)), g.Op("Square", {range}));
  const Out sixth = g.Mul(positive(most), g.Like(1.0 / 6, x, "sixth"));
  const Out hue = g.Mul(sixth, GradSub(g, divide(n_slope, range), back));
  const Out by_most = divide(g.Mul(greatest, least), g.Op("Square", {most}));
  const Out saturation = g.Mul(positive(x), GradSub(g, by_most, divide(smallest, most)));
  const Out parts = g.Op("Split", {last, dy}, {{"num_split", 3}});
  const Out by_value = g.Mul(g.Output(parts, 2), greatest);
  const Out by_saturation = g.Mul(g.Output(parts, 1), saturation);
  return g.Return({GradAdd(g, GradAdd(g, by_value, by_saturation), g.Mul(parts, hue))});
}

constexpr char kFloats[] = "T: {half, bfloat16, float, double} = float";
constexpr char kImages[] = "T: {half, float} = float";

}  // namespace

TENSH_OPS(image_color) {
  r.Op({.name = "RGBToHSV",
        .inputs = "images: T",
        .outputs = "output: T",
        .attrs = kFloats,
        .doc = "Converts red, green and blue to hue, saturation and value. images: the last "
               "dimension holds red, green and blue, in [0, 1]. T: the element type.",
        .contract = "images: rank 1+",
        .shape = ColorShape,
        .grad = HsvBackward,
        .examples = {{"tf.image.rgb_to_hsv([[0., 0.5, 0.]])",
                      "[[0.33333334 1.         0.5       ]]"}}})
      .Cpu<float, double>(RgbToHsv{});
  r.Op({.name = "HSVToRGB",
        .inputs = "images: T",
        .outputs = "output: T",
        .attrs = kFloats,
        .doc = "Converts hue, saturation and value to red, green and blue. images: the last "
               "dimension holds hue, saturation and value, in [0, 1]. T: the element type.",
        .contract = "images: rank 1+",
        .shape = ColorShape,
        .examples = {{"tf.image.hsv_to_rgb([[0.5, 1., 0.5]])", "[[0.  0.5 0.5]]"}}})
      .Cpu<float, double>(HsvToRgb{});
  r.Op({.name = "AdjustHue",
        .inputs = "images: T, delta: float",
        .outputs = "output: T",
        .attrs = kImages,
        .doc = "Rotates the hue of each pixel. images: the last dimension holds red, green and "
               "blue. delta: the angle, as a fraction of the circle. T: the element type.",
        .contract = "images: rank 3+, delta: scalar at run",
        .shape = ImageShape,
        .examples = {{"tf.raw_ops.AdjustHue(images=[[[1., 0., 0.]]], delta=0.5)",
                      "[[[0. 1. 1.]]]"}}})
      .Cpu<float>(AdjustHue{});
  r.Op({.name = "AdjustSaturation",
        .inputs = "images: T, scale: float",
        .outputs = "output: T",
        .attrs = kImages,
        .doc = "Multiplies the saturation of each pixel. images: the last dimension holds red, "
               "green and blue. scale: the factor. T: the element type.",
        .contract = "images: rank 3+, scale: scalar at run",
        .shape = ImageShape,
        .examples = {{"tf.raw_ops.AdjustSaturation(images=[[[1., 0., 0.]]], scale=0.5)",
                      "[[[1.  0.5 0.5]]]"}}})
      .Cpu<float>(AdjustSaturation{});
  r.Op({.name = "AdjustContrastv2",
        .inputs = "images: T, contrast_factor: float",
        .outputs = "output: T",
        .attrs = kImages,
        .doc = "Multiplies the distance of each pixel from the mean of its channel. images: [..., "
               "rows, columns, channels]. contrast_factor: the factor. T: the element type.",
        .contract = "images: rank 3+, contrast_factor: scalar",
        .shape = ContrastShape,
        .examples = {{"tf.raw_ops.AdjustContrastv2(images=[[[1.], [3.]]], contrast_factor=2.0)",
                      "[[[0.]\n  [4.]]]"}}})
      .Cpu<float>(AdjustContrast{});
}

}  // namespace tensh::ops
