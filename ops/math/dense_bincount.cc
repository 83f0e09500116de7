// DenseBincount: counts the occurrences of each number in a vector, or in each row of a matrix.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/bounds_bins.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/wrap.h"

namespace tensh::ops {

void BinaryState::Read(PrepareCtx& c) { binary = c.attrs().Bool("binary_output"); }

namespace {

// The inputs are input, size and weights.
struct DenseBincount {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &in = c.in(0), &weights = c.in(2);
    TENSH_ASSIGN(const int64_t size, BincountSize(c));
    const T* weight = weights.num_elements() > 0 ? weights.data<T>() : nullptr;
    const int64_t rows = in.rank() == 2 ? in.dim(0) : 1;
    const int64_t dims[] = {rows, size};
    TENSH_ASSIGN(const Shape matrix, Shape::Make(dims, true));
    TENSH_OUTPUT(out, c.Output(0, in.rank() == 2 ? matrix : Shape({size})));
    ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
    const int64_t run = rows ? in.num_elements() / rows : 0;
    const bool binary = c.state<BinaryState>().binary;
    const auto count = [&]<class I>(const I* ids) {
      T* bins = out->data<T>();
      for (int64_t row = 0; row < rows; ++row, bins += size)
        for (int64_t i = row * run; i < (row + 1) * run; ++i) {
          if (ids[i] < 0) return false;
          if (ids[i] < size)
            bins[ids[i]] = binary ? T{1} : WrapAdd(bins[ids[i]], weight ? weight[i] : T{1});
        }
      return true;
    };
    const bool valid =
        in.dtype() == DType::kInt32 ? count(in.data<int32_t>()) : count(in.data<int64_t>());
    if (!valid) return InvalidArgument("Input must be non-negative!");
    return {};
  }
};

Status BincountShape(ShapeCtx& c) {
  const Shape& in = c.in(0);
  const std::optional<int64_t> size = ConstantScalar(c, 1);
  if (size && *size < 0) return InvalidArgument("size (", *size, ") must be non-negative");
  if (in.rank() == 1) c.Set(0, Shape({size.value_or(-1)}));
  if (in.rank() == 2) c.Set(0, size ? Shape({in[0], *size}) : Shape({-1, -1}));
  return {};
}

}  // namespace

TENSH_OPS(math_dense_bincount) {
  r.Op({.name = "DenseBincount",
        .inputs = "input: Tidx, size: Tidx, weights: T",
        .outputs = "output: T",
        .attrs = "Tidx: {int32, int64}, T: {int32, int64, float, double}, "
                 "binary_output: bool = false",
        .doc = "Counts the occurrences of each number of input, of type Tidx, in a vector or in "
               "each row of a matrix. size: the number of bins; larger numbers are ignored. "
               "weights: the weight of each number, of type T; if empty, 1. binary_output: any "
               "positive count becomes 1.",
        .contract = "input: rank 0..2, size: scalar",
        .shape = BincountShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.DenseBincount(input=[[1, 1], [0, 1]], size=2, "
                      "weights=tf.zeros([0], tf.int32))",
                      "[[0 2]\n [1 1]]"}}})
      .Cpu<int32_t, int64_t, float, double>(DenseBincount{}, {.prepare = PrepareFrom<BinaryState>});
}

}  // namespace tensh::ops
