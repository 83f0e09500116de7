// RaggedTensorToTensor: pads or cuts the rows of a ragged tensor to a dense one.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/broadcast.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// The encodings of how a level divides its values into rows.
enum class Partition : uint8_t { kFirstSize, kRowIds, kSplits };

struct RaggedState : KernelState {
  std::vector<Partition> levels;
  Status wrong;  // the error of the attributes, which comes after those of the inputs
};

Result<std::vector<Partition>> PartitionsOf(Attrs attrs) {
  std::vector<Partition> levels;
  for (const std::string& name : attrs.Get<AttrValue::Strings>("row_partition_types")) {
    if (name == "FIRST_DIM_SIZE")
      levels.push_back(Partition::kFirstSize);
    else if (name == "VALUE_ROWIDS")
      levels.push_back(Partition::kRowIds);
    else if (name == "ROW_SPLITS")
      levels.push_back(Partition::kSplits);
    else
      return InvalidArgument("Unknown string for partition info type: ", name);
  }
  if (levels.empty()) return InvalidArgument("there is no partition of the rows");
  if (levels[0] == Partition::kRowIds)
    return InvalidArgument("Cannot handle VALUE_ROWIDS in first dimension.");
  for (size_t i = 1; i < levels.size(); ++i)
    if (levels[i] == Partition::kFirstSize)
      return InvalidArgument("FIRST_DIM_SIZE describes the first dimension only");
  return levels;
}

Result<std::unique_ptr<KernelState>> PrepareRagged(PrepareCtx& c) {
  auto state = std::make_unique<RaggedState>();
  Result<std::vector<Partition>> levels = PartitionsOf(c.attrs());
  if (!levels.ok()) {
    state->wrong = std::move(levels).status();
    return {std::move(state)};
  }
  state->levels = *std::move(levels);
  if (c.attrs().Int("num_row_partition_tensors") != static_cast<int64_t>(state->levels.size()))
    state->wrong = InvalidArgument("row_partition_types has ", state->levels.size(),
                                   " entries for another number of tensors");
  return {std::move(state)};
}

// The number of the row and the position in it for each value of one level.
struct Rows {
  std::vector<std::pair<int64_t, int64_t>> values;
  int64_t widest = 0;
  void Add(int64_t row, int64_t at) {
    values.emplace_back(row, at);
    widest = std::max(widest, at + 1);
  }
};

Result<Rows> RowsOf(Partition kind, const std::vector<int64_t>& v, int64_t parents) {
  Rows rows;
  if (kind == Partition::kRowIds) {
    for (size_t i = 0; i < v.size(); ++i) {
      if (v[i] < 0 || v[i] >= parents || (i && v[i] < v[i - 1]))
        return InvalidArgument("the value_rowids are not sorted, or not below ", parents);
      rows.Add(v[i], i && v[i] == v[i - 1] ? rows.values.back().second + 1 : 0);
    }
    return rows;
  }
  if (v.empty() || static_cast<int64_t>(v.size()) - 1 != parents || v[0] != 0)
    return InvalidArgument("the row_splits must begin with 0 and have ", parents + 1,
                           " elements, got ", v.size());
  for (size_t i = 1; i < v.size(); ++i)
    if (v[i] < v[i - 1]) return InvalidArgument("the row_splits decrease");
  return rows;
}

// The position of each value in the dense tensor, in rows of the innermost ragged dimension; -1 if
// it is cut off. The rows of the first dimension are in order, so that a large number of them needs
// no list.
struct Dense {
  std::vector<int64_t> dims;
  int64_t rows = 0;
  bool first = true;
  std::vector<int64_t> positions;

  int64_t size() const { return first ? rows : static_cast<int64_t>(positions.size()); }
  int64_t At(int64_t i) const {
    if (first) return i < dims[0] ? i : -1;
    return positions[static_cast<size_t>(i)];
  }
};

// Returns the size of dimension d that `shape` requests, or -1.
int64_t Requested(const std::vector<int64_t>& shape, size_t d) {
  return d < shape.size() ? shape[d] : -1;
}

// Appends the positions of the values of one level.
Status AddLevel(Partition kind, const std::vector<int64_t>& v, int64_t wanted, int64_t n_values,
                Dense& dense) {
  const int64_t parents = dense.size();
  TENSH_ASSIGN(Rows rows, RowsOf(kind, v, parents));
  if (kind == Partition::kSplits) {
    if (v.back() > n_values)
      return InvalidArgument("the row_splits end at ", v.back(), "; there are ", n_values,
                             " values");
    for (int64_t row = 0; row < parents; ++row)
      for (int64_t i = v[static_cast<size_t>(row)]; i < v[static_cast<size_t>(row) + 1]; ++i)
        rows.Add(row, i - v[static_cast<size_t>(row)]);
  }
  const int64_t width = wanted >= 0 ? wanted : rows.widest;
  std::vector<int64_t> position;
  for (const auto& [row, at] : rows.values) {
    const int64_t parent = dense.At(row);
    position.push_back(parent < 0 || at >= width ? -1 : parent * width + at);
  }
  dense.dims.push_back(width);
  dense.positions = std::move(position);
  dense.first = false;
  return {};
}

// Returns the number of values of level i, which the next level divides further, or a limit of it:
// with row ids, any number of rows may be empty.
int64_t ValuesBelow(KernelCtx& c, const RaggedState& s, size_t i) {
  constexpr int64_t kMostRows = int64_t{1} << 26;
  if (i + 1 == s.levels.size()) return c.in(1).dim(0);
  if (s.levels[i + 1] != Partition::kSplits) return kMostRows;
  return std::max<int64_t>(c.in(static_cast<int>(3 + i + 1)).num_elements() - 1, 0);
}

Result<Dense> PositionsOf(KernelCtx& c, const RaggedState& s, const std::vector<int64_t>& shape) {
  Dense dense;
  const std::vector<int64_t> first = IndexValues(c.in(3));
  const bool by_size = s.levels[0] == Partition::kFirstSize;
  if (first.empty())
    return InvalidArgument("Invalid first partition input. Tensor requires at least one element.");
  dense.rows = by_size ? first[0] : static_cast<int64_t>(first.size()) - 1;
  if (dense.rows < 0) return InvalidArgument("the ragged tensor has ", dense.rows, " rows");
  const int64_t wanted = Requested(shape, 0);
  dense.dims.push_back(wanted >= 0 ? wanted : dense.rows);
  for (size_t i = by_size ? 1 : 0; i < s.levels.size(); ++i) {
    TENSH_RETURN_IF_ERROR(AddLevel(s.levels[i], IndexValues(c.in(static_cast<int>(3 + i))),
                                   Requested(shape, dense.dims.size()), ValuesBelow(c, s, i),
                                   dense));
  }
  if (dense.size() != c.in(1).dim(0))
    return InvalidArgument("the partition describes ", dense.size(), " values, but there are ",
                           c.in(1).dim(0));
  return dense;
}

// Fills the output with the default value, which is broadcast to the shape of one value.
Status FillDefault(KernelCtx& c, const Shape& inner, Tensor* out) {
  const Tensor& value = c.in(2);
  const int64_t each = inner.num_elements(), have = value.num_elements();
  TENSH_ASSIGN(const Shape both, BroadcastShapes(value.shape(), inner));
  if (!(both == inner))
    return InvalidArgument("default_value.shape=", value.shape(),
                           " and rt_input.flat_values.shape=", c.in(1).shape(),
                           " are incompatible");
  if (out->num_elements() == 0) return {};
  if (have == 1) {
    FillElements(out->dtype(), out->raw(), value.raw(), out->num_elements());
    return {};
  }
  // One value of the default, which may itself have dimensions of 1.
  TENSH_ASSIGN(const Tensor one, Tensor::Make(out->dtype(), inner));
  const Strides to(inner), from(value.shape());
  BoxCopy box;
  for (int d = 0; d < inner.rank(); ++d) {
    const int k = d - (inner.rank() - value.rank());
    box.Add(inner[d], k < 0 || value.dim(k) == 1 ? 0 : from[k], to[d]);
  }
  CopyBox(c, out->dtype(), one.raw(), value.raw(), box);
  for (int64_t i = 0; i < out->num_elements(); i += each)
    CopyElements(out->dtype(), At(*out, i), one.raw(), each);
  return {};
}

Status RaggedToTensor(KernelCtx& c) {
  const auto& s = c.state<RaggedState>();
  TENSH_RETURN_IF_ERROR(s.wrong);
  const Tensor& values = c.in(1);
  const std::vector<int64_t> shape =
      c.in(0).rank() == 0 ? std::vector<int64_t>() : IndexValues(c.in(0));
  TENSH_ASSIGN(const Dense dense, PositionsOf(c, s, shape));
  std::vector<int64_t> dims = dense.dims;
  Shape inner;
  for (int d = 1; d < values.rank(); ++d) {
    const int64_t wanted = Requested(shape, dims.size());
    if (wanted >= 0 && wanted != values.dim(d))
      return InvalidArgument("the dimension ", dims.size(), " of the shape is ", wanted,
                             ", that of the values is ", values.dim(d));
    dims.push_back(values.dim(d));
    inner.Append(values.dim(d));
  }
  if (c.in(0).rank() == 1 && shape.size() != dims.size())
    return InvalidArgument("the shape has ", shape.size(), " dimensions, the ragged tensor ",
                           dims.size());
  TENSH_ASSIGN(const Shape result, Shape::Make(dims, true));
  TENSH_OUTPUT(out, c.Output(0, result));
  TENSH_RETURN_IF_ERROR(FillDefault(c, inner, out));
  const int64_t each = inner.num_elements();
  if (each == 0) return {};
  for (int64_t i = 0; i < dense.size(); ++i)
    if (const int64_t to = dense.At(i); to >= 0)
      CopyElements(out->dtype(), At(*out, to * each), At(values, i * each), each);
  return {};
}

Status RaggedToTensorShape(ShapeCtx& c) {
  const Result<std::vector<Partition>> levels = PartitionsOf(c.attrs());
  if (!levels.ok()) return {};  // the kernel says why
  // As in TensorFlow, only a constant scalar stands for an unknown shape.
  if (c.in(0).rank() == 0 && !c.constant(0))
    return InvalidArgument("Shape must be rank 1 but is rank 0");
  const Shape& values = c.in(1);
  const int ragged =
      static_cast<int>(levels->size()) - (levels->front() == Partition::kFirstSize ? 1 : 0);
  Shape shape = Shape::Unknown();
  if (values.has_rank()) {
    if (values.rank() < 1) return InvalidArgument("Shape must be at least rank 1 but is rank 0");
    std::vector<int64_t> dims(static_cast<size_t>(ragged) + 1, -1);
    for (int d = 1; d < values.rank(); ++d) dims.push_back(values[d]);
    TENSH_ASSIGN(shape, Shape::Make(dims, false));
  }
  if (c.in(0).rank() == 1) {
    TENSH_ASSIGN(shape, MergeShapes(shape, c.ConstantAsShape(0)));
  }
  c.Set(0, shape);
  return {};
}

}  // namespace

TENSH_OPS(sparse_ragged_to_tensor) {
  r.Op({.name = "RaggedTensorToTensor",
        .inputs = "shape: Tshape, values: T, default_value: T, "
                  "row_partition_tensors: num_row_partition_tensors * Tindex",
        .outputs = "result: T",
        .attrs = "T: type, Tindex: {int64, int32}, Tshape: {int64, int32}, "
                 "num_row_partition_tensors: int >= 1, row_partition_types: list(string)",
        .doc =
            "Converts a ragged tensor to a dense one, result. values, of type T, are its values. "
            "row_partition_tensors, num_row_partition_tensors of type Tindex, divide them into "
            "rows in the ways of row_partition_types: FIRST_DIM_SIZE (the number of rows), "
            "VALUE_ROWIDS (the row of each value) or ROW_SPLITS (where each row begins, and the "
            "end). shape, of type Tshape, is the shape of the result; -1 stands for the largest "
            "size that occurs. Rows that are shorter are filled with default_value.",
        .contract = "shape: rank 0..1, values: rank 1+, row_partition_tensors: rank 0..1",
        .shape = RaggedToTensorShape,
        .examples = {{"tf.raw_ops.RaggedTensorToTensor(shape=-1, values=[1, 2, 3], "
                      "default_value=0, row_partition_tensors=[[0, 2, 3]], "
                      "row_partition_types=['ROW_SPLITS'])",
                      "[[1 2]\n [3 0]]"}}})
      .CpuAny(RaggedToTensor, PrepareRagged);
}

}  // namespace tensh::ops
