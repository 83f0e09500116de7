// Set operations. A set is the distinct values in the last dimension of a dense or sparse tensor.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/sparse/sparse_tensor.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"
#include "runtime/base/text.h"

namespace tensh::ops {
namespace {

constexpr char kSetTypes[] = "T: {int8, int16, int32, int64, uint8, uint16, string}";

enum class SetOperation { kAMinusB, kBMinusA, kIntersection, kUnion };

struct SetState : KernelState {
  SetOperation operation = SetOperation::kUnion;
  bool validate = true;
};

Result<std::unique_ptr<KernelState>> PrepareSets(PrepareCtx& c) {
  auto state = std::make_unique<SetState>();
  state->validate = c.attrs().Bool("validate_indices");
  return {std::move(state)};
}

Result<std::unique_ptr<KernelState>> PrepareOperation(PrepareCtx& c) {
  auto state = std::make_unique<SetState>();
  state->validate = c.attrs().Bool("validate_indices");
  const std::string name = AsciiLower(c.attrs().String("set_operation"));
  constexpr std::string_view kNames[] = {"a-b", "b-a", "intersection", "union"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames))
    return InvalidArgument("Invalid set_operation ", name,
                           "; it is one of a-b, b-a, intersection, union.");
  state->operation = static_cast<SetOperation>(found - std::begin(kNames));
  return {std::move(state)};
}

template <class T>
using Values = std::vector<T>;

template <class T>
void MakeSet(Values<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Reads the non-empty sets of one tensor in the order of their groups. A group is the flattened
// index of the dimensions before the last.
template <class T>
class SetReader {
 public:
  SetReader(const Tensor& dense, int64_t groups)
      : values_(dense.data<T>()), width_(dense.dim(dense.rank() - 1)), end_(width_ ? groups : 0) {}
  SetReader(Sparse sparse, bool sorted)
      : values_(sparse.values.data<T>()), sparse_(std::move(sparse)), end_(sparse_.n) {
    if (!sorted) rows_ = SortedRows(sparse_);
  }

  bool done() const { return at_ == end_; }
  int64_t group() const { return width_ < 0 ? GroupOf(at_) : at_; }
  // Stores the current set and advances to the next one.
  void Take(Values<T>& set) {
    if (width_ >= 0) {
      set.assign(values_ + at_ * width_, values_ + (at_ + 1) * width_);
      ++at_;
    } else {
      set.clear();
      for (const int64_t group = GroupOf(at_); at_ < end_ && GroupOf(at_) == group; ++at_)
        set.push_back(values_[RowAt(at_)]);
    }
    MakeSet(set);
  }

 private:
  int64_t RowAt(int64_t i) const { return rows_.empty() ? i : rows_[static_cast<size_t>(i)]; }
  int64_t GroupOf(int64_t i) const {
    const int64_t* row = sparse_.row(RowAt(i));
    int64_t group = 0;
    for (int d = 0; d + 1 < sparse_.rank; ++d)
      group = group * sparse_.dims[static_cast<size_t>(d)] + row[d];
    return group;
  }

  const T* values_;
  int64_t width_ = -1;  // extent of the last dimension; -1 for a sparse tensor
  Sparse sparse_;
  std::vector<int64_t> rows_;  // sorted order of the rows; empty: they are sorted already
  int64_t at_ = 0, end_ = 0;
};

Status CheckOrder(const Sparse& s) {
  for (int64_t i = 1; i < s.n; ++i) {
    const int order = CompareRows(s.row(i - 1), s.row(i), s.rank);
    if (order >= 0)
      return InvalidArgument("indices[", i, "] is ", order ? "out of order" : "repeated",
                             ". Many sparse ops require sorted indices: use tf.sparse.reorder.");
  }
  return {};
}

// Reads the inputs i, i + 1 and i + 2 as a sparse tensor of sets.
Result<Sparse> ReadSets(KernelCtx& c, int i) {
  const bool validate = c.state<SetState>().validate;
  TENSH_ASSIGN(Sparse s, ReadSparse(c.in(i), &c.in(i + 1), c.in(i + 2), validate));
  if (s.rank < 2)
    return InvalidArgument("Invalid rank ", s.rank, ": sets are in the last of two or more ",
                           "dimensions.");
  if (validate)
    TENSH_RETURN_IF_ERROR(CheckOrder(s));
  else if (Status status = CheckBounds(s); !status.ok())
    return Internal(status.message());
  return s;
}

// Returns the extents of the dimensions before the last.
std::vector<int64_t> GroupDims(const Tensor& dense) {
  std::vector<int64_t> dims;
  for (int d = 0; d + 1 < dense.rank(); ++d) dims.push_back(dense.dim(d));
  return dims;
}
std::vector<int64_t> GroupDims(const Sparse& s) { return {s.dims.begin(), s.dims.end() - 1}; }

template <class T>
Values<T> Combine(SetOperation operation, const Values<T>& a, const Values<T>& b) {
  Values<T> out;
  auto combine = [&](auto algorithm, const Values<T>& x, const Values<T>& y) {
    algorithm(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(out));
  };
  auto difference = [](auto... range) { std::set_difference(range...); };
  switch (operation) {
    case SetOperation::kAMinusB:
      combine(difference, a, b);
      break;
    case SetOperation::kBMinusA:
      combine(difference, b, a);
      break;
    case SetOperation::kIntersection:
      combine([](auto... range) { std::set_intersection(range...); }, a, b);
      break;
    case SetOperation::kUnion:
      combine([](auto... range) { std::set_union(range...); }, a, b);
  }
  return out;
}

template <class T>
struct SetOfGroup {
  int64_t group;
  Values<T> values;
};

// Stores the sets as a sparse tensor. The values of a set occupy the first positions of its group.
template <class T>
Status WriteSets(KernelCtx& c, const std::vector<SetOfGroup<T>>& sets,
                 const std::vector<int64_t>& dims) {
  int64_t count = 0, most = 0;
  for (const SetOfGroup<T>& set : sets) {
    const int64_t size = static_cast<int64_t>(set.values.size());
    count += size;
    most = std::max(most, size);
  }
  const int64_t rank = static_cast<int64_t>(dims.size()) + 1;
  TENSH_OUTPUT(indices, c.Output(0, Shape({count, rank})));
  TENSH_OUTPUT(values, c.Output(1, Shape({count})));
  int64_t* row = indices->data<int64_t>();
  T* value = values->data<T>();
  for (const SetOfGroup<T>& set : sets) {
    for (size_t i = 0; i < set.values.size(); ++i, row += rank) {
      *value++ = set.values[i];
      row[rank - 1] = static_cast<int64_t>(i);
      int64_t rest = set.group;
      for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) row[d] = rest % dims[d];
    }
  }
  std::vector<int64_t> shape = dims;
  shape.push_back(most);
  c.SetOutput(2, DimsTensor(shape));
  return {};
}

template <class T>
Status Operate(KernelCtx& c, SetReader<T> a, SetReader<T> b, const std::vector<int64_t>& dims) {
  std::vector<SetOfGroup<T>> sets;
  Values<T> of_a, of_b;
  while (!a.done() || !b.done()) {
    if (c.cancelled()) return c.cancel()->Why();
    const int64_t group = a.done()   ? b.group()
                          : b.done() ? a.group()
                                     : std::min(a.group(), b.group());
    of_a.clear();
    of_b.clear();
    if (!a.done() && a.group() == group) a.Take(of_a);
    if (!b.done() && b.group() == group) b.Take(of_b);
    Values<T> set = Combine(c.state<SetState>().operation, of_a, of_b);
    if (!set.empty()) sets.push_back({group, std::move(set)});
  }
  return WriteSets(c, sets, dims);
}

Status SameGroups(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  if (a == b) return {};
  return InvalidArgument("Mismatched shapes ", Shape(std::span(a)), " vs ", Shape(std::span(b)),
                         " of the dimensions before the last");
}

struct DenseToDense {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const std::vector<int64_t> dims = GroupDims(c.in(0));
    TENSH_RETURN_IF_ERROR(SameGroups(dims, GroupDims(c.in(1))));
    TENSH_ASSIGN(const int64_t groups, CheckedProduct(dims));
    return Operate<T>(c, {c.in(0), groups}, {c.in(1), groups}, dims);
  }
};

struct DenseToSparse {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Sparse b, ReadSets(c, 1));
    const std::vector<int64_t> dims = GroupDims(b);
    TENSH_RETURN_IF_ERROR(SameGroups(GroupDims(c.in(0)), dims));
    TENSH_ASSIGN(const int64_t groups, CheckedProduct(dims));
    const bool sorted = c.state<SetState>().validate;
    return Operate<T>(c, {c.in(0), groups}, {std::move(b), sorted}, dims);
  }
};

struct SparseToSparse {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Sparse a, ReadSets(c, 0));
    TENSH_ASSIGN(Sparse b, ReadSets(c, 3));
    const std::vector<int64_t> dims = GroupDims(a);
    TENSH_RETURN_IF_ERROR(SameGroups(dims, GroupDims(b)));
    const bool sorted = c.state<SetState>().validate;
    return Operate<T>(c, {std::move(a), sorted}, {std::move(b), sorted}, dims);
  }
};

struct SetSize {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Sparse s, ReadSets(c, 0));
    TENSH_ASSIGN(const Shape shape, DenseShape(GroupDims(s)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    std::fill_n(out->data<int32_t>(), out->num_elements(), 0);
    Values<T> set;
    for (SetReader<T> sets(std::move(s), c.state<SetState>().validate); !sets.done();) {
      const int64_t group = sets.group();
      sets.Take(set);
      out->data<int32_t>()[group] = static_cast<int32_t>(set.size());
    }
    return {};
  }
};

// ---- shapes ----

Status SetShapes(ShapeCtx& c, int64_t rank) {
  c.Set(0, Shape({-1, rank}));
  c.Set(1, Shape({-1}));
  c.Set(2, Shape({rank}));
  return {};
}

int64_t RankOr(const Shape& s, int64_t otherwise) { return s.has_rank() ? s.rank() : otherwise; }

// Returns the rank of the sparse tensor that begins at input i, which is the extent of its shape.
Result<int64_t> SparseRank(ShapeCtx& c, int i) {
  const Shape &indices = c.in(i), &values = c.in(i + 1), &shape = c.in(i + 2);
  const int64_t rows = indices.has_rank() ? indices[0] : -1;
  const int64_t columns = indices.has_rank() ? indices[1] : -1;
  TENSH_RETURN_IF_ERROR(MergeShapes(Shape({rows}), values).status());
  TENSH_RETURN_IF_ERROR(MergeShapes(Shape({columns}), shape).status());
  const int64_t rank = shape.has_rank() ? shape[0] : -1;
  if (rank == 0 || rank == 1)
    return InvalidArgument("Input ", i / 3, ", expected rank >= 2, got ", rank, ".");
  return rank;
}

Status DenseToDenseShape(ShapeCtx& c) {
  const Shape &a = c.in(0), &b = c.in(1);
  if (a.has_rank() && b.has_rank()) {
    TENSH_RETURN_IF_ERROR(c.WithRank(1, a.rank()));
    Shape first = Shape::UnknownOfRank(a.rank() - 1), second = first;
    for (int d = 0; d + 1 < a.rank(); ++d) {
      first.set_dim(d, a[d]);
      second.set_dim(d, b[d]);
    }
    TENSH_RETURN_IF_ERROR(MergeShapes(first, second).status());
  }
  return SetShapes(c, RankOr(a, RankOr(b, -1)));
}

Status DenseToSparseShape(ShapeCtx& c) {
  TENSH_ASSIGN(const int64_t rank, SparseRank(c, 1));
  const Shape& dense = c.in(0);
  if (dense.has_rank() && rank >= 0 && dense.rank() != rank)
    return InvalidArgument("Shape must be rank ", dense.rank(), " but is rank ", rank);
  return SetShapes(c, RankOr(dense, rank));
}

Status SparseToSparseShape(ShapeCtx& c) {
  TENSH_ASSIGN(const int64_t a, SparseRank(c, 0));
  TENSH_ASSIGN(const int64_t b, SparseRank(c, 3));
  if (a >= 0 && b >= 0 && a != b) return InvalidArgument("Dimension must be ", a, " but is ", b);
  return SetShapes(c, a >= 0 ? a : b);
}

constexpr char kOutputs[] = "result_indices: int64, result_values: T, result_shape: int64";
constexpr char kOperation[] = "set_operation: string, validate_indices: bool = true, ";
constexpr char kResult[] =
    " result_indices, result_values, result_shape: the sets, sorted, as a sparse tensor. "
    "set_operation: a-b, b-a, intersection or union. T: the type of the values. ";
constexpr char kValidate[] = "validate_indices: check that indices are sorted and unique.";
constexpr char kDense[] = "The values in its last dimension are a set.";

}  // namespace

TENSH_OPS(sparse_sets) {
  r.Op({.name = "DenseToDenseSetOperation",
        .inputs = "set1: T, set2: T",
        .outputs = kOutputs,
        .attrs = StrCat(kOperation, kSetTypes),
        .doc = StrCat("Combines the sets of two dense tensors. set1, set2: ", kDense, kResult,
                      "validate_indices: ignored."),
        .contract = "set1: rank 2+, set2: rank 2+",
        .shape = DenseToDenseShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.DenseToDenseSetOperation(set1=[[1, 2]], set2=[[2, 3]], "
                      "set_operation='union')[1]",
                      "[1 2 3]"}}})
      .Cpu<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>(
          DenseToDense{}, {.prepare = PrepareOperation});
  r.Op({.name = "DenseToSparseSetOperation",
        .inputs = "set1: T, set2_indices: int64, set2_values: T, set2_shape: int64",
        .outputs = kOutputs,
        .attrs = StrCat(kOperation, kSetTypes),
        .doc = StrCat("Combines the sets of a dense and a sparse tensor. set1: ", kDense,
                      " set2_indices, set2_values, set2_shape: a sparse tensor of sets.", kResult,
                      kValidate),
        .contract = "set1: rank 2+, set2_indices: matrix, set2_values: vector, set2_shape: vector",
        .shape = DenseToSparseShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.DenseToSparseSetOperation(set1=[[1, 2]], set2_indices=[[0, 0]], "
                      "set2_values=[2], set2_shape=[1, 1], set_operation='a-b')[1]",
                      "[1]"}}})
      .Cpu<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>(
          DenseToSparse{}, {.prepare = PrepareOperation});
  r.Op({.name = "SparseToSparseSetOperation",
        .inputs = "set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64, "
                  "set2_values: T, set2_shape: int64",
        .outputs = kOutputs,
        .attrs = StrCat(kOperation, kSetTypes),
        .doc = StrCat(
            "Combines the sets of two sparse tensors. set1_indices, set1_values, set1_shape: a "
            "sparse tensor of sets. set2_indices, set2_values, set2_shape: another.",
            kResult, kValidate),
        .contract = "set1_indices: matrix, set1_values: vector, set1_shape: vector, "
                    "set2_indices: matrix, set2_values: vector, set2_shape: vector",
        .shape = SparseToSparseShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.SparseToSparseSetOperation(set1_indices=[[0, 0], [0, 1]], "
                      "set1_values=[1, 2], set1_shape=[1, 2], set2_indices=[[0, 0]], "
                      "set2_values=[2], set2_shape=[1, 1], set_operation='intersection')[1]",
                      "[2]"}}})
      .Cpu<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>(
          SparseToSparse{}, {.prepare = PrepareOperation});
  r.Op({.name = "SetSize",
        .inputs = "set_indices: int64, set_values: T, set_shape: int64",
        .outputs = "size: int32",
        .attrs = StrCat("validate_indices: bool = true, ", kSetTypes),
        .doc =
            StrCat("The number of distinct values in each set. set_indices, set_values, set_shape: "
                   "a sparse tensor; the values in its last dimension, of type T, are a set. ",
                   kValidate),
        .contract = "set_indices: matrix at run, set_values: vector at run, "
                    "set_shape: vector at run",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.SetSize(set_indices=[[0, 0], [0, 1], [1, 0]], "
                      "set_values=[5, 5, 7], set_shape=[2, 2])",
                      "[1 1]"}}})
      .Cpu<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>(
          SetSize{}, {.prepare = PrepareSets});
}

}  // namespace tensh::ops
