// RandomShuffle: permutes the rows of a tensor. The order is TensorFlow's for the same seeds.
#include <numeric>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/philox.h"

namespace tensh::ops {
namespace {

Status RandomShuffle(KernelCtx& c) {
  const Tensor& value = c.in(0);
  if (value.num_elements() <= 1 || value.dim(0) <= 1) {
    c.SetOutput(0, value);
    return {};
  }
  int64_t n = value.dim(0);
  // Reserves one 32-bit number for each row except the last, rounded up to whole blocks.
  Philox32 bits(c.state<RandomState>().generator->Reserve(static_cast<uint64_t>(n - 1 + 3) / 4));
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = 0; i < n - 1; ++i) {
    if (i % (1 << 16) == 0 && c.cancelled()) break;
    uint32_t left = static_cast<uint32_t>(n - i);
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(i + bits.Next() % left)]);
  }
  TENSH_OUTPUT(out, c.Output(0, value.shape()));
  CopyRuns(value.dtype(), out->raw(), nullptr, value.raw(), order.data(), n,
           value.num_elements() / n);
  return {};
}

}  // namespace

TENSH_OPS(random_shuffle) {
  r.Op({.name = "RandomShuffle",
        .inputs = "value: T",
        .outputs = "output: T",
        .attrs = "seed: int = 0, seed2: int = 0, T: type",
        .doc = "Shuffles the rows of a tensor. value has any type T; output has the same slices "
               "along the first dimension. seed and seed2 determine the random stream unless both "
               "are 0; each run of the node continues it.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .stateful = true,
        .never_waits = true,
        .examples = {{"tf.random_shuffle([1, 2, 3], seed=1)", "[1 3 2]"}}})
      .CpuAny(RandomShuffle, PrepareRandom);
}

}  // namespace tensh::ops
