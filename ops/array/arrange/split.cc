// Split and SplitV.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Result<int> SplitAxis(const Tensor& dim, int rank) {
  if (dim.num_elements() != 1)
    return InvalidArgument("split_dim_tensor must have exactly one element.");
  int64_t axis = IndexAt(dim, 0);
  if (axis < -rank || axis >= rank)
    return InvalidArgument("-input rank(-", rank, ") <= split_dim < input rank (", rank,
                           "), but got ", axis);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Copies sizes[i] rows of `value` along the axis to output i, one output after the other.
Status CopyPieces(KernelCtx& c, const Tensor& value, int axis, std::span<const int64_t> sizes) {
  int64_t outer = 1, inner = 1, at = 0;
  for (int d = 0; d < axis; ++d) outer *= value.dim(d);
  for (int d = axis + 1; d < value.rank(); ++d) inner *= value.dim(d);
  int64_t row = value.dim(axis) * inner;
  for (int i = 0; i < c.num_outputs(); ++i) {
    Shape shape = value.shape();
    shape.set_dim(axis, sizes[static_cast<size_t>(i)]);
    TENSH_OUTPUT(out, c.Output(i, shape));
    int64_t piece = sizes[static_cast<size_t>(i)] * inner;
    if (out->num_elements()) {
      BoxCopy box;
      box.Add(outer, row, piece);
      box.Add(piece, 1, 1);
      CopyBox(c, value.dtype(), out->raw(), At(value, at), box);
    }
    at += piece;
  }
  return {};
}

Status Split(KernelCtx& c) {
  const Tensor& value = c.in(1);
  int n = c.num_outputs();
  TENSH_ASSIGN(int axis, SplitAxis(c.in(0), value.rank()));
  if (value.dim(axis) % n)
    return InvalidArgument(
        "Number of ways to split should evenly divide the split dimension, but "
        "got split_dim ",
        axis, " (size = ", value.dim(axis), ") and num_split ", n);
  std::vector<int64_t> sizes(static_cast<size_t>(n), value.dim(axis) / n);
  return CopyPieces(c, value, axis, sizes);
}

Status SplitShape(ShapeCtx& c) {
  const Shape& in = c.in(1);
  if (!in.has_rank()) return {};
  const Tensor* dim = c.constant(0);
  Shape out = Shape::UnknownOfRank(in.rank());
  if (dim) {
    TENSH_ASSIGN(int axis, SplitAxis(*dim, in.rank()));
    out = in;
    if (in[axis] >= 0) {
      if (in[axis] % c.num_outputs())
        return InvalidArgument(
            "Dimension size must be evenly divisible by ", c.num_outputs(), " but is ", in[axis],
            ". Number of ways to split should evenly divide the split dimension");
      out.set_dim(axis, in[axis] / c.num_outputs());
    }
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.Set(i, out);
  return {};
}

std::vector<Out> OutputGradients(GradScope& g) {
  std::vector<Out> grads;
  for (int i = 0; i < g.num_outputs(); ++i) grads.push_back(g.dy(i));
  return grads;
}

// TensorFlow calls concat even for a single piece, which then creates an Identity.
Out Join(GradScope& g, Out axis) {
  std::vector<Out> grads = OutputGradients(g);
  if (grads.size() == 1) return g.Op("Identity", {grads[0]}, {}, "concat");
  return Concat(g, std::move(grads), axis);
}

Status SplitGrad(GradScope& g) { return g.Return({{}, Join(g, g.x(0))}); }

// Returns the sizes with a -1 resolved. An extent of -1 is not known yet.
Result<std::vector<int64_t>> ResolveSizes(const Tensor& sizes_in, int n, int64_t extent) {
  if (!IsVector(sizes_in) || sizes_in.num_elements() != n)
    return InvalidArgument("size_splits must be a vector of ", n,
                           " entries, one per output, got shape ", sizes_in.shape());
  std::vector<int64_t> sizes = IndexValues(sizes_in);
  int64_t total = 0;
  int rest = -1;
  for (int i = 0; i < n; ++i) {
    int64_t size = sizes[static_cast<size_t>(i)];
    if (size == -1) {
      if (rest >= 0) return InvalidArgument("There can only be one -1 in the input.");
      rest = i;
    } else if (size < 0) {
      return InvalidArgument("Split size at index ", i, " must be >= 0. Got: ", size);
    } else if (__builtin_add_overflow(total, size, &total)) {
      total = INT64_MAX;
    }
  }
  if (extent < 0) return sizes;
  if (rest >= 0 ? total > extent : total != extent)
    return InvalidArgument(
        "Determined shape must either match input shape along split_dim exactly if fully "
        "specified, or be less than the size of the input along split_dim if not fully specified. "
        " Got: ",
        total);
  if (rest >= 0) sizes[static_cast<size_t>(rest)] = extent - total;
  return sizes;
}

Status SplitV(KernelCtx& c) {
  const Tensor& value = c.in(0);
  TENSH_ASSIGN(int axis, SplitAxis(c.in(2), value.rank()));
  TENSH_ASSIGN(std::vector<int64_t> sizes, ResolveSizes(c.in(1), c.num_outputs(), value.dim(axis)));
  return CopyPieces(c, value, axis, sizes);
}

Status SplitVShape(ShapeCtx& c) {
  const Shape& in = c.in(0);
  if (!in.has_rank()) return {};
  if (in.rank() == 0) return InvalidArgument("Can't split scalars");
  const Tensor *sizes_in = c.constant(1), *dim = c.constant(2);
  Shape out = dim ? in : Shape::UnknownOfRank(in.rank());
  std::vector<int64_t> sizes(static_cast<size_t>(c.num_outputs()), Shape::kUnknownDim);
  int axis = -1;
  if (dim) {
    TENSH_ASSIGN(axis, SplitAxis(*dim, in.rank()));
    if (sizes_in) {
      TENSH_ASSIGN(sizes, ResolveSizes(*sizes_in, c.num_outputs(), in[axis]));
    }
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (axis >= 0) out.set_dim(axis, sizes[static_cast<size_t>(i)]);
    c.Set(i, out);
  }
  return {};
}

Status SplitVGrad(GradScope& g) { return g.Return({Join(g, g.x(2)), {}, {}}); }

}  // namespace

TENSH_OPS(array_arrange_split) {
  r.Op({.name = "Split",
        .inputs = "split_dim: int32, value: T",
        .outputs = "output: num_split * T",
        .attrs = "num_split: int >= 1, T: type",
        .doc =
            "Splits a tensor into equal pieces. value has any type T. split_dim, a scalar, is the "
            "dimension to split; num_split must divide its extent. output is num_split tensors.",
        .contract = "split_dim: scalar",
        .shape = SplitShape,
        .grad = SplitGrad,
        .examples = {{"tf.split([1, 2, 3, 4], 2)[1]", "[3 4]"}}})
      .CpuAny(Split);
  r.Op({.name = "SplitV",
        .inputs = "value: T, size_splits: Tlen, split_dim: int32",
        .outputs = "output: num_split * T",
        .attrs = "num_split: int >= 1, T: type, Tlen: {int8, int32, int64} = int64",
        .doc = "Splits a tensor into pieces of given sizes. value has any type T. size_splits, a "
               "vector of type Tlen with num_split entries, has the size of each piece along "
               "split_dim; one may be -1, which is inferred. output is num_split tensors.",
        .shape = SplitVShape,
        .grad = SplitVGrad,
        .examples = {{"tf.split([1, 2, 3, 4], [1, 3])[1]", "[2 3 4]"}}})
      .CpuAny(SplitV);
}

}  // namespace tensh::ops
