// MaxPool, its gradient and the gradient of that, for images. In the V2 ops, ksize and strides are
// inputs.
#include <limits>

#include "ops/nn/pool/max_loops.h"
#include "ops/nn/pool/pixels.h"
#include "ops/op_file.h"
#include "ops/support/shape_util.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

Status MakePool(const WindowAttrs& w, const Shape& in, MaxPoolDims& d, Shape& out) {
  const bool over_depth = w.sizes[WindowAttrs::kChannels] > 1;
  if (over_depth && (w.sizes[WindowAttrs::kRows] > 1 || w.sizes[WindowAttrs::kColumns] > 1))
    return Unimplemented(
        "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
  TENSH_ASSIGN(out, PoolShapeOf(w, in));
  d.batch = in[0];
  d.channels = in[3];
  // The kernels rely on this for a window of one channel too: its output has all channels.
  if (d.channels % w.sizes[WindowAttrs::kChannels] ||
      w.strides[WindowAttrs::kChannels] != w.sizes[WindowAttrs::kChannels])
    return Unimplemented(
        "Depthwise max pooling requires the depth window to evenly divide the input depth and to "
        "equal the depth stride.");
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kRows, in[1], w.sizes[1], d.rows));
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kColumns, in[2], w.sizes[2], d.columns));
  return MakeWindow(w, WindowAttrs::kChannels, in[3], w.sizes[3], d.depth);
}

// Reads a list of four window parameters from an input.
Status ReadList(const Tensor& t, const char* name, const WindowAttrs& w, int64_t* out) {
  if (t.num_elements() != 4)
    return InvalidArgument("Sliding window ", name, " field must specify 4 dimensions, got ",
                           t.shape());
  for (int i = 0; i < 4; ++i) {
    out[i] = IndexAt(t, w.IndexOf(i));
    if (out[i] <= 0)
      return InvalidArgument("Sliding window ", name, " must be positive, got ", out[i]);
  }
  return {};
}

// In the V2 ops, ksize and strides follow the other inputs.
Status ReadWindow(KernelCtx& c, int inputs, WindowAttrs& w) {
  w = c.state<WindowAttrs>();
  if (c.num_inputs() == inputs) return {};
  TENSH_RETURN_IF_ERROR(ReadList(c.in(inputs), "ksize", w, w.sizes));
  return ReadList(c.in(inputs + 1), "strides", w, w.strides);
}

template <class T>
constexpr T Lowest() {
  return std::is_integral_v<T> ? std::numeric_limits<T>::lowest()
                               : -std::numeric_limits<T>::infinity();
}

// The maxima of the windows [begin, end), for any type, and over depth.
template <class T>
void AnyMaxPositions(const MaxPoolDims& d, const T* in, T* out, int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    T* to = out + p * d.depth.out;
    std::fill_n(to, d.depth.out, Lowest<T>());
    ForEachPixel(d, p, [&](int64_t at) {
      for (int64_t k = 0; k < d.channels; ++k) {
        T& most = to[d.pools_depth() ? k / d.depth.size : k];
        if (in[at + k] > most) most = in[at + k];
      }
    });
  }
}

double WindowCost(const MaxPoolDims& d) {
  return static_cast<double>(std::min(d.rows.size, d.rows.in)) *
         static_cast<double>(std::min(d.columns.size, d.columns.in)) *
         static_cast<double>(d.channels) * 0.3;
}

struct MaxPool {
  template <class T>
  Status operator()(KernelCtx& c) const {
    WindowAttrs w;
    TENSH_RETURN_IF_ERROR(ReadWindow(c, 1, w));
    MaxPoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(w, c.in(0).shape(), d, shape));
    TENSH_OUTPUT(out, c.Output(0, shape));
    const T* in = c.in(0).data<T>();
    T* to = out->data<T>();
    if (!out->num_elements()) return {};
    const int64_t positions = d.batch * d.rows.out * d.columns.out;
    c.ParallelFor(positions, WindowCost(d) + 10, [&](int64_t begin, int64_t end) {
      if constexpr (std::is_same_v<T, float>)
        if (!d.pools_depth()) return MaxOfWindows(d, in, to, begin, end);
      AnyMaxPositions(d, in, to, begin, end);
    });
    return {};
  }
};

// Computes, for each output, the index of the input element that is the maximum; the first one wins
// ties. The index is -1 if no element of the window exceeds the smallest number, that is, if all
// are NaN.
template <class T>
void ArgPositions(const MaxPoolDims& d, const T* in, int64_t* from, int64_t begin, int64_t end) {
  std::vector<T> most(static_cast<size_t>(d.depth.out));
  for (int64_t p = begin; p < end; ++p) {
    std::fill(most.begin(), most.end(), Lowest<T>());
    int64_t* at_most = from + p * d.depth.out;
    std::fill_n(at_most, d.depth.out, int64_t{-1});
    ForEachPixel(d, p, [&](int64_t at) {
      for (int64_t k = 0; k < d.channels; ++k) {
        const int64_t o = k / d.depth.size;
        T& best = most[static_cast<size_t>(o)];
        if (in[at + k] > best || (at_most[o] < 0 && in[at + k] == best)) {
          best = in[at + k];
          at_most[o] = at + k;
        }
      }
    });
  }
}

Status CheckGradient(const MaxPoolDims&, const Shape& out, const Tensor& orig_out,
                     const Tensor& grad, const Shape& grad_shape) {
  if (!(orig_out.shape() == out))
    return InvalidArgument("Expected orig_output shape to be ", out, ", but got ",
                           orig_out.shape());
  if (!(grad.shape() == grad_shape))
    return InvalidArgument("Expected grad shape to be ", grad_shape, ", but got ", grad.shape());
  return {};
}

template <class T>
Result<Tensor> ArgMaxima(KernelCtx& c, const MaxPoolDims& d, const Shape& out) {
  TENSH_ASSIGN(Tensor from, Tensor::Make(DType::kInt64, out, c.allocator()));
  if (!from.num_elements()) return from;
  const T* in = c.in(0).data<T>();
  const int64_t positions = d.batch * d.rows.out * d.columns.out;
  c.ParallelFor(positions, WindowCost(d) * 3 + 20, [&](int64_t begin, int64_t end) {
    ArgPositions(d, in, from.data<int64_t>(), begin, end);
  });
  return from;
}

// Windows of different images do not overlap, so the images are processed in parallel.
void AddGradients(KernelCtx& c, const MaxPoolDims& d, const float* in, const float* dy, float* dx) {
  const int64_t each = d.rows.out * d.columns.out;
  if (!each || !d.channels) return;
  c.ParallelFor(d.batch, static_cast<double>(each) * (WindowCost(d) + 20),
                [&](int64_t b, int64_t e) {
                  for (int64_t image = b; image < e && !c.cancelled(); ++image)
                    AddMaxGradients(d, in, dy, dx, image * each, (image + 1) * each);
                });
}

struct MaxPoolGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &in = c.in(0), &grad = c.in(2);
    WindowAttrs w;
    TENSH_RETURN_IF_ERROR(ReadWindow(c, 3, w));
    MaxPoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(w, in.shape(), d, shape));
    TENSH_RETURN_IF_ERROR(CheckGradient(d, shape, c.in(1), grad, shape));
    TENSH_OUTPUT(dx, c.Output(0, in.shape()));
    std::fill_n(dx->data<T>(), dx->num_elements(), T{0});
    if constexpr (std::is_same_v<T, float>)
      if (!d.pools_depth()) {
        AddGradients(c, d, in.data<float>(), grad.data<float>(), dx->template data<float>());
        return {};
      }
    TENSH_ASSIGN(Tensor from, ArgMaxima<T>(c, d, shape));
    const int64_t n = from.num_elements();
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = from.data<int64_t>()[i];
      if (at >= 0) dx->data<T>()[at] = WrapAdd(dx->data<T>()[at], grad.data<T>()[i]);
    }
    return {};
  }
};

struct MaxPoolGradGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &in = c.in(0), &grad = c.in(2);
    WindowAttrs w;
    TENSH_RETURN_IF_ERROR(ReadWindow(c, 3, w));
    MaxPoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(w, in.shape(), d, shape));
    TENSH_RETURN_IF_ERROR(CheckGradient(d, shape, c.in(1), grad, in.shape()));
    TENSH_ASSIGN(Tensor from, ArgMaxima<T>(c, d, shape));
    TENSH_OUTPUT(out, c.Output(0, shape));
    const int64_t n = from.num_elements();
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = from.data<int64_t>()[i];
      out->data<T>()[i] = at >= 0 ? grad.data<T>()[at] : T{0};
    }
    return {};
  }
};

Status PoolBackward(GradScope& g) {
  return g.Return({g.Op("MaxPoolGrad", {g.x(0), g.y(0), g.dy()}, SameWindow(g, true))});
}
Status GradBackward(GradScope& g) {
  const Out zeros = g.Op("ZerosLike", {g.x(0)}, {}, "zeros_like");
  const Out more = g.Op("ZerosLike", {g.x(1)}, {}, "zeros_like_1");
  return g.Return(
      {zeros, more, g.Op("MaxPoolGradGrad", {g.x(0), g.x(1), g.dy()}, SameWindow(g, false))});
}
Status GradGradBackward(GradScope& g) {
  const Out zeros = g.Op("ZerosLike", {g.x(0)}, {}, "zeros_like");
  const Out more = g.Op("ZerosLike", {g.x(1)}, {}, "zeros_like_1");
  return g.Return(
      {zeros, more, g.Op("MaxPoolGrad", {g.x(0), g.x(1), g.dy()}, SameWindow(g, false))});
}

Status LikeFirst(ShapeCtx& c) {
  c.Set(0, c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4));
  return {};
}

Status GradGradShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(PoolShape(c));
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  TENSH_ASSIGN(const Shape out,
               PoolShapeOf(w, c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4)));
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(0), c.in(2)).status());
  return MergeShapes(c.in(1), out).status();
}

// The shape is known if both lists are.
Result<Shape> PooledShapeV2(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  const int first = c.num_inputs() - 2;
  for (int i : {first, first + 1}) TENSH_RETURN_IF_ERROR(MergeShapes(c.in(i), Shape({4})).status());
  const Tensor *sizes = c.constant(first), *strides = c.constant(first + 1);
  if (!sizes || !strides) return Shape::Unknown();
  TENSH_RETURN_IF_ERROR(ReadList(*sizes, "ksize", w, w.sizes));
  TENSH_RETURN_IF_ERROR(ReadList(*strides, "strides", w, w.strides));
  return PoolShapeOf(w, c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4));
}

Status PoolShapeV2(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape out, PooledShapeV2(c));
  c.Set(0, out);
  return {};
}

Status GradGradShapeV2(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape out, PooledShapeV2(c));
  c.Set(0, out);
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(0), c.in(2)).status());
  return MergeShapes(c.in(1), out).status();
}

std::vector<NamedAttr> FormatOf(GradScope& g) {
  return {{"padding", *g.attrs().Find("padding")}, {"data_format", *g.attrs().Find("data_format")}};
}
Status PoolBackwardV2(GradScope& g) {
  const Out dx = g.Op("MaxPoolGradV2", {g.x(0), g.y(0), g.dy(), g.x(1), g.x(2)}, FormatOf(g));
  return g.Return({dx, {}, {}});
}
Status GradBackwardV2(GradScope& g) {
  const Out zeros = g.Op("ZerosLike", {g.x(0)}, {}, "zeros_like");
  const Out more = g.Op("ZerosLike", {g.x(1)}, {}, "zeros_like_1");
  const Out dy = g.Op("MaxPoolGradGradV2", {g.x(0), g.x(1), g.dy(), g.x(3), g.x(4)}, FormatOf(g));
  return g.Return({zeros, more, dy, {}, {}});
}

#define TENSH_POOL_ATTRS                                                                     \
  "ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', 'VALID', 'EXPLICIT'}, " \
  "explicit_paddings: list(int) = []"
constexpr char kReals[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
constexpr char kDoc[] =
    " ksize: the extent of a window in each of the four dimensions. strides: the distance between "
    "windows. padding: 'SAME' adds windows that extend over the edge, 'VALID' does not, 'EXPLICIT' "
    "extends them by explicit_paddings. data_format: 'NHWC' has channels last. T: the element "
    "type.";

}  // namespace

TENSH_OPS(nn_pool_max_pool) {
  constexpr KernelOptions kOptions = {.prepare = PrepareWindow};
  r.Op({.name = "MaxPool",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs =
            "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16} = "
            "float, " TENSH_POOL_ATTRS ", data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
        .doc = StrCat("The largest element of each window of images. input: [batch, rows, columns, "
                      "channels].",
                      kDoc),
        .contract = "input: rank 4",
        .shape = PoolShape,
        .grad = PoolBackward,
        .examples = {{"tf.nn.max_pool([[[[1.], [2.]], [[3.], [4.]]]], [1, 2, 2, 1], [1, 1, 1, 1], "
                      "'VALID')[0, :, :, 0]",
                      "[[4.]]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          MaxPool{}, kOptions);
  r.Op({.name = "MaxPoolGrad",
        .inputs = "orig_input: T, orig_output: T, grad: T",
        .outputs = "output: T",
        .attrs = StrCat(TENSH_POOL_ATTRS ", data_format: {'NHWC', 'NCHW'} = 'NHWC', ", kReals,
                        " = float"),
        .doc = StrCat(
            "The gradient of MaxPool, which flows to the first maximum of each window. orig_input, "
            "orig_output: the input and output of MaxPool. grad: the incoming gradient.",
            kDoc),
        .contract = "orig_input: rank 4",
        .shape = LikeFirst,
        .grad = GradBackward,
        .examples = {{"tf.raw_ops.MaxPoolGrad(orig_input=[[[[1.], [2.]]]], orig_output=[[[[2.]]]], "
                      "grad=[[[[5.]]]], ksize=[1, 1, 2, 1], strides=[1, 1, 1, 1], "
                      "padding='VALID')[0, 0, :, 0]",
                      "[0. 5.]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          MaxPoolGrad{}, kOptions);
  r.Op({.name = "MaxPoolGradGrad",
        .inputs = "orig_input: T, orig_output: T, grad: T",
        .outputs = "output: T",
        .attrs = StrCat("ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', "
                        "'VALID'}, data_format: {'NHWC', 'NCHW'} = 'NHWC', ",
                        kReals),
        .doc = StrCat("The gradient of MaxPoolGrad: the elements of grad at the maxima of the "
                      "windows of orig_input. orig_output: the output of MaxPool.",
                      kDoc),
        .contract = "orig_input: rank 4",
        .shape = GradGradShape,
        .grad = GradGradBackward,
        .examples = {{"tf.raw_ops.MaxPoolGradGrad(orig_input=[[[[1.], [2.]]]], "
                      "orig_output=[[[[2.]]]], grad=[[[[5.], [6.]]]], ksize=[1, 1, 2, 1], "
                      "strides=[1, 1, 1, 1], padding='VALID')[0, 0, :, 0]",
                      "[6.]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          MaxPoolGradGrad{}, kOptions);
  static constexpr char kInputsDoc[] =
      " ksize: the extent of a window in each of the four dimensions. strides: the distance "
      "between windows. padding: 'SAME' adds windows that extend over the edge, 'VALID' does not. "
      "data_format: 'NHWC' has channels last. T: the element type.";
  r.Op({.name = "MaxPoolV2",
        .inputs = "input: T, ksize: int32, strides: int32",
        .outputs = "output: T",
        .attrs = "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16} = "
                 "float, padding: {'SAME', 'VALID'}, data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} "
                 "= 'NHWC'",
        .doc = StrCat(
            "MaxPool with its window given by tensors. input: [batch, rows, columns, channels].",
            kInputsDoc),
        .contract = "input: rank 4, ksize: vector of 4, strides: vector of 4",
        .shape = PoolShapeV2,
        .grad = PoolBackwardV2,
        .examples = {{"tf.raw_ops.MaxPoolV2(input=[[[[1.], [2.]]]], ksize=[1, 1, 2, 1], "
                      "strides=[1, 1, 1, 1], padding='VALID')[0, 0, :, 0]",
                      "[2.]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          MaxPool{}, kOptions);
  r.Op({.name = "MaxPoolGradV2",
        .inputs = "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32",
        .outputs = "output: T",
        .attrs = StrCat("padding: {'SAME', 'VALID'}, data_format: {'NHWC', 'NCHW'} = 'NHWC', ",
                        kReals, " = float"),
        .doc = StrCat("The gradient of MaxPoolV2. orig_input, orig_output: its input and output. "
                      "grad: the incoming gradient.",
                      kInputsDoc),
        .contract = "orig_input: rank 4",
        .shape = LikeFirst,
        .grad = GradBackwardV2,
        .examples = {{"tf.raw_ops.MaxPoolGradV2(orig_input=[[[[1.], [2.]]]], "
                      "orig_output=[[[[2.]]]], grad=[[[[5.]]]], ksize=[1, 1, 2, 1], strides=[1, 1, "
                      "1, 1], padding='VALID')[0, 0, :, 0]",
                      "[0. 5.]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          MaxPoolGrad{}, kOptions);
  r.Op({.name = "MaxPoolGradGradV2",
        .inputs = "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32",
        .outputs = "output: T",
        .attrs =
            StrCat("padding: {'SAME', 'VALID'}, data_format: {'NHWC', 'NCHW'} = 'NHWC', ", kReals),
        .doc = StrCat("The gradient of MaxPoolGradV2: the elements of grad at the maxima of the "
                      "windows of orig_input. orig_output: the output of MaxPoolV2.",
                      kInputsDoc),
        .contract = "orig_input: rank 4, ksize: vector of 4, strides: vector of 4",
        .shape = GradGradShapeV2,
        .examples = {{"tf.raw_ops.MaxPoolGradGradV2(orig_input=[[[[1.], [2.]]]], "
                      "orig_output=[[[[2.]]]], grad=[[[[5.], [6.]]]], ksize=[1, 1, 2, 1], "
                      "strides=[1, 1, 1, 1], padding='VALID')[0, 0, :, 0]",
                      "[6.]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          MaxPoolGradGrad{}, kOptions);
}

}  // namespace tensh::ops
