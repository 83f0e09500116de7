// tf.TensorShape, tf.Dimension and tf.DType: small immutable values that are printed as in
// TensorFlow 1.15.
#pragma once

#include <string>
#include <vector>

#include "shell/client/client.h"
#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell::tf {

class DimensionObject : public Object {
 public:
  static const TypeInfo kType;
  explicit DimensionObject(int64_t value) : Object(kType), value(value) {}
  int64_t Known() const;  // throws ValueError if unknown
  const int64_t value;
};

class ShapeObject : public Object {
 public:
  static const TypeInfo kType;
  ShapeObject() : Object(kType), known_rank_(false) {}  // <unknown>
  explicit ShapeObject(std::vector<int64_t> dims) : Object(kType), dims_(std::move(dims)) {}
  bool known_rank() const { return known_rank_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int rank() const { return known_rank_ ? static_cast<int>(dims_.size()) : -1; }
  bool IsFullyDefined() const;
  void CheckFullyDefined() const;  // throws ValueError
  std::string Text() const;        // "(?, 784)"

 private:
  bool known_rank_ = true;
  std::vector<int64_t> dims_;
};

class DTypeObject : public Object {
 public:
  static const TypeInfo kType;
  explicit DTypeObject(int dtype) : Object(kType), dtype(dtype) {}
  const int dtype;
};

// "(?, 784)" · "(3,)" · "<unknown>"
std::string ShapeText(Dims dims, bool known_rank);
inline std::string ShapeText(const ShapeInfo& info) {
  return ShapeText(info.dims(), info.rank >= 0);
}
Value ShapeValue(const ShapeInfo& info);
Value DimensionValue(int64_t extent);
// Converts a value to a shape: a TensorShape, a list or tuple of ints, None and Dimensions, a
// single int, or None.
Ref<ShapeObject> ToShape(const Value& v);
// Converts one extent of such a list; None becomes -1.
int64_t ToExtent(const Value& v);

}  // namespace tensh::shell::tf
