// SparseReorder, SparseReshape, SparseConcat, SparseSlice and SparseSplit.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/sparse/sparse_tensor.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Status Reorder(KernelCtx& c) {
  TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(0), &c.in(1), c.in(2), false));
  const std::vector<int64_t> rows = SortedRows(s);
  TENSH_ASSIGN(Tensor indices, TakeIndices(s, rows));
  TENSH_ASSIGN(Tensor values, TakeValues(s, rows));
  c.SetOutput(0, std::move(indices));
  c.SetOutput(1, std::move(values));
  return {};
}

Status ReorderShape(ShapeCtx& c) {
  c.Set(0, c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(2));
  c.Set(1, c.in(1).has_rank() ? c.in(1) : Shape::UnknownOfRank(1));
  return {};
}

Status ReorderGrad(GradScope& g) {
  Out count = g.Op("Shape", {g.x(1)});
  Out first = g.Op("Reshape", {count, g.Const(Tensor::Vector<int32_t>({}), "Reshape/shape")});
  Out entries = g.Op("Range", {ConstInt(g, 0, "range/start"), first, ConstInt(g, 1, "range/delta")},
                     {}, "range");
  Out sorted = g.Op("SparseReorder", {g.x(0), entries, g.x(2)});
  Out inverse = g.Op("InvertPermutation", {g.Output(sorted, 1)});
  Out dy = g.dy(1);
  Out axis = ConstInt(g, 0, "GatherV2/axis");
  return g.Return({{}, g.Op("GatherV2", {dy, inverse, axis}), {}});
}

// ---- SparseReshape ----

Result<std::vector<int64_t>> NewDims(const std::vector<int64_t>& old, const Tensor& wanted) {
  TENSH_ASSIGN(const int64_t total, CheckedProduct(old));
  std::vector<int64_t> dims;
  int64_t unknown = -1, product = 1;
  for (int64_t d : wanted.flat<int64_t>()) {
    if (d == -1) {
      if (unknown >= 0)
        return InvalidArgument("only one output dimension may be -1, not both ", unknown, " and ",
                               dims.size());
      unknown = static_cast<int64_t>(dims.size());
    } else if (d < 0) {
      return InvalidArgument("size ", dims.size(), " must be non-negative, not ", d);
    } else if (__builtin_mul_overflow(product, d, &product)) {
      return InvalidArgument("the new shape's product overflows");
    }
    dims.push_back(d);
  }
  if (unknown >= 0) {
    if (product == 0)
      return InvalidArgument(
          "reshape cannot infer the missing input size for an empty tensor "
          "unless all specified input sizes are non-zero");
    if (total % product)
      return InvalidArgument("Input to reshape is a SparseTensor with ", total,
                             " dense values, but the requested shape requires a multiple of ",
                             product);
    dims[static_cast<size_t>(unknown)] = total / product;
    product = total;
  }
  if (product != total)
    return InvalidArgument("Input to reshape is a tensor with ", total,
                           " dense values, but the requested shape has ", product);
  return dims;
}

Status Reshape(KernelCtx& c) {
  TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(0), nullptr, c.in(1), true));
  TENSH_ASSIGN(const std::vector<int64_t> dims, NewDims(s.dims, c.in(2)));
  const int64_t rank = static_cast<int64_t>(dims.size());
  TENSH_OUTPUT(out, c.Output(0, Shape({s.n, rank})));
  for (int64_t i = 0; i < s.n; ++i) {
    int64_t place = 0;
    for (int d = 0; d < s.rank; ++d) place = place * s.dims[static_cast<size_t>(d)] + s.row(i)[d];
    int64_t* to = out->data<int64_t>() + i * rank;
    for (size_t d = dims.size(); d-- > 0;) {
      to[d] = place % dims[d];
      place /= dims[d];
    }
  }
  c.SetOutput(1, DimsTensor(dims));
  return {};
}

Status ReshapeShape(ShapeCtx& c) {
  c.Set(0, Shape({c.in(0).has_rank() ? c.in(0)[0] : -1, c.in(2).has_rank() ? c.in(2)[0] : -1}));
  c.Set(1, c.in(2).has_rank() ? c.in(2) : Shape::UnknownOfRank(1));
  return {};
}

// ---- SparseConcat ----

struct DimState : KernelState {
  int64_t dim;
  void Read(PrepareCtx& c) { dim = c.attrs().Int("concat_dim"); }
};

Status Concat(KernelCtx& c) {
  const int n = c.num_inputs() / 3;
  std::vector<Sparse> parts;
  for (int i = 0; i < n; ++i) {
    TENSH_ASSIGN(Sparse s, ReadSparse(c.in(i), &c.in(n + i), c.in(2 * n + i), true));
    if (!parts.empty() && s.rank != parts[0].rank)
      return InvalidArgument("Ranks of all input tensors must match: expected ", parts[0].rank,
                             " but got ", s.rank, " at position ", i);
    parts.push_back(std::move(s));
  }
  const int rank = parts[0].rank;
  TENSH_ASSIGN(const int axis, CanonicalAxis(c.state<DimState>().dim, rank, "concat_dim"));
  const size_t at = static_cast<size_t>(axis);
  std::vector<int64_t> dims = parts[0].dims;
  int64_t count = 0, offset = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t d = 0; d < dims.size(); ++d)
      if (d != at && parts[i].dims[d] != dims[d])
        return InvalidArgument("Input shapes must match: expected ", dims[d], " for dimension ", d,
                               " but got ", parts[i].dims[d], " at position ", i);
    count += parts[i].n;
  }
  Sparse all;
  all.rank = rank;
  all.n = count;
  TENSH_ASSIGN(all.indices, Tensor::Make(DType::kInt64, Shape({count, rank})));
  TENSH_ASSIGN(all.values, Tensor::Make(c.in(n).dtype(), Shape({count})));
  int64_t k = 0;
  for (const Sparse& s : parts) {
    for (int64_t i = 0; i < s.n; ++i, ++k) {
      int64_t* to = all.indices.data<int64_t>() + k * rank;
      std::copy_n(s.row(i), rank, to);
      to[at] += offset;
      CopyElements(s.values.dtype(), At(all.values, k), At(s.values, i), 1);
    }
    if (__builtin_add_overflow(offset, s.dims[at], &offset))
      return InvalidArgument("the joined dimension overflows");
  }
  dims[at] = offset;
  TENSH_RETURN_IF_ERROR(CheckedProduct(dims).status());
  const std::vector<int64_t> rows = SortedRows(all);
  TENSH_ASSIGN(Tensor indices, TakeIndices(all, rows));
  TENSH_ASSIGN(Tensor values, TakeValues(all, rows));
  c.SetOutput(0, std::move(indices));
  c.SetOutput(1, std::move(values));
  c.SetOutput(2, DimsTensor(dims));
  return {};
}

Status ConcatShape(ShapeCtx& c) {
  const int n = c.num_inputs() / 3;
  int64_t count = 0;
  Shape columns{-1}, dims = Shape::UnknownOfRank(1);
  for (int i = 0; i < n; ++i) {
    const Shape &indices = c.in(i), &values = c.in(n + i);
    TENSH_ASSIGN(const Shape rows, MergeShapes(Shape{indices.has_rank() ? indices[0] : -1},
                                               values.has_rank() ? values : Shape{-1}));
    count = count < 0 || rows[0] < 0 ? -1 : count + rows[0];
    TENSH_ASSIGN(columns, MergeShapes(columns, Shape{indices.has_rank() ? indices[1] : -1}));
    TENSH_ASSIGN(dims, MergeShapes(dims, c.in(2 * n + i)));
  }
  c.Set(0, Shape({count, columns[0]}));
  c.Set(1, Shape({count}));
  c.Set(2, dims);
  return {};
}

// ---- SparseSlice and SparseSplit ----

// Returns the values of s within the box [start, start + size), with indices relative to its start.
Result<Sparse> Cut(const Sparse& s, const std::vector<int64_t>& start,
                   const std::vector<int64_t>& size) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < s.n; ++i) {
    bool inside = true;
    for (size_t d = 0; inside && d < start.size(); ++d)
      inside = s.row(i)[d] >= start[d] && s.row(i)[d] - start[d] < size[d];
    if (inside) rows.push_back(i);
  }
  Sparse out;
  TENSH_ASSIGN(out.indices, TakeIndices(s, rows));
  TENSH_ASSIGN(out.values, TakeValues(s, rows));
  out.rank = s.rank;
  out.n = static_cast<int64_t>(rows.size());
  for (int64_t i = 0; i < out.n; ++i)
    for (int d = 0; d < s.rank; ++d)
      out.indices.data<int64_t>()[i * s.rank + d] -= start[static_cast<size_t>(d)];
  return out;
}

Status Slice(KernelCtx& c) {
  TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(0), &c.in(1), c.in(2), true));
  std::vector<int64_t> start, size;
  for (int i = 3; i < 5; ++i) {
    if (c.in(i).dim(0) != s.rank)
      return InvalidArgument("Input ", i == 3 ? "start" : "size",
                             " should be a vector with one entry per dimension, got shape ",
                             c.in(i).shape());
  }
  for (int d = 0; d < s.rank; ++d) {
    const int64_t from = c.in(3).data<int64_t>()[d], n = c.in(4).data<int64_t>()[d];
    if (from < 0 || n < 0)
      return InvalidArgument("start and size must be non-negative, got ", from, " and ", n);
    start.push_back(from);
    size.push_back(from >= s.dims[static_cast<size_t>(d)]
                       ? 0
                       : std::min(n, s.dims[static_cast<size_t>(d)] - from));
  }
  TENSH_ASSIGN(Sparse out, Cut(s, start, size));
  c.SetOutput(0, std::move(out.indices));
  c.SetOutput(1, std::move(out.values));
  c.SetOutput(2, DimsTensor(size));
  return {};
}

Status SliceShape(ShapeCtx& c) {
  const int64_t rank = c.in(2).has_rank() ? c.in(2)[0] : -1;
  c.Set(0, Shape({-1, rank}));
  c.Set(1, Shape({-1}));
  c.Set(2, c.in(2));
  return {};
}

Status SliceGradient(GradScope& g) {
  Out dy = g.dy(1);
  Out grad = g.Op("SparseSliceGrad", {dy, g.x(0), g.x(3), g.y(0)});
  return g.Return({{}, grad, {}, {}, {}});
}

// The gradient of the input's values: dy for those that were kept, otherwise 0.
Status SliceGrad(KernelCtx& c) {
  const Tensor &dy = c.in(0), &in = c.in(1), &start = c.in(2), &kept = c.in(3);
  const int64_t rank = in.dim(1);
  if (kept.dim(1) != rank || start.dim(0) != rank)
    return InvalidArgument("The input and output should have the same ndims: got ", rank, " and ",
                           kept.dim(1));
  if (kept.dim(0) != dy.dim(0))
    return InvalidArgument("# elements and rows of output_indices should match dy (#elements: ",
                           dy.dim(0), ", rows of output_indices: ", kept.dim(0), ")");
  TENSH_OUTPUT(out, c.Output(0, Shape({in.dim(0)})));
  ZeroElements(out->dtype(), out->raw(), out->num_elements());
  int64_t k = 0;
  for (int64_t i = 0; i < in.dim(0) && k < kept.dim(0); ++i) {
    bool same = true;
    for (int64_t d = 0; same && d < rank; ++d)
      same = static_cast<uint64_t>(in.data<int64_t>()[i * rank + d]) -
                 static_cast<uint64_t>(start.data<int64_t>()[d]) ==
             static_cast<uint64_t>(kept.data<int64_t>()[k * rank + d]);
    if (same) CopyElements(out->dtype(), At(*out, i), At(dy, k++), 1);
  }
  if (k < kept.dim(0))
    return InvalidArgument("Elements of backprop_val_grad aren't all propagated: ", k, " of the ",
                           kept.dim(0),
                           " rows of output_indices, moved by input_start, are in input_indices");
  return {};
}

Status SliceGradShape(ShapeCtx& c) {
  c.Set(0, Shape({c.in(1).has_rank() ? c.in(1)[0] : -1}));
  return {};
}

struct SplitState : KernelState {
  int64_t num_split;
  void Read(PrepareCtx& c) { num_split = c.attrs().Int("num_split"); }
};

Status Split(KernelCtx& c) {
  if (c.in(0).num_elements() != 1) return InvalidArgument("split_dim must be a scalar");
  TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(1), &c.in(2), c.in(3), true));
  TENSH_ASSIGN(const int axis, CanonicalAxis(*c.in(0).data<int64_t>(), s.rank, "split_dim"));
  const int64_t n = c.state<SplitState>().num_split, extent = s.dims[static_cast<size_t>(axis)];
  if (n > extent)
    return InvalidArgument("Input split_dim size (", extent, ") should be at least num_split (", n,
                           ")");
  std::vector<int64_t> start(s.dims.size()), size = s.dims;
  for (int64_t i = 0; i < n; ++i) {
    // If the extent is not divisible by n, the first parts are one larger.
    size[static_cast<size_t>(axis)] = extent / n + (i < extent % n);
    TENSH_ASSIGN(Sparse part, Cut(s, start, size));
    c.SetOutput(static_cast<int>(i), std::move(part.indices));
    c.SetOutput(static_cast<int>(n + i), std::move(part.values));
    c.SetOutput(static_cast<int>(2 * n + i), DimsTensor(size));
    start[static_cast<size_t>(axis)] += size[static_cast<size_t>(axis)];
  }
  return {};
}

Status SplitShape(ShapeCtx& c) {
  const int n = c.num_outputs() / 3;
  const Shape& shape = c.in(3);
  const int64_t rank = shape.rank() == 1 ? shape[0] : -1;
  for (int i = 0; i < n; ++i) {
    c.Set(i, Shape({-1, rank}));
    c.Set(n + i, Shape({-1}));
    c.Set(2 * n + i, shape);
  }
  return {};
}

void RegisterCuts(OpRegistry& r) {
  r.Op({.name = "SparseSlice",
        .inputs = "indices: int64, values: T, shape: int64, start: int64, size: int64",
        .outputs = "output_indices: int64, output_values: T, output_shape: int64",
        .attrs = "T: type",
        .doc = "A box cut out of a sparse tensor. indices, values, of type T, and shape are the "
               "tensor; start is the box's first index and size its extents, which are clipped to "
               "the tensor. output_indices, output_values and output_shape are the box.",
        .contract = "indices: matrix, values: vector, shape: vector, start: vector, size: vector",
        .shape = SliceShape,
        .grad = SliceGradient,
        .examples = {{"tf.raw_ops.SparseSlice(indices=[[0, 0], [1, 2]], values=[5, 7], "
                      "shape=[2, 3], start=[1, 1], size=[1, 2])[0]",
                      "[[0 1]]"}}})
      .CpuAny(Slice);
  r.Op({.name = "SparseSliceGrad",
        .inputs = "backprop_val_grad: T, input_indices: int64, input_start: int64, "
                  "output_indices: int64",
        .outputs = "val_grad: T",
        .attrs = StrCat("T: ", kNumberTypes),
        .doc = "The gradient of SparseSlice. backprop_val_grad, of type T, is the incoming "
               "gradient of the values at output_indices; val_grad is the gradient of the values "
               "at input_indices; input_start was the start of the slice.",
        .contract = "backprop_val_grad: vector at run, input_indices: matrix, input_start: vector "
                    "at run, output_indices: matrix at run",
        .shape = SliceGradShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.SparseSliceGrad(backprop_val_grad=[2.], input_indices=[[0], "
                      "[1]], input_start=[1], output_indices=[[0]])",
                      "[0. 2.]"}}})
      .CpuAny(SliceGrad);
  r.Op({.name = "SparseSplit",
        .inputs = "split_dim: int64, indices: int64, values: T, shape: int64",
        .outputs = "output_indices: num_split * int64, output_values: num_split * T, "
                   "output_shape: num_split * int64",
        .attrs = "num_split: int >= 1, T: type",
        .doc =
            "Splits a sparse tensor into num_split parts along split_dim; if the extent is not "
            "divisible, the first parts are larger by one. indices, values, of type T, and shape "
            "are the tensor; output_indices, output_values and output_shape are the parts.",
        .shape = SplitShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.SparseSplit(split_dim=0, indices=[[0], [2]], values=[5, 7], "
                      "shape=[3], num_split=2)[1]",
                      "[[0]]"}}})
      .CpuAny(Split, PrepareFrom<SplitState>);
}

}  // namespace

TENSH_OPS(sparse_arrange) {
  RegisterCuts(r);
  r.Op({.name = "SparseReorder",
        .inputs = "input_indices: int64, input_values: T, input_shape: int64",
        .outputs = "output_indices: int64, output_values: T",
        .attrs = "T: type",
        .doc = "Sorts the values of a sparse tensor by their indices. input_indices, input_values, "
               "of type T, and input_shape are the tensor; output_indices and output_values are "
               "the sorted ones.",
        .contract = "input_indices: matrix, input_values: vector, input_shape: vector",
        .shape = ReorderShape,
        .grad = ReorderGrad,
        .examples = {{"tf.raw_ops.SparseReorder(input_indices=[[2], [0]], input_values=[5, 7], "
                      "input_shape=[3])[1]",
                      "[7 5]"}}})
      .CpuAny(Reorder);
  r.Op({.name = "SparseReshape",
        .inputs = "input_indices: int64, input_shape: int64, new_shape: int64",
        .outputs = "output_indices: int64, output_shape: int64",
        .doc = "Converts the indices of a sparse tensor to another shape. input_indices and "
               "input_shape are those of the tensor; new_shape is the new shape, in which one -1 "
               "is inferred. output_indices and output_shape are the result.",
        .contract = "input_indices: matrix, input_shape: vector, new_shape: vector",
        .shape = ReshapeShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.SparseReshape(input_indices=[[1, 2]], input_shape=[2, 3], "
                      "new_shape=[3, -1])[0]",
                      "[[2 1]]"}}})
      .CpuAny(Reshape);
  r.Op({.name = "SparseConcat",
        .inputs = "indices: N * int64, values: N * T, shapes: N * int64",
        .outputs = "output_indices: int64, output_values: T, output_shape: int64",
        .attrs = "concat_dim: int, N: int >= 2, T: type",
        .doc = "Concatenates N sparse tensors along concat_dim. indices, values, of type T, and "
               "shapes are the tensors; output_indices, output_values and output_shape are the "
               "result, in the order of the indices.",
        .contract = "indices: matrix, values: vector, shapes: vector",
        .shape = ConcatShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.SparseConcat(indices=[[[0, 1]], [[1, 0]]], values=[[5], [7]], "
                      "shapes=[[2, 2], [2, 2]], concat_dim=1)[0]",
                      "[[0 1]\n [1 2]]"}}})
      .CpuAny(Concat, PrepareFrom<DimState>);
}

}  // namespace tensh::ops
