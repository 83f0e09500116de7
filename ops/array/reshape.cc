#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// The shape `sizes` asks for, with at most one -1, which *unknown names (-1: none).
Result<Shape> AskedShape(const Tensor& sizes, int* unknown) {
  if (!IsVector(sizes)) return InvalidArgument("sizes input must be 1-D, not ", sizes.shape());
  int64_t dims[Shape::kMaxRank] = {};
  int64_t rank = sizes.num_elements();
  if (rank > Shape::kMaxRank)
    return InvalidArgument("a tensor of rank ", rank, " was asked for; tensh has ranks 0 to ",
                           Shape::kMaxRank);
  *unknown = -1;
  for (int i = 0; i < rank; ++i) {
    dims[i] = IndexAt(sizes, i);
    if (dims[i] == -1) {
      if (*unknown >= 0)
        return InvalidArgument("Only one input size may be -1, not both ", *unknown, " and ", i);
      *unknown = i;
    } else if (dims[i] < 0) {
      return InvalidArgument("Size ", i, " must be non-negative, not ", dims[i]);
    }
  }
  return Shape::Make({dims, static_cast<size_t>(rank)}, false);
}

int64_t KnownProduct(const Shape& shape) {
  int64_t n = 1;
  for (int64_t d : shape.dims())
    if (d >= 0) n *= d;
  return n;
}

int64_t NonZeroProduct(const Shape& shape) {
  int64_t n = 1;
  for (int64_t d : shape.dims())
    if (d > 0) n *= d;
  return n;
}

Status Reshape(KernelCtx& c) noexcept {
  const Tensor& input = c.in(0);
  int unknown = -1;
  TENSH_ASSIGN(Shape shape, AskedShape(c.in(1), &unknown));
  int64_t have = input.num_elements(), known = KnownProduct(shape);
  if (unknown >= 0) {
    // Sizes of zero stand for the input's own, as in TensorFlow: [0,3] to [-1,0] is [3,0].
    const bool zeros = known == 0;
    if (zeros) known = NonZeroProduct(shape);
    if (zeros && have == 0) {
      shape.set_dim(unknown, NonZeroProduct(input.shape()) / known);
      c.SetOutput(0, input.Reshaped(shape));
      return {};
    }
    if (have % known)
      return InvalidArgument("Input to reshape is a tensor with ", have,
                             " values, but the requested shape requires a multiple of ", known);
    shape.set_dim(unknown, have / known);
    known = shape.num_elements();
  }
  if (known != have) {
    return InvalidArgument("Input to reshape is a tensor with ", have,
                           " values, but the requested shape has ", known);
  }
  c.SetOutput(0, input.shape() == shape ? input : input.Reshaped(shape));
  return {};
}

// A tensor with an extent of 0 is empty, whatever the others are.
bool CountKnown(const Shape& shape) {
  return shape.IsFullyKnown() || (shape.has_rank() && KnownProduct(shape) == 0);
}

// Fills in the one unknown of `shape` from the number of elements of the input, which must be
// known.
Status ResolveUnknown(const Shape& in, Shape& shape) {
  int64_t have = KnownProduct(in), known = KnownProduct(shape);
  int unknown = -1, count = 0;
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] < 0) unknown = i, ++count;
  if (count > 1) return {};
  if (count == 1) {
    if (known == 0) return {};
    if (have % known == 0) {
      shape.set_dim(unknown, have / known);
      return {};
    }
    return InvalidArgument("Cannot reshape a tensor with ", have, " elements to shape ", shape,
                           " (", known, " elements)",
                           ". The size is not a multiple of what is known of the shape");
  }
  if (known == have) return {};
  return InvalidArgument("Cannot reshape a tensor with ", have, " elements to shape ", shape, " (",
                         known, " elements)");
}

Status ReshapeShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(c.WithRank(1, 1));
  Shape shape = Shape::Unknown();
  if (const Tensor* sizes = c.constant(1)) {
    int unknown;
    TENSH_ASSIGN(shape, AskedShape(*sizes, &unknown));
  } else {
    shape = c.ConstantAsShape(1);
  }
  if (!shape.has_rank()) {
    if (c.in(1).has_rank() && c.in(1)[0] >= 0 && c.in(1)[0] <= Shape::kMaxRank)
      shape = Shape::UnknownOfRank(static_cast<int>(c.in(1)[0]));
  }
  if (shape.has_rank() && CountKnown(c.in(0)))
    TENSH_RETURN_IF_ERROR(ResolveUnknown(c.in(0), shape));
  c.Set(0, shape);
  return {};
}

Status ReshapeGrad(GradScope& g) {
  Out shape = ShapeOf(g, g.x(0));
  return g.Return({g.Op("Reshape", {g.dy(0), shape}), {}});
}

}  // namespace

TENSH_OPS(array_reshape) {
  r.Op({.name = "Reshape",
        .inputs = "tensor: T, shape: Tshape",
        .outputs = "output: T",
        .attrs = "T: type, Tshape: {int32, int64} = int32",
        .doc = "The same elements under another shape. tensor has any type T; shape is a vector of "
               "type Tshape, one entry of which may be -1: what remains. output shares the data of "
               "tensor.",
        .shape = ReshapeShape,
        .grad = ReshapeGrad,
        .examples = {{"tf.reshape([1, 2, 3, 4], [2, 2])", "[[1 2]\n [3 4]]"},
                     {"tf.reshape([[1, 2], [3, 4]], [-1])", "[1 2 3 4]"}}})
      .CpuAny(Reshape);
}

}  // namespace tensh::ops
