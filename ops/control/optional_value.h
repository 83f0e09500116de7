#pragma once
// An optional value: the components of a dataset element, or nothing. It is stored in a variant.
#include "runtime/core/variant.h"

namespace tensh::ops {

class OptionalValue : public VariantValue {
 public:
  static constexpr char kTypeName[] = "tensorflow::data::Optional";
  OptionalValue(bool has_value, std::vector<Tensor> components)
      : has_value(has_value), components(std::move(components)) {}
  ~OptionalValue() override { ReleaseFlat(std::move(components)); }
  const char* kind() const override { return "Optional"; }
  Result<VariantFields> Fields() const override {
    return VariantFields{kTypeName, std::string(1, has_value ? '\1' : '\0'), components};
  }
  static Result<std::shared_ptr<VariantValue>> Read(VariantFields fields) {
    const bool has_value = fields.metadata != std::string_view("\0", 1);
    return std::shared_ptr<VariantValue>(
        std::make_shared<OptionalValue>(has_value, std::move(fields.tensors)));
  }
  Result<std::shared_ptr<VariantValue>> Zeros() const override;
  Result<std::shared_ptr<VariantValue>> Plus(const VariantValue& other) const override;

  const bool has_value;
  std::vector<Tensor> components;
};

}  // namespace tensh::ops
