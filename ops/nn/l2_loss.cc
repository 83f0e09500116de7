// L2Loss: half of the sum of squares.
#include "ops/math/reduce/reduce_loops.h"
#include "ops/op_file.h"
#include "ops/support/op_types.h"
#include "ops/support/reducers.h"

namespace tensh::ops {
namespace {

struct L2Loss {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& t = c.in(0);
    TENSH_OUTPUT(y, c.Output(0, Shape()));
    // Squares are computed block by block in L1 cache, and the block sums are added pairwise.
    constexpr int64_t kBlock = 1024;
    const T* in = t.data<T>();
    const int64_t n = t.num_elements();
    T partial[kBlock], total = 0;
    for (int64_t first = 0; first < n; first += kBlock * kBlock) {
      const int64_t blocks = std::min(kBlock, (n - first + kBlock - 1) / kBlock);
      c.ParallelFor(blocks, 0.2 * kBlock, [&](int64_t begin, int64_t end) {
        T squares[kBlock];
        for (int64_t b = begin; b < end; ++b) {
          const int64_t at = first + b * kBlock, size = std::min(kBlock, n - at);
          for (int64_t i = 0; i < size; ++i) squares[i] = in[at + i] * in[at + i];
          partial[b] = ReduceAll<T, SumReducer<T>>(squares, size);
        }
      });
      total += ReduceAll<T, SumReducer<T>>(partial, blocks);
    }
    *y->data<T>() = total / T{2};
    return {};
  }
};

Status L2LossGrad(GradScope& g) { return g.Return({g.Mul(g.x(0), g.dy())}); }

}  // namespace

TENSH_OPS(nn_l2_loss) {
  r.Op({.name = "L2Loss",
        .inputs = "t: T",
        .outputs = "output: T",
        .attrs = "T: {half, bfloat16, float, double}",
        .doc = "Half the sum of squares. t: real numbers. T: the element type.",
        .shape = ScalarOutput,
        .grad = L2LossGrad,
        .examples = {{"tf.nn.l2_loss([1., 2., 3.])", "7.0"}}})
      .Cpu<float, double>(L2Loss{});
}

}  // namespace tensh::ops
