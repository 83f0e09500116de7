// tf.Variable: the reference kind of TF 1.x (VariableV2, its Assign and its read) and the resource
// kind (VarHandleOp, AssignVariableOp, ReadVariableOp), and the object that names their nodes.
//
// A VariableObject owns its graph object; the graph's collections own variables. Threads: the
// interpreter's only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shell/tf/graph.h"

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
  Out Reference() const;  // the ref output, or the handle; all check that the nodes are still there
  Out Snapshot() const;   // the read made with it
  Out Element() const;    // what a fetch or a name of it means
  Out Read() const;       // its value for a new node: of a resource, a new read
  ShapeInfo Shape() const;
  Node Initializer() const;
  void SetInitializer(Node op) { initializer_ = op; }  // what gives the first value from now on
  Out InitialValue() const;
  int DType() const;         // a reference type, unless it is a resource
  std::string Name() const;  // "W:0"
  std::string OpName() const;
  bool IsLive() const;
  // What a Saver saves, and the node that gives the variable a restored value.
  Out SaveTensor() const;
  Node AddRestore(Out value, bool validate_shape) const;

  bool trainable = true;
  std::string save_name;
  Value constraint = Value::None();  // a function of the value, applied after each update

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

// What a variable is made of. `initial` is a value, or `make_initial` makes it (in the scope
// NAME/Initializer), as an initializer of get_variable or a callable does.
struct VariableSpec {
  Value initial = Value::None();
  std::function<Out()> make_initial;
  std::string name;  // "": Variable
  int dtype = 0;
  bool trainable = true;
  bool validate_shape = true;
  bool local = false;  // LOCAL_VARIABLES, not GLOBAL_
  bool use_resource = false;
  std::optional<std::vector<std::string>> collections;  // instead of the usual ones
  Value constraint = Value::None();
};
Ref<VariableObject> MakeVariable(GraphObject& g, const VariableSpec& spec);

// A variable whose nodes are there already (an imported graph's).
struct VariableParts {
  Out reference = kNoOut, snapshot = kNoOut, initial_value = kNoOut;
  Node initializer = TSH_NO_NODE;
  bool is_resource = false, trainable = true;
};
Value VariableOf(GraphObject& g, const VariableParts& parts);
// constraint=: a function, or None.
Value CheckedConstraint(const Value& v);
// Whether tf.Variable makes resources where it is not said (tf.enable_resource_variables).
bool& ResourceByDefault();
// Runs an update of a resource (AssignVariableOp, AssignAddVariableOp …) and gives the value after
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

std::vector<Value> VariablesOf(GraphObject& g, const char* collection);
// A Variable, or the Variable whose reference or read `v` is; null otherwise.
VariableObject* FindVariable(const Value& v);

}  // namespace tensh::shell::tf
