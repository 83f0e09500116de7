#pragma once
// The products of a plan that transpose an input themselves. If a product takes the output of a
// Transpose, the plan may pass it the input of the Transpose instead, and leave out that node.
//
// Stateless. A PrepareCtx that belongs to a plan also has this interface.
#include "runtime/core/kernel.h"

namespace tensh {

class TransposedInputs {
 public:
  // True if the kernel receives the matrix, or the batch of them, whose transpose is input i of the
  // node. All kernels of the ops whose inputs are replaced (Rewriter::IsProduct) ask.
  virtual bool is_transposed(int i) const = 0;

 protected:
  ~TransposedInputs() = default;
};

inline bool IsTransposed(const PrepareCtx& c, int i) {
  const auto* inputs = dynamic_cast<const TransposedInputs*>(&c);
  return inputs && inputs->is_transposed(i);
}

}  // namespace tensh
