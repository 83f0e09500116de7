// The contexts of TensorFlow 1.x control flow: what tf.cond and tf.while_loop do to the nodes that
// are made in their functions. A value from outside reaches a branch through a Switch and a loop
// through an Enter; nodes without inputs wait for the context's pivot, so that they run only where
// they are.
//
// Ownership: a graph owns the context in effect and remembers the context of each node made in one.
// Threads: the interpreter's only. FlowScope enters a context for the life of a C++ scope.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shell/tf/graph.h"

namespace tensh::shell::tf {

class FlowContext : public std::enable_shared_from_this<FlowContext> {
 public:
  FlowContext(GraphObject& graph, bool is_while);

  // What stands for `v` inside, made when it is first asked for.
  Out AddValue(Out v);
  // Before a node is made inside: its inputs become known inside, its control inputs those of
  // inside.
  void BeforeNode(const char* op, std::vector<Out>* inputs, std::vector<Node>* waits);
  void AfterNode(Node node);
  // Values made elsewhere that count as known inside.
  void AddName(Out v) { values_.insert(Key(v)); }
  void SetValues(std::span<const Out> values);
  // What a branch gives for `v`, a value of it or of outside.
  Out BranchOutput(Out v);
  // Of the control inputs in effect, those that an Enter of `input` into this loop keeps.
  std::vector<Node> OuterWaits(Out input) const;
  FlowContext* While();  // the innermost loop around, itself included; null: none
  Out Pivot() const;

  GraphObject& graph;
  std::shared_ptr<FlowContext> outer;
  const bool is_while;
  // A branch: runs when pred is `branch`.
  Out pred = kNoOut, pivot = kNoOut;
  bool branch = false;
  // A loop.
  std::string frame;
  int64_t parallel_iterations = 10;
  bool back_prop = true;
  Out pivot_for_pred = kNoOut, pivot_for_body = kNoOut, cond = kNoOut;

 private:
  static uint64_t Key(Out o) { return (static_cast<uint64_t>(o.node) << 32) | o.index; }
  Out Capture(Out v);
  Out SwitchOutput(Out v);
  std::vector<Node> TakeExternal(std::vector<Node>* waits);

  std::unordered_set<uint64_t> values_;
  std::unordered_map<uint64_t, Out> external_;
};

// What takes the node need not wait again for what it waits for: it counts as made under the
// control inputs in effect.
void SeenByWaits(GraphObject& graph, Node node);

// Makes `context` (null: none) the one in effect.
class FlowScope {
 public:
  FlowScope(GraphObject& graph, std::shared_ptr<FlowContext> context);
  ~FlowScope() { graph_.flow = std::move(saved_); }
  FlowScope(const FlowScope&) = delete;

 private:
  GraphObject& graph_;
  std::shared_ptr<FlowContext> saved_;
};

// Nodes as TensorFlow's Python makes them; each takes a reference as it is.
struct Switched {
  Out no = kNoOut, yes = kNoOut;
};
Switched Switch(GraphObject& g, Out data, Out pred, std::string_view name = {});
Switched SwitchColocated(GraphObject& g, Out data, Out pred, std::string_view name = {});
Out Merge(GraphObject& g, std::span<const Out> inputs, std::string_view name = {});
Out Enter(GraphObject& g, Out data, const FlowContext& loop, bool constant, bool keep_shape,
          std::string_view name = {});
Out Unary(GraphObject& g, const char* plain, const char* ref, Out v, std::string_view name = {});
void SetBackEdge(GraphObject& g, Out merge, Out next);

// tf.cond and tf.while_loop over functions of this side.
using MakeValue = std::function<Value()>;
using LoopFn = std::function<Value(std::span<const Value>)>;
Value Cond(GraphObject& g, const Value& pred, const MakeValue& true_fn, const MakeValue& false_fn,
           bool strict, const Value& name);
struct WhileOptions {
  Value shape_invariants = Value::None(), name = Value::None(), maximum_iterations = Value::None();
  int64_t parallel_iterations = 10;
  bool return_same_structure = false, back_prop = true;
};
Value WhileLoop(GraphObject& g, const LoopFn& cond, const LoopFn& body, const Value& loop_vars,
                const WhileOptions& options);
// tf.Assert: a branch that fails when the condition does not hold. Data is a list.
Node AssertNode(GraphObject& g, const Value& condition, const Value& data, const Value& summarize,
                const Value& name);
// What a node made without GraphObject::Add, by tf.gradients, is to the context in effect.
void NoteNodes(GraphObject& g, Node first);

}  // namespace tensh::shell::tf
