// Functions of tf that move elements (reversed sequences, rolls, blocks of space and batch,
// scattered slices), and tensors that are passed on under a condition.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/shape.h"

namespace tensh::shell::tf {
namespace {

// Arguments: input, seq_lengths, seq_axis, batch_axis, name, seq_dim, batch_dim.
Value ReverseSequence(Args& a) {
  const Value& sequence = a[2].is_none() ? a[5] : a[2];
  const Value& batch = a[3].is_none() ? a[6] : a[3];
  if (sequence.is_none()) throw ValueError("seq_axis must be given.");
  GraphObject& g = GraphOf({&a[0], &a[1]});
  OpCall call(g, "ReverseSequence", NameText(a[4]));
  call.In(a[0]).In(a[1]).attrs().Int("seq_dim", ToIndex(sequence));
  call.attrs().Int("batch_dim", batch.is_none() ? 0 : ToIndex(batch));
  return call.AddValue();
}

// Arguments: input, paddings or crops, block_size, name, block_shape. As in TF 1.x, uses the op for
// n dimensions.
Value BlockFn(Args& a) {
  const Value& size = a[2].is_none() ? a[4] : a[2];
  GraphObject& g = GraphOf({&a[0], &a[1]});
  const Value block = MakeList({size, size});
  OpCall call(g, static_cast<const char*>(a.row().data), NameText(a[3]));
  return call.In(a[0]).In(block).In(a[1]).AddValue();
}

// Arguments: x, shape, name.
Value EnsureShape(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, "EnsureShape", NameText(a[2]));
  return call.In(a[0]).Attr("shape", a[1]).AddValue();
}

// Arguments: input, name.
Value IdentityN(Args& a) {
  GraphObject* found = FindGraphOf(a[0]);
  GraphObject& g = found ? *found : DefaultGraph();
  OpCall call(g, "IdentityN", NameText(a[1]));
  call.In(a[0]);
  const Node node = call.AddNode();
  std::vector<Value> outputs;
  for (uint32_t i = 0; i < g.handle().NumOutputs(node); ++i) outputs.push_back(g.Tensor({node, i}));
  return MakeList(std::move(outputs));
}

constexpr const char* kScatter = "tensor, indices, updates, name=None";

const FunctionRow kRows[] = {
    {"reverse_sequence",
     "input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None",
     ReverseSequence, "Reverses sequences of different lengths."},
    {"roll", "input, shift, axis, name=None", CallOp, "Shifts elements cyclically.", "Roll"},
    {"space_to_batch_nd", "input, block_shape, paddings, name=None", CallOp,
     "Moves blocks of spatial dimensions to the batch.", "SpaceToBatchND"},
    {"batch_to_space_nd", "input, block_shape, crops, name=None", CallOp,
     "Moves blocks of the batch to spatial dimensions.", "BatchToSpaceND"},
    {"space_to_batch", "input, paddings, block_size=None, name=None, block_shape=None", BlockFn,
     "Moves blocks of images to the batch.", "SpaceToBatchND"},
    {"batch_to_space", "input, crops, block_size=None, name=None, block_shape=None", BlockFn,
     "Moves blocks of the batch to images.", "BatchToSpaceND"},
    {"space_to_depth", "input, block_size, name=None, data_format='NHWC'",
     [](Args& a) -> Value {
       GraphObject& g = GraphOf({&a[0]});
       OpCall call(g, "SpaceToDepth", NameText(a[2]));
       call.In(a[0]).attrs().Int("block_size", ToIndex(a[1])).String("data_format", StrView(a[3]));
       return call.AddValue();
     },
     "Moves blocks of images to channels."},
    {"depth_to_space", "input, block_size, name=None, data_format='NHWC'",
     [](Args& a) -> Value {
       GraphObject& g = GraphOf({&a[0]});
       OpCall call(g, "DepthToSpace", NameText(a[2]));
       call.In(a[0]).attrs().Int("block_size", ToIndex(a[1])).String("data_format", StrView(a[3]));
       return call.AddValue();
     },
     "Moves channels to blocks of images."},
    {"identity_n", "input, name=None", IdentityN, "Returns several tensors unchanged."},
    {"guarantee_const", "input, name=None", CallOp, "Returns the same value.", "GuaranteeConst"},
    {"ensure_shape", "x, shape, name=None", EnsureShape,
     "Returns the same value after a check of its shape."},
    {"check_numerics", "tensor, message, name=None", CallOp,
     "Fails if there is a NaN or an infinity.", "CheckNumerics message"},
    {"bitcast", "input, type, name=None", CallOp, "Reinterprets the bits as another type.",
     "Bitcast type"},
    {"unravel_index", "indices, dims, name=None", CallOp, "Converts flat indices to coordinates.",
     "UnravelIndex"},
    {"scatter_nd", "indices, updates, shape, name=None", CallOp, "Adds slices to zeros.",
     "ScatterNd"},
    {"tensor_scatter_update", kScatter, CallOp, "Replaces slices of a tensor.",
     "TensorScatterUpdate"},
    {"tensor_scatter_add", kScatter, CallOp, "Adds to slices of a tensor.", "TensorScatterAdd"},
    {"tensor_scatter_sub", kScatter, CallOp, "Subtracts from slices of a tensor.",
     "TensorScatterSub"},
    {"tensor_scatter_nd_update", kScatter, CallOp, "Replaces slices of a tensor.",
     "TensorScatterUpdate"},
    {"tensor_scatter_nd_add", kScatter, CallOp, "Adds to slices of a tensor.", "TensorScatterAdd"},
    {"tensor_scatter_nd_sub", kScatter, CallOp, "Subtracts from slices of a tensor.",
     "TensorScatterSub"},
    {"tensor_scatter_nd_max", kScatter, CallOp, "The maximum of slices of a tensor and updates.",
     "TensorScatterMax"},
    {"tensor_scatter_nd_min", kScatter, CallOp, "The minimum of slices of a tensor and updates.",
     "TensorScatterMin"},
    {"scatter_nd_non_aliasing_add", "input, indices, updates, name=None", CallOp,
     "Adds to slices of a tensor.", "ScatterNdNonAliasingAdd"},
};

}  // namespace

std::span<const FunctionRow> RearrangeRows() { return kRows; }

}  // namespace tensh::shell::tf
