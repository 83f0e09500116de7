// MaxPoolWithArgmax, which also returns the position of each maximum, and its gradients, which use
// these positions.
#include <algorithm>

#include "ops/nn/conv/window.h"
#include "ops/op_file.h"
#include "ops/support/op_types.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct ArgmaxState : KernelState {
  WindowAttrs window;
  bool with_batch = false;
  Status Read(PrepareCtx& c) {
    TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), window));
    with_batch = c.attrs().Bool("include_batch_in_index");
    return {};
  }
};

struct PoolDims {
  int64_t batch = 0, channels = 0;
  WindowDim rows, columns;
  int64_t image() const { return rows.in * columns.in * channels; }
};

Status MakePool(const WindowAttrs& w, const Shape& in, PoolDims& d, Shape& out) {
  if (w.volume) return InvalidArgument("the window must have 4 dimensions");
  if (w.sizes[WindowAttrs::kChannels] != 1 || w.strides[WindowAttrs::kChannels] != 1)
    return Unimplemented("Depthwise max pooling with indices is not supported.");
  TENSH_ASSIGN(out, PoolShapeOf(w, in));
  d.batch = in[0];
  d.channels = in[3];
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kRows, in[1], w.sizes[1], d.rows));
  return MakeWindow(w, WindowAttrs::kColumns, in[2], w.sizes[2], d.columns);
}

// Writes the maxima of window `p` and their positions in the image, one per channel.
template <class T>
void MaxOfWindow(const PoolDims& d, int64_t p, const T* in, T* most, int64_t* places) {
  const int64_t q = p % d.columns.out, line = p / d.columns.out;
  const int64_t r = line % d.rows.out, image = line / d.rows.out;
  std::fill_n(most, d.channels, T{0});
  std::fill_n(places, d.channels, int64_t{-1});
  for (int64_t i = d.rows.Begin(r); i < d.rows.End(r); ++i)
    for (int64_t j = d.columns.Begin(q); j < d.columns.End(q); ++j) {
      const int64_t at = (d.rows.At(r, i) * d.columns.in + d.columns.At(q, j)) * d.channels;
      const T* pixel = in + image * d.image() + at;
      for (int64_t k = 0; k < d.channels; ++k) {
        if (places[k] >= 0 && !(pixel[k] > most[k])) continue;
        most[k] = pixel[k];
        places[k] = at + k;
      }
    }
}

void StoreIndex(Tensor* t, int64_t i, int64_t value) {
  if (t->dtype() == DType::kInt64)
    t->data<int64_t>()[i] = value;
  else
    t->data<int32_t>()[i] = static_cast<int32_t>(value);
}

struct MaxPoolArgmax {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<ArgmaxState>();
    const Tensor& x = c.in(0);
    PoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(s.window, x.shape(), d, shape));
    if (c.out_dtype(1) == DType::kInt32 && x.num_elements() > INT32_MAX)
      return InvalidArgument("Targmax int32 cannot count ", x.num_elements(), " elements");
    TENSH_OUTPUT(y, c.Output(0, shape));
    TENSH_OUTPUT(places, c.Output(1, shape));
    if (!y->num_elements()) return {};
    const int64_t per_image = d.rows.out * d.columns.out;
    const double ns =
        static_cast<double>(d.rows.size * d.columns.size) * static_cast<double>(d.channels) + 20;
    c.ParallelFor(d.batch * per_image, ns, [&](int64_t begin, int64_t end) {
      std::vector<int64_t> found(static_cast<size_t>(d.channels));
      for (int64_t p = begin; p < end; ++p) {
        MaxOfWindow(d, p, x.data<T>(), y->template data<T>() + p * d.channels, found.data());
        const int64_t base = s.with_batch ? p / per_image * d.image() : 0;
        for (int64_t k = 0; k < d.channels; ++k)
          StoreIndex(places, p * d.channels + k, base + found[static_cast<size_t>(k)]);
      }
    });
    return {};
  }
};

// Calls fn(window element, image element) for each entry of argmax. Returns InvalidArgument if a
// position is outside of the image.
template <class Fn>
Status ForEachPlace(const ArgmaxState& s, const PoolDims& d, const Tensor& argmax, Fn fn) {
  const int64_t per_image = d.rows.out * d.columns.out * d.channels;
  for (int64_t i = 0; i < argmax.num_elements(); ++i) {
    const int64_t first = i / per_image * d.image(), place = IndexAt(argmax, i);
    const int64_t low = s.with_batch ? first : 0;
    if (place < low || place >= low + d.image())
      return InvalidArgument("Invalid argmax index ", place, " of element ", i, ": not in [", low,
                             ", ", low + d.image(), ")");
    fn(i, place - low + first);
  }
  return {};
}

struct GradArgmax {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<ArgmaxState>();
    const Tensor &x = c.in(0), &grad = c.in(1), &argmax = c.in(2);
    PoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(s.window, x.shape(), d, shape));
    if (!(grad.shape() == shape))
      return InvalidArgument("Expected grad shape to be ", shape, ", but got ", grad.shape());
    if (!(argmax.shape() == shape))
      return InvalidArgument("Expected argmax shape to be ", shape, ", but got ", argmax.shape());
    TENSH_OUTPUT(dx, c.Output(0, x.shape()));
    T* to = dx->data<T>();
    std::fill_n(to, dx->num_elements(), T{0});
    const T* dy = grad.data<T>();
    return ForEachPlace(s, d, argmax,
                        [&](int64_t i, int64_t at) { to[at] = WrapAdd(to[at], dy[i]); });
  }
};

struct GradGradArgmax {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<ArgmaxState>();
    const Tensor &x = c.in(0), &grad = c.in(1), &argmax = c.in(2);
    PoolDims d;
    Shape shape;
    TENSH_RETURN_IF_ERROR(MakePool(s.window, x.shape(), d, shape));
    if (!(grad.shape() == x.shape()))
      return InvalidArgument("Expected grad shape to be ", x.shape(), ", but got ", grad.shape());
    if (!(argmax.shape() == shape))
      return InvalidArgument("Expected argmax shape to be ", shape, ", but got ", argmax.shape());
    TENSH_OUTPUT(out, c.Output(0, shape));
    const T* dy = grad.data<T>();
    T* to = out->data<T>();
    return ForEachPlace(s, d, argmax, [&](int64_t i, int64_t at) { to[i] = dy[at]; });
  }
};

// ---- shapes, gradients, registrations ----

Status ArgmaxShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  if (w.volume) return InvalidArgument("the window must have 4 dimensions");
  const Shape in = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4);
  TENSH_ASSIGN(Shape out, PoolShapeOf(w, in));
  for (int d : {WindowAttrs::kRows, WindowAttrs::kColumns}) {
    WindowDim window;
    TENSH_RETURN_IF_ERROR(MakeWindow(w, d, in[d], w.sizes[d], window));
    TENSH_RETURN_IF_ERROR(CheckWindow(w, d, window));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.Set(i, out);
  return {};
}

Status LikeInput(ShapeCtx& c) {
  c.Set(0, c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4));
  return {};
}

Status ArgmaxBackward(GradScope& g) {
  std::vector<NamedAttr> attrs = SameWindow(g);
  attrs.push_back({"include_batch_in_index", g.attrs().Bool("include_batch_in_index")});
  return g.Return({g.Op("MaxPoolGradWithArgmax", {g.x(0), g.dy(), g.y(1)}, std::move(attrs))});
}

constexpr char kWindow[] = "ksize: list(int) >= 4, strides: list(int) >= 4, ";
constexpr char kRest[] = "padding: {'SAME', 'VALID'}, include_batch_in_index: bool = false, ";
constexpr char kDoc[] =
    " ksize: the extent of a window in each of the four dimensions. strides: the distance between "
    "windows. padding: 'SAME' adds windows that extend over the edge, 'VALID' does not. "
    "include_batch_in_index: count positions over all images instead of within each. Targmax: the "
    "type of positions. T: the element type.";

OpSpec GradSpec(const char* name, const char* summary, ShapeFn shape, const char* grad,
                const char* result) {
  return {.name = name,
          .inputs = "input: T, grad: T, argmax: Targmax",
          .outputs = "output: T",
          .attrs = StrCat(kWindow, kRest, "Targmax: {int32, int64}, ", TENSH_REALS),
          .doc = StrCat(summary,
                        " input: the input of MaxPoolWithArgmax. grad: the incoming gradient. "
                        "argmax: the positions it returned.",
                        kDoc),
          .contract = "input: rank 4",
          .shape = shape,
          .examples = {{StrCat("tf.raw_ops.", name, "(input=[[[[1.], [2.]]]], grad=", grad,
                               ", argmax=[[[[1]]]], ksize=[1, 1, 2, 1], strides=[1, 1, 1, 1], "
                               "padding='VALID')[0, 0, :, 0]"),
                        result}}};
}

}  // namespace

TENSH_OPS(nn_pool_max_pool_argmax) {
  constexpr KernelOptions kOptions = {.prepare = PrepareFrom<ArgmaxState>};
  r.Op({.name = "MaxPoolWithArgmax",
        .inputs = "input: T",
        .outputs = "output: T, argmax: Targmax",
        .attrs = StrCat(kWindow, "Targmax: {int32, int64} = int64, ", kRest, TENSH_REALS),
        .doc = StrCat("The largest element of each window of images, and its position. input: "
                      "[batch, rows, columns, channels].",
                      kDoc),
        .contract = "input: rank 4",
        .shape = ArgmaxShape,
        .grad = ArgmaxBackward,
        .examples = {{"tf.nn.max_pool_with_argmax([[[[1.], [2.]]]], [1, 1, 2, 1], [1, 1, 1, 1], "
                      "'VALID')[1][0, 0]",
                      "[[1]]"}}})
      .Cpu<float, double, int32_t, int64_t, uint64_t>(MaxPoolArgmax{}, kOptions);
  r.Op(GradSpec("MaxPoolGradWithArgmax", "The gradient of MaxPoolWithArgmax.", LikeInput,
                "[[[[5.]]]]", "[0. 5.]"))
      .Cpu<float, double, int32_t, int64_t, uint64_t>(GradArgmax{}, kOptions);
  r.Op(GradSpec("MaxPoolGradGradWithArgmax",
                "The gradient of MaxPoolGradWithArgmax: the elements of grad at argmax.",
                ArgmaxShape, "[[[[5.], [6.]]]]", "[6.]"))
      .Cpu<float, double, int32_t, int64_t, uint64_t>(GradGradArgmax{}, kOptions);
}

}  // namespace tensh::ops
