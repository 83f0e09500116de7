// Quantized convolutions and products of matrices with a bias, a summand, an activation and a narrow result,
// which Intel's tools write into graphs for oneDNN, and RequantizePerChannel. A number is an integer times a scale;
// each output channel of a filter may have its own.
#include <cmath>

#include "ops/nn/conv/window.h"
#include "ops/nn/quantize/quantized.h"
#include "ops/support/prepare.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

float Most(float min, float max) { return std::max(std::fabs(min), std::fabs(max)); }

// Rounds halves to even and limits to the type, as oneDNN stores floats.
template <class T>
T Saturated(float x) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    constexpr auto kLow = static_cast<float>(Quantized<T>::kLowest);
    constexpr float kHigh =
        sizeof(T) == 4 ? 2147483520.0f : static_cast<float>(Quantized<T>::kHighest);
    return std::isnan(x) ? T{0} : static_cast<T>(std::nearbyint(std::clamp(x, kLow, kHigh)));
  }
}

// The parts of an op, which its name consists of, and the numbers of its inputs.
struct FusedState : WindowAttrs {
  bool depthwise = false, bias = false, relu = false, narrow = false, sum = false;
  bool transposed = false, shifted = false;  // of products: b is transposed, and min_a stands for 0
  int ranges() const { return bias ? 3 : 2; }  // of the input and of the filter
  int result() const { return ranges() + 4; }  // the range of a narrow result
  int summand() const { return narrow ? result() + 2 : result(); }
};

Status ReadFused(Attrs attrs, std::string_view op, FusedState& s) {
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(attrs, s));
  const auto has = [&](std::string_view part) { return op.find(part) != op.npos; };
  s.depthwise = has("Depthwise");
  s.bias = has("WithBias");
  s.relu = has("Relu");
  s.narrow = has("Requantize");
  s.sum = has("Sum");
  const AttrValue* list = attrs.Find("padding_list");
  const auto* pads = list ? list->Find<AttrValue::Ints>() : nullptr;
  if (!pads || pads->empty()) return {};
  constexpr size_t kPads = 8;  // before and after in each dimension
  if (pads->size() != kPads)
    return InvalidArgument("padding_list must have 8 numbers, got ", pads->size());
  s.padding = Padding::kExplicit;
  for (const int d : {WindowAttrs::kRows, WindowAttrs::kColumns}) {
    s.before[d] = (*pads)[2 * static_cast<size_t>(d)];
    s.after[d] = (*pads)[2 * static_cast<size_t>(d) + 1];
    if (s.before[d] < 0 || s.after[d] < 0 || s.before[d] > INT32_MAX || s.after[d] > INT32_MAX)
      return InvalidArgument("padding_list must have no negative numbers, got ", s.before[d],
                             " and ", s.after[d]);
  }
  return {};
}

Result<std::unique_ptr<KernelState>> PrepareFused(PrepareCtx& c) {
  auto state = std::make_unique<FusedState>();
  TENSH_RETURN_IF_ERROR(ReadFused(c.attrs(), c.op_name(), *state));
  return {std::move(state)};
}

struct Dims {
  int64_t batch = 0, channels = 0, outputs = 0;
  WindowDim rows, columns;
};

Status MakeDims(const FusedState& s, const Shape& x, const Shape& w, Dims& d) {
  d.batch = x[0];
  d.channels = x[3];
  d.outputs = !s.depthwise ? w[3] : w[2] < 0 || w[3] < 0 ? -1 : w[2] * w[3];
  if (x[3] >= 0 && w[2] >= 0 && x[3] != w[2])
    return InvalidArgument("input and filter must have the same depth: ", x[3], " vs ", w[2]);
  TENSH_RETURN_IF_ERROR(MakeWindow(s, WindowAttrs::kRows, x[1], w[0], d.rows));
  return MakeWindow(s, WindowAttrs::kColumns, x[2], w[1], d.columns);
}

// The numbers with which the sum of an output channel continues: (sum + bias) * scale.
struct Channel {
  float bias = 0, scale = 1, summand = 1;
};

// Returns one for each output, or an error if a range has neither one element nor one for each.
Result<std::vector<Channel>> Channels(KernelCtx& c, const FusedState& s, int64_t outputs) {
  const int at = s.ranges();
  const Tensor &low = c.in(at + 2), &high = c.in(at + 3);
  if (!(low.shape() == high.shape()) || (low.num_elements() != 1 && low.num_elements() != outputs))
    return InvalidArgument("min_filter and max_filter must have 1 or ", outputs,
                           " elements, got shapes ", low.shape(), " and ", high.shape());
  if (s.bias && c.in(2).num_elements() != outputs)
    return InvalidArgument("bias must have ", outputs, " elements, got shape ", c.in(2).shape());
  const float limit = c.in(0).dtype() == kQuint8 ? 255.0f * 127.0f : 127.0f * 127.0f;
  const FloatRange input = RangeInput(c, at);
  const float in = s.shifted ? input.max - input.min : Most(input.min, input.max);
  std::vector<Channel> all(static_cast<size_t>(outputs));
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t i = low.num_elements() == 1 ? 0 : o;
    const float filter = Most(low.data<float>()[i], high.data<float>()[i]);
    Channel& channel = all[static_cast<size_t>(o)];
    if (s.bias && c.in(2).dtype() == kQint32)
      channel.bias = static_cast<float>(c.in(2).data<int32_t>()[o]);
    else if (s.bias)
      channel.bias = c.in(2).data<float>()[o] * (limit / (in * filter));
    channel.summand = limit / (in * filter);
    if (c.out_dtype(0) == DType::kFloat) channel.scale = in * filter / limit;
    if (!s.narrow) continue;
    const FloatRange result = RangeInput(c, s.result());
    const float out = Most(result.min, result.max);
    const float steps = c.out_dtype(0) == kQuint8 ? 255.0f : 127.0f;
    channel.scale = steps * in * filter / (limit * out);
    if (!s.sum) continue;
    const FloatRange summand = RangeInput(c, s.summand() + 1);
    const float other = Most(summand.min, summand.max);
    channel.summand =
        c.in(s.summand()).dtype() == kQuint8 ? other / out : 255.0f * other / (out * 127.0f);
  }
  return all;
}

// Adds the products of a window to the sums of its output pixel.
template <class X>
void AddWindow(const Dims& d, bool depthwise, const X* pixels, const int8_t* weights, int64_t r,
               int64_t q, int32_t* sums) {
  const int64_t each = depthwise ? d.outputs / std::max<int64_t>(d.channels, 1) : d.outputs;
  for (int64_t i = d.rows.Begin(r); i < d.rows.End(r); ++i)
    for (int64_t j = d.columns.Begin(q); j < d.columns.End(q); ++j) {
      const X* x = pixels + (d.rows.At(r, i) * d.columns.in + d.columns.At(q, j)) * d.channels;
      const int8_t* w = weights + (i * d.columns.size + j) * d.channels * each;
      for (int64_t k = 0; k < d.channels; ++k) {
        int32_t* to = depthwise ? sums + k * each : sums;
        for (int64_t o = 0; o < each; ++o)
          to[o] = WrapAdd(to[o], static_cast<int32_t>(x[k]) * w[k * each + o]);
      }
    }
}

// Returns element `i` of the summand in steps of the result, or of the sums.
float SummandAt(const Tensor& t, int64_t i, const Channel& channel) {
  if (t.dtype() == kQuint8) return static_cast<float>(t.data<uint8_t>()[i]) * channel.summand;
  if (t.dtype() == kQint8) return static_cast<float>(t.data<int8_t>()[i]) * channel.summand;
  return static_cast<float>(Saturated<int32_t>(t.data<float>()[i] * channel.summand));
}

template <class X, class Y>
void Convolve(KernelCtx& c, const FusedState& s, const Dims& d,
              const std::vector<Channel>& channels, const int8_t* weights, Y* out) {
  const auto* in = c.in(0).data<X>();
  const Tensor* summand = s.sum ? &c.in(s.summand()) : nullptr;
  const int64_t image = d.rows.in * d.columns.in * d.channels, pixels = d.rows.out * d.columns.out;
  const int64_t each = s.depthwise ? 1 : d.channels;
  const double ns = 0.5 * static_cast<double>(d.rows.size * d.columns.size * each * d.outputs);
  c.ParallelFor(d.batch * pixels, ns, [&](int64_t begin, int64_t end) {
    std::vector<int32_t> sums(static_cast<size_t>(d.outputs));
    for (int64_t p = begin; p < end && !c.cancelled(); ++p) {
      std::fill(sums.begin(), sums.end(), 0);
      AddWindow(d, s.depthwise, in + p / pixels * image, weights, p % pixels / d.columns.out,
                p % d.columns.out, sums.data());
      for (size_t o = 0; o < sums.size(); ++o) {
        const int64_t at = p * d.outputs + static_cast<int64_t>(o);
        float y = (static_cast<float>(sums[o]) + channels[o].bias) * channels[o].scale;
        if (summand) y += SummandAt(*summand, at, channels[o]);
        out[at] = Saturated<Y>(s.relu ? std::max(y, 0.0f) : y);
      }
    }
  });
}

// Sets outputs 1 and 2: the range of a narrow result, otherwise those of the 32-bit integers.
Status GiveRange(KernelCtx& c, const FusedState& s) {
  if (s.narrow) return RangeOutput(c, RangeInput(c, s.result()));
  const Tensor &low = c.in(s.ranges() + 2), &high = c.in(s.ranges() + 3);
  const FloatRange input = RangeInput(c, s.ranges());
  const float steps = c.in(0).dtype() == kQuint8 ? 255.0f : 254.0f;
  TENSH_OUTPUT(min, c.Output(1, low.shape()));
  TENSH_OUTPUT(max, c.Output(2, low.shape()));
  for (int64_t i = 0; i < low.num_elements(); ++i) {
    const float step =
        (input.max - input.min) / steps * ((high.data<float>()[i] - low.data<float>()[i]) / 254.0f);
    max->data<float>()[i] = step * static_cast<float>(INT32_MAX);
    min->data<float>()[i] = -max->data<float>()[i];
  }
  return {};
}

Status FusedConvolution(KernelCtx& c) {
  const auto& s = c.state<FusedState>();
  const DType x = c.in(0).dtype(), y = c.out_dtype(0);
  TENSH_RETURN_IF_ERROR(NeedTypes((x == kQuint8 || x == kQint8) && c.in(1).dtype() == kQint8 &&
                                      (s.narrow ? y == kQuint8 || y == kQint8 : y == kQint32),
                                  "a quantized convolution",
                                  "an input of tf.quint8 or tf.qint8, a filter of tf.qint8, and a "
                                  "result of tf.qint32 or, of the "
                                  "ops with Requantize, of 8 bits"));
  Dims d;
  TENSH_RETURN_IF_ERROR(MakeDims(s, c.in(0).shape(), c.in(1).shape(), d));
  const Shape shape({d.batch, d.rows.out, d.columns.out, d.outputs});
  const DType other = s.sum ? c.in(s.summand()).dtype() : kQuint8;
  if (s.narrow && other != kQuint8 && other != kQint8)
    return InvalidArgument("the summand must be of tf.quint8 or tf.qint8, got ", Name(other));
  if (s.sum && !(c.in(s.summand()).shape() == shape))
    return InvalidArgument("the summand must have the shape of the result, ", shape, ", got ",
                           c.in(s.summand()).shape());
  TENSH_ASSIGN(const std::vector<Channel> channels, Channels(c, s, d.outputs));
  TENSH_OUTPUT(out, c.Output(0, shape));
  const auto* weights = c.in(1).data<int8_t>();
  const auto run = [&]<class Y>(Y* to) {
    if (x == kQuint8)
      Convolve<uint8_t>(c, s, d, channels, weights, to);
    else
      Convolve<int8_t>(c, s, d, channels, weights, to);
  };
  if (y == kQuint8)
    run(out->data<uint8_t>());
  else if (y == kQint8)
    run(out->data<int8_t>());
  else
    run(out->data<int32_t>());
  return GiveRange(c, s);
}

// ---- products of matrices ----

Result<std::unique_ptr<KernelState>> PrepareProduct(PrepareCtx& c) {
  auto state = std::make_unique<FusedState>();
  if (c.attrs().Bool("transpose_a")) return Unimplemented("transpose_a is not supported");
  state->bias = true;
  state->relu = c.op_name().find("Relu") != std::string_view::npos;
  state->narrow = c.op_name().find("Requantize") != std::string_view::npos;
  state->transposed = c.attrs().Bool("transpose_b");
  state->shifted = c.attrs().String("input_quant_mode") == "MIN_FIRST";
  return {std::move(state)};
}

// A product is a convolution of one pixel for each row.
Status FusedProduct(KernelCtx& c) {
  const auto& s = c.state<FusedState>();
  const Tensor &a = c.in(0), &b = c.in(1);
  const DType y = c.out_dtype(0);
  TENSH_RETURN_IF_ERROR(
      NeedTypes(a.dtype() == kQuint8 && b.dtype() == kQint8 &&
                    (s.narrow ? y == kQuint8 : y == kQint32 || y == DType::kFloat),
                "a quantized product",
                "a matrix of tf.quint8, one of tf.qint8, and a result of tf.qint32 or, of the ops "
                "with Requantize, of tf.quint8"));
  Dims d;
  d.batch = a.dim(0);
  d.channels = a.dim(1);
  d.outputs = b.dim(!s.transposed);
  d.rows = d.columns = {.in = 1, .out = 1};
  if (b.dim(s.transposed) != d.channels)
    return InvalidArgument("Matrix size-incompatible: In[0]: ", a.shape(), ", In[1]: ", b.shape());
  TENSH_ASSIGN(std::vector<Channel> channels, Channels(c, s, d.outputs));
  const auto* weights = b.data<int8_t>();
  std::vector<int8_t> turned;
  if (s.transposed) {
    turned.resize(static_cast<size_t>(b.num_elements()));
    for (int64_t o = 0; o < d.outputs; ++o)
      for (int64_t k = 0; k < d.channels; ++k)
        turned[static_cast<size_t>(k * d.outputs + o)] = weights[o * d.channels + k];
    weights = turned.data();
  }
  if (const FloatRange range = RangeInput(c, s.ranges());
      s.shifted && c.in(2).dtype() == DType::kFloat)
    for (int64_t i = 0; i < d.channels * d.outputs; ++i)
      channels[static_cast<size_t>(i % d.outputs)].bias +=
          static_cast<float>(weights[i]) * (range.min * 255.0f / (range.max - range.min));
  TENSH_OUTPUT(out, c.Output(0, Shape({d.batch, d.outputs})));
  if (y == DType::kFloat) {
    Convolve<uint8_t>(c, s, d, channels, weights, out->data<float>());
    return {};
  }
  if (y == kQuint8)
    Convolve<uint8_t>(c, s, d, channels, weights, out->data<uint8_t>());
  else
    Convolve<uint8_t>(c, s, d, channels, weights, out->data<int32_t>());
  return GiveRange(c, s);
}

Status ProductShape(ShapeCtx& c) {
  Shape out = Shape::UnknownOfRank(2);
  if (c.in(0).rank() == 2) out.set_dim(0, c.in(0)[c.attrs().Bool("transpose_a")]);
  if (c.in(1).rank() == 2) out.set_dim(1, c.in(1)[!c.attrs().Bool("transpose_b")]);
  c.Set(0, out);
  for (int o = 1; o < c.num_outputs(); ++o) c.Set(o, Shape());
  return {};
}

template <bool kDepthwise, bool kNarrow, bool kBias>
Status FusedShape(ShapeCtx& c) {
  FusedState s;
  TENSH_RETURN_IF_ERROR(ReadFused(c.attrs(), kDepthwise ? "Depthwise" : "", s));
  const Shape x = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4);
  const Shape w = c.in(1).has_rank() ? c.in(1) : Shape::UnknownOfRank(4);
  Dims d;
  TENSH_RETURN_IF_ERROR(MakeDims(s, x, w, d));
  c.Set(0, Shape({d.batch, d.rows.out, d.columns.out, d.outputs}));
  for (const int o : {1, 2}) c.Set(o, kNarrow ? Shape() : c.in((kBias ? 3 : 2) + 2));
  return {};
}

// ---- requantization by channel ----

struct RangeState : KernelState {
  float clip = 0;
  void Read(PrepareCtx& c) { clip = c.attrs().Float("clip_value_max"); }
};

// Checks that inputs 1 and 2 have an element for each channel of input 0, and returns their number.
Result<int64_t> ChannelsOf(KernelCtx& c) {
  const Tensor& x = c.in(0);
  TENSH_RETURN_IF_ERROR(
      NeedTypes(x.dtype() == kQint32, "RequantizePerChannel", "an input of tf.qint32"));
  const int64_t channels = x.dim(3);
  for (const int i : {1, 2})
    if (c.in(i).num_elements() != channels)
      return InvalidArgument("input_min and input_max must have ", channels,
                             " elements, got shape ", c.in(i).shape());
  return channels;
}

constexpr double kSteps32 = 2147483648.0;

Status RangePerChannel(KernelCtx& c) {
  TENSH_ASSIGN(const int64_t channels, ChannelsOf(c));
  const auto x = c.in(0).flat<int32_t>();
  double most = 0;
  bool negative = false;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto k = static_cast<int64_t>(i) % channels;
    const float scale = Most(c.in(1).data<float>()[k], c.in(2).data<float>()[k]);
    most = std::max(most, static_cast<double>(scale) * std::fabs(static_cast<double>(x[i])));
    negative |= x[i] < 0;
  }
  const auto range = static_cast<float>(most / kSteps32);
  const float high = std::min(range, c.state<RangeState>().clip);
  TENSH_OUTPUT(min, c.Output(0, Shape()));
  TENSH_OUTPUT(max, c.Output(1, Shape()));
  *min->data<float>() = negative ? -high : 0.0f;
  *max->data<float>() = high;
  return {};
}

template <class T>
void ToNarrow(KernelCtx& c, int64_t channels, FloatRange to, T* out) {
  const double steps = std::is_signed_v<T> ? 127.0 : 255.0;
  std::vector<float> scales(static_cast<size_t>(channels));
  for (int64_t k = 0; k < channels; ++k) {
    const float from = Most(c.in(1).data<float>()[k], c.in(2).data<float>()[k]);
    scales[static_cast<size_t>(k)] =
        static_cast<float>(steps * static_cast<double>(from / Most(to.min, to.max)) / kSteps32);
  }
  const auto x = c.in(0).flat<int32_t>();
  for (size_t i = 0; i < x.size(); ++i)
    out[i] = Saturated<T>(static_cast<float>(x[i]) * scales[i % scales.size()]);
}

Status RequantizePerChannel(KernelCtx& c) {
  TENSH_ASSIGN(const int64_t channels, ChannelsOf(c));
  const FloatRange to = RangeInput(c, 3);
  TENSH_OUTPUT(out, c.Output(0, c.in(0).shape()));
  if (out->dtype() == kQuint8)
    ToNarrow(c, channels, to, out->data<uint8_t>());
  else if (out->dtype() == kQint8)
    ToNarrow(c, channels, to, out->data<int8_t>());
  else
    return NeedTypes(false, "RequantizePerChannel", "out_type=tf.quint8 or tf.qint8");
  return RangeOutput(c, to);
}

Status TwoScalars(ShapeCtx& c) {
  c.Set(0, Shape());
  c.Set(1, Shape());
  return {};
}

#define TENSH_QUANTIZED "{qint8, quint8, qint32, qint16, quint16}"

// Returns a call of an op with an input of 2, a filter of 3, a bias of 1 and a summand of 4.
std::string ExampleOf(std::string_view name, bool bias, bool narrow, bool sum) {
  const bool narrow_signed = narrow && name.find("Relu") == name.npos;
  const bool signed_sum = name.find("Signed") != name.npos;
  const char* summand =
      narrow ? (signed_sum ? "tf.bitcast(tf.constant([[[[4]]]], tf.int8), tf.qint8)"
                           : "tf.bitcast(tf.constant([[[[4]]]], tf.uint8), tf.quint8)")
             : "[[[[4.]]]]";
  return StrCat("tf.raw_ops.", name,
                "(input=tf.bitcast(tf.constant([[[[2]]]], tf.uint8), tf.quint8), filter=tf.bitcast("
                "tf.constant([[[[3]]]], tf.int8), tf.qint8), ",
                bias ? "bias=[1.], " : "",
                "min_input=0., max_input=255., min_filter=-127., max_filter=127., ",
                narrow ? "min_freezed_output=0., max_freezed_output=" : "",
                !narrow         ? ""
                : narrow_signed ? "127., "
                                : "255., ",
                sum ? StrCat("summand=", summand, ", ") : "",
                sum && narrow ? (signed_sum ? "min_summand=-127., max_summand=127., "
                                            : "min_summand=0., max_summand=255., ")
                              : "",
                name.find("PerChannel") != name.npos ? "dilations=[1, 1, 1, 1], " : "",
                "strides=[1, 1, 1, 1], padding='VALID').output");
}

// Registers one convolution. `result` is the type of output by default, `parts` says what is done
// with the sums.
template <bool kDepthwise>
void Register(OpRegistry& r, OpText name, const char* result, const char* parts) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  const bool bias = has("WithBias"), narrow = has("Requantize"), sum = has("Sum");
  const bool lists = !has("PerChannel") && name != "QuantizedDepthwiseConv2D" &&
                     name != "QuantizedDepthwiseConv2DWithBias";
  const char* bias_input = !bias ? "" : narrow ? ", bias: Tbias" : ", bias: float";
  const char* bias_type = bias && narrow ? "Tbias: {float, qint32}, " : "";
  static constexpr ShapeFn kShapes[2][2] = {
      {FusedShape<kDepthwise, false, false>, FusedShape<kDepthwise, false, true>},
      {FusedShape<kDepthwise, true, false>, FusedShape<kDepthwise, true, true>}};
  r.Op({.name = name,
        .inputs = StrCat("input: Tinput, filter: Tfilter", bias_input,
                         ", min_input: float, max_input: float, min_filter: float, max_filter: "
                         "float",
                         narrow ? ", min_freezed_output: float, max_freezed_output: float" : "",
                         !sum     ? ""
                         : narrow ? ", summand: Tsummand, min_summand: float, max_summand: float"
                                  : ", summand: float"),
        .outputs = "output: out_type, min_output: float, max_output: float",
        .attrs = StrCat("Tinput: " TENSH_QUANTIZED ", Tfilter: " TENSH_QUANTIZED ", ", bias_type,
                        sum && narrow ? "Tsummand: " TENSH_QUANTIZED ", " : "",
                        "out_type: " TENSH_QUANTIZED " = ", result,
                        ", strides: list(int), padding: {'SAME', 'VALID'}, dilations: list(int) = "
                        "[1, 1, 1, 1]",
                        lists ? ", padding_list: list(int) = []" : ""),
        .doc =
            StrCat("Convolves quantized images with a quantized filter", parts,
                   ". input: images [batch, rows, columns, channels] of type Tinput, for the "
                   "floats from min_input to max_input. filter: of type Tfilter; min_filter and "
                   "max_filter are its range, or one for each output channel. ",
                   bias ? "bias: a number for each output channel. " : "",
                   bias && narrow ? "Tbias: its type. " : "",
                   narrow ? "min_freezed_output, max_freezed_output: the range of output. " : "",
                   sum ? "summand: added before the activation. " : "",
                   sum && narrow ? "min_summand, max_summand, Tsummand: its range and type. " : "",
                   "out_type: the type of output. strides, padding, dilations: as for Conv2D. ",
                   lists ? "padding_list: zeros to add before and after each dimension. " : "",
                   "min_output, max_output: the range of output."),
        .contract = "input: rank 4, filter: rank 4, min_input: scalar, max_input: scalar, "
                    "min_filter: rank 0..1, max_filter: rank 0..1",
        .shape = kShapes[narrow][bias],
        .no_gradient = true,
        .examples = {{ExampleOf(name, bias, narrow, sum),
                      StrCat("[[[[", 6 + (bias ? 1 : 0) + (sum ? 4 : 0), "]]]]")}}})
      .CpuAny(FusedConvolution, PrepareFused);
}

// Registers one product. `result` is the type of output by default.
void RegisterProduct(OpRegistry& r, OpText name, const char* result, const char* parts) {
  const bool narrow = name.find("Requantize") != name.npos,
             real = name.find("Dequantize") != name.npos;
  const bool chosen = name != "QuantizedMatMulWithBiasAndRelu";
  const std::string example =
      StrCat("tf.raw_ops.", name,
             "(a=tf.bitcast(tf.constant([[2]], tf.uint8), tf.quint8), "
             "b=tf.bitcast(tf.constant([[3]], tf.int8), "
             "tf.qint8), bias=[1.], min_a=0., max_a=255., min_b=-127., max_b=127.",
             narrow || real ? ", min_freezed_output=0., max_freezed_output=255." : "",
             real ? ", Toutput=tf.float32)" : ").out");
  r.Op({.name = name,
        .inputs =
            StrCat("a: T1, b: T2, bias: ", chosen ? "Tbias" : "float",
                   ", min_a: float, max_a: float, min_b: float, max_b: float",
                   narrow || real ? ", min_freezed_output: float, max_freezed_output: float" : ""),
        .outputs = StrCat("out: Toutput", real ? "" : ", min_out: float, max_out: float"),
        .attrs = StrCat("T1: " TENSH_QUANTIZED ", T2: " TENSH_QUANTIZED ", ",
                        chosen ? "Tbias: {float, qint32}, " : "",
                        "Toutput: ", real ? "{float}" : StrCat(TENSH_QUANTIZED " = ", result),
                        ", transpose_a: bool = false, transpose_b: bool = false, input_quant_mode: "
                        "{'MIN_FIRST', "
                        "'SCALED'} = 'MIN_FIRST'"),
        .doc = StrCat(
            "The product of quantized matrices", parts,
            ". a, b: matrices of the types T1 and T2, for the floats from min_a to max_a and from "
            "min_b to "
            "max_b. bias: a number for each column of the result.",
            chosen ? " Tbias: its type." : "",
            narrow || real ? " min_freezed_output, max_freezed_output: the range of out." : "",
            " Toutput: the type of out. transpose_b: transpose b first; transpose_a must be false. "
            "input_quant_mode: with MIN_FIRST, the integer 0 of a stands for min_a, with SCALED "
            "for 0.",
            real ? "" : " min_out, max_out: the range of out."),
        .contract =
            "a: rank 2, b: rank 2, min_a: scalar, max_a: scalar, min_b: scalar, max_b: scalar",
        .shape = ProductShape,
        .no_gradient = true,
        .examples = {{example, real ? "[[7.]]" : "[[7]]"}}})
      .CpuAny(FusedProduct, PrepareProduct);
}

}  // namespace

TENSH_OPS(nn_quantize_fused_convolutions) {
  RegisterProduct(r, "QuantizedMatMulWithBias", "qint32", " with a bias");
  RegisterProduct(r, "QuantizedMatMulWithBiasAndRelu", "qint32",
                  " with a bias, and max(x, 0) of it");
  RegisterProduct(r, "QuantizedMatMulWithBiasAndRequantize", "quint8",
                  " with a bias, with a narrow result");
  RegisterProduct(r, "QuantizedMatMulWithBiasAndReluAndRequantize", "quint8",
                  " with a bias, and max(x, 0) of it, with a narrow result");
  RegisterProduct(r, "QuantizedMatMulWithBiasAndDequantize", "", " with a bias, as floats");
  constexpr char kBias[] = ", and adds a bias";
  Register<false>(r, "QuantizedConv2DPerChannel", "qint32", "");
  Register<false>(r, "QuantizedConv2DAndRelu", "qint32", ", and takes max(x, 0)");
  Register<false>(r, "QuantizedConv2DAndRequantize", "qint8", ", with a narrow result");
  Register<false>(r, "QuantizedConv2DAndReluAndRequantize", "quint8",
                  ", and takes max(x, 0), with a narrow result");
  Register<false>(r, "QuantizedConv2DWithBias", "qint32", kBias);
  Register<false>(r, "QuantizedConv2DWithBiasAndRelu", "qint32",
                  ", adds a bias and takes max(x, 0)");
  Register<false>(r, "QuantizedConv2DWithBiasAndRequantize", "qint8",
                  ", and adds a bias, with a narrow result");
  Register<false>(r, "QuantizedConv2DWithBiasAndReluAndRequantize", "quint8",
                  ", adds a bias and takes max(x, 0), with a narrow result");
  Register<false>(r, "QuantizedConv2DWithBiasSumAndRelu", "qint32",
                  ", adds a bias and a summand and takes max(x, 0)");
  Register<false>(r, "QuantizedConv2DWithBiasSumAndReluAndRequantize", "quint8",
                  ", adds a bias and a summand and takes max(x, 0), with a narrow result");
  Register<false>(r, "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize", "quint8",
                  ", adds a bias and a signed summand and takes max(x, 0), with a narrow result");
  Register<true>(r, "QuantizedDepthwiseConv2D", "qint32", ", each channel by itself");
  Register<true>(r, "QuantizedDepthwiseConv2DWithBias", "qint32",
                 ", each channel by itself, and adds a bias");
  Register<true>(r, "QuantizedDepthwiseConv2DWithBiasAndRelu", "qint32",
                 ", each channel by itself, adds a bias and takes max(x, 0)");
  Register<true>(r, "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize", "quint8",
                 ", each channel by itself, adds a bias and takes max(x, 0), with a narrow result");
  r.Op({.name = "RequantizationRangePerChannel",
        .inputs = "input: T, input_min: float, input_max: float",
        .outputs = "output_min: float, output_max: float",
        .attrs = "T: " TENSH_QUANTIZED " = qint32, clip_value_max: float",
        .doc = "The range of the floats that the elements stand for. input: integers of type T, "
               "with the channels last; input_min and input_max are the ranges of the channels. "
               "clip_value_max: the largest output_max. output_min is 0 or -output_max.",
        .contract = "input: rank 4",
        .shape = TwoScalars,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.RequantizationRangePerChannel(input=tf.bitcast([[[[1 << 30, "
                      "-(1 << 30)]]]], tf.qint32), input_min=[-2., -1.], input_max=[2., 1.], "
                      "clip_value_max=9.).output_max",
                      "1.0"}}})
      .CpuAny(RangePerChannel, PrepareFrom<RangeState>);
  r.Op({.name = "RequantizePerChannel",
        .inputs = "input: T, input_min: float, input_max: float, requested_output_min: float, "
                  "requested_output_max: float",
        .outputs = "output: out_type, output_min: float, output_max: float",
        .attrs = "T: " TENSH_QUANTIZED " = qint32, out_type: " TENSH_QUANTIZED " = quint8",
        .doc =
            "Converts quantized integers to a narrower type and another range. input: integers of "
            "type T, with the channels last; input_min and input_max are the ranges of the "
            "channels. requested_output_min, requested_output_max: the range of output, which "
            "output_min and output_max repeat. out_type: the type of output.",
        .contract = "input: rank 4, requested_output_min: scalar, requested_output_max: scalar",
        .shape = SameWithRange,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.RequantizePerChannel(input=tf.bitcast([[[[1 << 30, 0]]]], "
                      "tf.qint32), input_min=[-2., -1.], input_max=[2., 1.], "
                      "requested_output_min=0., requested_output_max=1.).output",
                      "[[[[255   0]]]]"}}})
      .CpuAny(RequantizePerChannel);
}

}  // namespace tensh::ops
