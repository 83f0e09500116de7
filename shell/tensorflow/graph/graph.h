// The client's side of a graph: tf.Graph with the state that TensorFlow's Python layer keeps
// besides the nodes (name scopes, devices, control dependencies, colocation, collections, seed),
// and the classes tf.Tensor and tf.Operation.
//
// A GraphObject owns one reference to the runtime's graph. Tensors and operations own the graph
// object, which only remembers them, so that a node is always represented by the same Python
// object. Only the interpreter's thread may use these objects. Invariants:
//   1. `scope` is "" or ends with "/". The stacks are changed only by RAII objects or `with`,
//      innermost last.
//   2. A Tensor whose node was rolled back by a failed command is stale. CheckLive reports this
//      before use.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shell/client/client.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/type.h"
#include "shell/python/values/value.h"
#include "shell/tensorflow/graph/device_spec.h"

namespace tensh::shell::tf {

using Out = tsh_output;
using Node = tsh_node;
constexpr Out kNoOut{TSH_NO_NODE, 0};
inline bool Exists(Out o) { return o.node != TSH_NO_NODE; }

class FlowContext;
class GraphObject;

// An object to which scripts may add attributes, although few do.
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

// `with tf.control_dependencies(...)`: new nodes wait for `nodes`, unless one of their inputs was
// created inside the block and therefore already waits.
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

  Value Tensor(Out out);       // the unique object of this output
  Value Operation(Node node);  // the unique object of this node
  // including the current scope
  std::string UniqueName(std::string_view name, bool mark_as_used = true) const;

  // Adds one node. If `name` ends with "/" or is marked as exact, it is used unchanged. Otherwise
  // it is prefixed with the scope and made unique. The device, control and colocation stacks apply.
  Node Add(const char* op, std::string_view name, std::span<const Out> inputs, const Attrs& attrs);

  // Throws if the node was created by a command that was rolled back.
  void CheckLive(Node node, uint32_t generation, const char* what) const;
  bool Live(Node node, uint32_t generation) const;

  std::vector<Value>& Collection(std::string_view name) { return CollectionList(name).items; }
  // Returns the list itself, as tf.get_collection_ref does, and creates it if necessary.
  ListObject& CollectionList(std::string_view name);
  // Returns true if a tensor or an operation made of a node from `first` on exists.
  bool Holds(Node first) const;
  // Removes rolled-back values from collections and stores. Cheap if there was no rollback.
  void Sync();

  // Returns the device that a node requests, as `.device` shows it.
  std::string DeviceText(Node node) const;
  void RebuildDevice();  // after a change of the device stack

  std::string scope;
  std::vector<DeviceFrame> devices;
  std::vector<ControlFrame> controls;
  std::vector<std::vector<std::string>> colocations;  // names of operations; empty clears the stack
  std::string colocation_attr;                        // for initializers of variables: "v"
  std::optional<int64_t> seed;
  std::vector<std::pair<std::string, Ref<ListObject>>> collections;  // in order of creation
  std::map<std::string, Value, std::less<>> variable_store;          // for get_variable
  std::unordered_map<std::string, int> variable_scope_counts;
  Value variable_scope;  // the current tf.VariableScope; null is the root
  bool finalized = false;
  bool hidden = false;  // a graph of the library, which the shell does not show
  std::unordered_map<Node, std::string> device_texts;  // results of device functions, as returned
  // The contexts of tf.cond and tf.while_loop; see control_flow.h.
  std::shared_ptr<FlowContext> flow;  // the current context, or null
  std::unordered_map<Node, std::shared_ptr<FlowContext>> flow_of;
  std::unordered_set<Node> not_fetchable, not_feedable, constant_enters;
  // the owning pointer of a context
  std::shared_ptr<FlowContext> FlowOf(FlowContext* context) const;

  // Returns all nodes in the order of TensorFlow, which creates a node in a loop or cond before the nodes that
  // capture its inputs.
  std::vector<Node> InOrderOfCreation() const;
  bool has_captures() const { return !captures_.empty(); }

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
  std::map<Node, Node> captures_;  // A node, and the first of those that capture its inputs.
};

// Like ops.name_scope(name, default_name). "" resets to the root; a trailing "/" re-enters a scope.
class NameScope {
 public:
  NameScope(GraphObject& graph, std::string_view name);
  ~NameScope() { graph_.scope = std::move(old_); }
  NameScope(const NameScope&) = delete;
  const std::string& path() const {
    return graph_.scope;
  }  // "outer/add/", a valid value for the name= of an op

 private:
  GraphObject& graph_;
  std::string old_;
};

// Enters a name scope without RAII. Returns the new value of graph.scope.
std::string EnterScope(const GraphObject& graph, std::string_view name);

// Like ops.control_dependencies(nodes) and (None).
class ControlScope {
 public:
  ControlScope(GraphObject& graph, std::vector<Node> nodes);
  explicit ControlScope(GraphObject& graph);  // clears the stack
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

// The graph to which new nodes are added.
GraphObject& DefaultGraph();
void PushGraph(const Ref<GraphObject>& graph);
void PopGraph();
void ResetDefaultGraph();  // tf.reset_default_graph
void ForgetGraphs();       // for a new interpreter; forgets the graphs of an earlier one
std::vector<GraphObject*> LiveGraphs();

}  // namespace tensh::shell::tf
