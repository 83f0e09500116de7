// ScaleAndTranslate and its gradient: images resampled with a filter of the caller's choice, as
// tf.image.resize does for all methods but the plainest. Each output row and column is a weighted
// sum of a span of input rows and columns.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/image/resize_axis.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// ---- filters, as functions of the distance x >= 0 in pixels ----

struct Filter {
  std::string_view name;
  float radius;
  float (*at)(float x, float radius);
};

float Lanczos(float x, float radius) {
  constexpr float kPi = 3.14159265359f, kNear = 1e-3f;
  if (x > radius) return 0;
  if (x <= kNear) return 1;
  return radius * std::sin(kPi * x) * std::sin(kPi * x / radius) / (kPi * kPi * x * x);
}
float Gaussian(float x, float radius) {
  if (x >= radius) return 0;
  const float sigma = radius / 3;
  return static_cast<float>(
      std::exp(static_cast<double>(-x * x) /
               (2.0 * static_cast<double>(sigma) * static_cast<double>(sigma))));
}
float Box(float x, float /*radius*/) { return x < 0.5f ? 1.0f : x == 0.5f ? 0.5f : 0.0f; }
float Triangle(float x, float /*radius*/) { return x < 1 ? 1 - x : 0; }
float KeysCubic(float x, float /*radius*/) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5f * x + 2.5f) * x - 4.0f) * x + 2.0f : ((1.5f * x - 2.5f) * x) * x + 1.0f;
}
float MitchellCubic(float x, float /*radius*/) {
  if (x >= 2) return 0;
  if (x >= 1) return (((-7.0f / 18.0f) * x + 2.0f) * x - 10.0f / 3.0f) * x + 16.0f / 9.0f;
  return (((7.0f / 6.0f) * x - 2.0f) * x) * x + 8.0f / 9.0f;
}

constexpr Filter kFilters[] = {
    {"lanczos1", 1, Lanczos},
    {"lanczos3", 3, Lanczos},
    {"lanczos5", 5, Lanczos},
    {"gaussian", 1.5f, Gaussian},
    {"box", 1, Box},
    {"triangle", 1, Triangle},
    {"keyscubic", 2, KeysCubic},
    {"mitchellcubic", 2, MitchellCubic},
};

struct SampleState : KernelState {
  const Filter* filter = nullptr;
  bool antialias = true;
  Status Read(PrepareCtx& c) {
    const std::string& name = c.attrs().String("kernel_type");
    antialias = c.attrs().Bool("antialias");
    for (const Filter& f : kFilters)
      if (f.name == name) filter = &f;
    if (filter) return {};
    return InvalidArgument(
        "Unrecognized kernel type: ", name,
        "; use lanczos1, lanczos3, lanczos5, gaussian, box, triangle, keyscubic or mitchellcubic");
  }
};

// ---- spans ----

// For each output pixel along one dimension, the first input pixel of its span and the weights.
struct Spans {
  std::vector<int64_t> begin;
  std::vector<std::vector<float>> weights;
};

// The mapping along one dimension: input pixel x is drawn at x * scale + translation.
struct SampleAxis {
  float scale, translation;
};

// A filter is widened if the image shrinks and `antialias` is set. A pixel outside of the image has
// no span.
Spans MakeSpans(const SampleState& s, SampleAxis axis, int64_t in, int64_t out) {
  const auto inverse = static_cast<float>(1.0 / static_cast<double>(axis.scale));
  const float back = -inverse * axis.translation;
  const float wide = s.antialias ? std::max(inverse, 1.0f) : 1.0f, narrow = 1.0f / wide;
  Spans spans{std::vector<int64_t>(static_cast<size_t>(out)),
              std::vector<std::vector<float>>(static_cast<size_t>(out))};
  const auto bound = [&](float at) {
    return std::isnan(at) ? 0
                          : static_cast<int64_t>(std::clamp(at, 0.0f, static_cast<float>(in - 1)));
  };
  for (size_t o = 0; o < spans.begin.size(); ++o) {
    const float at = (static_cast<float>(o) + 0.5f) * inverse + back;
    if (!(at >= 0) || at > static_cast<float>(in)) continue;
    const int64_t begin = bound(std::ceil(at - s.filter->radius * wide - 0.5f));
    const int64_t end = bound(std::floor(at + s.filter->radius * wide - 0.5f)) + 1;
    std::vector<float>& weights = spans.weights[o];
    float sum = 0;
    for (int64_t i = begin; i < end; ++i) {
      const float distance = static_cast<float>(i) + 0.5f - at;
      weights.push_back(s.filter->at(std::fabs(distance * narrow), s.filter->radius));
      sum += weights.back();
    }
    const bool is_zero = !(std::fabs(sum) >= 1000.0f * std::numeric_limits<float>::min());
    const float factor = is_zero ? 0 : 1.0f / sum;
    for (float& w : weights) w *= factor;
    spans.begin[o] = begin;
  }
  return spans;
}

// Returns the spans of the gradient: for each input pixel, the output pixels that it contributes to.
Spans Transposed(const Spans& spans, int64_t in) {
  Spans all{std::vector<int64_t>(static_cast<size_t>(in)),
            std::vector<std::vector<float>>(static_cast<size_t>(in))};
  for (size_t o = 0; o < spans.begin.size(); ++o)
    for (size_t k = 0; k < spans.weights[o].size(); ++k) {
      const float weight = spans.weights[o][k];
      if (weight == 0) continue;
      const size_t i = static_cast<size_t>(spans.begin[o]) + k;
      std::vector<float>& weights = all.weights[i];
      if (weights.empty()) all.begin[i] = static_cast<int64_t>(o);
      weights.resize(o - static_cast<size_t>(all.begin[i]) + 1);
      weights.back() += weight;
    }
  return all;
}

// Adds weight * in to out, n times.
template <class T>
void AddScaled(float weight, const T* in, int64_t n, float* out) {
  for (int64_t i = 0; i < n; ++i) out[i] += weight * static_cast<float>(in[i]);
}

// Sums the spans of rows, then those of columns, of images x into y.
template <class T>
void Sample(KernelCtx& c, const Tensor& x, const Spans& rows, const Spans& columns, Tensor* y) {
  const int64_t depth = x.dim(3), line = x.dim(2) * depth, out_line = y->dim(2) * depth;
  c.ParallelFor(y->dim(0) * y->dim(1), 4.0 * static_cast<double>(line), [&](int64_t b, int64_t e) {
    std::vector<float> sums(static_cast<size_t>(line));
    for (int64_t i = b; i < e; ++i) {
      const auto row = static_cast<size_t>(i % y->dim(1));
      const T* in = x.data<T>() + (i / y->dim(1) * x.dim(1) + rows.begin[row]) * line;
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (const float weight : rows.weights[row]) {
        AddScaled(weight, in, line, sums.data());
        in += line;
      }
      float* to = y->data<float>() + i * out_line;
      std::fill_n(to, out_line, 0.0f);
      for (size_t k = 0; k < columns.begin.size(); ++k, to += depth) {
        const float* from = sums.data() + columns.begin[k] * depth;
        for (const float weight : columns.weights[k]) {
          AddScaled(weight, from, depth, to);
          from += depth;
        }
      }
    }
  });
}

// Reads the mappings of rows and columns from inputs 2 and 3.
Status ReadAxes(KernelCtx& c, SampleAxis* axes) {
  const auto *scale = c.in(2).data<float>(), *translation = c.in(3).data<float>();
  if (!(scale[0] > 0 && scale[1] > 0)) return InvalidArgument("Scale must be greater than zero.");
  for (int i = 0; i < 2; ++i) axes[i] = {scale[i], translation[i]};
  return {};
}

struct ScaleAndTranslate {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<SampleState>();
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const Shape shape, ResizedShape(x, c.in(1)));
    SampleAxis axes[2];
    TENSH_RETURN_IF_ERROR(ReadAxes(c, axes));
    TENSH_OUTPUT(y, c.Output(0, shape));
    if (!y->num_elements()) return {};
    Sample<T>(c, x, MakeSpans(s, axes[0], x.dim(1), shape[1]),
              MakeSpans(s, axes[1], x.dim(2), shape[2]), y);
    return {};
  }
};

// The inputs are grads, original_image, scale and translation.
Status ScaleAndTranslateGrad(KernelCtx& c) {
  const auto& s = c.state<SampleState>();
  const Tensor &dy = c.in(0), &original = c.in(1);
  SampleAxis axes[2];
  TENSH_RETURN_IF_ERROR(ReadAxes(c, axes));
  const int64_t rows = original.dim(1), columns = original.dim(2);
  TENSH_OUTPUT(dx, c.Output(0, Shape({dy.dim(0), rows, columns, dy.dim(3)})));
  if (!dx->num_elements()) return {};
  Sample<float>(c, dy, Transposed(MakeSpans(s, axes[0], rows, dy.dim(1)), rows),
                Transposed(MakeSpans(s, axes[1], columns, dy.dim(2)), columns), dx);
  return {};
}

Status GradShape(ShapeCtx& c) {
  c.Set(0, c.in(1));
  return {};
}

Status Backward(GradScope& g) {
  return g.Return({g.Op("ScaleAndTranslateGrad", {g.dy(), g.x(0), g.x(2), g.x(3)},
                        {{"kernel_type", g.attrs().String("kernel_type")},
                         {"antialias", g.attrs().Bool("antialias")}}),
                   {},
                   {},
                   {}});
}

}  // namespace

TENSH_OPS(image_scale_and_translate) {
  constexpr char kDoc[] =
      " scale, translation: row x of images is drawn at x * scale[0] + translation[0], likewise "
      "for "
      "columns. kernel_type: the filter: lanczos1, lanczos3, lanczos5, gaussian, box, triangle, "
      "keyscubic or mitchellcubic. antialias: widen the filter if images shrink.";
  r.Op({.name = "ScaleAndTranslate",
        .inputs = "images: T, size: int32, scale: float, translation: float",
        .outputs = "resized_images: float",
        .attrs = "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}, "
                 "kernel_type: string = 'lanczos3', antialias: bool = true",
        .doc = StrCat("Scales and moves images. images: [batch, rows, columns, channels] of type "
                      "T. size: the rows and columns of resized_images. Pixels outside of images "
                      "are 0.",
                      kDoc),
        .contract = "images: rank 4, size: vector of 2, scale: vector of 2, "
                    "translation: vector of 2",
        .shape = ResizeShape,
        .grad = Backward,
        .examples = {{"tf.raw_ops.ScaleAndTranslate(images=[[[[1.], [3.]]]], size=[1, 4], "
                      "scale=[1., 2.], translation=[0., 0.], kernel_type='triangle')[0, 0, :, 0]",
                      "[1.  1.5 2.5 3. ]"}}})
      .Cpu<int8_t, uint8_t, int16_t, uint16_t, int32_t, int64_t, float, double>(
          ScaleAndTranslate{}, {.prepare = PrepareFrom<SampleState>});
  r.Op({.name = "ScaleAndTranslateGrad",
        .inputs = "grads: T, original_image: T, scale: float, translation: float",
        .outputs = "output: T",
        .attrs = "T: {float}, kernel_type: string = 'lanczos3', antialias: bool = true",
        .doc = StrCat("The gradient of ScaleAndTranslate. grads: the incoming gradient, of type T. "
                      "original_image: the images that were resampled.",
                      kDoc),
        .contract = "grads: rank 4, original_image: rank 4, scale: vector of 2, "
                    "translation: vector of 2",
        .shape = GradShape,
        .examples = {{"tf.raw_ops.ScaleAndTranslateGrad(grads=[[[[1.], [1.], [1.], [1.]]]], "
                      "original_image=[[[[1.], [3.]]]], scale=[1., 2.], translation=[0., 0.], "
                      "kernel_type='triangle')[0, 0, :, 0]",
                      "[2. 2.]"}}})
      .CpuAny(ScaleAndTranslateGrad, PrepareFrom<SampleState>);
}

}  // namespace tensh::ops
