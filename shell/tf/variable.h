// tf.Variable (the reference kind of TF 1.x): VariableV2, its Assign and its read, and the object
// that names them.
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

class VariableObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit VariableObject(GraphObject& graph) : TrackedObject(kType), graph_(&graph) {}
  void DropRefs() override {}
  void Visit(HeldVisitor& visit) const override { visit(graph_); }

  GraphObject& graph() const { return *graph_; }
  Out Reference() const;  // the ref output; both check that the nodes are still there
  Out Snapshot() const;   // the read
  Node Initializer() const;
  Out InitialValue() const;
  int DType() const;         // a reference type
  std::string Name() const;  // "W:0"
  std::string OpName() const;
  bool IsLive() const;

  bool trainable = true;
  std::string save_name;

 private:
  friend class VariableMaker;
  void Check() const;

  Ref<GraphObject> graph_;
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
  bool local = false;                                   // LOCAL_VARIABLES, not GLOBAL_
  std::optional<std::vector<std::string>> collections;  // instead of the usual ones
};
Ref<VariableObject> MakeVariable(GraphObject& g, const VariableSpec& spec);

// tf.get_variable under the current variable scope.
struct GetVariableSpec {
  std::string name;
  Value shape = Value::None();
  int dtype = 0;
  Value initializer = Value::None();
  Value trainable = Value::None();
  bool local = false;
  std::optional<std::vector<std::string>> collections;
};
Value GetVariable(GraphObject& g, const GetVariableSpec& spec);

std::vector<Value> VariablesOf(GraphObject& g, const char* collection);
// A Variable, or the Variable whose reference or read `v` is; null otherwise.
VariableObject* FindVariable(const Value& v);

}  // namespace tensh::shell::tf
