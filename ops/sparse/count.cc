// DenseCountSparseOutput, SparseCountSparseOutput and RaggedCountSparseOutput: the number of
// occurrences of each integer in the rows of a batch, as a sparse matrix.
#include <map>
#include <utility>

#include "ops/op_file.h"
#include "ops/sparse/sparse_tensor.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

struct CountState : KernelState {
  int64_t least = -1, most = -1;  // bounds of the number of columns, or -1
  bool binary = false;
  void Read(PrepareCtx& c) {
    least = c.attrs().Int("minlength");
    most = c.attrs().Int("maxlength");
    binary = c.attrs().Bool("binary_output");
  }
};

// The counts, sorted by row and value, and the highest value.
template <class W>
class Counts {
 public:
  // `weights` is null if every value counts as 1.
  Counts(const CountState& s, int64_t rows, const W* weights)
      : s_(s), rows_(rows), weights_(weights) {}

  // Counts `value`, the element `i` of the input. Values from maxlength on are ignored.
  Status Add(int64_t row, int64_t value, int64_t i) {
    if (value < 0)
      return InvalidArgument("Input values must all be non-negative, got ", value, " at ", i);
    if (s_.most > 0 && value >= s_.most) return {};
    W& count = counts_[{row, value}];
    count = s_.binary ? W{1} : WrapAdd(count, weights_ ? weights_[i] : W{1});
    highest_ = std::max(highest_, value);
    return {};
  }

  // Sets the outputs: indices, values and the dense shape. If the input has no dimension of rows,
  // the result is a vector.
  Status Give(KernelCtx& c, bool is_vector) const {
    const auto n = static_cast<int64_t>(counts_.size());
    const int64_t columns = s_.most > 0 ? s_.most : std::max(highest_ + 1, s_.least);
    TENSH_OUTPUT(indices, c.Output(0, Shape({n, is_vector ? 1 : 2})));
    TENSH_OUTPUT(values, c.Output(1, Shape({n})));
    TENSH_OUTPUT(shape, c.Output(2, Shape({is_vector ? 1 : 2})));
    auto* at = indices->data<int64_t>();
    W* to = values->data<W>();
    for (const auto& [place, count] : counts_) {
      if (!is_vector) *at++ = place.first;
      *at++ = place.second;
      *to++ = count;
    }
    auto* extent = shape->data<int64_t>();
    if (!is_vector) *extent++ = rows_;
    *extent = columns;
    return {};
  }

 private:
  const CountState& s_;
  int64_t rows_;
  std::map<std::pair<int64_t, int64_t>, W> counts_;
  const W* weights_;
  int64_t highest_ = 0;
};

// Returns the weights, or null if there are none. They must have the shape of `values`.
template <class W>
Result<const W*> WeightsOf(const Tensor& weights, const Tensor& values, std::string_view what) {
  if (!weights.num_elements()) return static_cast<const W*>(nullptr);
  if (weights.shape() == values.shape()) return weights.data<W>();
  return InvalidArgument("Weights and ", what,
                         " must have the same shape. Weight shape: ", weights.shape(), "; ", what,
                         " shape: ", values.shape());
}

struct DenseCount {
  template <class W>
  Status operator()(KernelCtx& c) const {
    const Tensor& data = c.in(0);
    if (data.rank() != 1 && data.rank() != 2)
      return InvalidArgument("Input must be a 1 or 2-dimensional tensor. Got: ", data.shape());
    TENSH_ASSIGN(const W* weights, WeightsOf<W>(c.in(1), data, "data"));
    const int64_t rows = data.rank() == 2 ? data.dim(0) : 1;
    if (!rows) return InvalidArgument("Invalid input: Shapes dimension cannot be 0.");
    Counts<W> counts(c.state<CountState>(), rows, weights);
    const int64_t run = data.num_elements() / rows;
    for (int64_t i = 0; i < data.num_elements(); ++i)
      TENSH_RETURN_IF_ERROR(counts.Add(i / run, IndexAt(data, i), i));
    return counts.Give(c, data.rank() == 1);
  }
};

struct SparseCount {
  template <class W>
  Status operator()(KernelCtx& c) const {
    const Tensor& values = c.in(1);
    TENSH_ASSIGN(const Sparse x, ReadSparse(c.in(0), &values, c.in(2), true));
    TENSH_ASSIGN(const W* weights, WeightsOf<W>(c.in(3), values, "values"));
    if (!x.rank) return InvalidArgument("The shape argument requires at least one element.");
    const bool is_vector = x.rank == 1;
    const int64_t rows = is_vector ? 1 : x.dims[0];
    if (!rows) return InvalidArgument("Cannot allocate 0 batches");
    Counts<W> counts(c.state<CountState>(), rows, weights);
    for (int64_t i = 0; i < x.n; ++i)
      TENSH_RETURN_IF_ERROR(counts.Add(is_vector ? 0 : x.row(i)[0], IndexAt(values, i), i));
    return counts.Give(c, is_vector);
  }
};

struct RaggedCount {
  template <class W>
  Status operator()(KernelCtx& c) const {
    const Tensor &splits = c.in(0), &values = c.in(1);
    TENSH_ASSIGN(const W* weights, WeightsOf<W>(c.in(2), values, "values"));
    const std::vector<int64_t> ends = IndexValues(splits);
    if (ends.size() < 2)
      return InvalidArgument("Must provide at least 2 elements for the splits argument");
    if (ends[0]) return InvalidArgument("Splits must start with 0, not with ", ends[0]);
    if (ends.back() != values.num_elements())
      return InvalidArgument("Splits must end with the number of values, got ", ends.back(),
                             " instead of ", values.num_elements());
    if (!std::is_sorted(ends.begin(), ends.end()))
      return InvalidArgument("Splits must be in ascending order");
    Counts<W> counts(c.state<CountState>(), static_cast<int64_t>(ends.size()) - 1, weights);
    for (size_t row = 0; row + 1 < ends.size(); ++row)
      for (int64_t i = ends[row]; i < ends[row + 1]; ++i)
        TENSH_RETURN_IF_ERROR(counts.Add(static_cast<int64_t>(row), IndexAt(values, i), i));
    return counts.Give(c, false);
  }
};

// Sets the shapes of a sparse tensor with `rank` dimensions; -1 if it is not known.
Status SparseResult(ShapeCtx& c, int64_t rank) {
  c.Set(0, Shape({-1, rank}));
  c.Set(1, Shape({-1}));
  c.Set(2, Shape({rank}));
  return {};
}

Status DenseCountShape(ShapeCtx& c) {
  Shape shape = c.in(0);
  const Shape& weights = c.in(1);
  if (!weights.IsFullyKnown() || weights.num_elements()) {
    TENSH_ASSIGN(shape, MergeShapes(shape, weights));
  }
  return SparseResult(c, shape.has_rank() ? shape.rank() : -1);
}
Status SparseShape(ShapeCtx& c) { return SparseResult(c, c.in(0).has_rank() ? c.in(0)[1] : -1); }
Status RaggedShape(ShapeCtx& c) {
  return SparseResult(c, c.in(1).has_rank() ? c.in(1).rank() + 1 : -1);
}

}  // namespace

TENSH_OPS(sparse_count) {
  const auto add = [&](OpSpec spec, std::string_view inputs, auto kernel) {
    spec.inputs = StrCat(inputs, ", weights: output_type");
    spec.outputs = "output_indices: int64, output_values: output_type, output_dense_shape: int64";
    spec.attrs =
        "T: {int32, int64}, minlength: int >= -1 = -1, maxlength: int >= -1 = -1, "
        "binary_output: bool, output_type: {int32, int64, float, double}";
    spec.doc = StrCat(spec.doc,
                      " of type T. weights: the weight of each value, or no elements if all are 1. "
                      "minlength: the least number of columns. maxlength: the number of columns; "
                      "values from it on are ignored. binary_output: any count becomes 1. "
                      "output_indices, output_values, output_dense_shape: the counts, of type "
                      "output_type, by row and value; by value if the input is one row.");
    spec.no_gradient = true;
    r.Op(spec).template Cpu<int32_t, int64_t, float, double>(
        kernel, {.prepare = PrepareFrom<CountState>, .type_attr = "output_type"});
  };
  add({.name = "DenseCountSparseOutput",
       .doc = "Counts the occurrences of each number in a vector or in each row of a matrix. "
              "values: the numbers,",
       .shape = DenseCountShape,
       .examples = {{"tf.raw_ops.DenseCountSparseOutput(values=[[1, 1], [0, 1]], "
                     "weights=tf.zeros([0], tf.int32), binary_output=False)[1]",
                     "[2 1 1]"}}},
      "values: T", DenseCount{});
  add({.name = "SparseCountSparseOutput",
       .doc = "Counts the occurrences of each number in a sparse vector or in each row of a sparse "
              "tensor. indices, values, dense_shape: the sparse tensor, with numbers",
       .shape = SparseShape,
       .examples = {{"tf.raw_ops.SparseCountSparseOutput(indices=tf.constant([[0, 0], [0, 2], "
                     "[1, 0]], tf.int64), values=[3, 3, 0], dense_shape=tf.constant([2, 3], "
                     "tf.int64), weights=tf.zeros([0], tf.int32), binary_output=False)[1]",
                     "[2 1]"}}},
      "indices: int64, values: T, dense_shape: int64", SparseCount{});
  add({.name = "RaggedCountSparseOutput",
       .doc = "Counts the occurrences of each number in each row of a ragged matrix. splits: the "
              "row splits. values: the numbers,",
       .shape = RaggedShape,
       .examples = {{"tf.raw_ops.RaggedCountSparseOutput(splits=tf.constant([0, 2, 3], tf.int64), "
                     "values=[3, 3, 0], weights=tf.zeros([0], tf.int32), binary_output=False)[1]",
                     "[2 1]"}}},
      "splits: int64, values: T", RaggedCount{});
}

}  // namespace tensh::ops
