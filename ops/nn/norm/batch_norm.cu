// Batch normalization of float images. Sums over a channel are computed in double, as on the CPU.
#include "devices/cuda/cuda_reduce.h"
#include "devices/cuda/cuda_view.h"
#include "ops/nn/norm/batch_norm_state.h"

namespace tensh::cuda {
namespace {

struct Stats {
  Dev<float> shown_mean, shown_variance, mean, variance;  // the outputs; the values that scale x
  Dev<const float> old_mean, old_variance;
};

Status FromBatch(KernelCtx& c, const ops::ChannelLayout& l, const ops::NormState& s, const Stats& o) {
  const auto x = In<float>(c.in(0));
  const double n = static_cast<double>(std::max<int64_t>(l.each(), 1)), f = s.factor;
  const double unbias = n / std::max(n - 1, 1.0);
  const bool first = s.factor == 1;
  const ChannelPlaces places(l.channels, l.inner);
  TENSH_RETURN_IF_ERROR(Reduce<2>(
      c, l.channels, l.each(), l.inner == 1, 0.0,
      [=] TENSH_DEVICE(int64_t k, int64_t i) { return static_cast<double>(x[places.At(k, i)]); },
      [] TENSH_DEVICE(double a, double b) { return a + b; },
      [=] TENSH_DEVICE(int64_t k, double sum) {
        o.mean[k] = static_cast<float>(sum / n);
        o.shown_mean[k] =
            first ? o.mean[k] : static_cast<float>((1 - f) * o.old_mean[k] + f * (sum / n));
      }));
  return Reduce<2>(
      c, l.channels, l.each(), l.inner == 1, 0.0,
      [=] TENSH_DEVICE(int64_t k, int64_t i) {
        const double d = static_cast<double>(x[places.At(k, i)]) - o.mean[k];
        return d * d;
      },
      [] TENSH_DEVICE(double a, double b) { return a + b; },
      [=] TENSH_DEVICE(int64_t k, double sum) {
        const double shown = sum / n * unbias;
        o.variance[k] = static_cast<float>(sum / n);
        o.shown_variance[k] =
            static_cast<float>(first ? shown : (1 - f) * o.old_variance[k] + f * shown);
      });
}

struct FusedBatchNorm {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<ops::NormState>();
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const ops::ChannelLayout l, ops::NormLayout(c));
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    Dev<float> stats[4];
    for (int i = 0; i < 4; ++i) {
      TENSH_OUTPUT(made, c.Output(i + 1, Shape({l.channels})));
      stats[i] = Out<float>(made);
    }
    const Stats o{stats[0],           stats[1],           stats[2], stats[3],
                  In<float>(c.in(3)), In<float>(c.in(4))};
    if (c.num_outputs() == 6) TENSH_RETURN_IF_ERROR(MakeUnused(c));
    TENSH_RETURN_IF_ERROR(s.training ? FromBatch(c, l, s, o) : Given(c, l, o));
    return Normalize(c, l, s.epsilon, o, y);
  }

  static Status MakeUnused(KernelCtx& c) {
    TENSH_OUTPUT(unused, c.Output(5, Shape()));
    const auto out = Out<float>(unused);
    return ForEach(c, 1, [=] TENSH_DEVICE(int64_t) { out[0] = 0; });
  }
  static Status Given(KernelCtx& c, const ops::ChannelLayout& l, const Stats& o) {
    return ForEach(c, l.channels, [=] TENSH_DEVICE(int64_t k) {
      o.mean[k] = o.shown_mean[k] = o.old_mean[k];
      o.variance[k] = o.shown_variance[k] = o.old_variance[k];
    });
  }
  static Status Normalize(KernelCtx& c, const ops::ChannelLayout& l, float epsilon, const Stats& o,
                          Tensor* y) {
    const auto x = In<float>(c.in(0)), scale = In<float>(c.in(1)), offset = In<float>(c.in(2));
    const auto out = Out<float>(y);
    const ChannelPlaces places(l.channels, l.inner);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t k = places.ChannelOf(i);
      const float factor = scale[k] / std::sqrt(o.variance[k] + epsilon);
      out[i] = (x[i] - o.mean[k]) * factor + offset[k];
    });
  }
};

struct Sums {
  double dy, product;  // sums of dy, and of dy * (x - mean)
};

struct FusedBatchNormGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<ops::NormState>();
    TENSH_ASSIGN(const ops::ChannelLayout l, ops::NormGradLayout(c));
    TENSH_OUTPUT(dx, c.Output(0, c.in(1).shape()));
    TENSH_OUTPUT(dscale, c.Output(1, Shape({l.channels})));
    TENSH_OUTPUT(doffset, c.Output(2, Shape({l.channels})));
    for (int i = 3; i <= 4; ++i) {
      TENSH_OUTPUT(none, c.Output(i, Shape({0})));
      (void)none;
    }
    TENSH_ASSIGN(const Tensor sums, Scratch(c, DType::kComplex128, l.channels));
    TENSH_RETURN_IF_ERROR(SumUp(c, s, l, sums, dscale, doffset));
    return Spread(c, s, l, sums, dx);
  }

  static Status SumUp(KernelCtx& c, const ops::NormState& s, const ops::ChannelLayout& l, const Tensor& sums,
                      Tensor* dscale, Tensor* doffset) {
    const auto dy = In<float>(c.in(0)), x = In<float>(c.in(1)), mean = In<float>(c.in(3)),
               variance = In<float>(c.in(4));
    const auto total = Out<Sums>(sums);
    const auto scale_out = Out<float>(dscale), offset_out = Out<float>(doffset);
    const double epsilon = s.epsilon;
    const ChannelPlaces places(l.channels, l.inner);
    return Reduce<2>(
        c, l.channels, l.each(), l.inner == 1, Sums{0, 0},
        [=] TENSH_DEVICE(int64_t k, int64_t i) {
          const int64_t at = places.At(k, i);
          return Sums{dy[at], static_cast<double>(dy[at]) * static_cast<double>(x[at] - mean[k])};
        },
        [] TENSH_DEVICE(Sums a, Sums b) { return Sums{a.dy + b.dy, a.product + b.product}; },
        [=] TENSH_DEVICE(int64_t k, Sums sum) {
          total[k] = sum;
          offset_out[k] = static_cast<float>(sum.dy);
          scale_out[k] = static_cast<float>(
              sum.product / std::sqrt(static_cast<double>(variance[k]) + epsilon));
        });
  }

  // Computes dx from the sums. If mean and variance were given, they do not depend on x, and their
  // terms are left out.
  static Status Spread(KernelCtx& c, const ops::NormState& s, const ops::ChannelLayout& l, const Tensor& sums,
                       Tensor* dx) {
    const auto dy = In<float>(c.in(0)), x = In<float>(c.in(1)), scale = In<float>(c.in(2)),
               mean = In<float>(c.in(3)), variance = In<float>(c.in(4));
    const auto total = In<Sums>(sums);
    const auto out = Out<float>(dx);
    const double n = static_cast<double>(std::max<int64_t>(l.each(), 1)), epsilon = s.epsilon;
    const bool training = s.training;
    const ChannelPlaces places(l.channels, l.inner);
    return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t k = places.ChannelOf(i);
      const double v = static_cast<double>(variance[k]) + epsilon;
      const float factor = static_cast<float>(scale[k] * (1 / std::sqrt(v)));
      const float shift = training ? static_cast<float>(total[k].dy / n) : 0.0f;
      const float slope = training ? static_cast<float>(total[k].product / n / v) : 0.0f;
      out[i] = factor * (dy[i] - shift - (x[i] - mean[k]) * slope);
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_norm_batch_norm) {
  const RowOptions options{.prepare = ops::PrepareNorm};
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
    r.Add<float>(op, FusedBatchNorm(), options);
  for (const char* op : {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"})
    r.Add<float>(op, FusedBatchNormGrad(), options);
}

}  // namespace tensh::cuda
