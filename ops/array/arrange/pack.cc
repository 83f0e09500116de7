// Pack and Unpack, which are called stack and unstack in Python.
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct AxisState : KernelState {
  int64_t axis;
  void Read(PrepareCtx& c) { axis = c.attrs().Int("axis"); }
};

// Returns the shape with a dimension of this extent inserted at `axis`.
Result<Shape> WithDimAt(const Shape& shape, int axis, int64_t extent) {
  int64_t dims[Shape::kMaxRank + 1];
  for (int i = 0; i < shape.rank(); ++i) dims[i < axis ? i : i + 1] = shape[i];
  dims[axis] = extent;
  return Shape::Make({dims, static_cast<size_t>(shape.rank()) + 1}, false);
}

Shape WithoutDim(const Shape& shape, int axis) {
  Shape out;
  for (int i = 0; i < shape.rank(); ++i)
    if (i != axis) out.Append(shape[i]);
  return out;
}

Status Pack(KernelCtx& c) {
  const Shape& one = c.in(0).shape();
  int n = c.num_inputs();
  TENSH_ASSIGN(int axis, CanonicalAxis(c.state<AxisState>().axis, one.rank() + 1, "axis ="));
  for (int i = 1; i < n; ++i)
    if (!(c.in(i).shape() == one))
      return InvalidArgument("Shapes of all inputs must match: values[0].shape = ", one,
                             " != values[", i, "].shape = ", c.in(i).shape());
  TENSH_ASSIGN(Shape shape, WithDimAt(one, axis, n));
  if (n == 1) {
    c.SetOutput(0, c.in(0).Reshaped(shape));
    return {};
  }
  TENSH_OUTPUT(out, c.Output(0, shape));
  int64_t outer = 1;
  for (int d = 0; d < axis; ++d) outer *= one[d];
  int64_t inner = outer ? one.num_elements() / outer : 0;
  for (int i = 0; i < n && inner; ++i) {
    BoxCopy box;
    box.Add(outer, inner, inner * n);
    box.Add(inner, 1, 1);
    CopyBox(c, out->dtype(), At(*out, i * inner), c.in(i).raw(), box);
  }
  return {};
}

Status PackShape(ShapeCtx& c) {
  Shape one = c.in(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    Result<Shape> merged = MergeShapes(one, c.in(i));
    if (!merged.ok())
      return InvalidArgument(merged.status().message(), " From merging shape 0 with other shapes.");
    one = *merged;
  }
  if (!one.has_rank()) return {};
  TENSH_ASSIGN(int axis, CanonicalAxis(c.attrs().Int("axis"), one.rank() + 1, "axis ="));
  TENSH_ASSIGN(Shape shape, WithDimAt(one, axis, c.num_inputs()));
  c.Set(0, shape);
  return {};
}

Status PackGrad(GradScope& g) {
  int n = g.num_inputs();
  Out parts =
      g.Op("Unpack", {g.dy(0)}, {{"num", int64_t{n}}, {"axis", g.attrs().Int("axis")}}, "unstack");
  std::vector<Out> grads;
  for (int i = 0; i < n; ++i) grads.push_back(g.Output(parts, i));
  return g.Return(std::move(grads));
}

Status Unpack(KernelCtx& c) {
  const Tensor& value = c.in(0);
  int num = c.num_outputs();
  TENSH_ASSIGN(int axis, CanonicalAxis(c.state<AxisState>().axis, value.rank(), "axis ="));
  if (value.dim(axis) != num)
    return InvalidArgument("Input shape axis ", axis, " must equal ", num, ", got shape ",
                           value.shape());
  Shape shape = WithoutDim(value.shape(), axis);
  int64_t outer = 1;
  for (int d = 0; d < axis; ++d) outer *= value.dim(d);
  int64_t inner = outer ? shape.num_elements() / outer : 0;
  for (int i = 0; i < num; ++i) {
    TENSH_OUTPUT(out, c.Output(i, shape));
    if (!inner) continue;
    BoxCopy box;
    box.Add(outer, inner * num, inner);
    box.Add(inner, 1, 1);
    CopyBox(c, value.dtype(), out->raw(), At(value, i * inner), box);
  }
  return {};
}

Status UnpackShape(ShapeCtx& c) {
  const Shape& in = c.in(0);
  if (!in.has_rank()) return {};
  TENSH_ASSIGN(int axis, CanonicalAxis(c.attrs().Int("axis"), in.rank(), "axis ="));
  if (in[axis] >= 0 && in[axis] != c.num_outputs())
    return InvalidArgument("Dimension must be ", c.num_outputs(), " but is ", in[axis]);
  for (int i = 0; i < c.num_outputs(); ++i) c.Set(i, WithoutDim(in, axis));
  return {};
}

Status UnpackGrad(GradScope& g) {
  std::vector<Out> grads;
  for (int i = 0; i < g.num_outputs(); ++i) grads.push_back(g.dy(i));
  return g.Return({ops::Pack(g, std::move(grads), "stack", g.attrs().Int("axis"))});
}

}  // namespace

TENSH_OPS(array_arrange_pack) {
  r.Op({.name = "Pack",
        .inputs = "values: N * T",
        .outputs = "output: T",
        .attrs = "N: int >= 1, T: type, axis: int = 0",
        .doc = "Stacks tensors along a new dimension. values are N tensors of equal shape and type "
               "T. axis is the position of output's new dimension, of extent N: 0 is the first, -1 "
               "the last.",
        .shape = PackShape,
        .grad = PackGrad,
        .role = OpRole::kPack,
        .examples = {{"tf.stack([tf.constant([1, 2]), [3, 4]])", "[[1 2]\n [3 4]]"},
                     {"tf.stack([[1, 2], [3, 4]], axis=1)", "[[1 3]\n [2 4]]"}}})
      .CpuAny(Pack, PrepareFrom<AxisState>);
  r.Op({.name = "Unpack",
        .inputs = "value: T",
        .outputs = "output: num * T",
        .attrs = "num: int >= 0, T: type, axis: int = 0",
        .doc = "Unstacks a tensor along a dimension. value has any type T. axis is the dimension, "
               "whose extent is num. output is num tensors without that dimension.",
        .contract = "value: rank 1+",
        .shape = UnpackShape,
        .grad = UnpackGrad,
        .examples = {{"tf.unstack([[1, 2], [3, 4]])[1]", "[3 4]"}}})
      .CpuAny(Unpack, PrepareFrom<AxisState>);
}

}  // namespace tensh::ops
