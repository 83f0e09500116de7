// RaggedGather: rows of a ragged tensor, chosen by their indices.
#include <utility>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

using Splits = std::vector<int64_t>;

// Reads the row splits of all levels. Each level must divide the rows of the next one.
Result<std::vector<Splits>> ReadSplits(KernelCtx& c, int levels) {
  std::vector<Splits> all;
  for (int i = 0; i < levels; ++i) {
    all.push_back(IndexValues(c.in(i)));
    const Splits& s = all.back();
    if (s.empty() || s[0] < 0) return InvalidArgument("Splits must be non-empty");
    for (size_t k = 1; k < s.size(); ++k)
      if (s[k] < s[k - 1]) return InvalidArgument("Splits must be sorted");
  }
  for (int i = 0; i < levels; ++i) {
    const int64_t below = i + 1 < levels
                              ? static_cast<int64_t>(all[static_cast<size_t>(i) + 1].size()) - 1
                              : c.in(levels).dim(0);
    if (all[static_cast<size_t>(i)].back() > below)
      return InvalidArgument("Ragged splits must not point past values");
  }
  return all;
}

// The rows [begin, end) of the values of a level.
using Range = std::pair<int64_t, int64_t>;

Status RaggedGather(KernelCtx& c) {
  const int levels = c.num_inputs() - 2;
  const Tensor &values = c.in(levels), &indices = c.in(levels + 1);
  if (values.rank() == 0) return InvalidArgument("params.rank must be nonzero");
  // The number of outputs is an attribute.
  if (c.num_outputs() - 1 != levels + indices.rank() - 1)
    return InvalidArgument(
        "OUTPUT_RAGGED_RANK must be PARAMS_RAGGED_RANK + the rank of indices - 1");
  TENSH_ASSIGN(const std::vector<Splits> splits, ReadSplits(c, levels));
  const int64_t rows = static_cast<int64_t>(splits[0].size()) - 1;
  std::vector<Range> ranges;
  for (const int64_t i : IndexValues(indices)) {
    if (i < 0 || i >= rows)
      return InvalidArgument("indices[", ranges.size(), "] = ", i, " is not in [0, ", rows, ")");
    ranges.emplace_back(i, i + 1);
  }
  // The dimensions of the indices after the first become levels of equal rows.
  int output = 0;
  int64_t above = 1;
  for (int d = 0; d + 1 < indices.rank(); ++d) {
    above *= indices.dim(d);
    Splits uniform;
    for (int64_t k = 0; k <= above; ++k) uniform.push_back(k * indices.dim(d + 1));
    c.SetOutput(output++, IndexVector(c.out_dtype(0), uniform));
  }
  // A scalar index selects one row and adds no level to the result.
  bool is_row = indices.rank() == 0;
  for (const Splits& level : splits) {
    Splits made = {0};
    for (Range& range : ranges) {
      for (int64_t row = range.first; row < range.second; ++row)
        made.push_back(made.back() + level[static_cast<size_t>(row) + 1] -
                       level[static_cast<size_t>(row)]);
      range = {level[static_cast<size_t>(range.first)], level[static_cast<size_t>(range.second)]};
    }
    if (!std::exchange(is_row, false)) c.SetOutput(output++, IndexVector(c.out_dtype(0), made));
  }
  int64_t n = 0;
  for (const Range& range : ranges) n += range.second - range.first;
  Shape shape = values.shape();
  shape.set_dim(0, n);
  const int64_t each = values.dim(0) ? values.num_elements() / values.dim(0) : 0;
  TENSH_OUTPUT(out, c.Output(output, shape));
  int64_t at = 0;
  for (const Range& range : ranges) {
    const int64_t count = (range.second - range.first) * each;
    if (count) CopyElements(values.dtype(), At(*out, at), At(values, range.first * each), count);
    at += count;
  }
  return {};
}

Status RaggedGatherShape(ShapeCtx& c) {
  const int levels = c.num_inputs() - 2, last = c.num_outputs() - 1;
  for (int i = 0; i < last; ++i) c.Set(i, Shape({-1}));
  Shape values = c.in(levels);
  if (values.rank() >= 1) {
    values.set_dim(0, -1);
    c.Set(last, values);
  }
  return {};
}

}  // namespace

TENSH_OPS(sparse_ragged_gather) {
  r.Op({.name = "RaggedGather",
        .inputs = "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, "
                  "params_dense_values: Tvalues, indices: Tindices",
        .outputs = "output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, "
                   "output_dense_values: Tvalues",
        .attrs = "Tvalues: type, Tindices: {int32, int64}, Tsplits: {int32, int64} = int64, "
                 "PARAMS_RAGGED_RANK: int >= 1, OUTPUT_RAGGED_RANK: int >= 0",
        .doc = "The rows of a ragged tensor at indices, of type Tindices. params_nested_splits, "
               "PARAMS_RAGGED_RANK vectors of type Tsplits, are its row splits, "
               "params_dense_values, of type Tvalues, its values. output_nested_splits, "
               "OUTPUT_RAGGED_RANK vectors, and output_dense_values are the result.",
        .contract = "params_nested_splits: vector",
        .shape = RaggedGatherShape,
        .examples = {{"tf.raw_ops.RaggedGather(params_nested_splits=[tf.constant([0, 2, 3], "
                      "tf.int64)], params_dense_values=[5, 6, 7], indices=[1, 0], "
                      "OUTPUT_RAGGED_RANK=1)[1]",
                      "[7 5 6]"}}})
      .CpuAny(RaggedGather);
}

}  // namespace tensh::ops
