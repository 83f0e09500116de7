// LRN and LRNGrad. One thread computes one element.
#include "devices/cuda/cuda_kernel.h"
#include "ops/nn/norm/lrn_state.h"
#include "ops/support/prepare.h"

namespace tensh::cuda {
namespace {

// The channels of a pixel, with the parameters of the normalization.
struct Channels {
  Dev<const float> in;
  int64_t n, radius;
  float bias, alpha, beta;

  TENSH_DEVICE int64_t Begin(int64_t k) const { return k > radius ? k - radius : 0; }
  TENSH_DEVICE int64_t End(int64_t k) const { return n - k > radius ? k + radius + 1 : n; }
  // Returns the norm of channel k of the pixel that begins at element `at`.
  TENSH_DEVICE float Norm(int64_t at, int64_t k) const {
    float sum = 0;
    for (int64_t j = Begin(k); j < End(k); ++j) sum += in[at + j] * in[at + j];
    return bias + alpha * sum;
  }
};

Channels ChannelsOf(const ops::LrnState& s, const Tensor& x) {
  return {In<float>(x), x.dim(3), s.radius, s.bias, s.alpha, s.beta};
}

struct Lrn {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    const Channels of = ChannelsOf(c.state<ops::LrnState>(), x);
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      out[i] = of.in[i] * ops::LrnScale(of.beta, of.Norm(i - i % of.n, i % of.n));
    });
  }
};

// Each channel contributes to the norms of all channels within the radius.
struct LrnGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &grads = c.in(0), &x = c.in(1), &y = c.in(2);
    if (!(grads.shape() == x.shape()) || !(y.shape() == x.shape()))
      return InvalidArgument("input_grads, input_image, and out_image should have the same shape: ",
                             grads.shape(), ", ", x.shape(), ", ", y.shape());
    TENSH_OUTPUT(dx, c.Output(0, x.shape()));
    const Channels of = ChannelsOf(c.state<ops::LrnState>(), x);
    const auto dy = In<T>(grads), made = In<T>(y);
    const auto out = Out<T>(dx);
    return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t k = i % of.n, at = i - k;
      T sum = 0;
      for (int64_t j = of.Begin(k); j < of.End(k); ++j) {
        const float norm = of.Norm(at, j);
        const float shared = -2 * of.alpha * of.beta * (made[at + j] / norm) * dy[at + j];
        sum += of.in[i] * shared;
        if (j == k) sum += ops::LrnScale(of.beta, norm) * dy[i];
      }
      out[i] = sum;
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_norm_lrn) {
  r.Add<float, Half, Bfloat16>("LRN", Lrn(), {.prepare = ops::PrepareFrom<ops::LrnState>});
  r.Add<float, Half, Bfloat16>("LRNGrad", LrnGrad(), {.prepare = ops::PrepareFrom<ops::LrnState>});
}

}  // namespace tensh::cuda
