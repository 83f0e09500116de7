// Reshape: the same elements with another shape.
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Returns the requested shape. *unknown is the position of its -1, or -1 if there is none.
Result<Shape> AskedShape(const Tensor& sizes, int* unknown) {
  int64_t dims[Shape::kMaxRank];
  int64_t rank = sizes.num_elements();
  if (rank > Shape::kMaxRank)
    return InvalidArgument("a tensor of rank ", rank, " was requested; tensh supports ranks 0 to ",
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

Status Reshape(KernelCtx& c) {
  const Tensor& input = c.in(0);
  int unknown = -1;
  TENSH_ASSIGN(Shape shape, AskedShape(c.in(1), &unknown));
  int64_t have = input.num_elements(), known = KnownProduct(shape);
  if (unknown >= 0) {
    // As in TensorFlow, a requested extent of zero stands for the input's: reshaping [0,3] to
    // [-1,0] gives [3,0].
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

// The partially known element count of a shape: the product of the known extents, and the position
// of the single unknown one, or -1 if all are known. If any extent is 0, the tensor is empty and
// the unknown one does not matter.
struct Count {
  int64_t product = 1;
  int unknown = -1;
  bool too_many = false;
  explicit Count(const Shape& shape) {
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] == 0) {
        product = 0;
        unknown = -1;
        too_many = false;
        return;
      }
      if (shape[i] > 0) {
        product *= shape[i];
      } else {
        too_many = unknown >= 0;
        unknown = i;
      }
    }
  }
};

// Checks that the element counts are equal, and infers the single unknown extent of `out`.
Status ResolveUnknown(const Shape& in, Shape& out) {
  Count have(in), want(out);
  if (have.too_many || want.too_many) return {};
  if (have.unknown < 0 && want.unknown < 0) {
    if (have.product == want.product) return {};
    return InvalidArgument("Cannot reshape a tensor with ", have.product, " elements to shape ",
                           out, " (", want.product, " elements)");
  }
  int64_t total = have.unknown < 0 ? have.product : want.product;
  int64_t part = have.unknown < 0 ? want.product : have.product;
  if (have.unknown >= 0 && want.unknown >= 0) return {};
  if (part == 0) return {};
  if (total % part)
    return InvalidArgument("Dimension size must be evenly divisible by ", part, " but is ", total);
  if (want.unknown >= 0) out.set_dim(want.unknown, total / part);
  return {};
}

Status ReshapeShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, 1));
  if (out.has_rank() && c.in(0).has_rank()) TENSH_RETURN_IF_ERROR(ResolveUnknown(c.in(0), out));
  c.Set(0, out);
  return {};
}

// Inputs 2 and 3, the range of the elements, are passed on.
Status QuantizedReshape(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(Reshape(c));
  c.SetOutput(1, c.in(2));
  c.SetOutput(2, c.in(3));
  return {};
}

Status QuantizedReshapeShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(ReshapeShape(c));
  c.Set(1, Shape());
  c.Set(2, Shape());
  return {};
}

Status ReshapeGrad(GradScope& g) {
  Out shape = ShapeOf(g, g.x(0));
  return g.Return({g.Op("Reshape", {g.dy(0), shape}), {}});
}

}  // namespace

TENSH_OPS(array_shape_reshape) {
  r.Op({.name = "QuantizedReshape",
        .inputs = "tensor: T, shape: Tshape, input_min: float, input_max: float",
        .outputs = "output: T, output_min: float, output_max: float",
        .attrs = "T: type, Tshape: {int32, int64} = int32",
        .doc = "Gives a quantized tensor another shape. tensor: elements of type T, for the floats "
               "from input_min to input_max. shape: a vector of type Tshape; one extent may be -1. "
               "output_min, output_max: the range of output, that of tensor.",
        .contract = "shape: vector, input_min: scalar, input_max: scalar",
        .shape = QuantizedReshapeShape,
        .no_gradient = true,
        .examples =
            {{"tf.raw_ops.QuantizedReshape(tensor=tf.bitcast(tf.constant([1, 2], tf.uint8), "
              "tf.quint8), shape=[2, 1], input_min=0., input_max=1.).output",
              "[[1]\n [2]]"}}})
      .CpuAny(QuantizedReshape);
  r.Op({.name = "Reshape",
        .inputs = "tensor: T, shape: Tshape",
        .outputs = "output: T",
        .attrs = "T: type, Tshape: {int32, int64} = int32",
        .doc = "The same elements with another shape. tensor has any type T. shape is a vector of "
               "type Tshape; one entry may be -1, which is inferred. output shares the data of "
               "tensor.",
        .contract = "shape: vector",
        .shape = ReshapeShape,
        .grad = ReshapeGrad,
        .examples = {{"tf.reshape([1, 2, 3, 4], [2, 2])", "[[1 2]\n [3 4]]"},
                     {"tf.reshape([[1, 2], [3, 4]], [-1])", "[1 2 3 4]"}}})
      .CpuAny(Reshape);
}

}  // namespace tensh::ops
