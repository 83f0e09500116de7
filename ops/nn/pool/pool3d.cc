// MaxPool3D and AvgPool3D, pooling over windows of volumes, with their gradients.
#include <algorithm>

#include "ops/nn/pool/max_loops.h"
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct PoolDims {
  int64_t batch = 0, channels = 0;
  WindowDim planes, rows, columns;
  int64_t per_volume() const { return planes.out * rows.out * columns.out; }
  int64_t positions() const { return batch * per_volume(); }
};

// Computes the windows over `in`, which may be partially known, and the shape of the output.
Status MakePool(const WindowAttrs& w, const Shape& in, PoolDims& d, Shape& out) {
  if (w.sizes[WindowAttrs::kBatch] != 1 || w.strides[WindowAttrs::kBatch] != 1)
    return Unimplemented("Pooling is not yet supported on the batch dimension.");
  if (w.sizes[WindowAttrs::kChannels] != 1 || w.strides[WindowAttrs::kChannels] != 1)
    return Unimplemented("Pooling is not yet supported on the depth dimension.");
  d.batch = in[0];
  d.channels = w.Of(in, WindowAttrs::kChannels);
  auto make = [&](int dim, WindowDim& window) {
    return MakeWindow(w, dim, w.Of(in, dim), w.sizes[dim], window);
  };
  TENSH_RETURN_IF_ERROR(make(WindowAttrs::kPlanes, d.planes));
  TENSH_RETURN_IF_ERROR(make(WindowAttrs::kRows, d.rows));
  TENSH_RETURN_IF_ERROR(make(WindowAttrs::kColumns, d.columns));
  out = w.Make(d.batch, d.rows.out, d.columns.out, d.channels, d.planes.out);
  return {};
}

// Calls fn(offset of a pixel's first channel in the input) for each pixel of window `position`, and
// returns the number of pixels.
template <class Fn>
int64_t ForEachPixel(const PoolDims& d, int64_t position, Fn fn) {
  const int64_t q = position % d.columns.out, line = position / d.columns.out;
  const int64_t r = line % d.rows.out, slab = line / d.rows.out;
  const int64_t z = slab % d.planes.out, volume = slab / d.planes.out;
  const int64_t begin = d.columns.Begin(q), end = d.columns.End(q);
  int64_t pixels = 0;
  for (int64_t k = d.planes.Begin(z); k < d.planes.End(z); ++k)
    for (int64_t i = d.rows.Begin(r); i < d.rows.End(r); ++i) {
      const int64_t plane = volume * d.planes.in + d.planes.At(z, k);
      const int64_t row = (plane * d.rows.in + d.rows.At(r, i)) * d.columns.in;
      for (int64_t j = begin; j < end; ++j, ++pixels) fn((row + d.columns.At(q, j)) * d.channels);
    }
  return pixels;
}

double WindowCost(const PoolDims& d) {
  double cost = static_cast<double>(d.channels) * 0.5;
  for (const WindowDim* w : {&d.planes, &d.rows, &d.columns})
    cost *= static_cast<double>(std::min(w->size, w->in));
  return cost + 10;
}

// A window of a volume, as far as it lies inside, and its outputs.
PoolWindow WindowOf(const PoolDims& d, int64_t position, const float* in, float* out) {
  const int64_t q = position % d.columns.out, line = position / d.columns.out;
  const int64_t r = line % d.rows.out, slab = line / d.rows.out;
  const int64_t z = slab % d.planes.out, volume = slab / d.planes.out;
  const int64_t k = d.planes.Begin(z), i = d.rows.Begin(r), j = d.columns.Begin(q);
  const int64_t row = d.columns.in * d.channels, plane = d.rows.in * row;
  return {.in = in + (volume * d.planes.in + d.planes.At(z, k)) * plane + d.rows.At(r, i) * row +
                d.columns.At(q, j) * d.channels,
          .in_row = d.rows.dilation * row,
          .in_column = d.columns.dilation * d.channels,
          .rows = d.rows.End(r) - i,
          .columns = d.columns.End(q) - j,
          .dy = nullptr,
          .out = out + position * d.channels,
          .channels = d.channels,
          .in_plane = d.planes.dilation * plane,
          .planes = d.planes.End(z) - k};
}

struct MaxPool3D {
  template <class T>
  Status operator()(KernelCtx& c) const {
    static_assert(std::is_same_v<T, float>);
    PoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), c.in(0).shape(), d, shape));
    TENSH_OUTPUT(out, c.Output(0, shape));
    if (!out->num_elements()) return {};
    const T* in = c.in(0).data<T>();
    T* to = out->data<T>();
    c.ParallelFor(d.positions(), WindowCost(d), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        PoolWindow window = WindowOf(d, p, in, to);
        PoolMax(window);
      }
    });
    return {};
  }
};

Status CheckGradient(const Shape& out, const Tensor& orig_out, const Tensor& grad,
                     const Shape& grad_shape) {
  if (!(orig_out.shape() == out))
    return InvalidArgument("Expected orig_output shape to be ", out, ", but got ",
                           orig_out.shape());
  if (!(grad.shape() == grad_shape))
    return InvalidArgument("Expected grad shape to be ", grad_shape, ", but got ", grad.shape());
  return {};
}

// Every element that equals the window's maximum gets the gradient. TensorFlow's CPU kernel does
// this for volumes; for images, only the first such element does.
struct MaxPool3DGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &in = c.in(0), &out = c.in(1), &grad = c.in(2);
    PoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), in.shape(), d, shape));
    TENSH_RETURN_IF_ERROR(CheckGradient(shape, out, grad, shape));
    TENSH_OUTPUT(dx, c.Output(0, in.shape()));
    T* to = dx->data<T>();
    std::fill_n(to, dx->num_elements(), T{0});
    if (!grad.num_elements()) return {};
    const T *x = in.data<T>(), *y = out.data<T>(), *dy = grad.data<T>();
    const int64_t per_volume = d.per_volume();
    const double ns = 2 * WindowCost(d) * static_cast<double>(per_volume);
    c.ParallelFor(d.batch, ns, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin * per_volume; p < end * per_volume && !c.cancelled(); ++p)
        ForEachPixel(d, p, [&](int64_t at) {
          for (int64_t k = 0; k < d.channels; ++k)
            if (x[at + k] == y[p * d.channels + k]) to[at + k] += dy[p * d.channels + k];
        });
    });
    return {};
  }
};

// Picks the element of `grad` at the first maximum of each window.
struct MaxPool3DGradGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &in = c.in(0), &out = c.in(1), &grad = c.in(2);
    PoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), in.shape(), d, shape));
    TENSH_RETURN_IF_ERROR(CheckGradient(shape, out, grad, in.shape()));
    TENSH_OUTPUT(result, c.Output(0, shape));
    if (!result->num_elements()) return {};
    const T *x = in.data<T>(), *y = out.data<T>(), *dy = grad.data<T>();
    T* to = result->data<T>();
    c.ParallelFor(d.positions(), 2 * WindowCost(d), [&](int64_t begin, int64_t end) {
      std::vector<bool> found(static_cast<size_t>(d.channels));
      for (int64_t p = begin; p < end; ++p) {
        std::fill(found.begin(), found.end(), false);
        std::fill_n(to + p * d.channels, d.channels, T{0});
        ForEachPixel(d, p, [&](int64_t at) {
          for (int64_t k = 0; k < d.channels; ++k) {
            if (found[static_cast<size_t>(k)] || x[at + k] != y[p * d.channels + k]) continue;
            found[static_cast<size_t>(k)] = true;
            to[p * d.channels + k] = dy[at + k];
          }
        });
      }
    });
    return {};
  }
};

struct AvgPool3D {
  template <class T>
  Status operator()(KernelCtx& c) const {
    PoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), c.in(0).shape(), d, shape));
    TENSH_OUTPUT(out, c.Output(0, shape));
    if (!out->num_elements()) return {};
    const T* in = c.in(0).data<T>();
    T* to = out->data<T>();
    c.ParallelFor(d.positions(), WindowCost(d), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        T* sums = to + p * d.channels;
        std::fill_n(sums, d.channels, T{0});
        const int64_t pixels = ForEachPixel(d, p, [&](int64_t at) {
          for (int64_t k = 0; k < d.channels; ++k) sums[k] += in[at + k];
        });
        for (int64_t k = 0; k < d.channels; ++k) sums[k] /= static_cast<T>(pixels);
      }
    });
    return {};
  }
};

struct AvgPool3DGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Shape in, ShapeFromTensor(c.in(0)));
    const Tensor& grad = c.in(1);
    PoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(c.state<WindowAttrs>(), in, d, shape));
    if (!(grad.shape() == shape))
      return InvalidArgument("Expected grad shape to be ", shape, ", but got ", grad.shape());
    TENSH_OUTPUT(dx, c.Output(0, in));
    T* to = dx->data<T>();
    std::fill_n(to, dx->num_elements(), T{0});
    if (!grad.num_elements()) return {};
    const T* dy = grad.data<T>();
    const int64_t per_volume = d.per_volume();
    const double ns = 2 * WindowCost(d) * static_cast<double>(per_volume);
    c.ParallelFor(d.batch, ns, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin * per_volume; p < end * per_volume && !c.cancelled(); ++p) {
        const T pixels = static_cast<T>(ForEachPixel(d, p, [](int64_t) {}));
        ForEachPixel(d, p, [&](int64_t at) {
          for (int64_t k = 0; k < d.channels; ++k) to[at + k] += dy[p * d.channels + k] / pixels;
        });
      }
    });
    return {};
  }
};

// ---- shapes, gradients, registrations ----

Shape OfRank5(const Shape& s) { return s.has_rank() ? s : Shape::UnknownOfRank(5); }

Result<Shape> PooledShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  PoolDims d;
  Shape out;
  TENSH_RETURN_IF_ERROR(MakePool(w, OfRank5(c.in(0)), d, out));
  TENSH_RETURN_IF_ERROR(CheckWindow(w, WindowAttrs::kPlanes, d.planes));
  TENSH_RETURN_IF_ERROR(CheckWindows(w, d.rows, d.columns));
  return out;
}

Status PoolShape3D(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape out, PooledShape(c));
  c.Set(0, out);
  return {};
}

Status LikeInput(ShapeCtx& c) {
  c.Set(0, OfRank5(c.in(0)));
  return {};
}

Status GradGradShape(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape out, PooledShape(c));
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(1), out).status());
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(0), c.in(2)).status());
  c.Set(0, out);
  return {};
}

Status ShapeGiven(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, 0));
  if (out.has_rank() && out.rank() != 5)
    return InvalidArgument("Shape must be rank 5 but is rank ", out.rank());
  c.Set(0, OfRank5(out));
  return {};
}

Status MaxBackward(GradScope& g) {
  return g.Return({g.Op("MaxPool3DGrad", {g.x(0), g.y(0), g.dy()}, SameWindow(g))});
}
// MaxPool3DGrad and MaxPool3DGradGrad are each other's gradients.
Status MaxGradBackward(GradScope& g) {
  const bool once = g.op_name() == "MaxPool3DGrad";
  const Out zeros = g.Op("ZerosLike", {g.x(0)}, {}, "zeros_like");
  const Out more = g.Op("ZerosLike", {g.x(1)}, {}, "zeros_like_1");
  const char* op = once ? "MaxPool3DGradGrad" : "MaxPool3DGrad";
  return g.Return({zeros, more, g.Op(op, {g.x(0), g.x(1), g.dy()}, SameWindow(g))});
}
Status AvgBackward(GradScope& g) {
  return g.Return({g.Op("AvgPool3DGrad", {ShapeOf(g, g.x(0)), g.dy()}, SameWindow(g))});
}
Status AvgGradBackward(GradScope& g) {
  const Out stopped = g.Op("StopGradient", {g.x(0)});
  return g.Return({stopped, g.Op("AvgPool3D", {g.dy()}, SameWindow(g))});
}

// There is one kernel per type, so both type attributes must be equal.
Result<std::unique_ptr<KernelState>> PrepareMaxGrad(PrepareCtx& c) {
  if (c.input_dtype(0) != c.input_dtype(2))
    return InvalidArgument(c.node_name(), ": T and TInput must be the same type");
  return PrepareWindow(c);
}

constexpr char kWindow[] =
    "ksize: list(int) >= 5, strides: list(int) >= 5, padding: {'SAME', 'VALID'}, data_format: "
    "{'NDHWC', 'NCDHW'} = 'NDHWC', ";
constexpr char kReals[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
constexpr char kDoc[] =
    " ksize: the extent of a window in each of the five dimensions. strides: the distance between "
    "windows. padding: 'SAME' adds windows that extend over the edge, where they contain fewer "
    "elements; 'VALID' does not. data_format: 'NDHWC' has channels last. T: the element type.";
constexpr char kCall[] = "ksize=[1, 1, 1, 2, 1], strides=[1, 1, 1, 1, 1], padding='VALID')";

void RegisterMax(OpRegistry& r) {
  constexpr KernelOptions kOptions = {.prepare = PrepareWindow};
  r.Op({.name = "MaxPool3D",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = StrCat(kWindow, "T: {half, bfloat16, float}"),
        .doc = StrCat("The largest element of each window of volumes. input: [batch, planes, rows, "
                      "columns, channels].",
                      kDoc),
        .contract = "input: rank 5",
        .shape = PoolShape3D,
        .grad = MaxBackward,
        .examples = {{"tf.nn.max_pool3d([[[[[1.], [3.], [2.]]]]], [1, 1, 1, 2, 1], [1, 1, 1, 1, "
                      "1], 'VALID')[0, 0, :, :, 0]",
                      "[[3. 3.]]"}}})
      .Cpu<float>(MaxPool3D{}, kOptions);
  r.Op({.name = "MaxPool3DGrad",
        .inputs = "orig_input: TInput, orig_output: TInput, grad: T",
        .outputs = "output: T",
        .attrs = StrCat(kWindow,
                        "T: {half, bfloat16, float} = float, TInput: {half, bfloat16, "
                        "float} = float"),
        .doc = StrCat("The gradient of MaxPool3D. orig_input, orig_output: its input and output. "
                      "grad: the incoming gradient. TInput: the type of its input.",
                      kDoc),
        .contract = "orig_input: rank 5",
        .shape = LikeInput,
        .grad = MaxGradBackward,
        .examples = {{StrCat("tf.raw_ops.MaxPool3DGrad(orig_input=[[[[[1.], [2.]]]]], "
                             "orig_output=[[[[[2.]]]]], grad=[[[[[5.]]]]], ",
                             kCall, "[0, 0, :, :, 0]"),
                      "[[0. 5.]]"}}})
      .Cpu<float>(MaxPool3DGrad{}, {.prepare = PrepareMaxGrad});
  r.Op({.name = "MaxPool3DGradGrad",
        .inputs = "orig_input: T, orig_output: T, grad: T",
        .outputs = "output: T",
        .attrs = StrCat(kWindow, kReals),
        .doc = StrCat("The gradient of MaxPool3DGrad: the elements of grad at the maxima of the "
                      "windows of orig_input. orig_output: the output of MaxPool3D.",
                      kDoc),
        .contract = "orig_input: rank 5",
        .shape = GradGradShape,
        .grad = MaxGradBackward,
        .examples = {{StrCat("tf.raw_ops.MaxPool3DGradGrad(orig_input=[[[[[1.], [2.]]]]], "
                             "orig_output=[[[[[2.]]]]], grad=[[[[[5.], [6.]]]]], ",
                             kCall, "[0, 0, 0, :, 0]"),
                      "[6.]"}}})
      .Cpu<float>(MaxPool3DGradGrad{}, kOptions);
}

void RegisterAvg(OpRegistry& r) {
  constexpr KernelOptions kOptions = {.prepare = PrepareWindow};
  static constexpr char kFloats[] = "T: {half, bfloat16, float, double}";
  r.Op({.name = "AvgPool3D",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = StrCat(kWindow, kFloats),
        .doc = StrCat("The mean of each window of volumes. input: [batch, planes, rows, columns, "
                      "channels].",
                      kDoc),
        .contract = "input: rank 5",
        .shape = PoolShape3D,
        .grad = AvgBackward,
        .examples = {{"tf.nn.avg_pool3d([[[[[1.], [3.], [2.]]]]], [1, 1, 1, 2, 1], [1, 1, 1, 1, "
                      "1], 'VALID')[0, 0, :, :, 0]",
                      "[[2.  2.5]]"}}})
      .Cpu<float, double>(AvgPool3D{}, kOptions);
  r.Op({.name = "AvgPool3DGrad",
        .inputs = "orig_input_shape: int32, grad: T",
        .outputs = "output: T",
        .attrs = StrCat(kWindow, kFloats),
        .doc = StrCat(
            "The gradient of AvgPool3D: distributed equally over each window. orig_input_shape: "
            "the shape of the input of AvgPool3D. grad: the incoming gradient.",
            kDoc),
        .contract = "orig_input_shape: vector of 5 at run",
        .shape = ShapeGiven,
        .grad = AvgGradBackward,
        .examples = {{StrCat("tf.raw_ops.AvgPool3DGrad(orig_input_shape=[1, 1, 1, 2, 1], "
                             "grad=[[[[[5.]]]]], ",
                             kCall, "[0, 0, :, :, 0]"),
                      "[[2.5 2.5]]"}}})
      .Cpu<float, double>(AvgPool3DGrad{}, kOptions);
}

}  // namespace

TENSH_OPS(nn_pool_pool3d) {
  RegisterMax(r);
  RegisterAvg(r);
}

}  // namespace tensh::ops
