#pragma once
// An element of type variant: a value of some C++ class, such as a list of tensors or a dataset.
// Copies share it, and it is never changed while shared: who holds the only copy may write to it.
#include <memory>
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh {

class VariantValue {
 public:
  virtual ~VariantValue() = default;
  virtual const char* kind() const = 0;  // for messages: "TensorList"
  // The same of zeros, and the sum of two, as gradients need them. Unimplemented where there is
  // none.
  virtual Result<std::shared_ptr<VariantValue>> Zeros() const;
  virtual Result<std::shared_ptr<VariantValue>> Plus(const VariantValue& other) const;
};

// For destructors of what may hold more of its kind, to any depth: lets go of these without
// recursion.
void ReleaseFlat(std::vector<Tensor>&& tensors);

// Null: nothing in it yet.
struct Variant {
  std::shared_ptr<VariantValue> value;
};
template <>
inline constexpr DType kDTypeOf<Variant> = DType::kVariant;

// A scalar of type variant.
Tensor VariantTensor(std::shared_ptr<VariantValue> value);

}  // namespace tensh
