// Pools of images (channels last). Gradients look, for each element of the input, at the windows it
// lies in, so that sums are made in one order.
#include "devices/cuda/cuda_kernel.h"
#include "ops/support/shape_util.h"
#include "ops/support/window.h"

namespace tensh::cuda {
namespace {

using ops::WindowAttrs;
using ops::WindowDim;

struct Pool {
  WindowDim rows, columns;
  int64_t channels;
};

Status MakePool(const WindowAttrs& w, const Shape& in, Pool& p, Shape& out) {
  if (in.rank() != 4) return InvalidArgument("tensor_in must be 4-dimensional, got ", in);
  if (w.sizes[WindowAttrs::kChannels] != 1 || w.strides[WindowAttrs::kChannels] != 1)
    return Unimplemented("Depthwise pooling is currently only implemented for CPU devices.");
  TENSH_ASSIGN(out, ops::PoolShapeOf(w, in));
  p.channels = in[3];
  TENSH_RETURN_IF_ERROR(ops::MakeWindow(w, WindowAttrs::kRows, in[1], w.sizes[1], p.rows));
  return ops::MakeWindow(w, WindowAttrs::kColumns, in[2], w.sizes[2], p.columns);
}

// [begin, end) of the input under window o; and of the windows over element i.
struct Range {
  int64_t begin, end;
};
TENSH_DEVICE inline Range Under(const WindowDim& d, int64_t o) {
  const int64_t from = o * d.stride - d.before, to = from + d.size;
  return {from > 0 ? from : 0, to < d.in ? to : d.in};
}
TENSH_DEVICE inline Range Over(const WindowDim& d, int64_t i) {
  const int64_t at = i + d.before, first = at - d.size + 1, last = at / d.stride + 1;
  return {first > 0 ? (first + d.stride - 1) / d.stride : 0, last < d.out ? last : d.out};
}

// fn(element of the input) over the window of output element i.
template <class Fn>
TENSH_DEVICE void ForWindow(const Pool& p, int64_t i, Fn fn) {
  const int64_t channel = i % p.channels, o = i / p.channels;
  const Range x = Under(p.columns, o % p.columns.out);
  const Range y = Under(p.rows, o / p.columns.out % p.rows.out);
  const int64_t image = o / p.columns.out / p.rows.out;
  for (int64_t row = y.begin; row < y.end; ++row)
    for (int64_t column = x.begin; column < x.end; ++column)
      fn(((image * p.rows.in + row) * p.columns.in + column) * p.channels + channel);
}

// fn(element of the output) for the windows that element i of the input lies in.
template <class Fn>
TENSH_DEVICE void ForWindowsOver(const Pool& p, int64_t i, Fn fn) {
  const int64_t channel = i % p.channels, pixel = i / p.channels;
  const Range x = Over(p.columns, pixel % p.columns.in);
  const Range y = Over(p.rows, pixel / p.columns.in % p.rows.in);
  const int64_t image = pixel / p.columns.in / p.rows.in;
  for (int64_t row = y.begin; row < y.end; ++row)
    for (int64_t column = x.begin; column < x.end; ++column)
      fn(((image * p.rows.out + row) * p.columns.out + column) * p.channels + channel);
}

struct AvgPool {
  template <class T>
  Status operator()(KernelCtx& c) const {
    Pool p;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), c.in(0).shape(), p, shape));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto in = In<T>(c.in(0));
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      T sum = 0, n = 0;
      ForWindow(p, i, [&](int64_t at) { sum += in[at], n += T(1); });
      out[i] = sum / n;
    });
  }
};

struct AvgPoolGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if (!ops::IsVector(c.in(0)) || c.in(0).dim(0) != 4)
      return InvalidArgument("out_backprop must be 4-dimensional: orig_input_shape is ",
                             c.in(0).shape());
    TENSH_ASSIGN(const Shape in, ops::ShapeFromTensor(c.in(0)));
    Pool p;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), in, p, shape));
    const Tensor& grad = c.in(1);
    if (!(grad.shape() == shape))
      return InvalidArgument("Expected grad shape to be ", shape, ", but got ", grad.shape());
    TENSH_OUTPUT(dx, c.Output(0, in));
    const auto dy = In<T>(grad);
    const auto out = Out<T>(dx);
    const bool some = grad.num_elements() > 0;
    return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      T sum = 0;
      if (some)
        ForWindowsOver(p, i, [&](int64_t o) {
          const Range x = Under(p.columns, o / p.channels % p.columns.out);
          const Range y = Under(p.rows, o / p.channels / p.columns.out % p.rows.out);
          sum += dy[o] * (T(1) / static_cast<T>((x.end - x.begin) * (y.end - y.begin)));
        });
      out[i] = sum;
    });
  }
};

// The element that is the greatest of a window, the first of equals; -1: all are nan.
template <class T>
TENSH_DEVICE int64_t Greatest(const Pool& p, Dev<const T> in, int64_t o) {
  int64_t best = -1;
  ForWindow(p, o, [&](int64_t at) {
    if (in[at] == in[at] && (best < 0 || in[at] > in[best])) best = at;
  });
  return best;
}

struct MaxPool {
  template <class T>
  Status operator()(KernelCtx& c) const {
    Pool p;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), c.in(0).shape(), p, shape));
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto in = In<T>(c.in(0));
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t at = Greatest(p, in, i);
      out[i] = at < 0 ? -std::numeric_limits<T>::infinity() : in[at];
    });
  }
};

struct MaxPoolGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &x = c.in(0), &grad = c.in(2);
    Pool p;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), x.shape(), p, shape));
    if (!(c.in(1).shape() == shape))
      return InvalidArgument("Expected orig_output shape to be ", shape, ", but got ",
                             c.in(1).shape());
    if (!(grad.shape() == shape))
      return InvalidArgument("Expected grad shape to be ", shape, ", but got ", grad.shape());
    TENSH_OUTPUT(dx, c.Output(0, x.shape()));
    const auto in = In<T>(x), dy = In<T>(grad);
    const auto out = Out<T>(dx);
    const bool some = grad.num_elements() > 0;
    return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      T sum = 0;
      if (some)
        ForWindowsOver(p, i, [&](int64_t o) {
          if (Greatest(p, in, o) == i) sum += dy[o];
        });
      out[i] = sum;
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_pool) {
  const RowOptions options{.prepare = ops::PrepareWindow};
  r.Add<float, double, Half, Bfloat16>("AvgPool", AvgPool(), options);
  r.Add<float, double, Half, Bfloat16>("AvgPoolGrad", AvgPoolGrad(),
                                       {.host = "orig_input_shape", .prepare = ops::PrepareWindow});
  r.Add<float, double, Half, Bfloat16>("MaxPool", MaxPool(), options);
  r.Add<float, double, Half, Bfloat16>("MaxPoolGrad", MaxPoolGrad(), options);
}

}  // namespace tensh::cuda
