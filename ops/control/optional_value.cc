#include "ops/control/optional_value.h"

#include "ops/support/list_variant.h"

namespace tensh::ops {

Result<std::shared_ptr<VariantValue>> OptionalValue::Zeros() const {
  std::vector<Tensor> zeros;
  for (const Tensor& t : components) {
    TENSH_ASSIGN(Tensor zero, ZerosLikeTensor(t));
    zeros.push_back(std::move(zero));
  }
  return std::shared_ptr<VariantValue>(
      std::make_shared<OptionalValue>(has_value, std::move(zeros)));
}

Result<std::shared_ptr<VariantValue>> OptionalValue::Plus(const VariantValue& other) const {
  const auto* b = dynamic_cast<const OptionalValue*>(&other);
  if (!b || has_value != b->has_value || components.size() != b->components.size())
    return InvalidArgument("Cannot add optionals because one has a value and the other doesn't.");
  std::vector<Tensor> sums;
  for (size_t i = 0; i < components.size(); ++i) {
    TENSH_ASSIGN(Tensor sum, AddTensors(components[i], b->components[i]));
    sums.push_back(std::move(sum));
  }
  return std::shared_ptr<VariantValue>(std::make_shared<OptionalValue>(has_value, std::move(sums)));
}

}  // namespace tensh::ops
