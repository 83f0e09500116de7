// SparseFillEmptyRows and RaggedFillEmptyRows: insert a default value into each empty row.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/sparse/sparse_tensor.h"
#include "ops/state/scatter_rule.h"
#include "ops/support/array_copy.h"
#include "ops/support/complex_types.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Fills the empty rows among n values. The first of the `rank` numbers of an index is the row. The
// outputs are the indices and values including the defaults, a mask of the empty rows, and the new
// position of each original value. The indices of m values are [m, rank], or [m] if `flat` is set.
struct FillRows {
  const int64_t* indices;
  const Tensor& values;
  const Tensor& fallback;
  int64_t n, rank, rows;
  bool flat;

  const int64_t* row(int64_t i) const { return indices + i * rank; }
  Status Run(KernelCtx& c) const;
};

Status FillRows::Run(KernelCtx& c) const {
  // Allocated as tensors, because the number of rows is untrusted and the memory may not be
  // available.
  TENSH_ASSIGN(const Tensor counts, Tensor::Make(DType::kInt64, Shape({rows})));
  TENSH_ASSIGN(const Tensor nexts, Tensor::Make(DType::kInt64, Shape({rows})));
  int64_t *count = counts.data<int64_t>(), *next = nexts.data<int64_t>();
  std::fill_n(count, rows, int64_t{0});
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = row(i)[0];
    if (at < 0 || at >= rows)
      return InvalidArgument("indices(", i, ", 0) is invalid: ", at, " >= ", rows);
    ++count[at];
  }
  TENSH_OUTPUT(empty, c.Output(2, Shape({rows})));
  int64_t total = 0;
  for (int64_t i = 0; i < rows; ++i) {
    empty->data<bool>()[i] = count[i] == 0;
    next[i] = total;
    total += std::max<int64_t>(count[i], 1);
  }
  TENSH_OUTPUT(new_indices, c.Output(0, flat ? Shape({total}) : Shape({total, rank})));
  TENSH_OUTPUT(new_values, c.Output(1, Shape({total})));
  int64_t* to_indices = new_indices->data<int64_t>();
  TENSH_OUTPUT(map, c.Output(3, Shape({n})));
  for (int64_t i = 0; i < rows; ++i) {
    if (!empty->data<bool>()[i]) continue;
    const int64_t to = next[i];
    std::fill_n(to_indices + to * rank, rank, int64_t{0});
    to_indices[to * rank] = i;
    CopyElements(values.dtype(), At(*new_values, to), fallback.raw(), 1);
  }
  for (int64_t i = 0; i < n; ++i) {
    const int64_t to = next[row(i)[0]]++;
    std::copy_n(row(i), rank, to_indices + to * rank);
    CopyElements(values.dtype(), At(*new_values, to), At(values, i), 1);
    map->data<int64_t>()[i] = to;
  }
  return {};
}

Status FillSparse(KernelCtx& c) {
  TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(0), &c.in(1), c.in(2), false));
  if (s.rank < 1) return InvalidArgument("Dense shape cannot be empty.");
  return FillRows{s.indices.data<int64_t>(), s.values, c.in(3), s.n, s.rank, s.dims[0], false}.Run(
      c);
}

Status FillRagged(KernelCtx& c) {
  const Tensor &ids = c.in(0), &values = c.in(1), &rows = c.in(2);
  if (ids.dim(0) != values.dim(0))
    return InvalidArgument("The length of `values` (", values.dim(0),
                           ") must match the first dimension of `value_rowids` (", ids.dim(0),
                           ").");
  const int64_t n = *rows.data<int64_t>();
  if (n < 0) return InvalidArgument("nrows must not be negative, saw: ", n);
  return FillRows{ids.data<int64_t>(), values, c.in(3), ids.dim(0), 1, n, true}.Run(c);
}

Status FillEmptyShape(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape dense, ShapeInput(c, 2));
  const int64_t rank = dense.has_rank() ? dense.rank() : -1;
  const int64_t n = c.in(0).has_rank() && c.in(0)[0] >= 0 ? c.in(0)[0]
                    : c.in(1).has_rank()                  ? c.in(1)[0]
                                                          : -1;
  c.Set(0, Shape({-1, rank}));
  c.Set(1, Shape({-1}));
  c.Set(2, Shape({dense.has_rank() && dense.rank() > 0 ? dense[0] : -1}));
  c.Set(3, Shape({n}));
  return {};
}

Status FillRaggedShape(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape map, MergeShapes(c.in(0), c.in(1)));
  for (int o = 0; o < 3; ++o) c.Set(o, Shape({-1}));
  c.Set(3, map.has_rank() ? map : Shape({-1}));
  return {};
}

template <bool ragged>
Status FillEmptyGradient(GradScope& g) {
  Out dy = g.dy(1);
  Out grad = g.Op(ragged ? "RaggedFillEmptyRowsGrad" : "SparseFillEmptyRowsGrad", {g.y(3), dy});
  return g.Return({{}, grad, {}, g.Output(grad, 1)});
}

struct FillEmptyGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &map = c.in(0), &dy = c.in(1);
    TENSH_OUTPUT(values, c.Output(0, map.shape()));
    TENSH_OUTPUT(fallback, c.Output(1, Shape()));
    std::vector<bool> taken(static_cast<size_t>(dy.num_elements()));
    for (int64_t i = 0; i < map.num_elements(); ++i) {
      const int64_t at = map.data<int64_t>()[i];
      if (at < 0 || at >= dy.num_elements())
        return InvalidArgument("Elements in reverse index must be in [0, ", dy.num_elements(),
                               ") but got ", at);
      values->data<T>()[i] = dy.data<T>()[at];
      taken[static_cast<size_t>(at)] = true;
    }
    T sum{};
    for (int64_t i = 0; i < dy.num_elements(); ++i)
      if (!taken[static_cast<size_t>(i)]) AddRule::Apply(sum, dy.data<T>()[i]);
    *fallback->data<T>() = sum;
    return {};
  }
};

Status FillEmptyGradShape(ShapeCtx& c) {
  c.Set(0, c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(1));
  c.Set(1, Shape());
  return {};
}

void RegisterGrad(OpRegistry& r, const std::string& of) {
  const std::string name = StrCat(of, "Grad");
  r.Op({.name = name,
        .inputs = "reverse_index_map: int64, grad_values: T",
        .outputs = "d_values: T, d_default_value: T",
        .attrs = "T: type",
        .doc = StrCat("The gradient of ", of,
                      ". reverse_index_map is the op's output, grad_values, of type T, the "
                      "incoming gradient of its values; d_values is the gradient of the given "
                      "values, d_default_value that of the default."),
        .contract = "reverse_index_map: vector, grad_values: vector",
        .shape = FillEmptyGradShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.", name,
                             "(reverse_index_map=tf.constant([1], tf.int64), grad_values=[2., "
                             "3.])[1]"),
                      "2.0"}}})
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           Complex64, Complex128>(FillEmptyGrad{});
}

}  // namespace

TENSH_OPS(sparse_fill_empty) {
  r.Op({.name = "SparseFillEmptyRows",
        .inputs = "indices: int64, values: T, dense_shape: int64, default_value: T",
        .outputs = "output_indices: int64, output_values: T, empty_row_indicator: bool, "
                   "reverse_index_map: int64",
        .attrs = "T: type",
        .doc = "A sparse tensor whose empty rows are filled with default_value. indices, values, "
               "of type T, and dense_shape are the tensor; output_indices and output_values are "
               "the result, empty_row_indicator marks the rows that were empty, reverse_index_map "
               "has the new position of each value.",
        .contract = "indices: matrix, values: vector, dense_shape: vector, default_value: scalar",
        .shape = FillEmptyShape,
        .grad = FillEmptyGradient<false>,
        .examples = {{"tf.raw_ops.SparseFillEmptyRows(indices=[[1, 0]], values=[5], "
                      "dense_shape=[2, 2], default_value=-1)[1]",
                      "[-1  5]"}}})
      .CpuAny(FillSparse);
  r.Op({.name = "RaggedFillEmptyRows",
        .inputs = "value_rowids: int64, values: T, nrows: int64, default_value: T",
        .outputs = "output_value_rowids: int64, output_values: T, empty_row_indicator: bool, "
                   "reverse_index_map: int64",
        .attrs = "T: type",
        .doc = "A ragged tensor whose empty rows are filled with default_value. value_rowids has "
               "the row, below nrows, of each of values, of type T; output_value_rowids and "
               "output_values are the result, empty_row_indicator marks the rows that were empty, "
               "reverse_index_map has the new position of each value.",
        .contract = "value_rowids: vector, values: vector, nrows: scalar, default_value: scalar",
        .shape = FillRaggedShape,
        .grad = FillEmptyGradient<true>,
        .examples = {{"tf.raw_ops.RaggedFillEmptyRows(value_rowids=tf.constant([1], tf.int64), "
                      "values=[5], nrows=2, default_value=-1)[1]",
                      "[-1  5]"}}})
      .CpuAny(FillRagged);
  RegisterGrad(r, "SparseFillEmptyRows");
  RegisterGrad(r, "RaggedFillEmptyRows");
}

}  // namespace tensh::ops
