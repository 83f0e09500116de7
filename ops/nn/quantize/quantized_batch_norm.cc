// QuantizedBatchNormWithGlobalNormalization, in the fixed-point arithmetic of TensorFlow.
#include <cmath>

#include "ops/nn/quantize/quantized.h"
#include "ops/support/prepare.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct BatchNormState : KernelState {
  float epsilon = 0;
  bool scales = false;
  void Read(PrepareCtx& c) {
    epsilon = c.attrs().Float("variance_epsilon");
    scales = c.attrs().Bool("scale_after_normalization");
  }
};

constexpr int kMean = 3, kVariance = 6, kBeta = 9, kGamma = 12;  // followed by their ranges

// The factor and the summand of a channel as integers of the range of the result.
struct ChannelNorm {
  int32_t factor, summand;
};

// The range of the result: integers with 10 bits after the point.
constexpr FloatRange kNormRange{-(1 << 20), 1 << 20};

std::vector<ChannelNorm> ChannelNorms(KernelCtx& c) {
  const auto& s = c.state<BatchNormState>();
  std::vector<ChannelNorm> all(static_cast<size_t>(c.in(kMean).dim(0)));
  for (size_t i = 0; i < all.size(); ++i) {
    const auto value = [&](int input) {
      return Quantized<uint8_t>::ToFloat(c.in(input).data<uint8_t>()[i], RangeInput(c, input + 1));
    };
    float scale = 1.0f / std::sqrt(value(kVariance) + s.epsilon);
    if (s.scales) scale *= value(kGamma);
    all[i] = {Quantized<int32_t>::FromFloat(scale, kNormRange),
              Quantized<int32_t>::FromFloat(-value(kMean) * scale + value(kBeta), kNormRange)};
  }
  return all;
}

Status BatchNorm(KernelCtx& c) {
  const Tensor& x = c.in(0);
  TENSH_RETURN_IF_ERROR(NeedTypes(x.dtype() == kQuint8 && c.out_dtype(0) == kQint32,
                                  "QuantizedBatchNormWithGlobalNormalization",
                                  "Tinput=tf.quint8 and out_type=tf.qint32"));
  const int64_t depth = x.dim(3);
  for (const int i : {kMean, kVariance, kBeta, kGamma})
    if (c.in(i).dim(0) != depth)
      return InvalidArgument("m, v, beta and gamma must have one element for each of the ", depth,
                             " channels of t, but input ", i, " has shape ", c.in(i).shape());
  const std::vector<ChannelNorm> norms = ChannelNorms(c);
  const FloatRange from = RangeInput(c, 1);
  constexpr int kValues = 256;
  int32_t of[kValues];  // each value of t as an integer of the range of the result
  for (int q = 0; q < kValues; ++q)
    of[q] = Quantized<int32_t>::FromFloat(
        Quantized<uint8_t>::ToFloat(static_cast<uint8_t>(q), from), kNormRange);
  const int32_t one = Quantized<int32_t>::FromFloat(1, kNormRange);
  TENSH_OUTPUT(out, c.Output(0, x.shape()));
  const auto* in = x.data<uint8_t>();
  auto* to = out->data<int32_t>();
  c.ParallelFor(depth ? x.num_elements() / depth : 0, 3.0 * static_cast<double>(depth),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin * depth; i < end * depth; i += depth)
                    for (int64_t k = 0; k < depth; ++k) {
                      const ChannelNorm& norm = norms[static_cast<size_t>(k)];
                      const int32_t product = WrapMul(of[in[i + k]], norm.factor);
                      to[i + k] = WrapAdd(product / one, norm.summand);
                    }
                });
  return RangeOutput(c, kNormRange);
}

}  // namespace

TENSH_OPS(nn_quantize_quantized_batch_norm) {
  r.Op({.name = "QuantizedBatchNormWithGlobalNormalization",
        .inputs = "t: Tinput, t_min: float, t_max: float, m: Tinput, m_min: float, m_max: float, "
                  "v: Tinput, v_min: float, v_max: float, beta: Tinput, beta_min: float, "
                  "beta_max: float, gamma: Tinput, gamma_min: float, gamma_max: float",
        .outputs = "result: out_type, result_min: float, result_max: float",
        .attrs = StrCat("Tinput: ", kQuantizedTypes, ", out_type: ", kQuantizedTypes,
                        ", variance_epsilon: float, scale_after_normalization: bool"),
        .doc = "(t - m) / sqrt(v + variance_epsilon) * gamma + beta of quantized images, with a "
               "vector of each for the channels. t: [batch, rows, columns, channels] of type "
               "Tinput. m, v, beta, gamma: the means, variances, offsets and scales. t_min, t_max, "
               "m_min, m_max, v_min, v_max, beta_min, beta_max, gamma_min, gamma_max: their ranges "
               "of floats. scale_after_normalization: whether gamma is used. out_type: the type of "
               "result. result_min, result_max: its range.",
        .contract = "t: rank 4, m: vector, v: vector, beta: vector, gamma: vector, t_min: scalar, "
                    "t_max: scalar, m_min: scalar, m_max: scalar, v_min: scalar, v_max: scalar, "
                    "beta_min: scalar, beta_max: scalar, gamma_min: scalar, gamma_max: scalar",
        .shape = SameWithRange,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.QuantizedBatchNormWithGlobalNormalization(t=tf.bitcast("
                      "tf.constant([[[[255]]]], tf.uint8), tf.quint8), t_min=0., t_max=1., "
                      "m=tf.bitcast(tf.constant([0], tf.uint8), tf.quint8), m_min=0., m_max=1., "
                      "v=tf.bitcast(tf.constant([255], tf.uint8), tf.quint8), v_min=0., v_max=1., "
                      "beta=tf.bitcast(tf.constant([0], tf.uint8), tf.quint8), beta_min=0., "
                      "beta_max=1., gamma=tf.bitcast(tf.constant([0], tf.uint8), tf.quint8), "
                      "gamma_min=0., gamma_max=1., out_type=tf.qint32, variance_epsilon=0., "
                      "scale_after_normalization=False).result",
                      "[[[[2048]]]]"}}})
      .CpuAny(BatchNorm, PrepareFrom<BatchNormState>);
}

}  // namespace tensh::ops
