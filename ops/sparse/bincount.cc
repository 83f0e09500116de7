// SparseBincount and RaggedBincount: count the occurrences of each number in the rows of a sparse
// or ragged matrix.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/sparse/sparse_tensor.h"
#include "ops/support/array_copy.h"
#include "ops/support/bounds_bins.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

// The bins of all rows of output 0.
template <class T>
struct RowBins {
  T* bins;
  int64_t size;      // of a row
  const T* weights;  // null if every number counts as 1
  bool binary;
  // Counts `value`, the number `i` of the input. Numbers from `size` on are ignored.
  Status Add(int64_t row, int64_t value, int64_t i) const {
    if (value < 0) return InvalidArgument("Input must be non-negative");
    if (value >= size) return {};
    T& bin = bins[row * size + value];
    bin = binary ? T{1} : WrapAdd(bin, weights ? weights[i] : T{1});
    return {};
  }
};

// Makes output 0, `shape`, of zeros, and reads the weights, input `weights`, of n numbers.
template <class T>
Result<RowBins<T>> MakeBins(KernelCtx& c, std::span<const int64_t> dims, int weights, int64_t n) {
  TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
  Tensor* out = c.Output(0, shape);
  if (!out) return c.OutOfMemory();
  ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
  const Tensor& given = c.in(weights);
  const bool binary = c.state<BinaryState>().binary;
  const bool has_weights = given.num_elements() && !binary;
  if (has_weights && given.num_elements() != n)
    return InvalidArgument("Input indices and weights must have the same size.");
  return RowBins<T>{out->data<T>(), dims.back(), has_weights ? given.data<T>() : nullptr, binary};
}

Result<int64_t> SizeIn(const Tensor& t) {
  const int64_t size = IndexAt(t, 0);
  if (size < 0) return InvalidArgument("size (", size, ") must be non-negative");
  return size;
}

// The inputs are indices, values, dense_shape, size and weights.
struct SparseBincount {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& values = c.in(1);
    TENSH_ASSIGN(const Sparse x, ReadSparse(c.in(0), &values, c.in(2), true));
    TENSH_ASSIGN(const int64_t size, SizeIn(c.in(3)));
    if (!x.rank) return InvalidArgument("The shape argument requires at least one element.");
    const int64_t dims[] = {x.dims[0], size};
    const std::span<const int64_t> all(dims);
    const bool is_vector = x.rank == 1;
    TENSH_ASSIGN(const RowBins<T> bins, MakeBins<T>(c, is_vector ? all.subspan(1) : all, 4, x.n));
    for (int64_t i = 0; i < x.n; ++i)
      TENSH_RETURN_IF_ERROR(bins.Add(is_vector ? 0 : x.row(i)[0], IndexAt(values, i), i));
    return {};
  }
};

// The inputs are splits, values, size and weights.
struct RaggedBincount {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& values = c.in(1);
    const std::vector<int64_t> splits = IndexValues(c.in(0));
    TENSH_ASSIGN(const int64_t size, SizeIn(c.in(2)));
    const int64_t n = values.num_elements();
    if (splits.empty()) return InvalidArgument("Splits must be non-empty");
    if (splits[0]) return InvalidArgument("Splits must start with 0, not with ", splits[0]);
    if (splits.back() != n)
      return InvalidArgument("Splits must end with the number of values, got ", splits.back(),
                             " instead of ", n);
    if (!std::is_sorted(splits.begin(), splits.end()))
      return InvalidArgument("Splits must be in ascending order");
    const int64_t dims[] = {static_cast<int64_t>(splits.size()) - 1, size};
    TENSH_ASSIGN(const RowBins<T> bins, MakeBins<T>(c, dims, 3, n));
    for (int64_t row = 0; row < dims[0]; ++row)
      for (int64_t i = splits[static_cast<size_t>(row)]; i < splits[static_cast<size_t>(row) + 1];
           ++i)
        TENSH_RETURN_IF_ERROR(bins.Add(row, IndexAt(values, i), i));
    return {};
  }
};

Status SparseShape(ShapeCtx& c) {
  const std::optional<int64_t> size = ConstantScalar(c, 3);
  const Tensor* dense = c.constant(2);
  if (size && *size < 0) return InvalidArgument("size (", *size, ") must be non-negative");
  if (!size || !dense) return {};
  if (dense->num_elements() == 1) c.Set(0, Shape({*size}));
  if (dense->num_elements() == 2) c.Set(0, Shape({dense->data<int64_t>()[0], *size}));
  return {};
}

constexpr char kAttrs[] =
    "Tidx: {int32, int64}, T: {int32, int64, float, double}, binary_output: bool = false";

}  // namespace

TENSH_OPS(sparse_bincount) {
  constexpr char kDoc[] =
      " of type Tidx. size: the number of bins; larger numbers are ignored. weights: the weight of "
      "each number, of type T; if empty, 1. binary_output: any positive count becomes 1.";
  r.Op({.name = "SparseBincount",
        .inputs = "indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("Counts the occurrences of each number in a sparse vector, or in each row of "
                      "a sparse matrix. indices, values, dense_shape: the sparse tensor, with "
                      "numbers",
                      kDoc),
        .contract = "size: scalar",
        .shape = SparseShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.SparseBincount(indices=tf.constant([[0, 0], [0, 2], [1, 0]], "
                      "tf.int64), values=[1, 1, 0], dense_shape=tf.constant([2, 3], tf.int64), "
                      "size=2, weights=tf.zeros([0], tf.int32))",
                      "[[0 2]\n [1 0]]"}}})
      .Cpu<int32_t, int64_t, float, double>(SparseBincount{},
                                            {.prepare = PrepareFrom<BinaryState>});
  r.Op({.name = "RaggedBincount",
        .inputs = "splits: int64, values: Tidx, size: Tidx, weights: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("Counts the occurrences of each number in each row of a ragged matrix. "
                      "splits: the row splits. values: the numbers,",
                      kDoc),
        .contract = "size: scalar",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.RaggedBincount(splits=tf.constant([0, 2, 3], tf.int64), "
                      "values=[1, 1, 0], size=2, weights=tf.zeros([0], tf.int32))",
                      "[[0 2]\n [1 0]]"}}})
      .Cpu<int32_t, int64_t, float, double>(RaggedBincount{},
                                            {.prepare = PrepareFrom<BinaryState>});
}

}  // namespace tensh::ops
