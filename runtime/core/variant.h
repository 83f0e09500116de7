#pragma once
// An element of type variant: a value of any C++ class, such as a list of tensors or a dataset.
// Copies share the value. It must not be changed while it is shared; the holder of the only copy
// may change it.
#include <memory>
#include <string>
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh {

// The fields of TensorFlow's VariantTensorDataProto, the message of a variant element.
struct VariantFields {
  std::string type_name;  // "tensorflow::TensorList"
  std::string metadata;
  std::vector<Tensor> tensors;
};

class VariantValue {
 public:
  virtual ~VariantValue() = default;
  virtual const char* kind() const = 0;  // The name in error messages: "TensorList".
  // Returns the value as fields of a message. Returns Unimplemented by default.
  virtual Result<VariantFields> Fields() const;
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

// Reads a value from the fields of a message, or returns InvalidArgument.
using VariantReader = Result<std::shared_ptr<VariantValue>> (*)(VariantFields fields);
// Sets the function that reads values with this type name. Called when ops are registered; a later
// call with the same name has no effect. Thread-safe.
void AddVariantReader(const std::string& type_name, VariantReader reader);
// Sets the function that adds the readers which are not added yet. ReadVariant calls it for a type name without
// a reader, because the ops that add readers are registered on demand. Not thread-safe.
void SetVariantReaderLoader(void (*load)());
// Reads a value. If no reader is known for its type, the value keeps its fields, can be copied and
// written again, but no kernel can look inside. Thread-safe.
Result<std::shared_ptr<VariantValue>> ReadVariant(VariantFields fields);

// Returns a scalar tensor of type variant.
Tensor VariantTensor(std::shared_ptr<VariantValue> value);

}  // namespace tensh
