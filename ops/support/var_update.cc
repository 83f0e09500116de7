#include "ops/support/var_update.h"

namespace tensh::ops {

Status NoVariable() {
  return InvalidArgument("Trying to access a resource that is not a variable");
}

Result<Tensor> ReadForOutput(KernelCtx& c) {
  Variable* variable = c.variable(0);
  if (!variable) return NoVariable();
  Tensor value = variable->Read();
  if (!value) return Uninitialized(*variable);
  if (value.dtype() != c.out_dtype(0))
    return InvalidArgument("Trying to read variable with wrong dtype. Expected ",
                           SignatureName(c.out_dtype(0)), " got ", SignatureName(value.dtype()));
  return value;
}

Status CheckUpdateShapes(const Tensor& params, const Tensor& indices, const Tensor& updates) {
  if (params.rank() < 1)
    return InvalidArgument("params must be at least 1-D, got shape ", params.shape());
  bool fits = updates.rank() == 0 || updates.rank() == indices.rank() + params.rank() - 1;
  for (int i = 0; fits && i < updates.rank(); ++i)
    fits = updates.dim(i) ==
           (i < indices.rank() ? indices.dim(i) : params.dim(i - indices.rank() + 1));
  if (!fits)
    return InvalidArgument(
        "Must have updates.shape = indices.shape + params.shape[1:] or "
        "updates.shape = [], got updates.shape ",
        updates.shape(), ", indices.shape ", indices.shape(), ", params.shape ", params.shape());
  return {};
}

}  // namespace tensh::ops
