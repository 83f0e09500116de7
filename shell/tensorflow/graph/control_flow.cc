#include "shell/tensorflow/graph/control_flow.h"

#include <algorithm>

#include "shell/python/values/error.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/op_call.h"

namespace tensh::shell::tf {
namespace {

bool IsOp(GraphObject& g, Node node, std::string_view plain, std::string_view ref = {}) {
  const std::string_view op = g.handle().NodeOp(node);
  return op == plain || (!ref.empty() && op == ref);
}

bool IsConstantEnter(GraphObject& g, Node node) {
  return IsOp(g, node, "Enter", "RefEnter") && g.constant_enters.count(node) != 0;
}

FlowContext* ContextOf(GraphObject& g, Node node) {
  auto it = g.flow_of.find(node);
  return it == g.flow_of.end() ? nullptr : it->second.get();
}

// Returns the context of a node's outputs. The outputs of an Exit are outside of its loop.
FlowContext* OutputContextOf(GraphObject& g, Node node) {
  FlowContext* context = ContextOf(g, node);
  return context && IsOp(g, node, "Exit", "RefExit") ? context->outer.get() : context;
}

bool IsWithin(const FlowContext* context, const FlowContext* ancestor) {
  for (; context; context = context->outer.get()) {
    if (context == ancestor) return true;
  }
  return false;
}

}  // namespace

FlowContext::FlowContext(GraphObject& graph, bool is_while)
    : graph(graph), outer(graph.flow), is_while(is_while) {}

FlowContext* FlowContext::While() {
  FlowContext* context = this;
  while (context && !context->is_while) context = context->outer.get();
  return context;
}

Out FlowContext::Pivot() const {
  if (!is_while) return pivot;
  return Exists(pivot_for_body) ? pivot_for_body : pivot_for_pred;
}

void FlowContext::SetValues(std::span<const Out> values) {
  values_.clear();
  for (Out v : values) AddName(v);
}

Out FlowContext::AddValue(Out v) {
  if (values_.count(Key(v)) == 0 && ContextOf(graph, v.node) != this) return Capture(v);
  auto it = external_.find(Key(v));
  return it == external_.end() ? v : it->second;
}

// Collects the control inputs from outside of the loop, and inside of the loop that encloses it.
std::vector<Node> FlowContext::OuterWaits(Out input) const {
  std::vector<Node> waits;
  for (const ControlFrame& frame : graph.controls) {
    if (frame.seen.count(input.node) != 0) continue;
    for (Node n : frame.nodes)
      if (n != input.node && std::find(waits.begin(), waits.end(), n) == waits.end())
        waits.push_back(n);
  }
  const FlowContext* loop = outer ? outer->While() : nullptr;
  std::erase_if(waits, [&](Node n) {
    const FlowContext* context = outer.get();
    for (const FlowContext* of = OutputContextOf(graph, n); context != of;
         context = context->outer.get())
      if (context == nullptr || context == loop) return true;
    return false;
  });
  return waits;
}

void SeenByWaits(GraphObject& graph, Node node) {
  for (ControlFrame& frame : graph.controls) frame.seen.insert(node);
}

// Nodes without a context are created without the current control inputs.
Out FlowContext::Capture(Out v) {
  values_.insert(Key(v));
  Out result = outer ? outer->AddValue(v) : v;
  if (!is_while && outer) {
    values_.insert(Key(result));
    external_[Key(result)] = result;
  }
  if (is_while) {
    const std::vector<Node> waits = OuterWaits(result);
    {
      ControlScope none(graph);
      ControlScope with(graph, waits);
      FlowScope outside(graph, nullptr);
      result = Enter(graph, result, *this, true, true);
    }
    SeenByWaits(graph, result.node);
    graph.constant_enters.insert(result.node);
    graph.not_feedable.insert(result.node);
    values_.insert(Key(result));
  } else {
    result = SwitchOutput(result);
    for (FlowContext* context = this; context; context = context->outer.get())
      context->values_.insert(Key(result));
  }
  graph.flow_of[result.node] = graph.FlowOf(this);
  external_[Key(v)] = result;
  return result;
}

Out FlowContext::SwitchOutput(Out v) {
  ControlScope none(graph);
  FlowScope outside(graph, nullptr);
  const Switched both = SwitchColocated(graph, v, pred);
  graph.not_fetchable.insert(both.no.node);
  return branch ? both.yes : both.no;
}

Out FlowContext::BranchOutput(Out v) {
  if (values_.count(Key(v))) return AddValue(v);
  values_.insert(Key(v));
  Out result = v;
  if (outer) {
    result = outer->AddValue(v);
    values_.insert(Key(result));
    external_[Key(result)] = result;
  }
  const Switched both = SwitchColocated(graph, result, pred);
  result = branch ? both.yes : both.no;
  external_[Key(v)] = result;
  return result;
}

// Keeps the control inputs that are in the same loop, and returns the others.
std::vector<Node> FlowContext::TakeExternal(std::vector<Node>* waits) {
  FlowContext* loop = While();
  std::vector<Node> external;
  if (!loop) return external;
  std::erase_if(*waits, [&](Node n) {
    FlowContext* context = OutputContextOf(graph, n);
    if (context && context->While() == loop) return false;
    external.push_back(n);
    return true;
  });
  return external;
}

void FlowContext::BeforeNode(const char* op, std::vector<Out>* inputs, std::vector<Node>* waits) {
  for (Out& in : *inputs) {
    const bool comes_round = std::string_view(op) == "Merge" &&
                             IsOp(graph, in.node, "NextIteration", "RefNextIteration");
    if (!comes_round) in = AddValue(in);
  }
  std::vector<Node> external = TakeExternal(waits);
  bool needs_pivot = false;
  if (inputs->empty()) {
    needs_pivot =
        is_while ? waits->empty() : std::none_of(waits->begin(), waits->end(), [&](Node n) {
          return IsWithin(ContextOf(graph, n), this);
        });
  } else if (is_while && waits->empty()) {
    needs_pivot = std::all_of(inputs->begin(), inputs->end(),
                              [&](Out in) { return IsConstantEnter(graph, in.node); });
  }
  if (needs_pivot) waits->push_back(Pivot().node);
  if (!is_while) return;
  // A control input from outside enters the loop as a value.
  for (Node n : external) {
    if (graph.handle().NumOutputs(n) == 0) continue;
    ControlScope none(graph);
    FlowScope inside(graph, graph.FlowOf(this));
    waits->push_back(Op(graph, "Identity", {Out{n, 0}}).node);
  }
}

void FlowContext::AfterNode(Node node) {
  const size_t outputs = graph.handle().NumOutputs(node);
  for (uint32_t i = 0; i < outputs; ++i) {
    for (FlowContext* context = this; context; context = context->outer.get()) {
      context->AddName({node, i});
      if (is_while) break;
    }
  }
  graph.flow_of[node] = graph.FlowOf(this);
  if (outer || !IsOp(graph, node, "Exit", "RefExit")) {
    graph.not_fetchable.insert(node);
    if (is_while) graph.not_feedable.insert(node);
  }
}

FlowScope::FlowScope(GraphObject& graph, std::shared_ptr<FlowContext> context)
    : graph_(graph), saved_(std::move(graph.flow)) {
  graph.flow = std::move(context);
}

void NoteNodes(GraphObject& g, Node first) {
  if (!g.flow) return;
  const size_t size = g.handle().size();
  for (Node n = first; n < size; ++n) g.flow->AfterNode(n);
}

// ---- nodes ----

namespace {

bool IsReference(GraphObject& g, Out v) { return IsRef(g.handle().DType(v)); }

}  // namespace

Switched Switch(GraphObject& g, Out data, Out pred, std::string_view name) {
  const Node node = Op(g, "Switch", {data, pred}, name).node;
  return {{node, 0}, {node, 1}};
}

Switched SwitchColocated(GraphObject& g, Out data, Out pred, std::string_view name) {
  ColocateScope with(g, data.node);
  const Node node = Op(g, IsReference(g, data) ? "RefSwitch" : "Switch", {data, pred},
                       name.empty() ? "Switch" : name)
                        .node;
  return {{node, 0}, {node, 1}};
}

Out Merge(GraphObject& g, std::span<const Out> inputs, std::string_view name) {
  const bool refs =
      std::all_of(inputs.begin(), inputs.end(), [&](Out in) { return IsReference(g, in); });
  OpCall call(g, refs ? "RefMerge" : "Merge", name.empty() ? "Merge" : name);
  return call.InList(inputs).Add();
}

Out Enter(GraphObject& g, Out data, const FlowContext& loop, bool constant, bool keep_shape,
          std::string_view name) {
  OpCall call(g, IsReference(g, data) ? "RefEnter" : "Enter", name);
  call.In(data);
  call.attrs()
      .String("frame_name", loop.frame)
      .Bool("is_constant", constant)
      .Int("parallel_iterations", loop.parallel_iterations);
  const Out made = call.Add();
  if (keep_shape) {
    g.handle().NarrowShape(made, g.handle().Shape(data));
  }
  return made;
}

Out Unary(GraphObject& g, const char* plain, const char* ref, Out v, std::string_view name) {
  return Op(g, IsReference(g, v) ? ref : plain, {v}, name);
}

void SetBackEdge(GraphObject& g, Out merge, Out next) {
  tsh_status* status = ScratchStatus();
  if (!tsh_graph_set_input(g.raw(), merge.node, 1, next, status)) ThrowStatus(status);
}

}  // namespace tensh::shell::tf
