// Softmax, cross entropies, BiasAdd and activations with their gradients.
#include "devices/cuda/cuda_reduce.h"
#include "devices/cuda/cuda_view.h"
#include "devices/cuda/element_fns.h"
#include "ops/nn/activation_spec.h"
#include "ops/nn/channels.h"
#include "ops/nn/cross_entropy_shape.h"
#include "ops/support/prepare.h"

namespace tensh::cuda {
namespace {

// ---- rows ----

template <class A>
struct Row {
  A most, sum;  // the maximum, and the sum of exp(x - most)
};

template <int kLoads, class A, class Load>
TENSH_DEVICE Row<A> RowOf(Team team, int64_t n, const Load& x) {
  const A most = team.Reduce<kLoads>(n, -std::numeric_limits<A>::infinity(), x,
                             [](A a, A c) { return a < c || c != c ? c : a; });
  const A sum = team.Reduce(
      n, A(0), [&](int64_t j) { return std::exp(x(j) - most); }, [](A a, A c) { return a + c; });
  return {most, sum};
}

template <bool log>
struct Softmax {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    using A = Computed<T>;
    const Tensor& x = c.in(0);
    const int64_t n = x.dim(x.rank() - 1), rows = n ? x.num_elements() / n : 0;
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    const auto in = In<T>(x);
    const auto out = Out<T>(y);
    return ForRows(c, rows, n, [=] TENSH_DEVICE(Team team, int64_t row) {
      const auto value = [&](int64_t j) { return static_cast<A>(in[row * n + j]); };
      const Row<A> r = RowOf<4, A>(team, n, value);
      const A log_sum = log ? std::log(r.sum) : A(0);
      team.For(n, [&](int64_t j) {
        const A shifted = value(j) - r.most;
        out[row * n + j] = static_cast<T>(log ? shifted - log_sum : std::exp(shifted) / r.sum);
      });
    });
  }
};

struct CrossEntropy {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    using A = Computed<T>;
    const Tensor &x = c.in(0), &labels = c.in(1);
    TENSH_ASSIGN(const Shape shape, ops::CrossEntropyShape(x, labels));
    const int64_t rows = shape[0], n = shape[1];
    TENSH_OUTPUT(loss, c.Output(0, Shape({rows})));
    TENSH_OUTPUT(back, c.Output(1, shape));
    const View at_x = BroadcastView(x.shape(), shape), at_p = BroadcastView(labels.shape(), shape);
    const auto in = In<T>(x), p = In<T>(labels);
    const auto losses = Out<T>(loss), gradient = Out<T>(back);
    return ForRows(c, rows, n, [=] TENSH_DEVICE(Team team, int64_t row) {
      const auto logit = [&](int64_t j) { return static_cast<A>(in[at_x.At(row * n + j)]); };
      const auto label = [&](int64_t j) { return static_cast<A>(p[at_p.At(row * n + j)]); };
      const Row<A> r = RowOf<1, A>(team, n, logit);
      const A log_sum = std::log(r.sum);
      const A total = team.Reduce(
          n, A(0),
          [&](int64_t j) {
            const A wanted = label(j);
            return wanted == A(0) ? A(0) : wanted * (log_sum - (logit(j) - r.most));
          },
          [](A a, A d) { return a + d; });
      if (team.leads()) losses[row] = static_cast<T>(total);
      team.For(n, [&](int64_t j) {
        gradient[row * n + j] = static_cast<T>(std::exp(logit(j) - r.most) / r.sum - label(j));
      });
    });
  }
};

// A label out of range gives a NaN loss, as on TensorFlow's GPUs.
struct SparseCrossEntropy {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &x = c.in(0), &labels = c.in(1);
    TENSH_RETURN_IF_ERROR(ops::CheckSparseLabels(x, labels));
    using A = Computed<T>;
    const int64_t rows = x.dim(0), n = x.dim(1);
    TENSH_OUTPUT(loss, c.Output(0, labels.shape()));
    TENSH_OUTPUT(back, c.Output(1, x.shape()));
    if (!rows) return {};
    const auto in = In<T>(x);
    const Indices label(labels);
    const auto losses = Out<T>(loss), gradient = Out<T>(back);
    const A nan = std::numeric_limits<A>::quiet_NaN();
    return ForRows(c, rows, n, [=] TENSH_DEVICE(Team team, int64_t row) {
      const auto logit = [&](int64_t j) { return static_cast<A>(in[row * n + j]); };
      const Row<A> r = RowOf<4, A>(team, n, logit);
      const int64_t at = label[row];
      const bool known = at >= 0 && at < n;
      if (team.leads())
        losses[row] = static_cast<T>(known ? std::log(r.sum) - (logit(at) - r.most) : nan);
      team.For(n, [&](int64_t j) {
        const A p = std::exp(logit(j) - r.most) / r.sum;
        gradient[row * n + j] = static_cast<T>(!known ? nan : j == at ? p - A(1) : p);
      });
    });
  }
};

// ---- biases ----

struct BiasAdd {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const ops::ChannelLayout l, ops::BiasLayout(c));
    const Tensor& value = c.in(0);
    const auto in = In<T>(value), by = In<T>(c.in(1));
    TENSH_OUTPUT(y, c.Forward(0, 0, value.shape()));
    const auto out = Out<T>(y);
    const ChannelPlaces places(l.channels, l.inner);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const T bias = by[places.ChannelOf(i)];
      out[i] = static_cast<T>(static_cast<Computed<T>>(in[i]) + static_cast<Computed<T>>(bias));
    });
  }
};

struct BiasAddGrad {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    using A = Computed<T>;
    const Tensor& x = c.in(0);
    const ops::ChannelLayout l =
        ops::LayoutOf(x.shape(), c.state<ops::FormatState>().channels_first);
    TENSH_OUTPUT(y, c.Output(0, Shape({l.channels})));
    const auto in = In<T>(x);
    const auto out = Out<T>(y);
    const ChannelPlaces places(l.channels, l.inner);
    return Reduce<4>(
        c, l.channels, l.each(), l.inner == 1, A(0),
        [=] TENSH_DEVICE(int64_t o, int64_t k) { return static_cast<A>(in[places.At(o, k)]); },
        [] TENSH_DEVICE(A a, A b) { return a + b; },
        [=] TENSH_DEVICE(int64_t o, A sum) { out[o] = static_cast<T>(sum); });
  }
};

// ---- activations ----

template <class Fn>
struct Gradient {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_RETURN_IF_ERROR(ops::CheckSameShape(c));
    return MapBinary<T, T>(c, Fn());
  }
};

struct LeakyRelu {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const T alpha = static_cast<T>(c.state<ops::AlphaState>().alpha);
    return MapUnary<T, T>(c, [=] TENSH_DEVICE(T x) { return x > T(0) ? x : x * alpha; });
  }
};
struct LeakyReluGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const T alpha = static_cast<T>(c.state<ops::AlphaState>().alpha);
    TENSH_RETURN_IF_ERROR(ops::CheckSameShape(c));
    return MapBinary<T, T>(c, [=] TENSH_DEVICE(T dy, T x) { return x > T(0) ? dy : dy * alpha; });
  }
};

void RegisterActivations(KernelTable& r) {
  r.Add<float, double, Half, Bfloat16>("Relu", Unary<Relu>());
  r.Add<float, double, Half, Bfloat16>("Relu6", Unary<Relu6>());
  r.Add<float, double, Half, Bfloat16>("Elu", Unary<Elu>());
  r.Add<float, double, Half, Bfloat16>("Selu", Unary<Selu>());
  r.Add<float, double, Half, Bfloat16>("Softsign", Unary<Softsign>());
  r.Add<float, double, Half, Bfloat16>("Softplus", Unary<Softplus>());
  r.Add<float, double, Half, Bfloat16>("ReluGrad", Gradient<ReluGrad>());
  r.Add<float, double, Half, Bfloat16>("Relu6Grad", Gradient<Relu6Grad>());
  r.Add<float, double, Half, Bfloat16>("EluGrad", Gradient<EluGrad>());
  r.Add<float, double, Half, Bfloat16>("SeluGrad", Gradient<SeluGrad>());
  r.Add<float, double, Half, Bfloat16>("SoftsignGrad", Gradient<SoftsignGrad>());
  r.Add<float, double, Half, Bfloat16>("SoftplusGrad", Gradient<SoftplusGrad>());
  r.Add<float, double, Half, Bfloat16>("LeakyRelu", LeakyRelu(),
                                       {.prepare = ops::PrepareFrom<ops::AlphaState>});
  r.Add<float, double, Half, Bfloat16>("LeakyReluGrad", LeakyReluGrad(),
                                       {.prepare = ops::PrepareFrom<ops::AlphaState>});
}

}  // namespace

TENSH_CUDA_KERNELS(nn_softmax_activations) {
  RegisterActivations(r);
  r.Add<float, double, Half, Bfloat16>("Softmax", Softmax<false>());
  r.Add<float, double, Half, Bfloat16>("LogSoftmax", Softmax<true>());
  r.Add<float, double, Half, Bfloat16>("SoftmaxCrossEntropyWithLogits", CrossEntropy());
  r.Add<float, double, Half, Bfloat16>("SparseSoftmaxCrossEntropyWithLogits", SparseCrossEntropy());
  r.Add<float, double, Half, Bfloat16>("BiasAdd", BiasAdd(), {.prepare = ops::PrepareFormat});
  r.Add<float, double, Half, Bfloat16>("BiasAddGrad", BiasAddGrad(),
                                       {.prepare = ops::PrepareFormat});
}

}  // namespace tensh::cuda
