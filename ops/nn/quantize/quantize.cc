// QuantizeV2 and Dequantize: from floats to quantized integers and back, in three modes.
#include "ops/nn/quantize/fake_quant.h"
#include "ops/nn/quantize/quantized.h"
#include "runtime/core/half.h"

namespace tensh::ops {
namespace {

enum class Mode : uint8_t { kMinCombined, kMinFirst, kScaled };

struct QuantizedState : KernelState {
  Mode mode = Mode::kMinCombined;
  bool half_to_even = false, narrow = false;
  int64_t axis = -1;
  float least = 0;  // ensure_minimum_range
};

Result<std::unique_ptr<KernelState>> PrepareQuantized(PrepareCtx& c) {
  auto state = std::make_unique<QuantizedState>();
  const Attrs attrs = c.attrs();
  const std::string& mode = attrs.String("mode");
  state->mode = mode == "MIN_FIRST" ? Mode::kMinFirst
                : mode == "SCALED"  ? Mode::kScaled
                                    : Mode::kMinCombined;
  state->narrow = attrs.Bool("narrow_range");
  state->axis = attrs.Int("axis");
  if (attrs.Find("round_mode")) {
    state->half_to_even = attrs.String("round_mode") == "HALF_TO_EVEN";
    state->least = attrs.Float("ensure_minimum_range");
    if (state->half_to_even && state->mode != Mode::kScaled)
      return InvalidArgument(
          "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '", mode, "'.");
  }
  if (state->axis < -1) return InvalidArgument("Axis should be at least -1, got ", state->axis);
  return {std::move(state)};
}

// Returns the range to use for a requested one: it contains 0 and has the least extent.
Result<FloatRange> Widened(const QuantizedState& s, FloatRange r) {
  if (r.min > r.max) return InvalidArgument("input_max_range must be larger than input_min_range.");
  const float epsilon = std::max(1.0f, std::max(std::fabs(r.min), std::fabs(r.max))) * s.least;
  const float min = std::min(0.0f, r.min);
  return FloatRange{min, std::max(0.0f, std::max(r.max, min + epsilon))};
}

template <class T>
void QuantizeSlice(const QuantizedState& s, FloatRange* r, const float* in, T* out,
                   const QuantSlice& slice, int64_t index) {
  using Q = Quantized<T>;
  constexpr auto kLow = static_cast<float>(Q::kLowest), kHigh = static_cast<float>(Q::kHighest);
  if (s.mode == Mode::kMinFirst) {
    const Quantizer<T> quantize(*r);
    return slice.ForEach(index * slice.inner, [&](int64_t i) { out[i] = quantize(in[i]); });
  }
  float scale, offset = 0;
  if (s.mode == Mode::kScaled) {
    const float low = static_cast<float>(Q::kLowest + (s.narrow ? 1 : 0));
    constexpr float kNone = std::numeric_limits<float>::max();
    scale = std::min(low * r->min > 0 ? low / r->min : kNone,
                     kHigh * r->max > 0 ? kHigh / r->max : kNone);
    *r = {low / scale, kHigh / scale};
  } else {
    scale = (kHigh - kLow) / (r->max - r->min);
    if (std::is_signed_v<T>) offset = (kHigh - kLow + 1) / 2.0f;
  }
  const FloatRange range = *r;
  slice.ForEach(index * slice.inner, [&](int64_t i) {
    const float inside = std::max(std::min(in[i], range.max), range.min);
    float steps = s.mode == Mode::kScaled ? inside * scale : (inside - range.min) * scale;
    if (s.mode == Mode::kScaled)
      steps = s.half_to_even ? std::nearbyint(steps) : std::round(steps);
    else
      steps = std::is_signed_v<T> ? std::round(steps - offset) : std::trunc(steps + 0.5f);
    if (std::isnan(steps)) steps = kLow;
    out[i] = static_cast<T>(
        static_cast<int64_t>(std::clamp(steps, kLow, sizeof(T) == 4 ? 2147483520.0f : kHigh)));
  });
}

Status QuantizeKernel(KernelCtx& c) {
  const auto& s = c.state<QuantizedState>();
  const Tensor &x = c.in(0), &min = c.in(1), &max = c.in(2);
  QuantSlice slice;
  int64_t count = 1;
  TENSH_RETURN_IF_ERROR(MakeQuantSlices(x.shape(), s.axis, slice, count));
  TENSH_RETURN_IF_ERROR(CheckQuantEnds(min, max, s.axis, count));
  TENSH_OUTPUT(out, c.Output(0, x.shape()));
  TENSH_OUTPUT(out_min, c.Output(1, min.shape()));
  TENSH_OUTPUT(out_max, c.Output(2, min.shape()));
  return WithQuantized(out->dtype(), [&]<class T>() -> Status {
    for (int64_t i = 0; i < count; ++i) {
      TENSH_ASSIGN(FloatRange r, Widened(s, {min.data<float>()[i], max.data<float>()[i]}));
      QuantizeSlice(s, &r, x.data<float>(), out->data<T>(), slice, i);
      out_min->data<float>()[i] = r.min;
      out_max->data<float>()[i] = r.max;
    }
    return {};
  });
}

template <class T>
void DequantizeSlice(const QuantizedState& s, FloatRange r, const T* in, float* out,
                     const QuantSlice& slice, int64_t index) {
  using Q = Quantized<T>;
  constexpr auto kLow = static_cast<float>(Q::kLowest), kHigh = static_cast<float>(Q::kHighest);
  if (s.mode == Mode::kMinFirst) {
    const Dequantizer<T> dequantize(r);
    return slice.ForEach(index * slice.inner, [&](int64_t i) { out[i] = dequantize(in[i]); });
  }
  if (s.mode == Mode::kScaled) {
    const float low = static_cast<float>(Q::kLowest + (s.narrow ? 1 : 0));
    const float scale = Q::kLowest == 0 ? r.max / kHigh : std::max(r.min / low, r.max / kHigh);
    return slice.ForEach(index * slice.inner,
                         [&](int64_t i) { out[i] = static_cast<float>(in[i]) * scale; });
  }
  const float half = std::is_signed_v<T> ? (kHigh - kLow + 1) / 2.0f : 0.0f;
  const float scale = (r.max - r.min) / (kHigh - kLow);
  slice.ForEach(index * slice.inner,
                [&](int64_t i) { out[i] = (static_cast<float>(in[i]) + half) * scale + r.min; });
}

Status DequantizeKernel(KernelCtx& c) {
  const auto& s = c.state<QuantizedState>();
  const Tensor &x = c.in(0), &min = c.in(1), &max = c.in(2);
  if (s.mode == Mode::kMinFirst && s.axis != -1)
    return Unimplemented("MIN_FIRST mode is not implemented for Dequantize with axis != -1.");
  QuantSlice slice;
  int64_t count = 1;
  TENSH_RETURN_IF_ERROR(MakeQuantSlices(x.shape(), s.axis, slice, count));
  TENSH_RETURN_IF_ERROR(CheckQuantEnds(min, max, s.axis, count));
  const bool narrow = c.out_dtype(0) == DType::kBfloat16;
  TENSH_OUTPUT(out, c.Output(0, x.shape()));
  TENSH_ASSIGN(const Tensor wide,
               narrow ? Tensor::Make(DType::kFloat, x.shape()) : Result<Tensor>(*out));
  TENSH_RETURN_IF_ERROR(WithQuantized(x.dtype(), [&]<class T>() -> Status {
    for (int64_t i = 0; i < count; ++i)
      DequantizeSlice(s, {min.data<float>()[i], max.data<float>()[i]}, x.data<T>(),
                      wide.data<float>(), slice, i);
    return {};
  }));
  for (int64_t i = 0; narrow && i < x.num_elements(); ++i)
    out->data<Bfloat16>()[i] = Bfloat16(wide.data<float>()[i]);
  return {};
}

Status QuantizeShape(ShapeCtx& c) {
  c.Set(0, c.in(0));
  c.Set(1, c.in(1));
  c.Set(2, c.in(1));
  return {};
}

}  // namespace

TENSH_OPS(nn_quantize_quantize) {
  constexpr char kRange[] =
      " min_range, max_range: the floats of the lowest and the highest integer, or a vector of "
      "them "
      "if axis is a dimension. T: the type of the integers. mode: MIN_COMBINED, MIN_FIRST or "
      "SCALED, "
      "which keeps 0 at 0. narrow_range: do not use the lowest integer (SCALED). axis: the "
      "dimension whose slices have their own range, or -1.";
  constexpr char kMode[] = ", mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED', ";
  r.Op({.name = "QuantizeV2",
        .inputs = "input: float, min_range: float, max_range: float",
        .outputs = "output: T, output_min: float, output_max: float",
        .attrs = StrCat("T: ", kQuantizedTypes, kMode,
                        "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = "
                        "'HALF_AWAY_FROM_ZERO', narrow_range: bool = false, axis: int = -1, "
                        "ensure_minimum_range: float = 0.01"),
        .doc = StrCat("Converts floats to quantized integers. input: the floats.", kRange,
                      " round_mode: how halves are rounded (SCALED). ensure_minimum_range: the "
                      "least extent of the range. output_min, output_max: the range that was used "
                      "for output."),
        .shape = QuantizeShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.QuantizeV2(input=[-1., 0., .5, 1.], min_range=-1., max_range=1., "
                      "T=tf.qint8).output",
                      "[-128   -1   63  127]"}}})
      .CpuAny(QuantizeKernel, PrepareQuantized);
  r.Op({.name = "Dequantize",
        .inputs = "input: T, min_range: float, max_range: float",
        .outputs = "output: dtype",
        .attrs = StrCat("T: ", kQuantizedTypes, kMode,
                        "narrow_range: bool = false, axis: int = -1, dtype: {bfloat16, float} = "
                        "float"),
        .doc = StrCat("Converts quantized integers to floats. input: the integers.", kRange,
                      " dtype: the type of output."),
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.Dequantize(input=tf.bitcast(tf.constant([0, 51, 255], tf.uint8), "
                      "tf.quint8), min_range=0., max_range=255., mode='MIN_FIRST')",
                      "[  0.  51. 255.]"}}})
      .CpuAny(DequantizeKernel, PrepareQuantized);
}

}  // namespace tensh::ops
