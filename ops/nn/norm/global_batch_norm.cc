// BatchNormWithGlobalNormalization: the batch normalization of graphs from before FusedBatchNorm.
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct GlobalState : KernelState {
  float epsilon;
  bool scale;
  void Read(PrepareCtx& c) {
    epsilon = c.attrs().Float("variance_epsilon");
    scale = c.attrs().Bool("scale_after_normalization");
  }
};

struct GlobalNorm {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<GlobalState>();
    const Tensor& x = c.in(0);
    const int64_t channels = x.dim(3);
    for (int i = 1; i <= 4; ++i)
      if (c.in(i).dim(0) != channels)
        return InvalidArgument("the statistics of a batch normalization have ", c.in(i).dim(0),
                               " elements; the input has ", channels, " channels");
    std::vector<T> factor(static_cast<size_t>(channels)), offset(static_cast<size_t>(channels));
    for (int64_t k = 0; k < channels; ++k) {
      const auto at = static_cast<size_t>(k);
      factor[at] = T(1) / std::sqrt(c.in(2).data<T>()[k] + static_cast<T>(s.epsilon));
      if (s.scale) factor[at] *= c.in(4).data<T>()[k];
      offset[at] = c.in(3).data<T>()[k] - c.in(1).data<T>()[k] * factor[at];
    }
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    const T* from = x.data<T>();
    T* to = y->data<T>();
    c.ParallelFor(channels ? x.num_elements() / channels : 0, static_cast<double>(channels),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin * channels; i < end * channels; ++i) {
                      const auto k = static_cast<size_t>(i % channels);
                      to[i] = from[i] * factor[k] + offset[k];
                    }
                  });
    return {};
  }
};

Status GlobalShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape shape, MergeShapes(c.in(0), Shape::UnknownOfRank(4)));
  for (int i = 1; i <= 4; ++i) {
    const int64_t n = c.in(i).rank() == 1 ? c.in(i)[0] : -1;
    if (n < 0) continue;
    if (shape[3] >= 0 && shape[3] != n)
      return InvalidArgument("Dimensions must be equal, but are ", shape[3], " and ", n);
    shape.set_dim(3, n);
  }
  c.Set(0, shape);
  return {};
}

}  // namespace

TENSH_OPS(nn_norm_global_batch_norm) {
  r.Op({.name = "BatchNormWithGlobalNormalization",
        .inputs = "t: T, m: T, v: T, beta: T, gamma: T",
        .outputs = "result: T",
        .attrs = "T: {float, double, int32, int64}, variance_epsilon: float, "
                 "scale_after_normalization: bool",
        .doc = "Normalizes the channels of t, of shape [batch, rows, columns, channels] and type "
               "T: result is (t - m) / sqrt(v + variance_epsilon), times gamma if "
               "scale_after_normalization is set, plus beta. m and v are the means and variances. "
               "Graphs of 2015 use it.",
        .contract = "t: rank 4, m: vector, v: vector, beta: vector, gamma: vector",
        .shape = GlobalShape,
        .examples = {{"tf.raw_ops.BatchNormWithGlobalNormalization(t=[[[[3., 8.]]]], m=[1., 2.], "
                      "v=[4., 9.], beta=[0., 1.], gamma=[2., 1.], variance_epsilon=0., "
                      "scale_after_normalization=True)",
                      "[[[[2. 3.]]]]"}}})
      .Cpu<float, double>(GlobalNorm{}, {.prepare = PrepareFrom<GlobalState>});
}

}  // namespace tensh::ops
