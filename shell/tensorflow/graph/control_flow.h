// The contexts of TensorFlow 1.x control flow, which apply to the nodes that are created in the
// functions of tf.cond and tf.while_loop. A value from outside reaches a branch through a Switch,
// and a loop through an Enter. A node without inputs waits for the pivot of its context, so that it
// runs only if the branch is taken or the loop runs.
//
// A graph owns its current context, and remembers the context of each node. Only the interpreter's
// thread may use contexts. FlowScope enters a context for the lifetime of a C++ scope.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shell/tensorflow/graph/graph.h"

namespace tensh::shell::tf {

class FlowContext : public std::enable_shared_from_this<FlowContext> {
 public:
  FlowContext(GraphObject& graph, bool is_while);

  // Returns the value that represents `v` inside the context, and creates it on first use.
  Out AddValue(Out v);
  // Call before a node is created inside. Replaces the node's inputs and control inputs by those
  // inside the context.
  void BeforeNode(const char* op, std::vector<Out>* inputs, std::vector<Node>* waits);
  void AfterNode(Node node);
  // Marks values that were created elsewhere as known inside.
  void AddName(Out v) { values_.insert(Key(v)); }
  void SetValues(std::span<const Out> values);
  // Returns the output of a branch for `v`, which is a value from inside or outside.
  Out BranchOutput(Out v);
  // Returns those of the current control inputs that an Enter of `input` into this loop keeps.
  std::vector<Node> OuterWaits(Out input) const;
  FlowContext* While();  // the innermost enclosing loop, including this one, or null
  Out Pivot() const;

  GraphObject& graph;
  std::shared_ptr<FlowContext> outer;
  const bool is_while;
  // A branch runs if `pred` equals `branch`.
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

// Marks the node as created under the current control inputs. Nodes that use it then need not wait
// for these inputs again.
void SeenByWaits(GraphObject& graph, Node node);

// Makes `context` the current one; null means none.
class FlowScope {
 public:
  FlowScope(GraphObject& graph, std::shared_ptr<FlowContext> context);
  ~FlowScope() { graph_.flow = std::move(saved_); }
  FlowScope(const FlowScope&) = delete;

 private:
  GraphObject& graph_;
  std::shared_ptr<FlowContext> saved_;
};

// Nodes as TensorFlow's Python creates them. References are passed on unchanged.
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

// tf.cond and tf.while_loop with C++ functions as branches and bodies.
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
// tf.Assert: a branch that fails if the condition is false. `data` is a list.
Node AssertNode(GraphObject& g, const Value& condition, const Value& data, const Value& summarize,
                const Value& name);
// Applies the current context to nodes that tf.gradients created without GraphObject::Add.
void NoteNodes(GraphObject& g, Node first);

}  // namespace tensh::shell::tf
