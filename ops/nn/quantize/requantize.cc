// Requantize, RequantizationRange and QuantizeDownAndShrinkRange: from the int32 results of quantized
// products to narrow integers.
#include "ops/nn/quantize/quantized.h"

namespace tensh::ops {
namespace {

void ToInt8(KernelCtx& c, FloatRange from, FloatRange to, Tensor* out) {
  const Dequantizer<int32_t> dequantize(from);
  const Quantizer<int8_t> quantize(to);
  const auto* in = c.in(0).data<int32_t>();
  auto* result = out->data<int8_t>();
  c.ParallelFor(out->num_elements(), 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) result[i] = quantize(dequantize(in[i]));
  });
}

// Like TensorFlow, computes in fixed point with 16 bits after the point.
void ToUint8(KernelCtx& c, FloatRange from, FloatRange to, Tensor* out) {
  constexpr double kOne = 1 << 16;
  static constexpr double kMost = 1e18;
  const auto fixed = [](double x) {
    return static_cast<int64_t>(std::isnan(x) ? 0 : std::clamp(x, -kMost, kMost));
  };
  const float extent = to.max - to.min, given = from.max - from.min;
  const float middle = (from.min + from.max) / 2;
  const bool none = extent == 0;
  const int64_t scale = none ? 0 : fixed(255.0 * kOne * given / extent);
  const int64_t offset = none ? 0 : fixed(middle * static_cast<float>(255.0 / extent) * kOne);
  const int64_t least = none ? 0 : fixed(kOne * (to.min * 255.0) / extent);
  const auto* in = c.in(0).data<int32_t>();
  auto* result = out->data<uint8_t>();
  c.ParallelFor(out->num_elements(), 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const __int128 product = static_cast<__int128>(in[i]) * scale;
      const __int128 steps = ((product >> 32) + offset - least + (1 << 15)) >> 16;
      result[i] = static_cast<uint8_t>(std::clamp<__int128>(steps, 0, 255));
    }
  });
}

// Returns the range of the elements of input 0, extended to contain 0 as a minimum.
FloatRange UsedRange(KernelCtx& c, FloatRange r) {
  const auto values = c.in(0).flat<int32_t>();
  if (values.empty()) return {0, 0};
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  using Q = Quantized<int32_t>;
  return {std::min(0.0f, Q::ToFloat(*min, r)), Q::ToFloat(*max, r)};
}

Status ConvertTo(KernelCtx& c, FloatRange from, FloatRange to) {
  TENSH_OUTPUT(out, c.Output(0, c.in(0).shape()));
  if (out->dtype() == kQint8)
    ToInt8(c, from, to, out);
  else
    ToUint8(c, from, to, out);
  return RangeOutput(c, to);
}

Status RequantizeKernel(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(NeedTypes(
      c.in(0).dtype() == kQint32 && (c.out_dtype(0) == kQint8 || c.out_dtype(0) == kQuint8),
      "Requantize", "Tinput=tf.qint32 and out_type=tf.qint8 or tf.quint8"));
  const FloatRange from = RangeInput(c, 1), to = RangeInput(c, 3);
  if (!(to.min <= 0)) return InvalidArgument("requested_output_min must be <= 0, but got ", to.min);
  if (!(to.max >= to.min))
    return InvalidArgument("requested_output_max must be >= requested_output_min, but got ", to.max,
                           " and ", to.min);
  return ConvertTo(c, from, to);
}

Status ShrinkKernel(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(NeedTypes(c.in(0).dtype() == kQint32 && c.out_dtype(0) == kQuint8,
                                  "QuantizeDownAndShrinkRange",
                                  "Tinput=tf.qint32 and out_type=tf.quint8"));
  const FloatRange from = RangeInput(c, 1);
  return ConvertTo(c, from, UsedRange(c, from));
}

Status RangeKernel(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(
      NeedTypes(c.in(0).dtype() == kQint32, "RequantizationRange", "Tinput=tf.qint32"));
  const FloatRange used = UsedRange(c, RangeInput(c, 1));
  TENSH_OUTPUT(min, c.Output(0, Shape()));
  *min->data<float>() = used.min;
  TENSH_OUTPUT(max, c.Output(1, Shape()));
  *max->data<float>() = used.max;
  return {};
}

Status TwoScalars(ShapeCtx& c) {
  c.Set(0, Shape());
  c.Set(1, Shape());
  return {};
}

}  // namespace

TENSH_OPS(nn_quantize_requantize) {
  const std::string types = StrCat("Tinput: ", kQuantizedTypes, ", out_type: ", kQuantizedTypes);
  constexpr char kInput[] =
      " input: integers that stand for the floats from input_min to input_max. Tinput: their type.";
  r.Op({.name = "Requantize",
        .inputs = "input: Tinput, input_min: float, input_max: float, requested_output_min: float, "
                  "requested_output_max: float",
        .outputs = "output: out_type, output_min: float, output_max: float",
        .attrs = types,
        .doc = StrCat("Converts quantized integers to a narrower type and another range.", kInput,
                      " requested_output_min, requested_output_max: the range of output, which "
                      "output_min and output_max repeat. out_type: the type of output."),
        .contract = "input_min: scalar, input_max: scalar, requested_output_min: scalar, "
                    "requested_output_max: scalar",
        .shape = SameWithRange,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.Requantize(input=tf.bitcast([1 << 30, 0], tf.qint32), "
                      "input_min=-2., input_max=2., requested_output_min=-1., "
                      "requested_output_max=1., out_type=tf.qint8).output",
                      "[127   0]"}}})
      .CpuAny(RequantizeKernel);
  r.Op({.name = "QuantizeDownAndShrinkRange",
        .inputs = "input: Tinput, input_min: float, input_max: float",
        .outputs = "output: out_type, output_min: float, output_max: float",
        .attrs = types,
        .doc = StrCat("Converts quantized integers to a narrower type, with the range that the "
                      "elements have.",
                      kInput, " output_min, output_max: the range of output. out_type: its type."),
        .contract = "input_min: scalar, input_max: scalar",
        .shape = SameWithRange,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.QuantizeDownAndShrinkRange(input=tf.bitcast([1 << 30, 0], "
                      "tf.qint32), input_min=-2., input_max=2., out_type=tf.quint8).output",
                      "[255   0]"}}})
      .CpuAny(ShrinkKernel);
  r.Op({.name = "RequantizationRange",
        .inputs = "input: Tinput, input_min: float, input_max: float",
        .outputs = "output_min: float, output_max: float",
        .attrs = StrCat("Tinput: ", kQuantizedTypes),
        .doc = StrCat("The range of the floats that the elements stand for.", kInput,
                      " output_min is at most 0; output_max is the largest element."),
        .contract = "input_min: scalar, input_max: scalar",
        .shape = TwoScalars,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.RequantizationRange(input=tf.bitcast([1 << 30, 0], tf.qint32), "
                      "input_min=-2., input_max=2.).output_max",
                      "1.0"}}})
      .CpuAny(RangeKernel);
}

}  // namespace tensh::ops
