// The client's side of a graph: tf.Graph with what TensorFlow's Python layer keeps beside the nodes
// (name scopes, devices, control dependencies, colocation, collections, seed), and the values that
// name parts of it: tf.Tensor and tf.Operation.
//
// Ownership: a GraphObject owns one reference to the runtime's graph. Tensors and operations own
// the graph object; it only remembers them, so that one node always gives one Python object.
// Threads: the interpreter's only. Invariants:
//   1. `scope` is "" or ends with "/"; the stacks are changed by RAII or `with` only, innermost
//   last.
//   2. A Tensor whose node was rolled back (a failed command) is stale: CheckLive says so before
//   use.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shell/client.h"
#include "shell/tf/device_spec.h"
#include "shell/values/containers.h"
#include "shell/values/type.h"
#include "shell/values/value.h"

namespace tensh::shell::tf {

using Out = tsh_output;
using Node = tsh_node;
constexpr Out kNoOut{TSH_NO_NODE, 0};
inline bool Exists(Out o) { return o.node != TSH_NO_NODE; }

class FlowContext;
class GraphObject;

// What a script may give attributes of its own, which few scripts do.
class OpenObject : public TrackedObject {
 public:
  using TrackedObject::TrackedObject;
  void DropRefs() override { attrs_.reset(); }
  void Visit(HeldVisitor& visit) const override {
    if (attrs_) visit(*attrs_);
  }
  Dict* attrs() override { return attrs_.get(); }
  static bool SetAttribute(const Value& self, StrObject* name, const Value& value);

 private:
  std::unique_ptr<Dict> attrs_;
};

class TensorObject : public OpenObject {
 public:
  static const TypeInfo kType;
  TensorObject(GraphObject& graph, Out out);
  ~TensorObject() override;
  void Visit(HeldVisitor& visit) const override { OpenObject::Visit(visit), visit(graph_); }
  GraphObject& graph() const { return *graph_; }
  Out out() const { return out_; }
  uint32_t generation() const { return generation_; }
  std::string Name() const;  // "add:0"
  int DType() const;

 private:
  Ref<GraphObject> graph_;
  Out out_;
  uint32_t generation_;
};

class OperationObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  OperationObject(GraphObject& graph, Node node);
  ~OperationObject() override;
  void Visit(HeldVisitor& visit) const override { visit(graph_); }
  GraphObject& graph() const { return *graph_; }
  Node node() const { return node_; }
  uint32_t generation() const { return generation_; }
  std::string Name() const;

 private:
  Ref<GraphObject> graph_;
  Node node_;
  uint32_t generation_;
};

// `with tf.control_dependencies(...)`: new nodes wait for `nodes`, unless an input of theirs was
// made inside and so waits already.
struct ControlFrame {
  std::vector<Node> nodes;
  std::unordered_set<Node> seen;
  bool clear = false;  // control_dependencies(None)
};

struct DeviceFrame {
  DeviceSpec spec;
  bool clear = false;  // device(None)
  Value function;      // device(callable), or null
};

class GraphObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit GraphObject(GraphHandle handle);
  ~GraphObject() override;
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override;

  const GraphHandle& handle() const { return handle_; }
  tsh_graph* raw() const { return handle_.get(); }

  Value Tensor(Out out);       // the one object of this output
  Value Operation(Node node);  // the one object of this node
  std::string UniqueName(std::string_view name, bool mark_as_used = true) const;  // scope added

  // Adds one node. `name` is exact (no scope is added) when it ends with "/" or `exact`, else made
  // unique in the scope. Applies the device, control and colocation stacks.
  Node Add(const char* op, std::string_view name, std::span<const Out> inputs, const Attrs& attrs);

  // Fails when a command that was undone made it.
  void CheckLive(Node node, uint32_t generation, const char* what) const;
  bool Live(Node node, uint32_t generation) const;

  std::vector<Value>& Collection(std::string_view name) { return CollectionList(name).items; }
  // The list itself, made when missing: what tf.get_collection_ref answers.
  ListObject& CollectionList(std::string_view name);
  // Drops what a rolled-back command left in collections and stores; cheap when there was none.
  void Sync();

  // What a node asks for, as `.device` shows it.
  std::string DeviceText(Node node) const;
  void RebuildDevice();  // after the stack of devices changed

  std::string scope;
  std::vector<DeviceFrame> devices;
  std::vector<ControlFrame> controls;
  std::vector<std::vector<std::string>> colocations;  // names of operations; empty: cleared
  std::string colocation_attr;                        // for variables' initializers: "v"
  std::optional<int64_t> seed;
  std::vector<std::pair<std::string, Ref<ListObject>>> collections;  // in order of making
  std::map<std::string, Value, std::less<>> variable_store;          // get_variable's
  std::unordered_map<std::string, int> variable_scope_counts;
  Value variable_scope;  // the tf.VariableScope in effect; null: the root
  bool finalized = false;
  std::unordered_map<Node, std::string> device_texts;  // answers of device functions, as given
  // tf.cond and tf.while_loop: see control_flow.h.
  std::shared_ptr<FlowContext> flow;  // in effect; null: none
  std::unordered_map<Node, std::shared_ptr<FlowContext>> flow_of;
  std::unordered_set<Node> not_fetchable, not_feedable, constant_enters;
  std::shared_ptr<FlowContext> FlowOf(FlowContext* context) const;  // the owner of a context

 private:
  friend class TensorObject;
  friend class OperationObject;
  void Forget(TensorObject* t);
  Node AddColocated(tsh_node_spec spec, const Attrs& attrs);
  Node Append(const tsh_node_spec& spec);
  std::vector<Node> ControlInputs(std::span<const Out> inputs) const;

  GraphHandle handle_;
  std::string device_;
  bool has_device_functions_ = false;
  uint32_t synced_generation_ = 0;
  std::vector<TensorObject*> first_outputs_;  // by node; not owned
  std::unordered_map<uint64_t, TensorObject*> other_outputs_;
  std::unordered_map<Node, OperationObject*> operations_;
};

// RAII for ops.name_scope(name, default_name): "" resets to the root, a trailing "/" re-enters.
class NameScope {
 public:
  NameScope(GraphObject& graph, std::string_view name);
  ~NameScope() { graph_.scope = std::move(old_); }
  NameScope(const NameScope&) = delete;
  const std::string& path() const {
    return graph_.scope;
  }  // "outer/add/", what an op's name= takes

 private:
  GraphObject& graph_;
  std::string old_;
};

// Enters a name scope without RAII; returns the new value of graph.scope.
std::string EnterScope(const GraphObject& graph, std::string_view name);

// RAII for ops.control_dependencies(nodes) and (None).
class ControlScope {
 public:
  ControlScope(GraphObject& graph, std::vector<Node> nodes);
  explicit ControlScope(GraphObject& graph);  // clears
  ~ControlScope();
  ControlScope(const ControlScope&) = delete;

 private:
  GraphObject& graph_;
  std::vector<ControlFrame> saved_;
  bool cleared_;
};

class ColocateScope {
 public:
  ColocateScope(GraphObject& graph, Node with);
  ~ColocateScope();
  ColocateScope(const ColocateScope&) = delete;

 private:
  GraphObject& graph_;
  std::vector<DeviceFrame> devices_;
};

// The graph that new nodes go to.
GraphObject& DefaultGraph();
void PushGraph(const Ref<GraphObject>& graph);
void PopGraph();
void ResetDefaultGraph();  // tf.reset_default_graph
void ForgetGraphs();       // when an interpreter starts: nothing of an earlier one is left
std::vector<GraphObject*> LiveGraphs();

}  // namespace tensh::shell::tf
