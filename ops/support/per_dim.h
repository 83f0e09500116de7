#pragma once
// An array with an element for each dimension of a tensor, without allocation up to rank
// Shape::kInlineRank. It is for arrays that are copied or initialized; a local array without
// initializer costs nothing at any size.
#include <vector>

#include "runtime/core/shape.h"

namespace tensh::ops {

template <class T>
class PerDim {
 public:
  PerDim() = default;
  explicit PerDim(int rank) {
    if (rank > Shape::kInlineRank) many_.resize(static_cast<size_t>(rank));
  }
  T& operator[](int i) { return many_.empty() ? few_[i] : many_[static_cast<size_t>(i)]; }
  const T& operator[](int i) const {
    return many_.empty() ? few_[i] : many_[static_cast<size_t>(i)];
  }

 private:
  T few_[Shape::kInlineRank] = {};
  std::vector<T> many_;
};

}  // namespace tensh::ops
