#include "runtime/plan/pure.h"

#include <algorithm>

namespace tensh {

bool PureNodes::IsPure(const OpDef& op) {
  if (op.stateful || op.waits_for != WaitsFor::kNothing || op.id >= kFunctionOps) return false;
  switch (op.role) {
    case OpRole::kOrdinary:
    case OpRole::kIdentity:
    case OpRole::kShapeOf:
    case OpRole::kRankOf:
    case OpRole::kSizeOf:
    case OpRole::kCast:
    case OpRole::kPack:
    case OpRole::kConcat:
      break;
    default:
      return false;
  }
  return std::none_of(op.attrs.begin(), op.attrs.end(),
                      [](const AttrDef& attr) { return attr.kind == AttrKind::kFunc; });
}

bool PureNodes::Contains(NodeId node) {
  const OpDef& op = g_.op(node);
  if (op.id >= kFunctionOps || !g_.num_inputs(node) || !g_.num_outputs(node)) return false;
  if (op.id >= ops_.size()) ops_.resize(op.id + size_t{1}, kNew);
  Answer& answer = ops_[op.id];
  if (answer == kNew) answer = IsPure(op) ? kYes : kNo;
  if (answer == kNo) return false;
  const auto refers = [&](ValueId v) {
    const DType type = g_.dtype(v);
    return IsRef(type) || type == DType::kResource || type == DType::kVariant;
  };
  for (uint32_t i = 0; i < g_.num_inputs(node); ++i)
    if (refers(g_.input(node, i))) return false;
  for (uint32_t i = 0; i < g_.num_outputs(node); ++i)
    if (refers(g_.output(node, i))) return false;
  return true;
}

}  // namespace tensh
