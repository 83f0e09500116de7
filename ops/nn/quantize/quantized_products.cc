// QuantizedMatMul, QuantizedConv2D, QuantizedMul and QuantizedBiasAdd, whose results are
// 32-bit quantized integers.
#include "ops/nn/conv/window.h"
#include "ops/nn/quantize/quantized.h"
#include "ops/support/broadcast.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

constexpr char kBytes[] = "tf.quint8 and a result of tf.qint32";

// The integer that stands for 0.
template <class T>
int32_t ZeroOf(FloatRange r) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(Quantized<T>::Unclamped(0, r), -(1 << 30), 1 << 30));
}

// Sums wrap, as those of TensorFlow do.
int32_t AddProduct(int32_t sum, int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(sum) +
                              static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

// ---- matrices ----

struct MatMulState : KernelState {
  bool transpose_a, transpose_b;
  void Read(PrepareCtx& c) {
    transpose_a = c.attrs().Bool("transpose_a");
    transpose_b = c.attrs().Bool("transpose_b");
  }
};

Status MatMul(KernelCtx& c) {
  const Tensor &a = c.in(0), &b = c.in(1);
  TENSH_RETURN_IF_ERROR(
      NeedTypes(a.dtype() == kQuint8 && b.dtype() == kQuint8 && c.out_dtype(0) == kQint32,
                "QuantizedMatMul", kBytes));
  const auto& s = c.state<MatMulState>();
  const int64_t m = a.dim(s.transpose_a), k = a.dim(!s.transpose_a), n = b.dim(!s.transpose_b);
  if (k != b.dim(s.transpose_b))
    return InvalidArgument("Matrix size-incompatible: In[0]: ", a.shape(), ", In[1]: ", b.shape());
  const FloatRange ra = RangeInput(c, 2), rb = RangeInput(c, 4);
  const int32_t zero_a = ZeroOf<uint8_t>(ra), zero_b = ZeroOf<uint8_t>(rb);
  TENSH_OUTPUT(out, c.Output(0, Shape({m, n})));
  const auto *pa = a.data<uint8_t>(), *pb = b.data<uint8_t>();
  auto* to = out->data<int32_t>();
  const int64_t step_a = s.transpose_a ? m : 1, row_a = s.transpose_a ? 1 : k;
  const int64_t step_b = s.transpose_b ? 1 : n, column_b = s.transpose_b ? k : 1;
  c.ParallelFor(
      m, static_cast<double>(k) * static_cast<double>(n), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          std::fill_n(to + i * n, n, 0);
          for (int64_t l = 0; l < k; ++l) {
            const int32_t x = pa[i * row_a + l * step_a] - zero_a;
            for (int64_t j = 0; j < n; ++j)
              to[i * n + j] = AddProduct(to[i * n + j], x, pb[l * step_b + j * column_b] - zero_b);
          }
        }
      });
  return RangeOutput(c, ProductRange<uint8_t, uint8_t>(ra, rb));
}

Status MatMulShape(ShapeCtx& c) {
  const int a = c.attrs().Bool("transpose_a"), b = c.attrs().Bool("transpose_b");
  Shape out = Shape::UnknownOfRank(2);
  if (c.in(0).has_rank()) out.set_dim(0, c.in(0)[a]);
  if (c.in(1).has_rank()) out.set_dim(1, c.in(1)[!b]);
  c.Set(0, out);
  c.Set(1, Shape());
  c.Set(2, Shape());
  return {};
}

// ---- convolutions ----

struct ConvDims {
  int64_t batch, channels, outputs;
  WindowDim rows, columns;
};

template <class F>
void Convolve(KernelCtx& c, const ConvDims& d, int32_t zero, int32_t filter_zero, int32_t* out) {
  const auto* in = c.in(0).data<uint8_t>();
  const auto* filter = c.in(1).data<F>();
  const double ns = static_cast<double>(d.rows.size * d.columns.size * d.channels * d.outputs);
  c.ParallelFor(d.batch * d.rows.out * d.columns.out, ns, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end && !c.cancelled(); ++p) {
      const int64_t q = p % d.columns.out, row = p / d.columns.out;
      const int64_t r = row % d.rows.out, image = row / d.rows.out;
      int32_t* to = out + p * d.outputs;
      std::fill_n(to, d.outputs, 0);
      for (int64_t i = d.rows.Begin(r); i < d.rows.End(r); ++i) {
        for (int64_t j = d.columns.Begin(q); j < d.columns.End(q); ++j) {
          const int64_t pixel =
              (image * d.rows.in + d.rows.At(r, i)) * d.columns.in + d.columns.At(q, j);
          for (int64_t k = 0; k < d.channels; ++k) {
            const int32_t x = in[pixel * d.channels + k] - zero;
            const F* w = filter + ((i * d.columns.size + j) * d.channels + k) * d.outputs;
            for (int64_t o = 0; o < d.outputs; ++o)
              to[o] = AddProduct(to[o], x, w[o] - filter_zero);
          }
        }
      }
    }
  });
}

Status Conv2D(KernelCtx& c) {
  const Tensor &x = c.in(0), &w = c.in(1);
  TENSH_RETURN_IF_ERROR(NeedTypes(x.dtype() == kQuint8 &&
                                      (w.dtype() == kQuint8 || w.dtype() == kQint8) &&
                                      c.out_dtype(0) == kQint32,
                                  "QuantizedConv2D",
                                  "an input of tf.quint8, a filter of tf.quint8 or tf.qint8 and a "
                                  "result of tf.qint32"));
  const auto& s = c.state<WindowAttrs>();
  if (x.dim(3) != w.dim(2))
    return InvalidArgument("input and filter must have the same depth: ", x.dim(3), " vs ",
                           w.dim(2));
  ConvDims d{x.dim(0), x.dim(3), w.dim(3), {}, {}};
  TENSH_RETURN_IF_ERROR(MakeWindow(s, WindowAttrs::kRows, x.dim(1), w.dim(0), d.rows));
  TENSH_RETURN_IF_ERROR(MakeWindow(s, WindowAttrs::kColumns, x.dim(2), w.dim(1), d.columns));
  const FloatRange rx = RangeInput(c, 2), rw = RangeInput(c, 4);
  TENSH_OUTPUT(out, c.Output(0, Shape({d.batch, d.rows.out, d.columns.out, d.outputs})));
  const int32_t zero = ZeroOf<uint8_t>(rx);
  if (w.dtype() == kQint8) {
    Convolve<int8_t>(c, d, zero, ZeroOf<int8_t>(rw), out->data<int32_t>());
    return RangeOutput(c, ProductRange<uint8_t, int8_t>(rx, rw));
  }
  Convolve<uint8_t>(c, d, zero, ZeroOf<uint8_t>(rw), out->data<int32_t>());
  return RangeOutput(c, ProductRange<uint8_t, uint8_t>(rx, rw));
}

Status ConvolutionShape(ShapeCtx& c) {
  WindowAttrs s;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), s));
  const Shape x = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4);
  const Shape w = c.in(1).has_rank() ? c.in(1) : Shape::UnknownOfRank(4);
  WindowDim rows, columns;
  TENSH_RETURN_IF_ERROR(MakeWindow(s, WindowAttrs::kRows, x[1], w[0], rows));
  TENSH_RETURN_IF_ERROR(MakeWindow(s, WindowAttrs::kColumns, x[2], w[1], columns));
  Shape out = Shape::UnknownOfRank(4);
  const int64_t dims[] = {x[0], rows.out, columns.out, w[3]};
  for (int i = 0; i < 4; ++i) out.set_dim(i, dims[i]);
  c.Set(0, out);
  c.Set(1, Shape());
  c.Set(2, Shape());
  return {};
}

// ---- elementwise ----

// Returns the common range of two operands of a sum, with room for `room` sums.
FloatRange SumRange(FloatRange a, FloatRange b, float room) {
  const float most = std::max(std::max(a.max, -a.min), std::max(b.max, -b.min)) * room;
  return {-most, most};
}

// Calls fn(x, y) for the elements of both inputs, broadcast, and stores the results.
template <class Fn>
Status ForPairs(KernelCtx& c, std::string_view op, Fn fn) {
  const Tensor &x = c.in(0), &y = c.in(1);
  TENSH_RETURN_IF_ERROR(NeedTypes(
      x.dtype() == kQuint8 && y.dtype() == kQuint8 && c.out_dtype(0) == kQint32, op, kBytes));
  BroadcastPlan plan;
  TENSH_RETURN_IF_ERROR(MakeBroadcastPlan(x.shape(), y.shape(), plan));
  TENSH_OUTPUT(out, c.Output(0, plan.out));
  auto* to = out->data<int32_t>();
  const int64_t step_x = plan.kind != RowKind::kScalarA, step_y = plan.kind != RowKind::kScalarB;
  ForEachRow(plan, 0, plan.rows, [&](int64_t at_x, int64_t at_y, int64_t at) {
    for (int64_t i = 0; i < plan.row; ++i)
      to[at + i] = fn(x.data<uint8_t>()[at_x + i * step_x], y.data<uint8_t>()[at_y + i * step_y]);
  });
  return {};
}

Status Mul(KernelCtx& c) {
  const FloatRange rx = RangeInput(c, 2), ry = RangeInput(c, 4);
  const int32_t zero_x = ZeroOf<uint8_t>(rx), zero_y = ZeroOf<uint8_t>(ry);
  TENSH_RETURN_IF_ERROR(ForPairs(c, "QuantizedMul", [&](uint8_t x, uint8_t y) {
    return AddProduct(0, x - zero_x, y - zero_y);
  }));
  return RangeOutput(c, ProductRange<uint8_t, uint8_t>(rx, ry));
}

Status Add(KernelCtx& c) {
  const FloatRange rx = RangeInput(c, 2), ry = RangeInput(c, 4), to = SumRange(rx, ry, 1 << 14);
  constexpr int kValues = 256;
  uint32_t of_x[kValues], of_y[kValues];  // each value in the range of the sum
  for (int q = 0; q < kValues; ++q) {
    const auto in_sum = [&](FloatRange r) {
      return static_cast<uint32_t>(Quantized<int32_t>::FromFloat(
          Quantized<uint8_t>::ToFloat(static_cast<uint8_t>(q), r), to));
    };
    of_x[q] = in_sum(rx);
    of_y[q] = in_sum(ry);
  }
  TENSH_RETURN_IF_ERROR(ForPairs(c, "QuantizedAdd", [&](uint8_t x, uint8_t y) {
    return static_cast<int32_t>(of_x[x] + of_y[y]);
  }));
  return RangeOutput(c, to);
}

template <class T>
void AddBias(KernelCtx& c, FloatRange rx, FloatRange rb, FloatRange to, int32_t* out) {
  const auto x = c.in(0).flat<T>();
  const auto bias = c.in(1).flat<T>();
  using In = Quantized<T>;
  for (size_t i = 0; i < x.size(); ++i)
    out[i] = Quantized<int32_t>::FromFloat(
        In::ToFloat(x[i], rx) + In::ToFloat(bias[i % bias.size()], rb), to);
}

Status BiasAdd(KernelCtx& c) {
  const Tensor &x = c.in(0), &bias = c.in(1);
  TENSH_RETURN_IF_ERROR(
      NeedTypes(x.dtype() == bias.dtype() && (x.dtype() == kQuint8 || x.dtype() == kQint8) &&
                    c.out_dtype(0) == kQint32,
                "QuantizedBiasAdd", "two of tf.quint8 or tf.qint8 and a result of tf.qint32"));
  if (x.rank() < 1 || bias.rank() != 1)
    return InvalidArgument("Input tensor must be at least 1D and biases must be 1D: ", x.shape(),
                           " and ", bias.shape());
  if (x.dim(x.rank() - 1) != bias.dim(0))
    return InvalidArgument(
        "Must provide as many biases as the last dimension of the input tensor: ", bias.shape(),
        " vs. ", x.shape());
  const FloatRange rx = RangeInput(c, 2), rb = RangeInput(c, 4), to = SumRange(rx, rb, 1 << 17);
  TENSH_OUTPUT(out, c.Output(0, x.shape()));
  if (x.dtype() == kQint8)
    AddBias<int8_t>(c, rx, rb, to, out->data<int32_t>());
  else
    AddBias<uint8_t>(c, rx, rb, to, out->data<int32_t>());
  return RangeOutput(c, to);
}

Status PairShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(BroadcastInputs(c));
  c.Set(1, Shape());
  c.Set(2, Shape());
  return {};
}

// A tf expression for quint8 numbers.
#define TENSH_QUINT8(values) "tf.bitcast(tf.constant(" values ", tf.uint8), tf.quint8)"

}  // namespace

TENSH_OPS(nn_quantize_quantized_products) {
  const auto contract = [](const char* a, const char* b) {
    return StrCat("min_", a, ": scalar, max_", a, ": scalar, min_", b, ": scalar, max_", b,
                  ": scalar");
  };
  const std::string three = StrCat("T1: ", kQuantizedTypes, ", T2: ", kQuantizedTypes);
  const std::string out = StrCat(", Toutput: ", kQuantizedTypes, " = qint32");
  r.Op({.name = "QuantizedMatMul",
        .inputs = "a: T1, b: T2, min_a: float, max_a: float, min_b: float, max_b: float",
        .outputs = "out: Toutput, min_out: float, max_out: float",
        .attrs = StrCat(three, out,
                        ", transpose_a: bool = false, transpose_b: bool = false, "
                        "Tactivation: ",
                        kQuantizedTypes, " = quint8"),
        .doc =
            "The product of two quantized matrices. a, b: the matrices, of types T1 and T2, which "
            "stand for the floats from min_a to max_a and from min_b to max_b. transpose_a, "
            "transpose_b: transpose the matrix first. Toutput: the type of out. Tactivation: "
            "ignored. min_out, max_out: the range of out.",
        .contract = StrCat("a: rank 2, b: rank 2, ", contract("a", "b")),
        .shape = MatMulShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.QuantizedMatMul(a=" TENSH_QUINT8("[[1, 2]]") ", b=" TENSH_QUINT8(
                          "[[3], [4]]") ", min_a=0., max_a=255., min_b=0., max_b=255.).out",
                      "[[11]]"}}})
      .CpuAny(MatMul, PrepareFrom<MatMulState>);
  r.Op({.name = "QuantizedConv2D",
        .inputs = "input: Tinput, filter: Tfilter, min_input: float, max_input: float, min_filter: "
                  "float, max_filter: float",
        .outputs = "output: out_type, min_output: float, max_output: float",
        .attrs = StrCat("Tinput: ", kQuantizedTypes, ", Tfilter: ", kQuantizedTypes,
                        ", out_type: ", kQuantizedTypes,
                        " = qint32, strides: list(int), padding: {'SAME', 'VALID'}, dilations: "
                        "list(int) = [1, 1, 1, 1]"),
        .doc =
            "Convolves quantized images with a quantized filter. input: images [batch, rows, "
            "columns, channels] of type Tinput, for the floats from min_input to max_input. "
            "filter: [rows, columns, channels, outputs] of type Tfilter, for those from "
            "min_filter to max_filter. out_type: the type of output. strides, padding, dilations: "
            "as for Conv2D. min_output, max_output: the range of output.",
        .contract = StrCat("input: rank 4, filter: rank 4, ", contract("input", "filter")),
        .shape = ConvolutionShape,
        .no_gradient = true,
        .examples =
            {{"tf.raw_ops.QuantizedConv2D(input=" TENSH_QUINT8(
                  "[[[[1], [2]]]]") ", filter=" TENSH_QUINT8("[[[[3]], [[4]]]]") ", min_input=0., "
                                                                                 "max_input=255., "
                                                                                 "min_filter=0., "
                                                                                 "max_filter=255., "
                                                                                 "strides=[1, "
                                                                                 "1, 1, 1], "
                                                                                 "padding='VALID')."
                                                                                 "output",
              "[[[[11]]]]"}}})
      .CpuAny(Conv2D, PrepareWindow);
  constexpr char kPair[] =
      " x, y: numbers of types T1 and T2, for the floats from min_x to max_x and from min_y to "
      "max_y. "
      "Toutput: the type of z. min_z, max_z: the range of z.";
  static constexpr char kPairInputs[] =
      "x: T1, y: T2, min_x: float, max_x: float, min_y: float, max_y: float";
  static constexpr char kPairOutputs[] = "z: Toutput, min_z: float, max_z: float";
  r.Op({.name = "QuantizedMul",
        .inputs = kPairInputs,
        .outputs = kPairOutputs,
        .attrs = StrCat(three, out),
        .doc = StrCat("x * y, elementwise, of quantized numbers.", kPair),
        .contract = contract("x", "y"),
        .shape = PairShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.QuantizedMul(x=" TENSH_QUINT8("[1, 2]") ", y=" TENSH_QUINT8(
                          "[3, 4]") ", min_x=0., max_x=255., min_y=0., max_y=255.).z",
                      "[3 8]"}}})
      .CpuAny(Mul);
  r.Op({.name = "QuantizedAdd",
        .inputs = kPairInputs,
        .outputs = kPairOutputs,
        .attrs = StrCat(three, out),
        .doc = StrCat("x + y, elementwise, of quantized numbers.", kPair),
        .contract = contract("x", "y"),
        .shape = PairShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.QuantizedAdd(x=" TENSH_QUINT8("[0, 255]") ", y=" TENSH_QUINT8(
                          "[255]") ", min_x=0., max_x=1., min_y=0., max_y=1.).z",
                      "[131072 262144]"}}})
      .CpuAny(Add);
  r.Op({.name = "QuantizedBiasAdd",
        .inputs = "input: T1, bias: T2, min_input: float, max_input: float, min_bias: float, "
                  "max_bias: float",
        .outputs = "output: out_type, min_out: float, max_out: float",
        .attrs = StrCat(three, ", out_type: ", kQuantizedTypes),
        .doc =
            "Adds a vector to the last dimension of a quantized tensor. input: numbers of type T1 "
            "for the floats from min_input to max_input. bias: a vector of type T2 for those from "
            "min_bias to max_bias. out_type: the type of output. min_out, max_out: its range.",
        .contract = contract("input", "bias"),
        .shape = SameWithRange,
        .no_gradient = true,
        .examples =
            {{"tf.raw_ops.QuantizedBiasAdd(input=" TENSH_QUINT8(
                  "[[0, 255]]") ", bias=" TENSH_QUINT8("[0, 255]") ", min_input=0., max_input=1., "
                                                                   "min_bias=0., max_bias=1., "
                                                                   "out_type=tf.qint32).max_out",
              "131072.0"}}})
      .CpuAny(BiasAdd);
}

}  // namespace tensh::ops
