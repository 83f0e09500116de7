// Slice: a box cut out of a tensor.
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Checks begin[i] and size[i] against the extent of dimension i. A size of -1 extends to the end.
Result<int64_t> SliceSize(int i, int64_t begin, int64_t size, int64_t extent) {
  if (begin < 0 || begin > extent)
    return InvalidArgument("Expected begin[", i, "] in [0, ", extent, "], but got ", begin);
  if (size == -1) return extent - begin;
  if (size < 0 || size > extent - begin)
    return InvalidArgument("Expected size[", i, "] in [0, ", extent - begin, "], but got ", size);
  return size;
}

Status Slice(KernelCtx& c) {
  const Tensor &input = c.in(0), &begin = c.in(1), &size = c.in(2);
  if (begin.num_elements() != input.rank() || size.num_elements() != input.rank())
    return InvalidArgument("Expected begin and size arguments to be 1-D tensors of size ",
                           input.rank(), ", but got shapes ", begin.shape(), " and ", size.shape(),
                           " instead.");
  Shape shape = input.shape();
  Strides from(input.shape());
  int64_t offset = 0;
  for (int i = 0; i < input.rank(); ++i) {
    int64_t at = IndexAt(begin, i);
    TENSH_ASSIGN(int64_t n, SliceSize(i, at, IndexAt(size, i), input.dim(i)));
    shape.set_dim(i, n);
    offset += at * from[i];
  }
  if (shape == input.shape()) {
    c.SetOutput(0, input);
    return {};
  }
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  Strides to(shape);
  BoxCopy box;
  for (int i = 0; i < input.rank(); ++i) box.Add(shape[i], from[i], to[i]);
  CopyBox(c, input.dtype(), out->raw(), At(input, offset), box);
  return {};
}

Status SliceShape(ShapeCtx& c) {
  const Shape& in = c.in(0);
  const Tensor *begin = c.constant(1), *size = c.constant(2);
  int64_t rank = in.has_rank()                           ? in.rank()
                 : c.in(1).has_rank() && c.in(1)[0] >= 0 ? c.in(1)[0]
                 : c.in(2).has_rank()                    ? c.in(2)[0]
                                                         : -1;
  for (int i = 1; i <= 2; ++i)
    if (rank >= 0 && c.in(i).has_rank() && c.in(i)[0] >= 0 && c.in(i)[0] != rank)
      return InvalidArgument("Dimension must be ", rank, " but is ", c.in(i)[0]);
  if (rank < 0 || rank > Shape::kMaxRank) return {};
  Shape out = Shape::UnknownOfRank(static_cast<int>(rank));
  for (int i = 0; i < rank; ++i) {
    int64_t n = size ? IndexAt(*size, i) : -1;
    if (n < -1) return InvalidArgument("Invalid value in tensor used for shape: ", n);
    if (n == -1 && begin && size && in.has_rank() && in[i] >= 0) {
      int64_t at = IndexAt(*begin, i);
      if (at > in[i])
        return InvalidArgument("Negative dimension size caused by subtracting ", at, " from ",
                               in[i]);
      n = at < 0 ? -1 : in[i] - at;
    }
    if (n >= 0) out.set_dim(i, n);
  }
  // The sizes may be partially known, for example if they come from a Shape.
  if (!size)
    if (Shape partial = c.ConstantAsShape(2); partial.rank() == rank) out = partial;
  c.Set(0, out);
  return {};
}

// Pads the gradient with zeros on both sides to the input's shape.
Status SliceGrad(GradScope& g) {
  DType index = g.dtype(g.x(1));
  Out rank = RankOf(g, g.x(0));
  Out size = ShapeOf(g, g.y(0), index, "Shape");
  Out column = Pack(g, {rank, ConstInt(g, 1, "stack/1")}, "stack");
  Out before = g.Op("Reshape", {g.x(1), column});
  Out shape = ShapeOf(g, g.x(0), index, "Shape_1");
  Out rest = g.Op("Sub", {shape, size}, {}, "sub");
  rest = g.Op("Sub", {rest, g.x(1)}, {}, "sub_1");
  Out after = g.Op("Reshape", {rest, column}, {}, "Reshape_1");
  Out paddings = Concat(g, {before, after}, ConstInt(g, 1, "concat/axis"));
  return g.Return({g.Op("Pad", {g.dy(0), paddings}), {}, {}});
}

}  // namespace

TENSH_OPS(array_index_slice) {
  r.Op({.name = "Slice",
        .inputs = "input: T, begin: Index, size: Index",
        .outputs = "output: T",
        .attrs = "T: type, Index: {int32, int64}",
        .doc = "A box cut out of a tensor. input has any type T. begin and size, vectors of type "
               "Index, are the box's first index and its extents; a size of -1 extends to the end. "
               "output is the box.",
        .contract = "begin: vector, size: vector",
        .shape = SliceShape,
        .grad = SliceGrad,
        .examples = {{"tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, 2])", "[[2 3]\n [5 6]]"}}})
      .CpuAny(Slice);
}

}  // namespace tensh::ops
