// Softmax and LogSoftmax along the last dimension.
#include "ops/nn/softmax.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

template <class T>
void SoftmaxRow(T* out, const T* in, int64_t n) {
  const T sum = ExpAndSum(in, RowMaximum(in, n), out, n);
  Dispatch<ScaleRow<T>>(out, static_cast<const T*>(out), T{1} / sum, n);
}

// `scratch` has n elements, and is not used for long rows of floats.
template <class T>
void LogSoftmaxRow(T* out, const T* in, T* scratch, int64_t n) {
  const T most = RowMaximum(in, n);
  const T sum = ExpAndSum(in, most, scratch, n);
  Dispatch<ShiftTwice<T>>(out, in, most, std::log(sum), n);
}

template <bool log>
struct Softmax {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    const int64_t n = x.dim(x.rank() - 1), rows = n ? x.num_elements() / n : 0;
    const T* in = x.data<T>();
    TENSH_OUTPUT(y, c.Forward(0, 0, x.shape()));
    T* out = y->data<T>();
    const bool needs_scratch = log && !(sizeof(T) == 4 && n >= kLongRow);
    c.ParallelFor(rows, RowCost<T>(n), [&](int64_t begin, int64_t end) {
      std::vector<T> scratch(needs_scratch ? static_cast<size_t>(n) : 0);
      for (int64_t i = begin; i < end; ++i) {
        if constexpr (log)
          LogSoftmaxRow(out + i * n, in + i * n, needs_scratch ? scratch.data() : nullptr, n);
        else
          SoftmaxRow(out + i * n, in + i * n, n);
      }
    });
    return {};
  }
};

Status RowShape(ShapeCtx& c) {
  c.Set(0, c.in(0));
  return {};
}

Out SumLast(GradScope& g, Out t) {
  const int32_t axis[] = {-1};
  Out last = g.Const(Tensor::Vector<int32_t>(axis), "Sum/reduction_indices");
  return g.Op("Sum", {t, last}, {{"keep_dims", true}});
}

Status SoftmaxGrad(GradScope& g) {
  Out y = g.y(0), dy = g.dy();
  Out sum = SumLast(g, g.Mul(dy, y));
  return g.Return({g.Mul(GradSub(g, dy, sum), y)});
}

Status LogSoftmaxGrad(GradScope& g) {
  Out dy = g.dy();
  Out softmax = g.Op("Exp", {g.y(0)});
  return g.Return({GradSub(g, dy, g.Mul(SumLast(g, dy), softmax))});
}

}  // namespace

TENSH_OPS(nn_softmax) {
  r.Op({.name = "Softmax",
        .inputs = "logits: T",
        .outputs = "softmax: T",
        .attrs = "T: {half, bfloat16, float, double}",
        .doc = "Softmax: exp(logits) divided by its sum along the last dimension. logits: real "
               "numbers, of rank 1 or more. T: the element type.",
        .contract = "logits: rank 1+",
        .shape = RowShape,
        .grad = SoftmaxGrad,
        .examples = {{"tf.nn.softmax([0., 0.])", "[0.5 0.5]"}}})
      .Cpu<float, double>(Softmax<false>{});
  r.Op({.name = "LogSoftmax",
        .inputs = "logits: T",
        .outputs = "logsoftmax: T",
        .attrs = "T: {half, bfloat16, float, double}",
        .doc = "The logarithm of the softmax along the last dimension. logits: real numbers, of "
               "rank 1 "
               "or more. T: the element type.",
        .contract = "logits: rank 1+",
        .shape = RowShape,
        .grad = LogSoftmaxGrad,
        .examples = {{"tf.nn.log_softmax([0., 0.])", "[-0.6931472 -0.6931472]"}}})
      .Cpu<float, double>(Softmax<true>{});
}

}  // namespace tensh::ops
