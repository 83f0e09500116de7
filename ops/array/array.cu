// Array ops whose kernels are the CPU's: they look at shapes and arguments in host memory alone,
// and move elements by what knows devices, or hand their input on.
#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {
namespace {

void RegisterPassing(KernelTable& r) {
  for (const char* op : {"Const",
                         "Placeholder",
                         "PlaceholderWithDefault",
                         "Identity",
                         "IdentityN",
                         "Snapshot",
                         "StopGradient",
                         "PreventGradient",
                         "GuaranteeConst",
                         "EnsureShape",
                         "NoOp",
                         "ControlTrigger",
                         "Squeeze",
                         "Enter",
                         "RefEnter",
                         "Exit",
                         "RefExit",
                         "NextIteration",
                         "RefNextIteration",
                         "RefIdentity",
                         "_Send",
                         "_Recv",
                         "_HostSend",
                         "_HostRecv"})
    r.Pass(op);
  r.Pass("Reshape", "shape");
  r.Pass("ExpandDims", "dim");
  r.Pass("Shape", "output");
  r.Pass("ShapeN", "output");
  r.Pass("Size", "output");
  r.Pass("Rank", "output");
  r.Pass("Switch", "pred");
  r.Pass("RefSwitch", "pred");
  r.Pass("Merge", "value_index");
  r.Pass("RefMerge", "value_index");
  r.OnHostAny("LoopCond");
  // What a loop keeps for its gradient stays where it is.
  r.Pass("StackV2", "max_size");
  for (const char* op : {"StackPushV2", "StackPopV2", "StackCloseV2"}) r.Pass(op);
}

void RegisterMoving(KernelTable& r) {
  r.Moves("ConcatV2", "axis");
  r.Moves("Split", "split_dim");
  r.Moves("SplitV", "size_splits split_dim");
  r.Moves("Slice", "begin size");
  r.Moves("StridedSlice", "begin end strides");
  r.Moves("StridedSliceGrad", "shape begin end strides");
  r.Moves("Transpose", "perm");
  r.Moves("Pack");
  r.Moves("Unpack");
  r.Moves("Tile", "multiples");
  r.Moves("Pad", "paddings");
  r.Moves("PadV2", "paddings constant_values");
  r.Moves("BroadcastTo", "shape");
  r.Moves("ReverseV2", "axis");
  r.Moves("SpaceToBatchND", "block_shape paddings");
  r.Moves("BatchToSpaceND", "block_shape crops");
  r.Moves("Fill", "dims value");
  r.Moves("ZerosLike");
  r.Moves("OnesLike");
}

// What computes shapes and indices.
void RegisterOnHost(KernelTable& r) {
  for (const char* op : {"BroadcastGradientArgs", "BroadcastArgs", "ConcatOffset",
                         "InvertPermutation", "Range", "ListDiff", "ImmutableConst"})
    r.OnHostAny(op);
  for (const char* op : {"DynamicStitch", "ParallelDynamicStitch"}) r.OnHost<int32_t>(op);
}

}  // namespace

TENSH_CUDA_KERNELS(array_array) {
  RegisterPassing(r);
  RegisterMoving(r);
  RegisterOnHost(r);
}

}  // namespace tensh::cuda
