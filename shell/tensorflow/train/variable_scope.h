// The Python class tf.VariableScope, and the initializers that get_variable calls.
#pragma once

#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/math/random.h"

namespace tensh::shell::tf {

enum class Reuse : uint8_t { kNo, kYes, kAuto };

// The settings of get_variable inside `with tf.variable_scope(...) as scope`. Each block has a
// separate object.
class VariableScopeObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  VariableScopeObject() : TrackedObject(kType) {}
  void DropRefs() override {
    initializer = regularizer = custom_getter = constraint = partitioner = Value();
  }
  std::string name;                 // "lvl1/lvl2"
  std::string original_name_scope;  // the name scope that it opened: "lvl1/lvl2/"
  Reuse reuse = Reuse::kNo;
  Value initializer = Value::None(), regularizer = Value::None(), custom_getter = Value::None();
  Value constraint = Value::None(), partitioner = Value::None();
  int dtype = TSH_FLOAT;
};
VariableScopeObject& CurrentVariableScope(GraphObject& g);

// `with tf.variable_scope(...)` for C++: for slots of optimizers and for layers.
struct VariableScopeSpec {
  Value name_or_scope = Value::None();
  std::string default_name;
  Value initializer = Value::None(), regularizer = Value::None(), custom_getter = Value::None();
  Value constraint = Value::None(), partitioner = Value::None(), reuse = Value::None(),
        dtype = Value::None();
  bool name_scope = true;
};
class VariableScopeBlock {
 public:
  VariableScopeBlock(GraphObject& g, const VariableScopeSpec& spec);
  ~VariableScopeBlock();
  VariableScopeBlock(const VariableScopeBlock&) = delete;

 private:
  GraphObject& g_;
  std::string old_scope_, closes_;
  Value old_;
  std::unordered_map<std::string, int> old_counts_;
  bool restore_counts_ = false;
};

// An initializer: a callable with the parameters (shape, dtype). `kind` selects the distribution,
// and `a` and `b` are its parameters.
class InitializerObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  enum class Kind : uint8_t {
    kZeros,
    kOnes,
    kConstant,
    kNormal,
    kTruncated,
    kUniform,
    kScaling,
    kOrthogonal,
    kIdentity
  };
  explicit InitializerObject(Kind kind) : TrackedObject(kType), kind(kind) {}
  void DropRefs() override { value = Value(); }
  Out Make(GraphObject& g, const std::vector<int64_t>& dims, int wanted_dtype);

  Kind kind;
  Value a = Value::None(), b = Value::None();  // mean and standard deviation, or bounds
  Value value = Value::None();                 // for kConstant
  Value seed = Value::None();
  int dtype = TSH_FLOAT;
  double scale = 1;  // for kScaling
  std::string mode = "fan_in", distribution = "truncated_normal";
};

}  // namespace tensh::shell::tf
