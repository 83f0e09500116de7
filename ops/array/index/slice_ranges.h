#pragma once
// Resolves numpy's x[begin:end:stride, …], which TensorFlow encodes as three vectors and five bit
// masks, into one range per dimension of the input. Used by StridedSlice's kernel, shape function
// and gradient. Stateless.
#include "ops/support/per_dim.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct SliceMasks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
  static SliceMasks From(Attrs attrs);
  std::vector<NamedAttr> ToAttrs() const;
};

struct ResolvedSlice {
  // For each dimension of the input: the number of elements (-1 if unknown), the first index and
  // the stride.
  Shape sizes;
  PerDim<int64_t> begin, stride;
  // `sizes` without the shrunk dimensions and with the new ones.
  Shape final_shape;
};

// In shape functions, begin and end may be null if they are not known yet; the sizes that depend on
// them are then -1. The rank of `in` must be known.
Result<ResolvedSlice> ResolveSlice(const Shape& in, const Tensor* begin, const Tensor* end,
                                   const Tensor& strides, const SliceMasks& masks);

}  // namespace tensh::ops
