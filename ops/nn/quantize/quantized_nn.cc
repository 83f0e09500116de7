// QuantizedRelu, QuantizedRelu6, QuantizedInstanceNorm, QuantizedMaxPool, QuantizedAvgPool and
// QuantizedConcat, whose results have the type of the input.
#include "ops/nn/conv/window.h"
#include "ops/nn/pool/pixels.h"
#include "ops/nn/quantize/quantized.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// ---- activations ----

// If `most` is null, the values have no upper limit.
template <class T>
void Clamp(KernelCtx& c, FloatRange r, const float* most, Tensor* out) {
  const T low = Quantized<T>::FromFloat(0, r);
  const T high = most ? Quantized<T>::FromFloat(*most, r) : std::numeric_limits<T>::max();
  const auto x = c.in(0).flat<T>();
  for (size_t i = 0; i < x.size(); ++i) out->data<T>()[i] = std::min(std::max(x[i], low), high);
}

template <bool kSix>
Status Relu(KernelCtx& c) {
  const DType type = c.in(0).dtype();
  TENSH_RETURN_IF_ERROR(NeedTypes(type == c.out_dtype(0) && (type == kQuint8 || type == kQint32),
                                  kSix ? "QuantizedRelu6" : "QuantizedRelu",
                                  "two of tf.quint8 or tf.qint32"));
  const FloatRange r = RangeInput(c, 1);
  TENSH_OUTPUT(out, c.Output(0, c.in(0).shape()));
  constexpr float kMost = 6;
  if (type == kQuint8)
    Clamp<uint8_t>(c, r, kSix ? &kMost : nullptr, out);
  else
    Clamp<int32_t>(c, r, kSix ? &kMost : nullptr, out);
  return RangeOutput(c, r);
}

// ---- normalization ----

struct InstanceNormState : KernelState {
  bool given = false;
  FloatRange range{};
  float epsilon = 0, separation = 0;
  Status Read(PrepareCtx& c) {
    given = c.attrs().Bool("output_range_given");
    range = {c.attrs().Float("given_y_min"), c.attrs().Float("given_y_max")};
    epsilon = c.attrs().Float("variance_epsilon");
    separation = c.attrs().Float("min_separation");
    if (!given || range.min < range.max) return {};
    return InvalidArgument("given_y_min must be less than given_y_max: ", range.min, " and ",
                           range.max);
  }
};

// Normalizes the pixels of each image and channel to the mean 0 and the variance 1.
Status InstanceNorm(KernelCtx& c) {
  const auto& s = c.state<InstanceNormState>();
  const Tensor& x = c.in(0);
  TENSH_RETURN_IF_ERROR(NeedTypes(x.dtype() == kQuint8, "QuantizedInstanceNorm", "tf.quint8"));
  const FloatRange from = RangeInput(c, 1);
  if (!(from.min < from.max))
    return InvalidArgument("x_max must be larger than x_min, got ", from.max, " and ", from.min);
  TENSH_OUTPUT(out, c.Output(0, x.shape()));
  const int64_t pixels = x.dim(1) * x.dim(2), channels = x.dim(3);
  std::vector<float> y(static_cast<size_t>(x.num_elements()));
  const Dequantizer<uint8_t> dequantize(from);
  std::transform(x.data<uint8_t>(), x.data<uint8_t>() + x.num_elements(), y.begin(), dequantize);
  for (int64_t i = 0; pixels > 0 && i < x.dim(0) * channels; ++i) {
    float* first = y.data() + i / channels * pixels * channels + i % channels;
    double sum = 0, squares = 0;
    for (int64_t p = 0; p < pixels; ++p) sum += static_cast<double>(first[p * channels]);
    const auto mean = static_cast<float>(sum / static_cast<double>(pixels));
    for (int64_t p = 0; p < pixels; ++p) {
      float& value = first[p * channels];
      value -= mean;
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    const auto variance = static_cast<float>(squares / static_cast<double>(pixels));
    const float scale = 1 / std::sqrt(variance + s.epsilon);
    for (int64_t p = 0; p < pixels; ++p) first[p * channels] *= scale;
  }
  FloatRange to = s.range;
  if (!s.given && !y.empty()) {
    const auto [min, max] = std::minmax_element(y.begin(), y.end());
    to = {*min, std::max(*max, *min + s.separation)};
  }
  const Quantizer<uint8_t> quantize(to);
  std::transform(y.begin(), y.end(), out->data<uint8_t>(), quantize);
  return RangeOutput(c, to);
}

// ---- pools ----

struct PoolDims {
  int64_t channels = 0;
  WindowDim rows, columns;
};

template <class T, bool kMax>
void Pool(KernelCtx& c, const PoolDims& d, Tensor* out) {
  const T* in = c.in(0).data<T>();
  T* to = out->data<T>();
  const int64_t windows = out->num_elements() / std::max<int64_t>(d.channels, 1);
  const double ns = static_cast<double>(d.rows.size * d.columns.size * d.channels);
  c.ParallelFor(windows, ns + 10, [&](int64_t begin, int64_t end) {
    std::vector<int32_t> sums(static_cast<size_t>(d.channels));
    for (int64_t p = begin; p < end && !c.cancelled(); ++p) {
      std::fill(sums.begin(), sums.end(), kMax ? int32_t{std::numeric_limits<T>::lowest()} : 0);
      const int64_t pixels = ForEachPixel(d, p, [&](int64_t at) {
        for (size_t k = 0; k < sums.size(); ++k) {
          const int32_t x = in[at + static_cast<int64_t>(k)];
          sums[k] = kMax ? std::max(sums[k], x) : sums[k] + x;
        }
      });
      for (size_t k = 0; k < sums.size(); ++k)
        to[p * d.channels + static_cast<int64_t>(k)] = static_cast<T>(
            kMax ? sums[k] : sums[k] / static_cast<int32_t>(std::max<int64_t>(pixels, 1)));
    }
  });
}

template <bool kMax>
Status PoolKernel(KernelCtx& c) {
  const auto& w = c.state<WindowAttrs>();
  const Tensor& x = c.in(0);
  TENSH_RETURN_IF_ERROR(NeedTypes(x.dtype() == kQuint8 || x.dtype() == kQint8,
                                  kMax ? "QuantizedMaxPool" : "QuantizedAvgPool",
                                  "tf.quint8 or tf.qint8"));
  if (w.sizes[WindowAttrs::kChannels] != 1 || w.strides[WindowAttrs::kChannels] != 1)
    return Unimplemented("Non-spatial pooling is not yet supported.");
  TENSH_ASSIGN(const Shape shape, PoolShapeOf(w, x.shape()));
  PoolDims d{.channels = x.dim(3), .rows = {}, .columns = {}};
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kRows, x.dim(1), w.sizes[1], d.rows));
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kColumns, x.dim(2), w.sizes[2], d.columns));
  const FloatRange r = RangeInput(c, 1);
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (x.dtype() == kQuint8)
    Pool<uint8_t, kMax>(c, d, out);
  else
    Pool<int8_t, kMax>(c, d, out);
  return RangeOutput(c, r);
}

Status QuantizedPoolShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(PoolShape(c));
  c.Set(1, Shape());
  c.Set(2, Shape());
  return {};
}

// ---- moves ----

// Copies the runs of one input, and converts them to the range of the result.
template <class T>
void CopyInto(const Tensor& x, FloatRange from, FloatRange to, int64_t run, int64_t step, T* out) {
  const T* in = x.data<T>();
  const Dequantizer<T> dequantize(from);
  const Quantizer<T> quantize(to);
  for (int64_t at = 0, row = 0; run > 0 && at < x.num_elements(); at += run, ++row)
    for (int64_t i = 0; i < run; ++i)
      out[row * step + i] = from == to ? in[at + i] : quantize(dequantize(in[at + i]));
}

// Returns the range that contains those of all inputs, and 0.
FloatRange CommonRange(KernelCtx& c, int n, bool is_signed) {
  FloatRange all{0, std::numeric_limits<float>::lowest()};
  for (int i = 0; i < n; ++i) {
    all.min = std::min(all.min, *c.in(1 + n + i).data<float>());
    all.max = std::max(all.max, *c.in(1 + 2 * n + i).data<float>());
  }
  if (!is_signed) return all;
  const float most = std::max(std::fabs(all.min), std::fabs(all.max));
  return {-most, most};
}

Status Concat(KernelCtx& c) {
  const int n = (c.num_inputs() - 1) / 3;
  const DType type = c.out_dtype(0);
  TENSH_RETURN_IF_ERROR(
      NeedTypes(type == kQuint8 || type == kQint32, "QuantizedConcat", "tf.quint8 or tf.qint32"));
  const Tensor& first = c.in(1);
  TENSH_ASSIGN(const int axis, CanonicalAxis(*c.in(0).data<int32_t>(), first.rank(),
                                             "ConcatOp : Expected concatenating dimensions"));
  Shape shape = first.shape();
  int64_t extent = 0;
  for (int i = 1; i <= n; ++i) {
    const Shape& part = c.in(i).shape();
    if (part.rank() != shape.rank())
      return InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = ",
                             first.shape(), " vs. shape[", i - 1, "] = ", part);
    for (int d = 0; d < shape.rank(); ++d)
      if (d != axis && part[d] != shape[d])
        return InvalidArgument("ConcatOp : Dimensions of inputs should match: shape[0] = ",
                               first.shape(), " vs. shape[", i - 1, "] = ", part);
    extent += part[axis];
  }
  shape.set_dim(axis, extent);
  const FloatRange range = CommonRange(c, n, type == kQint32);
  TENSH_OUTPUT(out, c.Output(0, shape));
  int64_t inner = 1, offset = 0;
  for (int d = axis + 1; d < shape.rank(); ++d) inner *= shape[d];
  for (int i = 0; i < n; ++i) {
    const Tensor& x = c.in(1 + i);
    const FloatRange from{*c.in(1 + n + i).data<float>(), *c.in(1 + 2 * n + i).data<float>()};
    const int64_t run = x.dim(axis) * inner, step = shape[axis] * inner;
    if (type == kQuint8)
      CopyInto(x, from, range, run, step, out->data<uint8_t>() + offset);
    else
      CopyInto(x, from, range, run, step, out->data<int32_t>() + offset);
    offset += run;
  }
  return RangeOutput(c, range);
}

Status ConcatShape(ShapeCtx& c) {
  const int n = (c.num_inputs() - 1) / 3;
  const std::optional<int64_t> given = ConstantScalar(c, 0);
  Shape out = Shape::Unknown();
  if (given && c.in(1).has_rank() && c.in(1).rank() > 0) {
    TENSH_ASSIGN(const int axis, CanonicalAxis(*given, c.in(1).rank(), "concat_dim"));
    out = c.in(1);
    int64_t sum = 0;
    for (int i = 1; i <= n; ++i) {
      if (!c.in(i).has_rank() || c.in(i).rank() != out.rank())
        return c.Set(0, Shape::Unknown()), Status();
      sum = sum < 0 || c.in(i)[axis] < 0 ? -1 : sum + c.in(i)[axis];
    }
    out.set_dim(axis, sum);
  }
  c.Set(0, out);
  c.Set(1, Shape());
  c.Set(2, Shape());
  return {};
}

#define TENSH_QUINT8(values) "tf.bitcast(tf.constant(" values ", tf.uint8), tf.quint8)"

template <bool kMax>
void RegisterPool(OpRegistry& r, const char* name, const char* what, const char* result) {
  r.Op({.name = name,
        .inputs = "input: T, min_input: float, max_input: float",
        .outputs = "output: T, min_output: float, max_output: float",
        .attrs = StrCat("T: ", kQuantizedTypes,
                        ", ksize: list(int), strides: list(int), padding: "
                        "{'SAME', 'VALID'}"),
        .doc =
            StrCat("The ", what,
                   " of each window of quantized images. input: [batch, rows, columns, channels] "
                   "of type T, for the floats from min_input to max_input. ksize: the size of the "
                   "window in each dimension. strides: the steps between windows. padding: SAME "
                   "or VALID. min_output, max_output: the range of output, that of input."),
        .contract = "input: rank 4, min_input: scalar, max_input: scalar",
        .shape = QuantizedPoolShape,
        .no_gradient = true,
        .examples = {{StrCat(
                          "tf.raw_ops.", name, "(input=", TENSH_QUINT8("[[[[1], [4]]]]"),
                          ", min_input=0., max_input=1., ksize=[1, 1, 2, 1], strides=[1, 1, 1, 1],"
                          " padding='VALID').output"),
                      result}}})
      .CpuAny(PoolKernel<kMax>, PrepareWindow);
}

template <bool kSix>
void RegisterRelu(OpRegistry& r, const char* name, const char* what, const char* result) {
  r.Op({.name = name,
        .inputs = "features: Tinput, min_features: float, max_features: float",
        .outputs = "activations: out_type, min_activations: float, max_activations: float",
        .attrs = StrCat("Tinput: ", kQuantizedTypes, ", out_type: ", kQuantizedTypes, " = quint8"),
        .doc =
            StrCat(what,
                   " of quantized numbers. features: numbers of type Tinput for the floats from "
                   "min_features to max_features. out_type: the type of activations. "
                   "min_activations, max_activations: the range of activations, that of features."),
        .contract = "min_features: scalar, max_features: scalar",
        .shape = SameWithRange,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.", name, "(features=", TENSH_QUINT8("[0, 128, 255]"),
                             ", min_features=-10., max_features=10.).activations"),
                      result}}})
      .CpuAny(Relu<kSix>);
}

}  // namespace

TENSH_OPS(nn_quantize_quantized_nn) {
  RegisterRelu<false>(r, "QuantizedRelu", "max(features, 0)", "[128 128 255]");
  RegisterRelu<true>(r, "QuantizedRelu6", "min(max(features, 0), 6)", "[128 128 205]");
  RegisterPool<true>(r, "QuantizedMaxPool", "maximum", "[[[[4]]]]");
  RegisterPool<false>(r, "QuantizedAvgPool", "mean", "[[[[2]]]]");
  r.Op({.name = "QuantizedInstanceNorm",
        .inputs = "x: T, x_min: float, x_max: float",
        .outputs = "y: T, y_min: float, y_max: float",
        .attrs = StrCat("T: ", kQuantizedTypes,
                        ", output_range_given: bool = false, given_y_min: float = 0.0, "
                        "given_y_max: float = 0.0, variance_epsilon: float = 0.00001, "
                        "min_separation: float = 0.001"),
        .doc = "Normalizes each image and channel of quantized images to the mean 0 and the "
               "variance 1. x: [batch, rows, columns, channels] of type T, for the floats from "
               "x_min to x_max. output_range_given: whether given_y_min and given_y_max are the "
               "range of y; otherwise it is that of the values, and at least min_separation wide. "
               "variance_epsilon is added to the variance. y_min, y_max: the range of y.",
        .contract = "x: rank 4, x_min: scalar, x_max: scalar",
        .shape = SameWithRange,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.QuantizedInstanceNorm(x=" TENSH_QUINT8(
                          "[[[[1], [4]]]]") ", x_min=0., x_max=255.).y",
                      "[[[[  0]\n   [255]]]]"}}})
      .CpuAny(InstanceNorm, PrepareFrom<InstanceNormState>);
  r.Op({.name = "QuantizedConcat",
        .inputs = "concat_dim: int32, values: N * T, input_mins: N * float, input_maxes: N * float",
        .outputs = "output: T, output_min: float, output_max: float",
        .attrs = "N: int >= 2, T: type",
        .doc =
            "Concatenates N quantized tensors along the dimension concat_dim. values: tensors of "
            "type T. input_mins, input_maxes: the range of floats of each. output_min, "
            "output_max: a range that contains them all, to which values of other ranges are "
            "converted.",
        .contract = "concat_dim: scalar, input_mins: scalar, input_maxes: scalar",
        .shape = ConcatShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.QuantizedConcat(concat_dim=0, values=[" TENSH_QUINT8(
                          "[0, 255]") ", " TENSH_QUINT8("[255]") "], input_mins=[0., 0.], "
                                                                 "input_maxes=[1., 2.]).output",
                      "[  0 128 255]"}}})
      .CpuAny(Concat);
}

}  // namespace tensh::ops
