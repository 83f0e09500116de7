// tf.Variable, with the nodes of the two kinds of variables in TF 1.x: reference variables
// (VariableV2, its Assign and its read) and resource variables (VarHandleOp, AssignVariableOp,
// ReadVariableOp).
//
// A VariableObject owns its graph object, and the graph's collections own variables. Threads: the
// interpreter's thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shell/tensorflow/graph/graph.h"

namespace tensh::shell::tf {

class VariableObject : public OpenObject {
 public:
  static const TypeInfo kType, kResourceType;
  explicit VariableObject(GraphObject& graph, bool is_resource = false)
      : OpenObject(is_resource ? kResourceType : kType),
        graph_(&graph),
        is_resource_(is_resource) {}
  void DropRefs() override {
    OpenObject::DropRefs();
    constraint = Value::None();
  }
  void Visit(HeldVisitor& visit) const override {
    OpenObject::Visit(visit), visit(graph_), visit(constraint);
  }

  GraphObject& graph() const { return *graph_; }
  bool is_resource() const { return is_resource_; }
  // The reference output or the handle. These functions throw if the nodes were rolled back.
  Out Reference() const;
  Out Snapshot() const;  // the read node that was created with it
  Out Element() const;   // the output for a fetch or a name
  Out Read() const;      // its value for a new node; for a resource, a new read
  ShapeInfo Shape() const;
  Node Initializer() const;
  // replaces the operation that assigns the initial value
  void SetInitializer(Node op) { initializer_ = op; }
  Out InitialValue() const;
  int DType() const;         // a reference type, except for resources
  std::string Name() const;  // "W:0"
  std::string OpName() const;
  bool IsLive() const;
  // The output that a Saver saves, and the node that assigns a restored value.
  Out SaveTensor() const;
  Node AddRestore(Out value, bool validate_shape) const;

  bool trainable = true;
  std::string save_name;
  Value constraint = Value::None();  // a function that is applied to the value after each update

 private:
  friend class VariableMaker;
  friend Value VariableOf(GraphObject& g, const struct VariableParts& parts);
  void Check() const;

  Ref<GraphObject> graph_;
  const bool is_resource_;
  Out reference_ = kNoOut, snapshot_ = kNoOut, initial_value_ = kNoOut;
  Node initializer_ = TSH_NO_NODE;
  uint32_t generation_ = 0;
};

// The arguments for a new variable. The initial value is `initial`, or is created by `make_initial`
// in the scope NAME/Initializer, as for an initializer of get_variable or a callable.
struct VariableSpec {
  Value initial = Value::None();
  std::function<Out()> make_initial;
  std::string name;  // "" means "Variable"
  int dtype = 0;
  bool trainable = true;
  bool validate_shape = true;
  bool local = false;  // LOCAL_VARIABLES instead of GLOBAL_VARIABLES
  bool use_resource = false;
  std::optional<std::vector<std::string>> collections;  // instead of the default ones
  Value constraint = Value::None();
};
Ref<VariableObject> MakeVariable(GraphObject& g, const VariableSpec& spec);

// A variable whose nodes already exist, for example in an imported graph.
struct VariableParts {
  Out reference = kNoOut, snapshot = kNoOut, initial_value = kNoOut;
  Node initializer = TSH_NO_NODE;
  bool is_resource = false, trainable = true;
};
Value VariableOf(GraphObject& g, const VariableParts& parts);
// constraint=: a function, or None.
Value CheckedConstraint(const Value& v);
// True if tf.Variable creates resource variables by default (tf.enable_resource_variables).
bool& ResourceByDefault();
// Adds an update of a resource (AssignVariableOp, AssignAddVariableOp …). Returns the value after
// it, or the operation.
Value UpdateResource(VariableObject& var, const char* op, const Value& value, std::string_view name,
                     bool read_value);

// tf.get_variable under the current variable scope.
struct GetVariableSpec {
  std::string name;
  Value shape = Value::None();
  int dtype = 0;
  Value initializer = Value::None();
  Value trainable = Value::None();
  bool local = false;
  bool use_resource = false;
  std::optional<std::vector<std::string>> collections;
  Value constraint = Value::None();
};
Value GetVariable(GraphObject& g, const GetVariableSpec& spec);
// Returns the variable of the current variable scope that has this full name, or null if it is to be
// created. Throws ValueError if the scope does not allow that, like GetVariable.
Value FindShared(GraphObject& g, const std::string& full_name, const GetVariableSpec& wanted);

std::vector<Value> VariablesOf(GraphObject& g, const char* collection);
// Returns the Variable that `v` is, or whose reference or read it is; otherwise returns null.
VariableObject* FindVariable(const Value& v);

}  // namespace tensh::shell::tf
