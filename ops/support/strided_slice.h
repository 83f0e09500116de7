#pragma once
// numpy's x[begin:end:stride, …] as TensorFlow encodes it: three vectors and five bit masks.
// Resolved here into one range for each dimension of the input, for StridedSlice's kernel, its
// shape function and its gradient. Stateless.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct SliceMasks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
  static SliceMasks From(Attrs attrs);
  std::vector<NamedAttr> ToAttrs() const;
};

struct ResolvedSlice {
  // For each dimension of the input: where it begins, its step, how many (-1: not known).
  Shape sizes;
  int64_t begin[Shape::kMaxRank], stride[Shape::kMaxRank];
  // sizes without the shrunk dimensions, with the new ones.
  Shape final_shape;
};

// begin and end may be null where they are not known yet (shape functions): the sizes that depend
// on them are -1 then. `in` must have a rank.
Result<ResolvedSlice> ResolveSlice(const Shape& in, const Tensor* begin, const Tensor* end,
                                   const Tensor& strides, const SliceMasks& masks);

}  // namespace tensh::ops
