// StridedSliceAssign and ResourceStridedSliceAssign, which v[begin:end].assign(value) creates.
#include "ops/array/index/slice_ranges.h"
#include "ops/op_file.h"
#include "ops/state/handle_example.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/var_update.h"

namespace tensh::ops {
namespace {

struct MaskState : KernelState {
  SliceMasks masks;
  void Read(PrepareCtx& c) { masks = SliceMasks::From(c.attrs()); }
};

Status AssignSlice(KernelCtx& c) {
  const Tensor& value = c.in(4);
  LockedVariables<1> vars(c);
  TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
  const Tensor& var = vars[0];
  if (var.dtype() != value.dtype())
    return InvalidArgument("l-value dtype ", SignatureName(var.dtype()),
                           " does not match r-value dtype ", SignatureName(value.dtype()));
  TENSH_ASSIGN(const ResolvedSlice slice,
               ResolveSlice(var.shape(), &c.in(1), &c.in(2), c.in(3), c.state<MaskState>().masks));
  const bool scalar = value.num_elements() == 1 && value.rank() == 0;
  if (!scalar && !(value.shape() == slice.final_shape))
    return InvalidArgument("Cannot assign a tensor of shape ", value.shape(),
                           " to a slice of shape ", slice.final_shape);
  const Strides whole(var.shape()), part(slice.sizes);
  BoxCopy box;
  int64_t offset = 0;
  for (int d = 0; d < slice.sizes.rank(); ++d) {
    box.Add(slice.sizes[d], scalar ? 0 : part[d], slice.stride[d] * whole[d]);
    offset += slice.begin[d] * whole[d];
  }
  if (slice.sizes.num_elements()) CopyBox(c, var.dtype(), At(var, offset), value.raw(), box);
  c.ForwardRef(0, 0);
  return {};
}

OpSpec Spec(bool resource) {
  const char* name = resource ? "ResourceStridedSliceAssign" : "StridedSliceAssign";
  const std::string arguments = ", begin=[1], end=[2], strides=[1], value=[9])";
  return {.name = name,
          .inputs = StrCat("ref: ", resource ? "resource" : "Ref(T)",
                           ", begin: Index, end: Index, strides: Index, value: T"),
          .outputs = resource ? "" : "output_ref: Ref(T)",
          .attrs =
              "T: type, Index: {int32, int64}, begin_mask: int = 0, end_mask: int = 0, "
              "ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0",
          .doc = StrCat("Assigns value, a tensor of the slice's shape or a scalar, to a slice of a "
                        "variable. ref is the variable, of type T. begin, end and strides, of type "
                        "Index, and begin_mask, end_mask, ellipsis_mask, new_axis_mask and "
                        "shrink_axis_mask specify the slice, as in StridedSlice.",
                        resource ? "" : " output_ref is ref."),
          .shape = resource ? NoOutputs : SameAsInput<0>,
          .no_gradient = true,
          .stateful = resource,
          .variable_type = resource ? "T" : nullptr,
          .examples = {{resource ? StrCat("tf.raw_ops.ResourceStridedSliceAssign(ref=",
                                          HandleExample("[1, 2]"), arguments)
                                 : StrCat("tf.raw_ops.StridedSliceAssign(ref=tf.assign("
                                          "tf.Variable([1, 2]), [1, 2])",
                                          arguments),
                        resource ? "" : "[1 9]"}}};
}

}  // namespace

TENSH_OPS(state_slice_assign) {
  r.Op(Spec(false)).CpuAny(AssignSlice, PrepareFrom<MaskState>);
  r.Op(Spec(true)).CpuAny(AssignSlice, PrepareFrom<MaskState>);
}

}  // namespace tensh::ops
