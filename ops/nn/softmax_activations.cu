// Softmax, cross entropies, BiasAdd and activations with their gradients.
#include "devices/cuda/cuda_view.h"
#include "devices/cuda/element_fns.h"
#include "ops/nn/activation_spec.h"
#include "ops/nn/channels.h"
#include "ops/nn/cross_entropy_shape.h"
#include "ops/support/prepare.h"

namespace tensh::cuda {
namespace {

// ---- rows ----

template <class T>
struct Row {
  T most, sum;  // the maximum, and the sum of exp(x - most)
};

template <class T, class Load>
TENSH_DEVICE Row<T> RowOf(Block b, int64_t n, Load x) {
  const T most = b.Reduce(n, -std::numeric_limits<T>::infinity(), x,
                          [](T a, T c) { return a < c || c != c ? c : a; });
  const T sum = b.Reduce(
      n, T(0), [=](int64_t j) { return std::exp(x(j) - most); }, [](T a, T c) { return a + c; });
  return {most, sum};
}

template <bool log>
struct Softmax {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    const int64_t n = x.dim(x.rank() - 1), rows = n ? x.num_elements() / n : 0;
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    const auto in = In<T>(x);
    const auto out = Out<T>(y);
    return ForRows(c, rows, [=] TENSH_DEVICE(Block b, int64_t row) {
      const Row<T> r = RowOf<T>(b, n, [=](int64_t j) { return in[row * n + j]; });
      b.For(n, [=](int64_t j) {
        const T shifted = in[row * n + j] - r.most;
        out[row * n + j] = log ? shifted - std::log(r.sum) : std::exp(shifted) / r.sum;
      });
    });
  }
};

struct CrossEntropy {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &x = c.in(0), &labels = c.in(1);
    TENSH_ASSIGN(const Shape shape, ops::CrossEntropyShape(x, labels));
    const int64_t rows = shape[0], n = shape[1];
    TENSH_OUTPUT(loss, c.Output(0, Shape({rows})));
    TENSH_OUTPUT(back, c.Output(1, shape));
    const View at_x = BroadcastView(x.shape(), shape), at_p = BroadcastView(labels.shape(), shape);
    const auto in = In<T>(x), p = In<T>(labels);
    const auto losses = Out<T>(loss), gradient = Out<T>(back);
    return ForRows(c, rows, [=] TENSH_DEVICE(Block b, int64_t row) {
      const Row<T> r = RowOf<T>(b, n, [=](int64_t j) { return in[at_x.At(row * n + j)]; });
      const T log_sum = std::log(r.sum);
      const T total = b.Reduce(
          n, T(0),
          [=](int64_t j) {
            const T label = p[at_p.At(row * n + j)];
            return label == T(0) ? T(0) : label * (log_sum - (in[at_x.At(row * n + j)] - r.most));
          },
          [](T a, T d) { return a + d; });
      if (b.leads()) losses[row] = total;
      b.For(n, [=](int64_t j) {
        const int64_t i = row * n + j;
        gradient[i] = std::exp(in[at_x.At(i)] - r.most) / r.sum - p[at_p.At(i)];
      });
    });
  }
};

// A label out of range gives a NaN loss, as on TensorFlow's GPUs.
struct SparseCrossEntropy {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return c.in(1).dtype() == DType::kInt32 ? Run<T, int32_t>(c) : Run<T, int64_t>(c);
  }
  template <class T, class Label>
  static Status Run(KernelCtx& c) {
    const Tensor &x = c.in(0), &labels = c.in(1);
    TENSH_RETURN_IF_ERROR(ops::CheckSparseLabels(x, labels));
    const int64_t rows = x.dim(0), n = x.dim(1);
    TENSH_OUTPUT(loss, c.Output(0, labels.shape()));
    TENSH_OUTPUT(back, c.Output(1, x.shape()));
    const auto in = In<T>(x);
    const auto label = In<Label>(labels);
    const auto losses = Out<T>(loss), gradient = Out<T>(back);
    const T nan = std::numeric_limits<T>::quiet_NaN();
    return ForRows(c, rows, [=] TENSH_DEVICE(Block b, int64_t row) {
      const Row<T> r = RowOf<T>(b, n, [=](int64_t j) { return in[row * n + j]; });
      const int64_t at = label[row];
      const bool known = at >= 0 && at < n;
      if (b.leads()) losses[row] = known ? std::log(r.sum) - (in[row * n + at] - r.most) : nan;
      b.For(n, [=](int64_t j) {
        const T p = std::exp(in[row * n + j] - r.most) / r.sum;
        gradient[row * n + j] = !known ? nan : j == at ? p - T(1) : p;
      });
    });
  }
};

// ---- biases ----

struct BiasAdd {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const ops::ChannelLayout l, ops::BiasLayout(c));
    const Tensor& value = c.in(0);
    const auto in = In<T>(value), by = In<T>(c.in(1));
    TENSH_OUTPUT(y, c.Forward(0, 0, value.shape()));
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(),
                   [=] TENSH_DEVICE(int64_t i) { out[i] = in[i] + by[l.ChannelOf(i)]; });
  }
};

struct BiasAddGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    const ops::ChannelLayout l =
        ops::LayoutOf(x.shape(), c.state<ops::FormatState>().channels_first);
    TENSH_OUTPUT(y, c.Output(0, Shape({l.channels})));
    const auto in = In<T>(x);
    const auto out = Out<T>(y);
    return Reduce(
        c, l.channels, l.each(), l.inner == 1, T(0),
        [=] TENSH_DEVICE(int64_t o, int64_t k) { return in[l.At(o, k)]; },
        [] TENSH_DEVICE(T a, T b) { return a + b; },
        [=] TENSH_DEVICE(int64_t o, T sum) { out[o] = sum; });
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
