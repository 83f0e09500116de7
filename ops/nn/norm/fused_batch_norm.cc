// FusedBatchNorm and its gradient, in all versions. The gradient of the gradient is built from
// elementary ops, since TensorFlow has no kernel for it either.
#include <algorithm>
#include <cmath>

#include "ops/nn/norm/batch_norm_state.h"
#include "ops/nn/norm/norm_rows.h"
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Calls fn(channel, element) for all elements of the channels [begin, end), in memory order.
template <class Fn>
void ForEach(const ChannelLayout& l, int64_t begin, int64_t end, Fn fn) {
  for (int64_t o = 0; o < l.outer; ++o)
    for (int64_t k = begin; k < end; ++k) {
      const int64_t at = (o * l.channels + k) * l.inner;
      for (int64_t i = 0; i < l.inner; ++i) fn(static_cast<size_t>(k), at + i);
    }
}

using Doubles = std::vector<double>;

// factor = scale / sqrt(variance + epsilon), for n channels. `factor` may be `variance`.
void FactorOf(const float* scale, const float* variance, float epsilon, int64_t n, float* factor) {
  for (int64_t k = 0; k < n; ++k) factor[k] = scale[k] / std::sqrt(variance[k] + epsilon);
}

// Computes the mean and the (biased) variance of each channel in double.
void Statistics(KernelCtx& c, const ChannelLayout& l, const float* x, Doubles& mean,
                Doubles& variance) {
  if (l.inner == 1) return MomentsOfRows(c, {x, l.outer, l.channels}, mean.data(), variance.data());
  const double n = static_cast<double>(std::max<int64_t>(l.each(), 1));
  ForEach(l, 0, l.channels, [&](size_t k, int64_t i) { mean[k] += static_cast<double>(x[i]); });
  for (double& m : mean) m /= n;
  ForEach(l, 0, l.channels, [&](size_t k, int64_t i) {
    const double d = static_cast<double>(x[i]) - mean[k];
    variance[k] += d * d;
  });
  for (double& v : variance) v /= n;
}

struct Outputs {
  Tensor* y;
  Tensor* stats[4];  // batch mean, batch variance, and both as the gradient op needs them
};

Status MakeOutputs(KernelCtx& c, const ChannelLayout& l, Outputs& o) {
  o.y = c.Output(0, c.in(0).shape());
  if (!o.y) return c.OutOfMemory();
  for (int i = 0; i < 4; ++i) {
    o.stats[i] = c.Output(i + 1, Shape({l.channels}));
    if (!o.stats[i]) return c.OutOfMemory();
  }
  if (c.num_outputs() == 6) {
    TENSH_OUTPUT(unused, c.Output(5, Shape()));
    *unused->data<float>() = 0;
  }
  return {};
}

struct FusedBatchNorm {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<NormState>();
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const ChannelLayout l, NormLayout(c));
    Outputs o;
    TENSH_RETURN_IF_ERROR(MakeOutputs(c, l, o));
    const size_t channels = static_cast<size_t>(l.channels);
    Doubles mean(channels), variance(channels);
    if (s.training) Statistics(c, l, x.data<float>(), mean, variance);
    for (size_t k = 0; k < channels; ++k) WriteStats(c, s, l, k, mean, variance, o);
    Normalize(c, l, s.epsilon, mean, variance, o.y->template data<float>());
    return {};
  }

  static void WriteStats(KernelCtx& c, const NormState& s, const ChannelLayout& l, size_t k,
                         Doubles& mean, Doubles& variance, const Outputs& o) {
    const float *old_mean = c.in(3).data<float>(), *old_variance = c.in(4).data<float>();
    auto put = [&](int i, double v) { o.stats[i]->data<float>()[k] = static_cast<float>(v); };
    if (!s.training) {
      mean[k] = static_cast<double>(old_mean[k]);
      variance[k] = static_cast<double>(old_variance[k]);
      for (int i = 0; i < 4; ++i) put(i, i % 2 ? variance[k] : mean[k]);
      return;
    }
    put(2, mean[k]);
    put(3, variance[k]);
    const double n = static_cast<double>(l.each());
    const double unbiased = variance[k] * (n / std::max(n - 1, 1.0));
    const double f = static_cast<double>(s.factor);
    if (s.factor == 1) {
      put(0, mean[k]);
      put(1, unbiased);
    } else {
      put(0, (1 - f) * static_cast<double>(old_mean[k]) + f * mean[k]);
      put(1, (1 - f) * static_cast<double>(old_variance[k]) + f * unbiased);
    }
  }

  static void Normalize(KernelCtx& c, const ChannelLayout& l, float epsilon, const Doubles& mean,
                        const Doubles& variance, float* y) {
    const size_t channels = mean.size();
    const float *x = c.in(0).data<float>(), *scale = c.in(1).data<float>(),
                *offset = c.in(2).data<float>();
    std::vector<float> center(channels), factor(channels);
    for (size_t k = 0; k < channels; ++k) {
      center[k] = static_cast<float>(mean[k]);
      factor[k] = static_cast<float>(variance[k]);
    }
    FactorOf(scale, factor.data(), epsilon, l.channels, factor.data());
    if (l.inner == 1)
      return NormalizeRows(c, {x, l.outer, l.channels}, center.data(), factor.data(), offset, y);
    const double ns = 0.6 * static_cast<double>(l.channels * l.inner);
    c.ParallelFor(l.outer, ns, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin * l.channels; row < end * l.channels; ++row) {
        const size_t k = static_cast<size_t>(row % l.channels);
        for (int64_t i = row * l.inner; i < (row + 1) * l.inner; ++i)
          y[i] = (x[i] - center[k]) * factor[k] + offset[k];
      }
    });
  }
};

// FusedBatchNorm in two parts, if the statistics are given and channels are last. The first one takes
// scale, offset, mean and variance, and makes the rows [mean, factor, offset].
Status NormVectors(KernelCtx& c) {
  const int64_t n = c.in(0).num_elements();
  bool same = true;
  for (int i = 0; i < 4; ++i) same &= c.in(i).rank() == 1 && c.in(i).num_elements() == n;
  TENSH_OUTPUT(out, c.Output(0, Shape({3, same ? n : 0})));  // NormRows reports the error
  if (!same) return {};
  const float *scale = c.in(0).data<float>(), *variance = c.in(3).data<float>();
  float* to = out->data<float>();
  std::copy_n(c.in(2).data<float>(), n, to);
  FactorOf(scale, variance, c.state<NormState>().epsilon, n, to + n);
  std::copy_n(c.in(1).data<float>(), n, to + 2 * n);
  return {};
}

Status NormRows(KernelCtx& c) {
  TENSH_ASSIGN(const ChannelLayout l, NormLayout(c));
  const float* vectors = c.in(5).data<float>();
  const float* x = c.in(0).data<float>();
  TENSH_OUTPUT(y, c.Forward(0, 0, c.in(0).shape()));
  NormalizeRows(c, {x, l.outer, l.channels}, vectors, vectors + l.channels,
                vectors + 2 * l.channels, y->data<float>());
  return {};
}

constexpr SplitKernel kNormParts = {.vectors = NormVectors, .rows = NormRows};

Result<std::unique_ptr<KernelState>> PrepareForward(PrepareCtx& c) {
  TENSH_ASSIGN(std::unique_ptr<KernelState> state, PrepareNorm(c));
  auto& norm = static_cast<NormState&>(*state);
  if (!norm.training && !norm.channels_first) norm.split = &kNormParts;
  return {std::move(state)};
}

struct FusedBatchNormGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<NormState>();
    TENSH_ASSIGN(const ChannelLayout l, NormGradLayout(c));
    TENSH_OUTPUT(dx, c.Output(0, c.in(1).shape()));
    TENSH_OUTPUT(dscale, c.Output(1, Shape({l.channels})));
    TENSH_OUTPUT(doffset, c.Output(2, Shape({l.channels})));
    for (int i = 3; i <= 4; ++i) {
      TENSH_OUTPUT(none, c.Output(i, Shape({0})));
      (void)none;
    }
    Compute(c, s, l, dx->template data<float>(), dscale->template data<float>(),
            doffset->template data<float>());
    return {};
  }

  static void Compute(KernelCtx& c, const NormState& s, const ChannelLayout& l, float* dx,
                      float* dscale, float* doffset) {
    const float *dy = c.in(0).data<float>(), *x = c.in(1).data<float>(),
                *scale = c.in(2).data<float>(), *mean = c.in(3).data<float>(),
                *variance = c.in(4).data<float>();
    const size_t channels = static_cast<size_t>(l.channels);
    Doubles sum(channels), product(channels);
    const RowsOf rows{x, l.outer, l.channels};
    if (l.inner == 1)
      GradSumsOfRows(c, rows, dy, mean, sum.data(), product.data());
    else
      ForEach(l, 0, l.channels, [&](size_t k, int64_t i) {
        sum[k] += static_cast<double>(dy[i]);
        product[k] += static_cast<double>(dy[i]) * static_cast<double>(x[i] - mean[k]);
      });
    const double n = static_cast<double>(std::max<int64_t>(l.each(), 1));
    std::vector<float> factor(channels), shift(channels), slope(channels);
    for (size_t k = 0; k < channels; ++k) {
      const double v = static_cast<double>(variance[k]) + static_cast<double>(s.epsilon);
      const double inverse = 1 / std::sqrt(v);
      doffset[k] = static_cast<float>(sum[k]);
      dscale[k] = static_cast<float>(product[k] * inverse);
      factor[k] = static_cast<float>(static_cast<double>(scale[k]) * inverse);
      if (!s.training) continue;  // mean and variance were given, so they do not depend on x
      shift[k] = static_cast<float>(sum[k] / n);
      slope[k] = static_cast<float>(product[k] / n / v);
    }
    if (l.inner == 1)
      return NormGradRows(c, rows, dy, {mean, factor.data(), shift.data(), slope.data()}, dx);
    ForEach(l, 0, l.channels, [&](size_t k, int64_t i) {
      dx[i] = factor[k] * (dy[i] - shift[k] - (x[i] - mean[k]) * slope[k]);
    });
  }
};

int ChannelOf(ShapeCtx& c, const Shape& x) {
  return ChannelDim(x, ChannelsFirst(c.attrs().String("data_format")));
}

int RankOf(ShapeCtx& c) { return static_cast<int>(c.attrs().String("data_format").size()); }

// Merges the number of channels of `x` with the lengths of the vectors in inputs [first, last].
Status ChannelCount(ShapeCtx& c, const Shape& x, int first, int last, Shape& vector) {
  vector = Shape({x[ChannelOf(c, x)]});
  for (int i = first; i <= last; ++i) {
    TENSH_ASSIGN(vector, MergeShapes(vector, c.in(i)));
  }
  return {};
}

Status NormShape(ShapeCtx& c) {
  const int rank = RankOf(c);
  TENSH_RETURN_IF_ERROR(c.WithRank(0, rank));
  Shape x = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(rank), vector;
  const bool given =
      !c.attrs().Bool("is_training") || c.attrs().Float("exponential_avg_factor") != 1;
  TENSH_RETURN_IF_ERROR(ChannelCount(c, x, 1, given ? 4 : 2, vector));
  x.set_dim(ChannelOf(c, x), vector[0]);
  c.Set(0, x);
  for (int i = 1; i <= 4; ++i) c.Set(i, vector);
  return {};
}

Status NormGradShape(ShapeCtx& c) {
  const int rank = RankOf(c);
  TENSH_RETURN_IF_ERROR(c.WithRank(0, rank));
  TENSH_RETURN_IF_ERROR(c.WithRank(1, rank));
  Shape x = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(rank), vector;
  const int at = ChannelOf(c, x);
  if (c.in(1).has_rank()) {
    TENSH_ASSIGN(Shape channels, MergeShapes(Shape({x[at]}), Shape({c.in(1)[at]})));
    x.set_dim(at, channels[0]);
  }
  TENSH_RETURN_IF_ERROR(ChannelCount(c, x, 2, 4, vector));
  x.set_dim(ChannelOf(c, x), vector[0]);
  c.Set(0, x);
  c.Set(1, vector);
  c.Set(2, vector);
  c.Set(3, Shape({0}));
  c.Set(4, Shape({0}));
  return {};
}

Out Permute(GradScope& g, Out t, bool to_last, std::string_view name) {
  const bool five = g.attrs().String("data_format").size() == 5;
  const int64_t orders[2][2][5] = {{{0, 3, 1, 2, 0}, {0, 4, 1, 2, 3}},
                                   {{0, 2, 3, 1, 0}, {0, 2, 3, 4, 1}}};
  const int64_t* order = orders[to_last][five];
  Out perm = g.Const(IndexVector(DType::kInt32, {order, five ? 5u : 4u}), StrCat(name, "/perm"));
  return g.Op("Transpose", {t, perm}, {}, name);
}

// version: the suffix of the forward op, "" (the first version), "V2" or "V3".
Status NormBackward(GradScope& g, const char* version) {
  const bool training = g.attrs().Bool("is_training");
  const std::string& format = g.attrs().String("data_format");
  const bool turn = !training && format[1] == 'C';
  Out x = g.x(0), dy = g.dy(0);
  if (turn) {
    x = Permute(g, x, true, "transpose");
    dy = Permute(g, dy, true, "transpose_1");
  }
  std::vector<Out> inputs = {dy, x, g.x(1), training ? g.y(3) : g.x(3), training ? g.y(4) : g.x(4)};
  if (g.num_outputs() == 6) inputs.push_back(g.y(5));
  const char* last = format.size() == 5 ? "NDHWC" : "NHWC";
  const std::string op = StrCat("FusedBatchNormGrad", version);
  Out made = g.OpN(op, inputs,
                   {{"epsilon", g.attrs().Float("epsilon")},
                    {"data_format", turn ? std::string(last) : format},
                    {"is_training", training}});
  Out dx = turn ? Permute(g, made, false, "transpose_2") : made;
  return g.Return({dx, g.Output(made, 1), g.Output(made, 2), {}, {}});
}
Status NormBackward1(GradScope& g) { return NormBackward(g, ""); }
Status NormBackward2(GradScope& g) { return NormBackward(g, "V2"); }
Status NormBackward3(GradScope& g) { return NormBackward(g, "V3"); }

// ---- the gradient of the gradient ----

// The forward op computes
//   y = scale * h * r + offset, where h = x - mean and r = 1 / sqrt(variance + epsilon).
// Given the gradient dy of y, the gradient op computes, with means and sums over each channel:
//   dx = scale * r * (dy - mean(dy) - r^2 * h * mean(dy * h)), or scale * r * dy if mean and
//        variance were given
//   dscale = r * sum(dy * h)
//   doffset = sum(dy)
// Let a, b and c be the incoming gradients of these three. This class differentiates the sum
//   a * dx + b * dscale + c * doffset
// with respect to dy, x and scale.
class NormGradGrad {
 public:
  explicit NormGradGrad(GradScope& g) : g_(g) {
    const std::string& format = g.attrs().String("data_format");
    const bool first = format[1] == 'C';
    std::vector<int64_t> axes, around(format.size(), 1);
    for (int64_t i = 0; i < static_cast<int64_t>(format.size()); ++i)
      if (i != (first ? 1 : static_cast<int64_t>(format.size()) - 1)) axes.push_back(i);
    around[first ? 1 : format.size() - 1] = -1;
    axes_ = g.Const(IndexVector(DType::kInt32, axes), "reduction_indices");
    around_ = g.Const(IndexVector(DType::kInt32, around), "shape");
    flat_ = ConstInts(g, {-1}, "flat");
    type_ = g.dtype(g.x(1));
    dy_ = Widen(g.x(0));
    x_ = Widen(g.x(1));
    scale_ = Around(g.x(2));
    a_ = Widen(g.dy(0));
    b_ = Around(g.dy(1));
    c_ = Around(g.dy(2));
  }

  Status Given() {
    const Out r = Inverse(Around(g_.x(4)));
    const Out h = Sub(x_, Around(g_.x(3))), slope = Mul(scale_, r);
    const Out by_dy = Add(Add(Mul(a_, slope), Mul(b_, Mul(h, r))), c_);
    const Out by_scale = Mul(Reduce("Sum", Mul(a_, dy_)), r);
    return Return(by_dy, Mul(b_, Mul(dy_, r)), by_scale);
  }

  Status Taken() {
    const Out h = Sub(x_, Reduce("Mean", x_));
    const Out r = Inverse(Reduce("Mean", g_.Op("Square", {h})));
    const Out r2 = g_.Op("Square", {r});
    const Out dy = Sub(dy_, Reduce("Mean", dy_)), a = Sub(a_, Reduce("Mean", a_));
    const Out along = Reduce("Mean", Mul(dy_, h)), a_along = Reduce("Mean", Mul(a_, h));
    const Out product = Reduce("Mean", Mul(a, dy));
    const Out slope = Mul(scale_, r);
    // d/d dy = scale * r * (a - mean(a) - r^2 * h * mean(a * h)) + b * r * h + c
    const Out by_dy =
        Add(Add(Mul(slope, Sub(a, Mul(Mul(r2, h), a_along))), Mul(b_, Mul(r, h))), c_);
    // d/d x: both r and h depend on x.
    const Out both = Mul(along, a_along);
    const Out three = g_.Like(3, x_, "three");
    const Out through_r = Mul(h, Sub(Mul(Mul(three, r2), both), product));
    const Out through_h = Add(Mul(a_along, dy), Mul(along, a));
    const Out by_x = Add(Mul(Mul(slope, r2), Sub(through_r, through_h)),
                         Mul(Mul(b_, r), Sub(dy, Mul(Mul(r2, along), h))));
    // d/d scale = n * r * (mean(a * dy) - mean(a) * mean(dy) - r^2 * mean(dy * h) * mean(a * h))
    const Out n = g_.Op("RealDiv", {Count(x_), Count(scale_)});
    const Out by_scale = Mul(Mul(n, r), Sub(product, Mul(r2, both)));
    return Return(by_dy, by_x, by_scale);
  }

 private:
  Out Mul(Out a, Out b) { return g_.Mul(a, b); }
  Out Add(Out a, Out b) { return g_.Op("AddV2", {a, b}, {}, "add"); }
  Out Sub(Out a, Out b) { return g_.Op("Sub", {a, b}, {}, "sub"); }
  Out Widen(Out t) { return CastTo(t, DType::kFloat); }
  Out CastTo(Out t, DType to) { return g_.dtype(t) == to ? t : g_.Op("Cast", {t}, {{"DstT", to}}); }
  // Reshapes a vector of channels so that it broadcasts against x.
  Out Around(Out t) { return g_.Op("Reshape", {Widen(t), around_}); }
  Out Reduce(const char* op, Out t) { return g_.Op(op, {t, axes_}, {{"keep_dims", true}}); }
  Out Inverse(Out variance) {
    const float epsilon = g_.attrs().Float("epsilon");
    const Out e = g_.Const(Tensor::Scalar<float>(epsilon), "epsilon");
    return g_.Op("Rsqrt", {Add(variance, e)});
  }
  Out Count(Out t) { return CastTo(g_.Op("Size", {t}), DType::kFloat); }
  Status Return(Out by_dy, Out by_x, Out by_scale) {
    std::vector<Out> all(static_cast<size_t>(g_.num_inputs()));
    all[0] = CastTo(by_dy, type_);
    all[1] = CastTo(by_x, type_);
    all[2] = g_.Op("Reshape", {by_scale, flat_});
    return g_.Return(std::move(all));
  }

  GradScope& g_;
  Out axes_, around_, flat_, dy_, x_, scale_, a_, b_, c_;
  DType type_;
};

Status GradBackward(GradScope& g) {
  NormGradGrad made(g);
  return g.attrs().Bool("is_training") ? made.Taken() : made.Given();
}

constexpr char kTypes1[] = "T: {float}, ";
constexpr char kTypes2[] = "T: {half, bfloat16, float}, U: {float}, ";
constexpr char kTypes3[] = "T: {half, bfloat16, float}, U: {bfloat16, float}, ";

OpSpec Forward(const char* version, const char* types, GradFn grad) {
  const bool v1 = !*version, v3 = *version && version[1] == '3';
  const char* u = v1 ? "T" : "U";
  return {
      .name = StrCat("FusedBatchNorm", version),
      .inputs = StrCat("x: T, scale: ", u, ", offset: ", u, ", mean: ", u, ", variance: ", u),
      .outputs = StrCat("y: T, batch_mean: ", u, ", batch_variance: ", u, ", reserve_space_1: ", u,
                        ", reserve_space_2: ", u, v3 ? ", reserve_space_3: U" : ""),
      .attrs =
          StrCat(types, "epsilon: float = 0.0001, exponential_avg_factor: float = 1, data_format: ",
                 v3 ? "{'NHWC', 'NCHW', 'NDHWC', 'NCDHW'}" : "{'NHWC', 'NCHW'}",
                 " = 'NHWC', is_training: bool = true"),
      .doc = StrCat(
          "Normalizes each channel to mean 0 and variance 1, then scales and shifts it. x: images. "
          "scale, offset: vectors with one entry per channel. mean, variance: the statistics to "
          "use if is_training is False; otherwise they are computed from x. T: the element type.",
          v1 ? "" : " U: the type of the vectors.",
          " epsilon: added to the variance. data_format: 'NHWC' has channels last. "
          "exponential_avg_factor: if less than 1, batch_mean and batch_variance are running "
          "averages that start at mean and variance."),
      .contract = StrCat(v3 ? "x: rank 4..5" : "x: rank 4", ", scale: vector, offset: vector"),
      .shape = NormShape,
      .grad = grad,
      .examples = {{StrCat("tf.raw_ops.FusedBatchNorm", version,
                           "(x=[[[[1.], [3.]]]], scale=[1.], offset=[0.], mean=[], variance=[], "
                           "epsilon=0.0)[0][0, 0, :, 0]"),
                    "[-1.  1.]"}}};
}

OpSpec Backward(const char* version, const char* types) {
  const bool v1 = !*version, v3 = *version && version[1] == '3';
  const char *scale = v1 ? "T" : "float", *u = v1 ? "T" : "U";
  return {.name = StrCat("FusedBatchNormGrad", version),
          .inputs = StrCat("y_backprop: T, x: T, scale: ", scale, ", reserve_space_1: ", u,
                           ", reserve_space_2: ", u, v3 ? ", reserve_space_3: U" : ""),
          .outputs = StrCat("x_backprop: T, scale_backprop: ", u, ", offset_backprop: ", u,
                            ", reserve_space_", v3 ? "4: " : "3: ", u, ", reserve_space_",
                            v3 ? "5: " : "4: ", u),
          .attrs = StrCat(types, "epsilon: float = 0.0001, data_format: ",
                          v3 ? "{'NHWC', 'NCHW', 'NDHWC', 'NCDHW'}" : "{'NHWC', 'NCHW'}",
                          " = 'NHWC', is_training: bool = true"),
          .doc = StrCat("The gradient of FusedBatchNorm", version,
                        ". y_backprop: the incoming gradient. x, scale: those of the op. "
                        "reserve_space_1, reserve_space_2: the mean and variance that it used.",
                        v3 ? " reserve_space_3: ignored." : "", " T: the element type.",
                        v1 ? "" : " U: the type of the vectors.",
                        " epsilon, data_format, is_training: those of the op."),
          .contract =
              StrCat(v3 ? "y_backprop: rank 4..5, x: rank 4..5" : "y_backprop: rank 4, x: rank 4",
                     ", scale: vector, reserve_space_1: vector, reserve_space_2: vector"),
          .shape = NormGradShape,
          .grad = GradBackward,
          .examples = {{StrCat("tf.raw_ops.FusedBatchNormGrad", version,
                               "(y_backprop=[[[[1.], [3.]]]], x=[[[[1.], [3.]]]], scale=[1.], "
                               "reserve_space_1=[2.], reserve_space_2=[1.]",
                               v3 ? ", reserve_space_3=[0.]" : "", ")[2]"),
                        "[4.]"}}};
}

}  // namespace

TENSH_OPS(nn_norm_fused_batch_norm) {
  constexpr KernelOptions kOptions = {.prepare = PrepareNorm};
  constexpr KernelOptions kForward = {.prepare = PrepareForward};
  r.Op(Forward("", kTypes1, NormBackward1)).Cpu<float>(FusedBatchNorm{}, kForward);
  r.Op(Forward("V2", kTypes2, NormBackward2)).Cpu<float>(FusedBatchNorm{}, kForward);
  r.Op(Forward("V3", kTypes3, NormBackward3)).Cpu<float>(FusedBatchNorm{}, kForward);
  r.Op(Backward("", kTypes1)).Cpu<float>(FusedBatchNormGrad{}, kOptions);
  r.Op(Backward("V2", kTypes2)).Cpu<float>(FusedBatchNormGrad{}, kOptions);
  r.Op(Backward("V3", kTypes2)).Cpu<float>(FusedBatchNormGrad{}, kOptions);
}

}  // namespace tensh::ops
