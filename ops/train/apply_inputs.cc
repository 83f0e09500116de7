#include "ops/train/apply_inputs.h"

namespace tensh::ops {

Status CheckSameShape(const char* a_name, const Tensor& a, const char* b_name, const Tensor& b) {
  if (a.shape() == b.shape()) return {};
  return InvalidArgument(a_name, " and ", b_name, " do not have the same shape", a.shape(), " ",
                         b.shape());
}

}  // namespace tensh::ops
