// Values known before any run: constants, and values folded from constants and static shapes.
#include "runtime/core/run_kernel.h"
#include "runtime/graph/graph.h"

namespace tensh {
namespace {

constexpr int kMaxDepth = 12;           // Limits the nodes to look through.
constexpr int64_t kMaxElements = 1024;  // Limits the elements of a folded value.

Tensor VectorOf(std::span<const int64_t> dims, DType type) {
  if (type == DType::kInt64) return Tensor::Vector<int64_t>(dims);
  std::vector<int32_t> narrow(dims.begin(), dims.end());
  return Tensor::Vector<int32_t>(narrow);
}

Tensor ScalarOf(int64_t value, DType type) {
  return type == DType::kInt64 ? Tensor::Scalar<int64_t>(value)
                               : Tensor::Scalar<int32_t>(static_cast<int32_t>(value));
}

// Returns the shape that a vector describes if only the length of the vector is known.
Shape ShapeOfLength(const Shape& vector) {
  return vector.rank() == 1 && vector[0] >= 0 && vector[0] <= Shape::kMaxRank
             ? Shape::UnknownOfRank(static_cast<int>(vector[0]))
             : Shape::Unknown();
}

}  // namespace

Tensor Graph::Constant(ValueId v) const { return ConstantAtDepth(v, 0); }
Shape Graph::ConstantAsShape(ValueId v) const { return ShapeAtDepth(v, 0); }

// Folds stateless ops over small constants by running their CPU kernels. The limits keep the cost
// of adding a node constant.
Tensor Graph::ConstantAtDepth(ValueId v, int depth) const {
  NodeId node = node_of(v);
  const OpDef& def = op(node);
  if (def.role == OpRole::kConst) return attrs(node).Get<Tensor>("value");
  if (depth > kMaxDepth || def.stateful || IsRef(dtype(v)) || num_controls(node) ||
      num_outputs(node) != 1)
    return {};
  if (def.role == OpRole::kPlaceholderWithDefault || num_inputs(node) == 0 || num_inputs(node) > 16)
    return {};
  const Shape& input_shape = shape(input(node, 0));
  if (def.role == OpRole::kShapeOf && input_shape.IsFullyKnown())
    return VectorOf(input_shape.dims(), dtype(v));
  if (def.role == OpRole::kRankOf && input_shape.has_rank())
    return ScalarOf(input_shape.rank(), dtype(v));
  if (def.role == OpRole::kSizeOf && input_shape.IsFullyKnown())
    return ScalarOf(input_shape.num_elements(), dtype(v));
  const Shape& out = shape(v);
  if (!out.IsFullyKnown() || out.num_elements() > kMaxElements) return {};
  std::vector<Tensor> inputs;
  for (uint32_t i = 0; i < num_inputs(node); ++i) {
    inputs.push_back(ConstantAtDepth(input(node, i), depth + 1));
    if (!inputs.back() || inputs.back().num_elements() > kMaxElements) return {};
  }
  DType type = BaseType(dtype(v));
  auto outputs = RunKernel(def, attrs(node), inputs, {&type, 1});
  return outputs.ok() ? (*outputs)[0] : Tensor();
}

// Returns the shape of the variable behind a handle, looking through ops that pass handles on.
Shape Graph::HandleShape(ValueId v) const {
  for (int depth = 0; depth <= kMaxDepth; ++depth) {
    const NodeId node = node_of(v);
    const OpRole role = op(node).role;
    if (role == OpRole::kVarHandle) return attrs(node).Get<Shape>("shape");
    if (role != OpRole::kIdentity && role != OpRole::kEnter && role != OpRole::kExit &&
        role != OpRole::kSwitch)
      break;
    v = input(node, 0);
  }
  return Shape::Unknown();
}

Shape Graph::ShapeAtDepth(ValueId v, int depth) const {
  if (dtype(v) == DType::kResource) return HandleShape(v);
  const Shape& vector = shape(v);
  if (vector.has_rank() && vector.rank() > 1) return Shape::Unknown();
  NodeId node = node_of(v);
  const OpDef& def = op(node);
  if (Tensor value = ConstantAtDepth(v, depth)) {
    if (!IsInteger(value.dtype()) || value.num_elements() > Shape::kMaxRank)
      return Shape::Unknown();
    if (value.shape().rank() == 0 && value.IntScalar(0) == -1) return Shape::Unknown();
    Shape out;
    for (int64_t i = 0; i < value.num_elements(); ++i)
      out.Append(std::max<int64_t>(value.IntScalar(i), -1));
    return out;
  }
  if (depth <= kMaxDepth) {
    if (def.role == OpRole::kShapeOf) return shape(input(node, 0));
    if (def.role == OpRole::kCast || def.role == OpRole::kIdentity)
      return ShapeAtDepth(input(node, 0), depth + 1);
    if (def.role == OpRole::kPack && num_inputs(node) <= Shape::kMaxRank) {
      Shape out;
      for (uint32_t i = 0; i < num_inputs(node); ++i) {
        Tensor dim = shape(input(node, i)).rank() == 0 ? ConstantAtDepth(input(node, i), depth + 1)
                                                       : Tensor();
        out.Append(dim && IsInteger(dim.dtype()) ? std::max<int64_t>(dim.IntScalar(), -1) : -1);
      }
      return out;
    }
    if (def.role == OpRole::kConcat) {
      Shape out;
      for (uint32_t i = 0; i + 1 < num_inputs(node); ++i) {
        Shape part = ShapeAtDepth(input(node, i), depth + 1);
        if (!part.has_rank() || out.rank() + part.rank() > Shape::kMaxRank) return Shape::Unknown();
        for (int64_t d : part.dims()) out.Append(d);
      }
      return out;
    }
  }
  return ShapeOfLength(vector);
}

}  // namespace tensh
