// BroadcastTo: repeats a tensor to a larger shape.
#include "ops/array/string_room.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Status CheckBroadcast(const Shape& in, const Shape& out) {
  if (in.rank() > out.rank())
    return InvalidArgument("Rank of input (", in.rank(),
                           ") must be no greater than rank of output shape (", out.rank(), ").");
  int missing = out.rank() - in.rank();
  for (int i = 0; i < in.rank(); ++i)
    if (in[i] >= 0 && out[missing + i] >= 0 && in[i] != 1 && in[i] != out[missing + i])
      return InvalidArgument("Incompatible shapes: ", in, " vs. ", out);
  return {};
}

Status BroadcastTo(KernelCtx& c) {
  const Tensor &input = c.in(0), &shape_in = c.in(1);
  TENSH_ASSIGN(Shape shape, ShapeFromTensor(shape_in));
  TENSH_RETURN_IF_ERROR(CheckBroadcast(input.shape(), shape));
  if (shape == input.shape()) {
    c.SetOutput(0, input);
    return {};
  }
  TENSH_RETURN_IF_ERROR(RoomForStrings(input, shape.num_elements()));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  Strides from(input.shape()), to(shape);
  int missing = shape.rank() - input.rank();
  BoxCopy box;
  for (int i = 0; i < shape.rank(); ++i) {
    bool stretched = i < missing || input.dim(i - missing) == 1;
    box.Add(shape[i], stretched ? 0 : from[i - missing], to[i]);
  }
  CopyBox(c, input.dtype(), out->raw(), input.raw(), box);
  return {};
}

Status BroadcastToShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, 1));
  const Shape& in = c.in(0);
  if (in.has_rank() && out.has_rank()) {
    TENSH_RETURN_IF_ERROR(CheckBroadcast(in, out));
    // Only an extent of 1 is stretched; a larger one is kept.
    int missing = out.rank() - in.rank();
    for (int i = 0; i < in.rank(); ++i)
      if (in[i] > 1) out.set_dim(missing + i, in[i]);
  }
  c.Set(0, out);
  return {};
}

Status BroadcastToGrad(GradScope& g) {
  Out shape = ShapeOf(g, g.x(0), g.dtype(g.x(1)));
  Out args = g.Op("BroadcastGradientArgs", {g.x(1), shape});
  Out sum = g.Op("Sum", {g.dy(0), g.Output(args, 1)}, {{"keep_dims", true}});
  return g.Return({g.Op("Reshape", {sum, shape}), {}});
}

}  // namespace

TENSH_OPS(array_broadcast_to) {
  r.Op({.name = "BroadcastTo",
        .inputs = "input: T, shape: Tidx",
        .outputs = "output: T",
        .attrs = "T: type, Tidx: {int32, int64} = int32",
        .doc = "Broadcasts a tensor to a shape, by numpy's rules. input has any type T. shape, a "
               "vector of type Tidx, is the shape of output. Dimensions of extent 1 are repeated.",
        .contract = "shape: vector",
        .shape = BroadcastToShape,
        .grad = BroadcastToGrad,
        .examples = {{"tf.broadcast_to([1, 2], [2, 2])", "[[1 2]\n [1 2]]"}}})
      .CpuAny(BroadcastTo);
}

}  // namespace tensh::ops
