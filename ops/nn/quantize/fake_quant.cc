// FakeQuantWithMinMaxArgs, …Vars and …VarsPerChannel, with their gradients. The gradients treat the
// rounding as the identity within the range ("straight through").
#include <algorithm>
#include <cmath>

#include "ops/nn/quantize/fake_quant.h"
#include "ops/op_file.h"
#include "ops/support/isa.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
Status FakeQuantState::Read(PrepareCtx& c) {
  const int64_t bits = c.attrs().Int("num_bits");
  if (bits < 2 || bits > 16)
    return InvalidArgument("num_bits must be between 2 and 16, inclusive, was ", bits);
  steps.low = c.attrs().Bool("narrow_range") ? 1 : 0;
  steps.high = static_cast<float>((1 << bits) - 1);
  if (c.attrs().Find("min")) {
    const float min = c.attrs().Float("min"), max = c.attrs().Float("max");
    if (!(min < max))
      return InvalidArgument("min has to be smaller than max, was: ", min, " >= ", max);
    range = steps.Nudge(min, max);
  }
  return {};
}

Status CheckQuantChannels(const Tensor& inputs, const Tensor& min, const Tensor& max) {
  const int64_t channels = inputs.dim(inputs.rank() - 1);
  for (const Tensor* t : {&min, &max}) {
    const char* name = t == &min ? "min" : "max";
    if (t->dim(0) != channels)
      return InvalidArgument(name, " has incorrect size, expected ", channels, " was ", t->dim(0));
  }
  return {};
}

Status CheckQuantGrad(KernelCtx& c) {
  if (c.in(0).shape() == c.in(1).shape()) return {};
  return InvalidArgument("gradient and input must be the same size: ", c.in(0).shape(), " vs. ",
                         c.in(1).shape());
}

namespace {

using Range = QuantRange<float>;

struct QuantizeRow {
  TENSH_ALWAYS_INLINE static void Run(Range r, const float* in, float* out, int64_t n) {
    const float zero = r.Zero();
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = r.Round(in[i], zero);
  }
};

void Quantize(const Range& r, const float* in, float* out, int64_t n, int64_t stride) {
  if (stride == 1) return Dispatch<QuantizeRow>(r, in, out, n);
  const float zero = r.Zero();
  for (int64_t i = 0; i < n * stride; i += stride) out[i] = r.Round(in[i], zero);
}

Status QuantArgsKernel(KernelCtx& c) {
  const Range r = c.state<FakeQuantState>().range;
  const float* in = c.in(0).data<float>();
  TENSH_OUTPUT(y, c.Output(0, c.in(0).shape()));
  float* out = y->data<float>();
  c.ParallelFor(y->num_elements(), 2, [&](int64_t begin, int64_t end) {
    Quantize(r, in + begin, out + begin, end - begin, 1);
  });
  return {};
}

Status QuantVarsKernel(KernelCtx& c) {
  const Range r =
      c.state<FakeQuantState>().steps.NudgeOne(*c.in(1).data<float>(), *c.in(2).data<float>());
  const float* in = c.in(0).data<float>();
  TENSH_OUTPUT(y, c.Output(0, c.in(0).shape()));
  float* out = y->data<float>();
  c.ParallelFor(y->num_elements(), 2, [&](int64_t begin, int64_t end) {
    Quantize(r, in + begin, out + begin, end - begin, 1);
  });
  return {};
}

Status QuantChannelsKernel(KernelCtx& c) {
  const Tensor &x = c.in(0), &min = c.in(1), &max = c.in(2);
  TENSH_RETURN_IF_ERROR(CheckQuantChannels(x, min, max));
  TENSH_OUTPUT(y, c.Output(0, x.shape()));
  const int64_t channels = min.dim(0), rows = channels ? x.num_elements() / channels : 0;
  const float* in = x.data<float>();
  float* out = y->data<float>();
  c.ParallelFor(channels, 2.0 * static_cast<double>(rows), [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k)
      Quantize(c.state<FakeQuantState>().steps.Nudge(min.data<float>()[k], max.data<float>()[k]),
               in + k, out + k, rows, channels);
  });
  return {};
}

// ---- gradients ----

// Computes the gradients for one range: within the range, dy flows to the input; outside, to the
// end of the range that is exceeded.
void Backward(const Range& r, const float* dy, const float* x, float* dx, int64_t n, int64_t stride,
              float* dmin, float* dmax) {
  double below = 0, above = 0;
  for (int64_t i = 0; i < n * stride; i += stride) {
    const bool inside = r.empty || r.Holds(x[i]);
    dx[i] = inside ? dy[i] : dy[i] * 0.0f;
    if (inside) continue;
    if (x[i] < r.least) below += static_cast<double>(dy[i]);
    if (x[i] > r.most) above += static_cast<double>(dy[i]);
  }
  if (dmin) *dmin = static_cast<float>(below);
  if (dmax) *dmax = static_cast<float>(above);
}

Status GradArgsKernel(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(CheckQuantGrad(c));
  const float *dy = c.in(0).data<float>(), *x = c.in(1).data<float>();
  TENSH_OUTPUT(dx, c.Output(0, c.in(1).shape()));
  Backward(c.state<FakeQuantState>().range, dy, x, dx->data<float>(), dx->num_elements(), 1,
           nullptr, nullptr);
  return {};
}

Status GradVarsKernel(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(CheckQuantGrad(c));
  const Range r =
      c.state<FakeQuantState>().steps.Nudge(*c.in(2).data<float>(), *c.in(3).data<float>());
  TENSH_OUTPUT(dx, c.Output(0, c.in(1).shape()));
  TENSH_OUTPUT(dmin, c.Output(1, Shape()));
  TENSH_OUTPUT(dmax, c.Output(2, Shape()));
  Backward(r, c.in(0).data<float>(), c.in(1).data<float>(), dx->data<float>(), dx->num_elements(),
           1, dmin->data<float>(), dmax->data<float>());
  return {};
}

Status GradChannelsKernel(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(CheckQuantGrad(c));
  const Tensor &x = c.in(1), &min = c.in(2), &max = c.in(3);
  TENSH_RETURN_IF_ERROR(CheckQuantChannels(x, min, max));
  TENSH_OUTPUT(dx, c.Output(0, x.shape()));
  TENSH_OUTPUT(dmin, c.Output(1, min.shape()));
  TENSH_OUTPUT(dmax, c.Output(2, max.shape()));
  const int64_t channels = min.dim(0), rows = channels ? x.num_elements() / channels : 0;
  for (int64_t k = 0; k < channels; ++k)
    Backward(c.state<FakeQuantState>().steps.Nudge(min.data<float>()[k], max.data<float>()[k]),
             c.in(0).data<float>() + k, x.data<float>() + k, dx->data<float>() + k, rows, channels,
             dmin->data<float>() + k, dmax->data<float>() + k);
  return {};
}

// ---- shapes, gradients, registrations ----

Status CheckEnds(ShapeCtx& c, int first, Shape& ends) {
  TENSH_ASSIGN(ends, MergeShapes(c.in(first), c.in(first + 1)));
  return {};
}

Status VarsShape(ShapeCtx& c) {
  Shape ends;
  TENSH_RETURN_IF_ERROR(CheckEnds(c, 1, ends));
  c.Set(0, c.in(0));
  return {};
}

Status MergeLast(const Shape& inputs, Shape& ends) {
  if (!inputs.has_rank()) return {};
  TENSH_ASSIGN(ends, MergeShapes(ends, Shape({inputs[inputs.rank() - 1]})));
  return {};
}

Status ChannelsShape(ShapeCtx& c) {
  Shape ends;
  TENSH_RETURN_IF_ERROR(CheckEnds(c, 1, ends));
  TENSH_RETURN_IF_ERROR(MergeLast(c.in(0), ends));
  c.Set(0, c.in(0));
  return {};
}

Status GradVarsShape(ShapeCtx& c) {
  Shape ends;
  TENSH_RETURN_IF_ERROR(CheckEnds(c, 2, ends));
  TENSH_ASSIGN(Shape inputs, MergeShapes(c.in(0), c.in(1)));
  c.Set(0, inputs);
  c.Set(1, Shape());
  c.Set(2, Shape());
  return {};
}

Status GradChannelsShape(ShapeCtx& c) {
  Shape ends;
  TENSH_ASSIGN(Shape inputs, MergeShapes(c.in(0), c.in(1)));
  TENSH_RETURN_IF_ERROR(CheckEnds(c, 2, ends));
  TENSH_RETURN_IF_ERROR(MergeLast(inputs, ends));
  if (!ends.has_rank()) ends = Shape({-1});
  c.Set(0, inputs);
  c.Set(1, ends);
  c.Set(2, ends);
  return {};
}

std::vector<NamedAttr> SameQuant(GradScope& g) {
  std::vector<NamedAttr> attrs;
  for (const char* name : {"min", "max", "num_bits", "narrow_range"})
    if (const AttrValue* value = g.attrs().Find(name)) attrs.push_back({name, *value});
  return attrs;
}

Status ArgsBackward(GradScope& g) {
  return g.Return({g.Op("FakeQuantWithMinMaxArgsGradient", {g.dy(), g.x(0)}, SameQuant(g))});
}
Status VarsBackward(GradScope& g) {
  const Out dx =
      g.Op(StrCat(g.op_name(), "Gradient"), {g.dy(), g.x(0), g.x(1), g.x(2)}, SameQuant(g));
  return g.Return({dx, g.Output(dx, 1), g.Output(dx, 2)});
}

constexpr char kBits[] = "num_bits: int = 8, narrow_range: bool = false";
constexpr char kEnds[] = "min: float = -6, max: float = 6, ";
constexpr char kBitsDoc[] =
    " num_bits: the number of bits of a step's index, 2 to 16. narrow_range: do not use the lowest "
    "step.";

struct Row {
  const char *name, *ends, *summary, *ends_doc;  // ends: the inputs min and max in the signature
  ShapeFn shape, grad_shape;
  GradFn grad;
  KernelFn kernel, grad_kernel;
  const char *call, *result, *grad_call, *grad_result;
  const char* contract;  // for the op and its gradient
};

constexpr Row kRows[] = {
    {"FakeQuantWithMinMaxArgs", "", "Rounds floats to the steps between min and max.",
     " min, max: the range.", SameAsInput<0>, SameAsInput<0>, ArgsBackward, QuantArgsKernel,
     GradArgsKernel,
     "tf.quantization.fake_quant_with_min_max_args([-7., 0.1, 6.], min=-1, max=1, num_bits=2)",
     "[-1.3333334  0.         0.6666667]",
     "tf.raw_ops.FakeQuantWithMinMaxArgsGradient(gradients=[1., 2.], inputs=[0., 9.])", "[1. 0.]",
     ""},
    {"FakeQuantWithMinMaxVars", ", min: float, max: float",
     "Rounds floats to the steps between min and max.", " min, max: the range, scalars.", VarsShape,
     GradVarsShape, VarsBackward, QuantVarsKernel, GradVarsKernel,
     "tf.quantization.fake_quant_with_min_max_vars([-7., 0.1, 6.], 0., 3., num_bits=2)",
     "[0. 0. 3.]",
     "tf.raw_ops.FakeQuantWithMinMaxVarsGradient(gradients=[1., 2.], inputs=[0., 9.], min=0., "
     "max=3.)[2]",
     "2.0", "min: scalar, max: scalar"},
    {"FakeQuantWithMinMaxVarsPerChannel", ", min: float, max: float",
     "Rounds floats to the steps between the min and max of each channel.",
     " min, max: the ranges, one per channel, which are the last dimension.", ChannelsShape,
     GradChannelsShape, VarsBackward, QuantChannelsKernel, GradChannelsKernel,
     "tf.quantization.fake_quant_with_min_max_vars_per_channel([[5., 5.]], [0., 0.], [3., 6.], "
     "num_bits=2)",
     "[[3. 6.]]",
     "tf.raw_ops.FakeQuantWithMinMaxVarsPerChannelGradient(gradients=[[1., 2.]], inputs=[[0., "
     "9.]], min=[0., 0.], max=[3., 3.])[2]",
     "[0. 2.]", "inputs: rank 1+, min: vector, max: vector"}};

}  // namespace

TENSH_OPS(nn_quantize_fake_quant) {
  for (const Row& row : kRows) {
    const bool args = !*row.ends;
    const std::string attrs = args ? StrCat(kEnds, kBits) : std::string(kBits);
    r.Op({.name = row.name,
          .inputs = StrCat("inputs: float", row.ends),
          .outputs = "outputs: float",
          .attrs = attrs,
          .doc = StrCat(row.summary, " inputs: the numbers to round.", row.ends_doc, kBitsDoc),
          .contract = row.contract,
          .shape = row.shape,
          .grad = row.grad,
          .examples = {{row.call, row.result}}})
        .CpuAny(row.kernel, PrepareFrom<FakeQuantState>);
    r.Op({.name = StrCat(row.name, "Gradient"),
          .inputs = StrCat("gradients: float, inputs: float", row.ends),
          .outputs = args ? "backprops: float"
                          : "backprops_wrt_input: float, backprop_wrt_min: float, "
                            "backprop_wrt_max: float",
          .attrs = attrs,
          .doc =
              StrCat("The gradient of ", row.name,
                     ". gradients: the incoming gradient. inputs: the numbers that were rounded.",
                     row.ends_doc, kBitsDoc),
          .contract = row.contract,
          .shape = row.grad_shape,
          .no_gradient = true,
          .examples = {{row.grad_call, row.grad_result}}})
        .CpuAny(row.grad_kernel, PrepareFrom<FakeQuantState>);
  }
}

}  // namespace tensh::ops
