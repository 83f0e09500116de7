// Pools of images and volumes. In gradients, a thread per input element visits the windows that
// cover it. There are no atomic additions, so sums always have the same order.
#include "devices/cuda/cuda_view.h"
#include "ops/nn/conv/window.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::cuda {
namespace {

using ops::ImageLayout;
using ops::WindowAttrs;
using ops::WindowDim;
using Place = ImageLayout::Place;

struct Pool {
  WindowDim planes, rows, columns;
  ImageLayout in, out;
};

Status MakePool(const WindowAttrs& w, const Shape& in, Pool& p, Shape& out) {
  if (w.sizes[WindowAttrs::kBatch] != 1 || w.strides[WindowAttrs::kBatch] != 1)
    return Unimplemented("Pooling is not yet supported on the batch dimension.");
  if (w.sizes[WindowAttrs::kChannels] != 1 || w.strides[WindowAttrs::kChannels] != 1)
    return Unimplemented("Depthwise pooling is currently only implemented for CPU devices.");
  const std::pair<int, WindowDim*> dims[] = {{WindowAttrs::kPlanes, &p.planes},
                                             {WindowAttrs::kRows, &p.rows},
                                             {WindowAttrs::kColumns, &p.columns}};
  for (const auto& [dim, window] : dims)
    TENSH_RETURN_IF_ERROR(ops::MakeWindow(w, dim, w.Of(in, dim), w.sizes[dim], *window));
  const int64_t channels = w.Of(in, WindowAttrs::kChannels);
  p.in = {p.planes.in, p.rows.in, p.columns.in, channels, w.channels_first};
  p.out = {p.planes.out, p.rows.out, p.columns.out, channels, w.channels_first};
  out = w.Make(w.Of(in, WindowAttrs::kBatch), p.rows.out, p.columns.out, channels, p.planes.out);
  return {};
}

// A range [begin, end): of the input elements under window o, or of the windows over element i.
struct Range {
  int64_t begin, end;
  TENSH_DEVICE int64_t size() const { return end - begin; }
};
TENSH_DEVICE inline Range Under(const WindowDim& d, int64_t o) {
  const int64_t from = o * d.stride - d.before, to = from + d.size;
  return {from > 0 ? from : 0, to < d.in ? to : d.in};
}
TENSH_DEVICE inline Range Over(const WindowDim& d, int64_t i) {
  const int64_t at = i + d.before, first = at - d.size + 1, last = at / d.stride + 1;
  return {first > 0 ? (first + d.stride - 1) / d.stride : 0, last < d.out ? last : d.out};
}

// Calls fn(element) for each element of a box within the image and channel of `p`.
template <class Fn>
TENSH_DEVICE void ForBox(const ImageLayout& layout, Place p, Range z, Range y, Range x, Fn fn) {
  for (p.plane = z.begin; p.plane < z.end; ++p.plane)
    for (p.row = y.begin; p.row < y.end; ++p.row)
      for (p.column = x.begin; p.column < x.end; ++p.column) fn(layout.At(p));
}

// Calls fn(input element) for each element of the window of output element i.
template <class Fn>
TENSH_DEVICE void ForWindow(const Pool& p, int64_t i, Fn fn) {
  const Place o = p.out.PlaceOf(i);
  ForBox(p.in, o, Under(p.planes, o.plane), Under(p.rows, o.row), Under(p.columns, o.column), fn);
}

// Calls fn(output element) for each window that covers input element i.
template <class Fn>
TENSH_DEVICE void ForWindowsOver(const Pool& p, int64_t i, Fn fn) {
  const Place at = p.in.PlaceOf(i);
  ForBox(p.out, at, Over(p.planes, at.plane), Over(p.rows, at.row), Over(p.columns, at.column), fn);
}

// Returns the number of input elements, without padding, in window o.
TENSH_DEVICE inline int64_t WindowSize(const Pool& p, int64_t o) {
  const Place at = p.out.PlaceOf(o);
  return Under(p.planes, at.plane).size() * Under(p.rows, at.row).size() *
         Under(p.columns, at.column).size();
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
    const auto& w = c.state<WindowAttrs>();
    TENSH_ASSIGN(const Shape in, ops::ShapeFromTensor(c.in(0)));
    Pool p;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(w, in, p, shape));
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
        ForWindowsOver(
            p, i, [&](int64_t o) { sum += dy[o] * (T(1) / static_cast<T>(WindowSize(p, o))); });
      out[i] = sum;
    });
  }
};

// Returns the maximum of a window, the first one in case of ties, or -1 if all elements are NaN.
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

Status CheckGradient(const Shape& out, const Tensor& y, const Tensor& grad,
                     const Shape& grad_shape) {
  if (!(y.shape() == out))
    return InvalidArgument("Expected orig_output shape to be ", out, ", but got ", y.shape());
  if (!(grad.shape() == grad_shape))
    return InvalidArgument("Expected grad shape to be ", grad_shape, ", but got ", grad.shape());
  return {};
}

// As in TensorFlow, the gradient flows to the first maximum of a window of an image, and to all
// maxima of a window of a volume.
struct MaxPoolGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &x = c.in(0), &grad = c.in(2);
    const bool all = c.state<WindowAttrs>().volume;
    if (x.dtype() != grad.dtype()) return InvalidArgument("T and TInput must be the same type");
    Pool p;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), x.shape(), p, shape));
    TENSH_RETURN_IF_ERROR(CheckGradient(shape, c.in(1), grad, shape));
    TENSH_OUTPUT(dx, c.Output(0, x.shape()));
    const auto in = In<T>(x), y = In<T>(c.in(1)), dy = In<T>(grad);
    const auto out = Out<T>(dx);
    const int64_t windows = grad.num_elements();
    // A window is searched once, not for each of its elements.
    TENSH_ASSIGN(const Tensor places, Scratch(c, DType::kInt64, all ? 0 : windows));
    const auto greatest = Out<int64_t>(places);
    TENSH_RETURN_IF_ERROR(ForEach(c, all ? 0 : windows, [=] TENSH_DEVICE(int64_t o) {
      greatest[o] = Greatest(p, in, o);
    }));
    return ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      T sum = 0;
      if (windows)
        ForWindowsOver(p, i, [&](int64_t o) {
          if (all ? in[i] == y[o] : greatest[o] == i) sum += dy[o];
        });
      out[i] = sum;
    });
  }
};

// Picks the element of `grad` at the first maximum of each window.
struct MaxPoolGradGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &x = c.in(0), &grad = c.in(2);
    Pool p;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), x.shape(), p, shape));
    TENSH_RETURN_IF_ERROR(CheckGradient(shape, c.in(1), grad, x.shape()));
    TENSH_OUTPUT(result, c.Output(0, shape));
    const auto in = In<T>(x), dy = In<T>(grad);
    const auto out = Out<T>(result);
    return ForEach(c, result->num_elements(), [=] TENSH_DEVICE(int64_t o) {
      const int64_t at = Greatest(p, in, o);
      out[o] = at < 0 ? T(0) : dy[at];
    });
  }
};

// ---- pools that return the positions of the maxima ----

struct ArgmaxAttrs : KernelState {
  WindowAttrs window;
  bool with_batch = false;
  Status Read(PrepareCtx& c) {
    with_batch = c.attrs().Bool("include_batch_in_index");
    return ops::ReadWindowAttrs(c.attrs(), window);
  }
};

// Returns the position of the first maximum, also if it is NaN, as on the CPU.
template <class T>
TENSH_DEVICE int64_t FirstGreatest(const Pool& p, Dev<const T> in, int64_t o) {
  int64_t best = -1;
  ForWindow(p, o, [&](int64_t at) {
    if (best < 0 || in[at] > in[best]) best = at;
  });
  return best;
}

struct MaxPoolArgmax {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<ArgmaxAttrs>();
    const Tensor& x = c.in(0);
    Pool p;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(s.window, x.shape(), p, shape));
    const bool narrow = c.out_dtype(1) == DType::kInt32;
    if (narrow && x.num_elements() > INT32_MAX)
      return InvalidArgument("Targmax int32 cannot count ", x.num_elements(), " elements");
    TENSH_OUTPUT(y, c.Output(0, shape));
    TENSH_OUTPUT(places, c.Output(1, shape));
    const auto in = In<T>(x);
    const auto out = Out<T>(y);
    const auto place = Out<char>(places);
    const int64_t image = s.with_batch ? x.num_elements() : p.in.pixels() * p.in.channels;
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t o) {
      const int64_t at = FirstGreatest(p, in, o), found = at < 0 ? -1 : at % image;
      out[o] = at < 0 ? T(0) : in[at];
      if (narrow)
        reinterpret_cast<int32_t*>(place.at)[o] = static_cast<int32_t>(found);
      else
        reinterpret_cast<int64_t*>(place.at)[o] = found;
    });
  }
};

// The element of all images that an entry of argmax names, or -1 if it names none of its image.
struct Argmax {
  Indices place;
  int64_t per_image, image;
  bool with_batch;
  TENSH_DEVICE int64_t operator[](int64_t o) const {
    const int64_t first = o / per_image * image, at = place[o] + (with_batch ? 0 : first);
    return at < first || at >= first + image ? -1 : at;
  }
};

// Checks the shapes of a gradient, and returns the elements that its input 2 names.
Result<Argmax> ArgmaxOf(KernelCtx& c, bool grad_is_image) {
  const auto& s = c.state<ArgmaxAttrs>();
  const Tensor &x = c.in(0), &grad = c.in(1), &argmax = c.in(2);
  Pool p;
  Shape shape;
  TENSH_RETURN_IF_ERROR(MakePool(s.window, x.shape(), p, shape));
  const Shape& wanted = grad_is_image ? x.shape() : shape;
  if (!(grad.shape() == wanted))
    return InvalidArgument("Expected grad shape to be ", wanted, ", but got ", grad.shape());
  if (!(argmax.shape() == shape))
    return InvalidArgument("Expected argmax shape to be ", shape, ", but got ", argmax.shape());
  return Argmax{argmax.num_elements() ? Indices(argmax) : Indices(), p.out.pixels() * p.out.channels,
                p.in.pixels() * p.in.channels, s.with_batch};
}

// Several windows can name one element. They are added in order, like the rows of a sparse update.
struct GradArgmax {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Argmax argmax, ArgmaxOf(c, false));
    TENSH_OUTPUT(dx, c.Output(0, c.in(0).shape()));
    const auto dy = In<T>(c.in(1));
    const auto out = Out<T>(dx);
    TENSH_RETURN_IF_ERROR(
        ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); }));
    return ForNamedRows(c, argmax, c.in(1).num_elements(), Shape({dx->num_elements()}),
                        [=] TENSH_DEVICE(int64_t to, int64_t from) { out[to] += dy[from]; });
  }
};

struct GradGradArgmax {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Argmax argmax, ArgmaxOf(c, true));
    TENSH_OUTPUT(y, c.Output(0, c.in(2).shape()));
    const auto dy = In<T>(c.in(1));
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t o) {
      const int64_t at = argmax[o];
      out[o] = at < 0 ? T(0) : dy[at];
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_pool_pool) {
  const RowOptions window{.prepare = ops::PrepareAnyWindow};
  const RowOptions input_shape{.host = "orig_input_shape", .prepare = ops::PrepareAnyWindow};
  for (const char* op : {"AvgPool", "AvgPool3D"})
    r.Add<float, double, Half, Bfloat16>(op, AvgPool(), window);
  for (const char* op : {"AvgPoolGrad", "AvgPool3DGrad"})
    r.Add<float, double, Half, Bfloat16>(op, AvgPoolGrad(), input_shape);
  for (const char* op : {"MaxPool", "MaxPool3D"})
    r.Add<float, double, Half, Bfloat16>(op, MaxPool(), window);
  for (const char* op : {"MaxPoolGrad", "MaxPool3DGrad"})
    r.Add<float, double, Half, Bfloat16>(op, MaxPoolGrad(), window);
  r.Add<float, double, Half, Bfloat16>("MaxPool3DGradGrad", MaxPoolGradGrad(), window);
  const RowOptions argmax{.prepare = ops::PrepareFrom<ArgmaxAttrs>};
  r.Add<float, double>("MaxPoolWithArgmax", MaxPoolArgmax(), argmax);
  r.Add<float, double>("MaxPoolGradWithArgmax", GradArgmax(), argmax);
  r.Add<float, double>("MaxPoolGradGradWithArgmax", GradGradArgmax(), argmax);
}

}  // namespace tensh::cuda
