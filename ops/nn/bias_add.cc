// BiasAdd, BiasAddV1 and BiasAddGrad. Channels are the last dimension (NHWC) or dimension 1 (NCHW).
#include "ops/math/reduce/reduce_loops.h"
#include "ops/nn/channels.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/reducers.h"

namespace tensh::ops {
namespace {

template <class T>
struct AddOne {
  T operator()(T x, T y) const { return WrapAdd(x, y); }
};

// Adds a bias to each of some rows. One call for all of them, because a row is often short.
template <class T>
struct BiasRows {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* in, const T* bias, int64_t rows, int64_t n) {
    for (; rows > 0; --rows, out += n, in += n) {
      TENSH_VECTORIZE
      for (int64_t k = 0; k < n; ++k) out[k] = WrapAdd(in[k], bias[k]);
    }
  }
};

struct BiasAdd {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const ChannelLayout l, BiasLayout(c));
    const Tensor& value = c.in(0);
    const T* in = value.data<T>();
    const T* b = c.in(1).data<T>();
    TENSH_OUTPUT(y, c.Forward(0, 0, value.shape()));
    T* out = y->data<T>();
    // A row holds the elements of one channel, none included, or one element of each channel.
    const bool one_bias_a_row = l.inner != 1;
    const int64_t row = one_bias_a_row ? l.inner : l.channels;
    const int64_t rows = one_bias_a_row ? l.outer * l.channels : l.outer;
    c.ParallelFor(rows, 0.3 * static_cast<double>(row) + 2, [&](int64_t begin, int64_t end) {
      if (!one_bias_a_row)
        return DispatchFor<T, BiasRows<T>>(out + begin * row, in + begin * row, b, end - begin,
                                           row);
      for (int64_t i = begin; i < end; ++i)
        RunRow<T, BinaryRow<T, T, AddOne<T>, RowKind::kScalarB>>(row, out + i * row, in + i * row,
                                                                 b + i % l.channels);
    });
    return {};
  }
};

struct BiasAddGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& dy = c.in(0);
    const ChannelLayout l = LayoutOf(dy.shape(), c.state<FormatState>().channels_first);
    TENSH_OUTPUT(y, c.Output(0, Shape({l.channels})));
    if (!l.channels) return {};
    ReducePlan plan;
    plan.out = y->shape();
    plan.reduced_elements = l.outer * l.inner;
    const int64_t dims[] = {l.outer, l.channels, l.inner};
    for (int i = 0; i < 3; ++i) {
      if (i == 2 && l.inner == 1) break;
      plan.dims[plan.rank++] = dims[i];
    }
    plan.first_reduced = true;
    Reduce<T, SumReducer<T>>(c, plan, dy.data<T>(), y->data<T>());
    return {};
  }
};

int ChannelOf(ShapeCtx& c) {
  return ChannelDim(c.in(0), ChannelsFirst(c.attrs().String("data_format")));
}

Status BiasAddShape(ShapeCtx& c) {
  const bool channels_first = ChannelsFirst(c.attrs().String("data_format"));
  TENSH_RETURN_IF_ERROR(c.WithRankAtLeast(0, channels_first ? 3 : 2));
  Shape out = c.in(0);
  if (out.has_rank() && c.in(1).has_rank()) {
    const int channel = ChannelOf(c);
    const int64_t have = out[channel], biases = c.in(1)[0];
    if (have >= 0 && biases >= 0 && have != biases)
      return InvalidArgument("Dimensions must be equal, but are ", have, " and ", biases, ": bias ",
                             c.in(1), " for value ", c.in(0));
    if (have < 0) out.set_dim(channel, biases);
  }
  c.Set(0, out);
  return {};
}

Status BiasAddGradShape(ShapeCtx& c) {
  c.Set(0, c.in(0).has_rank() ? Shape({c.in(0)[ChannelOf(c)]}) : Shape::UnknownOfRank(1));
  return {};
}

Status BiasAddBackward(GradScope& g) {
  Out dy = g.dy();
  Out bias = g.Op("BiasAddGrad", {dy}, {{"data_format", g.attrs().String("data_format")}});
  return g.Return({dy, bias});
}

// The gradient of BiasAddGrad: broadcasts the gradient of each channel to all elements of the
// channel.
Status BiasAddGradBackward(GradScope& g) {
  Out zeros = GradZerosLike(g, g.x(0));
  return g.Return(
      {g.Op("BiasAdd", {zeros, g.dy()}, {{"data_format", g.attrs().String("data_format")}})});
}

}  // namespace

TENSH_OPS(nn_bias_add) {
  r.Op({.name = "BiasAdd",
        .inputs = "value: T, bias: T",
        .outputs = "output: T",
        .attrs = TENSH_NUMBERS ", data_format: {'NHWC', 'NCHW'} = 'NHWC'",
        .doc = "Adds a bias to each channel. value: a tensor of rank 2 or more. bias: a vector "
               "with one entry per channel. T: the element type. data_format: 'NHWC' has channels "
               "last, 'NCHW' second.",
        .contract = "value: rank 2+, bias: vector",
        .shape = BiasAddShape,
        .grad = BiasAddBackward,
        .elementwise = Elementwise::kRowBias,
        .examples = {{"tf.nn.bias_add([[1., 2.], [3., 4.]], [10., 20.])",
                      "[[11. 22.]\n [13. 24.]]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128>(BiasAdd{}, {.prepare = PrepareFormat});
  r.Alias("BiasAddV1", "BiasAdd");  // of old graphs; has no data_format
  r.Op({.name = "BiasAddGrad",
        .inputs = "out_backprop: T",
        .outputs = "output: T",
        .attrs = TENSH_NUMBERS ", data_format: {'NHWC', 'NCHW'} = 'NHWC'",
        .doc = "The gradient of BiasAdd for the bias: sums over all dimensions except the "
               "channels. out_backprop: the incoming gradient. T: the element type. data_format: "
               "'NHWC' has channels last, 'NCHW' second.",
        .contract = "out_backprop: rank 2+",
        .shape = BiasAddGradShape,
        .grad = BiasAddGradBackward,
        .examples = {{"bias_add_grad([[1., 2.], [3., 4.]])", "[4. 6.]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128>(BiasAddGrad{}, {.prepare = PrepareFormat});
}

}  // namespace tensh::ops
