// Tile: repeats a tensor along each dimension.
#include "ops/array/string_room.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Result<Shape> TiledShape(const Shape& in, const Tensor& multiples) {
  Shape out = in;
  if (multiples.num_elements() != in.rank())
    return InvalidArgument("Expected multiples argument to be a vector of length ", in.rank(),
                           " but got length ", multiples.num_elements());
  for (int i = 0; i < in.rank(); ++i) {
    int64_t n = IndexAt(multiples, i), extent = -1;
    if (n < 0) return InvalidArgument("Expected multiples[", i, "] >= 0, but got ", n);
    if (in[i] >= 0 && __builtin_mul_overflow(n, in[i], &extent))
      return InvalidArgument("Tile would make dimension ", i, " larger than 2**63");
    out.set_dim(i, extent);
  }
  return Shape::Make(out.dims(), false);
}

Status Tile(KernelCtx& c) {
  const Tensor& input = c.in(0);
  TENSH_ASSIGN(Shape shape, TiledShape(input.shape(), c.in(1)));
  if (shape == input.shape()) {
    c.SetOutput(0, input);
    return {};
  }
  TENSH_RETURN_IF_ERROR(RoomForStrings(input, shape.num_elements()));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  // Each dimension becomes two: the repetitions, which read the same source, and the elements.
  Strides from(input.shape()), to(shape);
  BoxCopy box;
  for (int i = 0; i < input.rank(); ++i) {
    box.Add(IndexAt(c.in(1), i), 0, input.dim(i) * to[i]);
    box.Add(input.dim(i), from[i], to[i]);
  }
  CopyBox(c, input.dtype(), out->raw(), input.raw(), box);
  return {};
}

Status TileShape(ShapeCtx& c) {
  Shape in = c.in(0);
  if (!in.has_rank()) {
    const int64_t rank = c.in(1).has_rank() ? c.in(1)[0] : -1;
    if (rank < 0 || rank > Shape::kMaxRank) return {};
    in = Shape::UnknownOfRank(static_cast<int>(rank));
  }
  if (c.in(1).has_rank() && c.in(1)[0] >= 0 && c.in(1)[0] != in.rank())
    return InvalidArgument("Shape must be rank ", c.in(1)[0], " but is rank ", in.rank());
  TENSH_ASSIGN(Shape multiples, ShapeInput(c, 1));
  if (!multiples.has_rank()) multiples = Shape::UnknownOfRank(in.rank());
  if (multiples.rank() != in.rank())
    return InvalidArgument("Shape must be rank ", multiples.rank(), " but is rank ", in.rank());
  Shape out = Shape::UnknownOfRank(in.rank());
  for (int i = 0; i < in.rank(); ++i) {
    int64_t extent = -1;
    if (in[i] == 0 || multiples[i] == 0) extent = 0;
    if (in[i] > 0 && multiples[i] > 0 && __builtin_mul_overflow(in[i], multiples[i], &extent))
      return InvalidArgument("Tile would make dimension ", i, " larger than 2**63");
    out.set_dim(i, extent);
  }
  TENSH_RETURN_IF_ERROR(Shape::Make(out.dims(), false).status());
  c.Set(0, out);
  return {};
}

// The gradient if twice the rank exceeds the maximum rank of a tensor. Only repeated dimensions are
// split, and extents of 1 are left out, so shapes and multiples must be known when the graph is
// built.
Status TileGradOfHighRank(GradScope& g) {
  const Tensor* multiples = g.constant(g.x(1));
  const Shape shape = g.shape(g.x(0));
  std::vector<int64_t> split, axes;
  for (int i = 0; multiples && i < shape.rank(); ++i) {
    if (const int64_t n = IndexAt(*multiples, i); n != 1) {
      axes.push_back(static_cast<int64_t>(split.size()));
      split.push_back(n);
    }
    if (shape[i] != 1) split.push_back(shape[i]);
  }
  if (!multiples || !shape.IsFullyKnown() || split.size() > Shape::kMaxRank)
    return Unimplemented("The gradient of Tile at rank ", shape.rank(),
                         " needs constant multiples, a static shape, and at most ", Shape::kMaxRank,
                         " extents and multiples other than 1");
  Out split_shape = g.Const(IndexVector(DType::kInt64, split), "Reshape/shape");
  Out parts = g.Op("Reshape", {g.dy(0), split_shape});
  Out sum = g.Op("Sum", {parts, g.Const(IndexVector(DType::kInt32, axes))});
  Out x_shape = g.Const(IndexVector(DType::kInt64, shape.dims()), "Reshape_1/shape");
  return g.Return({g.Op("Reshape", {sum, x_shape}, {}, "Reshape_1"), {}});
}

// Reshapes to [multiple0, dim0, multiple1, dim1, …] and sums over the multiples.
Status TileGrad(GradScope& g) {
  if (g.shape(g.x(0)).rank() > Shape::kMaxRank / 2) return TileGradOfHighRank(g);
  DType index = g.dtype(g.x(1));
  Out shape = ShapeOf(g, g.x(0), index);
  Out stack = Pack(g, {g.x(1), shape}, "stack");
  Out pairs = g.Op("Transpose", {stack, ConstInts(g, {1, 0}, "transpose/perm")}, {}, "transpose");
  Out split_shape = g.Op("Reshape", {pairs, ConstInts(g, {-1}, "Reshape/shape")});
  Out size = SizeOfTensor(g, split_shape);
  Out start = ConstInt(g, 0, "range/start"), delta = ConstInt(g, 2, "range/delta");
  Out axes = g.Op("Range", {start, size, delta}, {}, "range");
  Out parts = g.Op("Reshape", {g.dy(0), split_shape}, {}, "Reshape_1");
  return g.Return({g.Op("Sum", {parts, axes}), {}});
}

}  // namespace

TENSH_OPS(array_arrange_tile) {
  r.Op({.name = "Tile",
        .inputs = "input: T, multiples: Tmultiples",
        .outputs = "output: T",
        .attrs = "T: type, Tmultiples: {int32, int64} = int32",
        .doc = "Repeats a tensor along its dimensions. input has any type T. multiples, a vector "
               "of type Tmultiples, has the number of repetitions along each dimension. output has "
               "extent input.shape[i] * multiples[i] in dimension i.",
        .contract = "multiples: vector",
        .shape = TileShape,
        .grad = TileGrad,
        .examples = {{"tf.tile([1, 2], [2])", "[1 2 1 2]"}}})
      .CpuAny(Tile);
}

}  // namespace tensh::ops
