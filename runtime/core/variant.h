#pragma once
// An element of type variant: a value of any C++ class, such as a list of tensors or a dataset.
// Copies share the value. It must not be changed while it is shared; the holder of the only copy
// may change it.
#include <memory>
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh {

class VariantValue {
 public:
  virtual ~VariantValue() = default;
  virtual const char* kind() const = 0;  // The name in messages: "TensorList".
  // Return a value of the same structure with zeros, and the sum of two values, for gradients. They
  // return Unimplemented by default.
  virtual Result<std::shared_ptr<VariantValue>> Zeros() const;
  virtual Result<std::shared_ptr<VariantValue>> Plus(const VariantValue& other) const;
};

// Releases tensors without recursion. For destructors of values that may contain others of their
// kind, to any depth.
void ReleaseFlat(std::vector<Tensor>&& tensors);

// A variant element; null if it holds no value.
struct Variant {
  std::shared_ptr<VariantValue> value;
};
template <>
inline constexpr DType kDTypeOf<Variant> = DType::kVariant;

// Returns a scalar tensor of type variant.
Tensor VariantTensor(std::shared_ptr<VariantValue> value);

}  // namespace tensh
