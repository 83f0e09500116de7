// Array ops on GPUs whose kernels are the CPU's. These kernels read only shapes and arguments in
// host memory; they move elements through DeviceMoves, or pass their input on.
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
  // Values that a loop saves for its gradient stay in device memory.
  r.Pass("StackV2", "max_size");
  for (const char* op : {"StackPushV2", "StackPopV2", "StackCloseV2"}) r.Pass(op);
}

void RegisterMoving(KernelTable& r) {
  r.Moves("ConcatV2", "axis");
  r.Moves("Concat", "concat_dim");
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
  r.Moves("Reverse", "dims");
  r.Moves("SpaceToBatchND", "block_shape paddings");
  r.Moves("BatchToSpaceND", "block_shape crops");
  r.Moves("Fill", "dims value");
  r.Moves("Diag");
  r.Moves("DiagPart");
  r.Moves("MatrixDiag");
  r.Moves("MatrixDiagV2", "k num_rows num_cols padding_value");
  r.Moves("MatrixDiagV3", "k num_rows num_cols padding_value");
  r.Moves("MatrixDiagPart");
  r.Moves("MatrixDiagPartV2", "k padding_value");
  r.Moves("MatrixDiagPartV3", "k padding_value");
  r.Moves("MatrixSetDiag");
  r.Moves("MatrixSetDiagV2", "k");
  r.Moves("MatrixSetDiagV3", "k");
  r.Moves("SpaceToBatch", "paddings");
  r.Moves("BatchToSpace", "crops");
  r.Moves("SpaceToDepth");
  r.Moves("DepthToSpace");
  r.Moves("ParallelConcat");
  r.MovesByList("MirrorPad", "paddings");
  r.MovesByList("ReverseSequence", "seq_lengths");
  r.MovesByList("Roll", "shift axis");
  r.MovesByList("DynamicPartition", "partitions");
  r.MovesByList("DynamicStitch", "indices");
  r.MovesByList("ParallelDynamicStitch", "indices");
  r.Moves("Bitcast");
  r.Moves("ZerosLike");
  r.Moves("OnesLike");
}

// A TensorArray keeps its tensors in the memory in which they were made. Its flow values, which
// order the operations on it, are in host memory.
void RegisterTensorArrays(KernelTable& r) {
  constexpr char kPass[] = "handle flow_in flow_out";
  r.Moves("TensorArrayV3", "size flow", "dtype", "handle");
  r.Pass("TensorArrayGradV3", "flow_out");
  r.Pass("TensorArrayGradWithShape", "flow_out shape_to_prepend");
  r.Moves("TensorArrayWriteV3", "index", "T", kPass);
  r.Moves("TensorArrayReadV3", "index", "dtype", "handle flow_in value");
  r.Moves("TensorArrayGatherV3", "indices", "dtype", kPass);
  r.Moves("TensorArrayScatterV3", "indices", "T", kPass);
  r.Moves("TensorArrayConcatV3", "lengths", "dtype", kPass);
  r.Moves("TensorArraySplitV3", "lengths", "T", kPass);
  r.Pass("TensorArraySizeV3", "size");
  r.Pass("TensorArrayCloseV3");
}

// The elements of a list stay in the memory in which they were made.
void RegisterTensorLists(KernelTable& r) {
  r.Pass("EmptyTensorList", "element_shape max_num_elements");
  r.Pass("TensorListReserve", "element_shape num_elements");
  r.Pass("TensorListResize", "size");
  r.Pass("TensorListLength", "length");
  r.Pass("TensorListElementShape", "element_shape");
  r.Pass("TensorListPushBack");
  r.Pass("TensorListPushBackBatch");
  r.Pass("TensorListPopBack", "element_shape");
  r.Pass("TensorListGetItem", "index element_shape");
  r.Pass("TensorListSetItem", "index");
  r.Pass("TensorListConcatLists");
  r.Pass("TensorListFromTensor", "element_shape");
  r.Pass("TensorListSplit", "element_shape lengths");
  r.Pass("TensorListScatter", "indices element_shape");
  r.Pass("TensorListScatterV2", "indices element_shape num_elements");
  r.Pass("TensorListScatterIntoExistingList", "indices");
  constexpr char kElements[] = "element_dtype";
  r.Moves("TensorListStack", "element_shape", kElements, "input_handle");
  r.Moves("TensorListGather", "indices element_shape", kElements, "input_handle");
  r.Moves("TensorListConcat", "lengths", kElements, "input_handle");
  r.Moves("TensorListConcatV2", "element_shape leading_dims lengths", kElements, "input_handle");
}

// Ops that call functions. The nodes of the body are placed on their own.
void RegisterCalls(KernelTable& r) {
  for (const char* op : {"PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient", "While",
                         "StatelessWhile"})
    r.Call(op);
  for (const char* op : {"If", "StatelessIf"}) r.Call(op, "cond");
  for (const char* op : {"Case", "StatelessCase"}) r.Call(op, "branch_index");
  r.Call("For", "start limit delta");
}

// Ops that compute shapes and indices.
void RegisterOnHost(KernelTable& r) {
  for (const char* op :
       {"BroadcastGradientArgs", "BroadcastArgs", "ConcatOffset", "InvertPermutation", "Range",
        "ListDiff", "ImmutableConst", "LinSpace", "DataFormatDimMap", "DataFormatVecPermute"})
    r.OnHostAny(op);
  // The host must know the sizes of these results.
  for (const char* op : {"Unique", "UniqueWithCounts", "UniqueV2", "UniqueWithCountsV2"})
    r.OnHost<int32_t, int64_t>(op);
  r.OnHost<bool, float, double, int32_t, int64_t>("Where");
}

}  // namespace

TENSH_CUDA_KERNELS(array_array) {
  RegisterPassing(r);
  RegisterMoving(r);
  RegisterTensorArrays(r);
  RegisterTensorLists(r);
  RegisterCalls(r);
  RegisterOnHost(r);
}

}  // namespace tensh::cuda
