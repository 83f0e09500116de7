#pragma once
// What the TensorArray ops' kernels and gradients share.
#include "ops/support/tensor_list.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct GradientArray {
  Out handle, flow;
};
// The array that gradients of the forward op's array are summed in, named as tensor_array_grad
// does.
GradientArray GradientOf(GradScope& g, Out flow);
Status CheckArrayType(KernelCtx& c, const TensorArray& array, DType wanted);

}  // namespace tensh::ops
