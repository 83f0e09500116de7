#pragma once
// An optional value: the components of a dataset element, or nothing. It is stored in a variant.
#include "runtime/core/variant.h"

namespace tensh::ops {

class OptionalValue : public VariantValue {
 public:
  OptionalValue(bool has_value, std::vector<Tensor> components)
      : has_value(has_value), components(std::move(components)) {}
  ~OptionalValue() override { ReleaseFlat(std::move(components)); }
  const char* kind() const override { return "Optional"; }
  Result<std::shared_ptr<VariantValue>> Zeros() const override;
  Result<std::shared_ptr<VariantValue>> Plus(const VariantValue& other) const override;

  const bool has_value;
  std::vector<Tensor> components;
};

}  // namespace tensh::ops
