// Grayscale dilation of images: each output is the largest sum of a window element and a filter
// element.
#include <limits>

#include "ops/nn/conv/window.h"
#include "ops/op_file.h"
#include "ops/support/op_types.h"
#include "ops/support/stop.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct DilationDims {
  int64_t batch = 0, depth = 0;
  WindowDim rows, columns;
  Shape Out() const { return {batch, rows.out, columns.out, depth}; }
};

Status ReadDilation(Attrs attrs, WindowAttrs& w) {
  const auto& strides = attrs.Get<AttrValue::Ints>("strides");
  if (strides.size() != 4)
    return InvalidArgument("Sliding window stride field must specify 4 dimensions, got ",
                           strides.size());
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(attrs, w));
  const auto& rates = attrs.Get<AttrValue::Ints>("rates");
  if (rates.size() != 4)
    return InvalidArgument("The rates attribute must contain 4 values, but got: ", rates.size());
  for (size_t i = 0; i < 4; ++i) {
    if (rates[i] < 1 || rates[i] > std::numeric_limits<int32_t>::max())
      return InvalidArgument("The rates attribute must be positive, got ", rates[i]);
    w.dilations[i] = rates[i];
  }
  return {};
}

Result<std::unique_ptr<KernelState>> PrepareDilation(PrepareCtx& c) {
  auto state = std::make_unique<WindowAttrs>();
  TENSH_RETURN_IF_ERROR(ReadDilation(c.attrs(), *state));
  for (int d : {WindowAttrs::kBatch, WindowAttrs::kChannels})
    if (state->strides[d] != 1 || state->dilations[d] != 1)
      return Unimplemented("Stride and rate must be 1 along batch and depth, got ",
                           state->strides[d], " and ", state->dilations[d]);
  return {std::move(state)};
}

// Extents may be unknown.
Status MakeDilation(const WindowAttrs& w, const Shape& in, const Shape& filter, DilationDims& d) {
  d.batch = in[0];
  d.depth = in[3] >= 0 ? in[3] : filter[2];
  if (in[3] >= 0 && filter[2] >= 0 && in[3] != filter[2])
    return InvalidArgument("input and filter must have the same depth: ", in[3], " vs ", filter[2]);
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kRows, in[1], filter[0], d.rows));
  return MakeWindow(w, WindowAttrs::kColumns, in[2], filter[1], d.columns);
}

// The elements of the input and of the filter whose sum is the largest for one output.
struct Greatest {
  int64_t input, filter;
};

// Calls fn(output, largest sum, Greatest) for each element of the outputs of images [begin, end).
template <class T, class Fn>
void ForEachOutput(const DilationDims& d, const T* in, const T* filter, int64_t begin, int64_t end,
                   Fn fn) {
  const int64_t first = begin * d.rows.out * d.columns.out;
  const int64_t last = end * d.rows.out * d.columns.out;
  for (int64_t p = first; p < last; ++p) {
    StopIfCancelled();
    const int64_t q = p % d.columns.out, r = p / d.columns.out % d.rows.out;
    const int64_t image = p / d.columns.out / d.rows.out * d.rows.in;
    const int64_t row = d.rows.Begin(r), row_end = d.rows.End(r);
    const int64_t column = d.columns.Begin(q), column_end = d.columns.End(q);
    // The elements that TensorFlow takes if no sum exceeds the smallest number.
    const int64_t corner = (image + std::max<int64_t>(d.rows.At(r, 0), 0)) * d.columns.in +
                           std::max<int64_t>(d.columns.At(q, 0), 0);
    for (int64_t k = 0; k < d.depth; ++k) {
      T most = std::numeric_limits<T>::lowest();
      Greatest at{corner * d.depth + k, k};
      for (int64_t i = row; i < row_end; ++i) {
        const int64_t line = (image + d.rows.At(r, i)) * d.columns.in;
        for (int64_t j = column; j < column_end; ++j) {
          const Greatest here{(line + d.columns.At(q, j)) * d.depth + k,
                              (i * d.columns.size + j) * d.depth + k};
          const T sum = WrapAdd(in[here.input], filter[here.filter]);
          if (!(sum > most)) continue;
          most = sum;
          at = here;
        }
      }
      fn(p * d.depth + k, most, at);
    }
  }
}

double ImageCost(const DilationDims& d) {
  return static_cast<double>(d.rows.out * d.columns.out) * static_cast<double>(d.depth) *
         static_cast<double>(d.rows.size * d.columns.size);
}

struct Dilation {
  template <class T>
  Status operator()(KernelCtx& c) const {
    DilationDims d;
    TENSH_RETURN_IF_ERROR(
        MakeDilation(c.state<WindowAttrs>(), c.in(0).shape(), c.in(1).shape(), d));
    TENSH_OUTPUT(out, c.Output(0, d.Out()));
    if (!out->num_elements()) return {};
    T* y = out->data<T>();
    c.ParallelFor(d.batch, ImageCost(d), [&](int64_t begin, int64_t end) {
      const StopsWith step(c.cancel());
      ForEachOutput(d, c.in(0).data<T>(), c.in(1).data<T>(), begin, end,
                    [y](int64_t o, T most, Greatest) { y[o] = most; });
    });
    return {};
  }
};

// The gradient flows only to the element of input I, the image (0) or the filter (1), that had the
// largest sum.
template <int I>
struct Backprop {
  template <class T>
  Status operator()(KernelCtx& c) const {
    DilationDims d;
    TENSH_RETURN_IF_ERROR(
        MakeDilation(c.state<WindowAttrs>(), c.in(0).shape(), c.in(1).shape(), d));
    if (c.in(2).shape() != d.Out())
      return InvalidArgument("out_backprop has incompatible size: expected ", d.Out(), ", got ",
                             c.in(2).shape());
    TENSH_OUTPUT(out, c.Output(0, c.in(I).shape()));
    T* dx = out->data<T>();
    const T* dy = c.in(2).data<T>();
    std::fill_n(dx, out->num_elements(), T{0});
    if (!out->num_elements() || !c.in(2).num_elements()) return {};
    const StopsWith step(c.cancel());
    for (int64_t image = 0; image < d.batch; ++image)
      ForEachOutput(d, c.in(0).data<T>(), c.in(1).data<T>(), image, image + 1,
                    [=](int64_t o, T, Greatest at) {
                      T& to = dx[I == 0 ? at.input : at.filter];
                      to = WrapAdd(to, dy[o]);
                    });
    return {};
  }
};

Status DilationShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadDilation(c.attrs(), w));
  const Shape in = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4);
  const Shape filter = c.in(1).has_rank() ? c.in(1) : Shape::UnknownOfRank(3);
  DilationDims d;
  TENSH_RETURN_IF_ERROR(MakeDilation(w, in, filter, d));
  d.depth = filter[2];
  // Like TensorFlow, infers either both output extents or neither.
  if (in[1] < 0 || in[2] < 0 || filter[0] < 0 || filter[1] < 0) d.rows.out = d.columns.out = -1;
  c.Set(0, d.Out());
  return {};
}

Status DilationGrad(GradScope& g) {
  const std::vector<NamedAttr> attrs = {{"strides", g.attrs().Get<AttrValue::Ints>("strides")},
                                        {"rates", g.attrs().Get<AttrValue::Ints>("rates")},
                                        {"padding", g.attrs().String("padding")}};
  const Out dx = g.Op("Dilation2DBackpropInput", {g.x(0), g.x(1), g.dy()}, attrs);
  return g.Return({dx, g.Op("Dilation2DBackpropFilter", {g.x(0), g.x(1), g.dy()}, attrs)});
}

constexpr char kAttrs[] =
    TENSH_REALS ", strides: list(int) >= 4, rates: list(int) >= 4, padding: {'SAME', 'VALID'}";
constexpr char kDoc[] =
    "input: images [batch, rows, columns, depth] of type T. filter: [rows, columns, depth]. "
    "strides: the distance between windows in each of the four dimensions. rates: the distance "
    "between the elements of a window. padding: 'SAME' gives every position a window, 'VALID' only "
    "uses windows within the image. ";
constexpr KernelOptions kOptions = {.prepare = PrepareDilation};

template <class F>
void AddKernels(OpRegistry::OpEntry op, F kernel) {
  op.Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
      kernel, kOptions);
}

}  // namespace

TENSH_OPS(nn_conv_dilation2d) {
  const std::string example = ", strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding='VALID')";
  AddKernels(r.Op({.name = "Dilation2D",
                   .inputs = "input: T, filter: T",
                   .outputs = "output: T",
                   .attrs = kAttrs,
                   .doc = StrCat("Grayscale dilation: the maximum of the sums of window and filter "
                                 "elements, for each position and channel. ",
                                 kDoc),
                   .contract = "input: rank 4, filter: rank 3",
                   .shape = DilationShape,
                   .grad = DilationGrad,
                   .examples = {{StrCat("tf.nn.dilation2d([[[[1], [5], [2]]]], [[[0], [3]]]",
                                        example, "[0, 0]"),
                                 "[[8]\n [5]]"}}}),
             Dilation{});
  AddKernels(r.Op({.name = "Dilation2DBackpropInput",
                   .inputs = "input: T, filter: T, out_backprop: T",
                   .outputs = "in_backprop: T",
                   .attrs = kAttrs,
                   .doc = StrCat("The gradient of Dilation2D for its input. ", kDoc,
                                 "out_backprop: the incoming gradient."),
                   .contract = "input: rank 4, filter: rank 3 at run",
                   .shape = SameAsInput<0>,
                   .no_gradient = true,
                   .examples = {{StrCat("tf.raw_ops.Dilation2DBackpropInput(input=[[[[1], [5]]]], "
                                        "filter=[[[0], [3]]], out_backprop=[[[[7]]]]",
                                        example, "[0, 0]"),
                                 "[[0]\n [7]]"}}}),
             Backprop<0>{});
  AddKernels(r.Op({.name = "Dilation2DBackpropFilter",
                   .inputs = "input: T, filter: T, out_backprop: T",
                   .outputs = "filter_backprop: T",
                   .attrs = kAttrs,
                   .doc = StrCat("The gradient of Dilation2D for its filter. ", kDoc,
                                 "out_backprop: the incoming gradient."),
                   .contract = "input: rank 4 at run, filter: rank 3",
                   .shape = SameAsInput<1>,
                   .no_gradient = true,
                   .examples = {{StrCat("tf.raw_ops.Dilation2DBackpropFilter(input=[[[[1], [5]]]], "
                                        "filter=[[[0], [3]]], out_backprop=[[[[7]]]]",
                                        example, "[0]"),
                                 "[[0]\n [7]]"}}}),
             Backprop<1>{});
}

}  // namespace tensh::ops
