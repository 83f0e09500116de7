// Squeeze: removes dimensions of extent 1.
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct SqueezeState : KernelState {
  AttrValue::Ints dims;
  void Read(PrepareCtx& c) { dims = c.attrs().Get<AttrValue::Ints>("squeeze_dims"); }
};

Result<DimSet> NamedDims(std::span<const int64_t> named, int rank) {
  DimSet set;
  for (int64_t d : named) {
    if (d < -rank || d >= rank)
      return InvalidArgument("Tried to squeeze dim index ", d, " for tensor with ", rank,
                             " dimensions.");
    set.set(static_cast<size_t>(d < 0 ? d + rank : d));
  }
  return set;
}

// Returns the shape without the named dimensions, whose extents must be 1. If none is named, all
// dimensions of extent 1 are removed.
Result<Shape> Squeezed(const Shape& shape, std::span<const int64_t> named) {
  TENSH_ASSIGN(const DimSet drop, NamedDims(named, shape.rank()));
  Shape out;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool is_named = drop[static_cast<size_t>(i)];
    if (is_named && shape[i] >= 0 && shape[i] != 1)
      return InvalidArgument("Can not squeeze dim[", i, "], expected a dimension of 1, got ",
                             shape[i]);
    if (is_named || (named.empty() && shape[i] == 1)) continue;
    out.Append(shape[i]);
  }
  return out;
}

Status Squeeze(KernelCtx& c) {
  const Tensor& input = c.in(0);
  TENSH_ASSIGN(Shape shape, Squeezed(input.shape(), c.state<SqueezeState>().dims));
  c.SetOutput(0, input.Reshaped(shape));
  return {};
}

Status SqueezeShape(ShapeCtx& c) {
  const Shape& in = c.in(0);
  const auto& named = c.attrs().Get<AttrValue::Ints>("squeeze_dims");
  if (!in.has_rank()) return {};
  // An unknown dimension may turn out to be 1 and be removed.
  if (named.empty() && !in.IsFullyKnown()) return {};
  TENSH_ASSIGN(Shape shape, Squeezed(in, named));
  c.Set(0, shape);
  return {};
}

Status SqueezeGrad(GradScope& g) {
  Out shape = ShapeOf(g, g.x(0));
  return g.Return({g.Op("Reshape", {g.dy(0), shape})});
}

}  // namespace

TENSH_OPS(array_shape_squeeze) {
  r.Op({.name = "Squeeze",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: type, squeeze_dims: list(int) >= 0 = []",
        .doc = "Removes dimensions of extent 1. input has any type T. squeeze_dims are the "
               "dimensions to remove; if it is empty, all of extent 1 are removed. output shares "
               "the data of input.",
        .shape = SqueezeShape,
        .grad = SqueezeGrad,
        .examples = {{"tf.squeeze([[1, 2]])", "[1 2]"}}})
      .CpuAny(Squeeze, PrepareFrom<SqueezeState>);
}

}  // namespace tensh::ops
