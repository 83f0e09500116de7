#include "ops/support/tensor_array_grad.h"

namespace tensh::ops {

GradientArray GradientOf(GradScope& g, Out flow) {
  // The source attribute is the scope of the tf.gradients call, which fills it in.
  Out array =
      g.Op("TensorArrayGradV3", {g.x(0), flow}, {}, "TensorArrayGrad/TensorArrayGradV3");
  return {array, g.Op("Identity", {flow}, {}, "TensorArrayGrad/gradient_flow")};
}

Status CheckArrayType(KernelCtx&, const TensorArray& array, DType wanted) {
  if (array.options().dtype == wanted) return {};
  return InvalidArgument("TensorArray dtype is ", SignatureName(array.options().dtype),
                         " but Op requested dtype ", SignatureName(wanted), ".");
}

}  // namespace tensh::ops
