#include "runtime/core/bind_kernel.h"

#include "runtime/core/contract.h"
#include "runtime/core/promote.h"

namespace tensh {

Result<BoundKernel> BindKernel(const OpDef& op, const KernelRow& row, PrepareCtx& node) {
  const KernelRow* code = row.fn ? &row : op.FindKernel("CPU", node.attrs());
  BoundKernel bound;
  bound.fn = code->fn;
  TENSH_ASSIGN(bound.state, PrepareKernel(op, *code, node));
  if (op.contract.empty()) return bound;
  Contract placed;
  const bool own = PlaceContract(op, node.attrs(), &placed);
  if (own) bound.own = std::make_unique<const Contract>(std::move(placed));
  bound.contract = own ? bound.own.get() : &op.contract;
  return bound;
}

}  // namespace tensh
