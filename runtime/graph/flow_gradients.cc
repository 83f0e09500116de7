#include "runtime/graph/flow_gradients.h"

#include <algorithm>

namespace tensh {

FlowGradients::FlowGradients(Graph& graph, const GradientRequest& request)
    : g_(graph), r_(request) {}

bool FlowGradients::Is(NodeId node, OpRole role) const { return g_.op(node).role == role; }

bool FlowGradients::Needed(const Graph& graph, const std::set<uint32_t>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [&](uint32_t n) {
    const OpRole role = graph.op(NodeId{n}).role;
    return role == OpRole::kSwitch || role == OpRole::kMerge || role == OpRole::kEnter;
  });
}

bool FlowGradients::IsFlow(NodeId node) const {
  switch (g_.op(node).role) {
    case OpRole::kSwitch:
    case OpRole::kMerge:
    case OpRole::kEnter:
    case OpRole::kExit:
    case OpRole::kNextIteration:
      return true;
    default:
      return false;
  }
}

bool FlowGradients::IsLoopSwitch(NodeId node) const {
  return Is(node, OpRole::kSwitch) && Is(g_.node_of(g_.input(node, 1)), OpRole::kLoopCond);
}

// ---- frames and branches ----

uint32_t FlowGradients::OutFrame(ValueId v) const {
  const NodeId node = g_.node_of(v);
  const uint32_t frame = frame_of_[Index(node)];
  return frame && Is(node, OpRole::kExit) ? frames_[frame].parent : frame;
}

// Ids are in topological order, except for back edges.
Status FlowGradients::Analyse() {
  frames_.assign(1, {});
  for (uint32_t n = 0; n < g_.size(); ++n) TENSH_RETURN_IF_ERROR(FindFrame(NodeId{n}));
  return {};
}

Status FlowGradients::FindFrame(NodeId node) {
  uint32_t frame = 0;
  for (uint32_t i = 0; i < g_.num_inputs(node); ++i) {
    const ValueId v = g_.input(node, i);
    if (Index(g_.node_of(v)) < Index(node)) frame = std::max(frame, OutFrame(v));
  }
  for (uint32_t i = 0; i < g_.num_controls(node); ++i)
    if (Index(g_.control(node, i)) < Index(node))
      frame = std::max(frame, frame_of_[Index(g_.control(node, i))]);
  if (Is(node, OpRole::kEnter)) {
    const std::string& name = g_.attrs(node).String("frame_name");
    uint32_t f = 1;
    while (f < frames_.size() && (frames_[f].name != name || frames_[f].parent != frame)) ++f;
    if (f == frames_.size()) {
      frames_.push_back({.name = name, .parent = frame});
      frames_.back().parallel = g_.attrs(node).Int("parallel_iterations");
    }
    frame = f;
  }
  frame_of_.push_back(frame);
  if (frame && Is(node, OpRole::kLoopCond)) frames_[frame].cond = g_.output(node, 0);
  if (frame && Is(node, OpRole::kExit)) frames_[frame].exits.push_back(node);
  if (frame && Is(node, OpRole::kIdentity) && frames_[frame].pivot == kNoValue &&
      IsLoopSwitch(g_.node_of(g_.input(node, 0))))
    frames_[frame].pivot = g_.output(node, 0);
  FindGuard(node);
  return {};
}

GuardId FlowGradients::GuardOf(ValueId v) {
  const NodeId node = g_.node_of(v);
  if (Is(node, OpRole::kEnter)) return kAlways;
  const GuardId guard = guard_[Index(node)];
  if (!Is(node, OpRole::kSwitch)) return guard;
  ValueId pred = g_.input(node, 1);
  const bool loops = Is(g_.node_of(pred), OpRole::kLoopCond);
  // tf.cond decides some of its Switches by the predicate and others by an Identity of it.
  const ValueId named = pred;
  while (Is(g_.node_of(pred), OpRole::kIdentity)) pred = g_.input(g_.node_of(pred), 0);
  if (pred != named) pred_id_.emplace(Index(pred), named);
  return guards_.And(guard, {Index(pred), loops ? frame_of_[Index(node)] : 0, g_.index_of(v) == 1});
}

void FlowGradients::FindGuard(NodeId node) {
  GuardId all = kAlways;
  const bool merges = Is(node, OpRole::kMerge);
  for (uint32_t i = 0; i < g_.num_inputs(node); ++i) {
    const ValueId v = g_.input(node, i);
    if (Index(g_.node_of(v)) > Index(node)) {
      all = kAlways;  // A loop variable.
      break;
    }
    const GuardId guard = GuardOf(v);
    all = !merges ? guards_.And(all, guard) : i == 0 ? guard : guards_.Either(all, guard);
  }
  for (uint32_t i = 0; i < g_.num_controls(node); ++i) {
    const NodeId control = g_.control(node, i);
    if (Index(control) < Index(node)) all = guards_.And(all, guard_[Index(control)]);
  }
  // The results of a loop exist if all its variables entered.
  GuardId& entry = frames_[frame_of_[Index(node)]].entry;
  if (Is(node, OpRole::kEnter) && !g_.attrs(node).Bool("is_constant"))
    entry = guards_.And(entry, all);
  if (Is(node, OpRole::kExit)) all = entry;
  guard_.push_back(Is(node, OpRole::kControlTrigger) ? kAlways : all);
}

Out FlowGradients::Predicate(const Literal& literal) const {
  const auto known = pred_id_.find(literal.pred);
  return Out{known == pred_id_.end() ? literal.pred : Index(known->second)};
}

// Returns the predicate that decides which of a Merge's two inputs exists.
std::optional<Literal> FlowGradients::MergePredicate(NodeId merge) {
  if (g_.num_inputs(merge) != 2) return {};
  const Guards::Set no = guards_.Get(GuardOf(g_.input(merge, 0)));
  const Guards::Set yes = guards_.Get(GuardOf(g_.input(merge, 1)));
  for (const Literal& a : no)
    for (const Literal& b : yes)
      if (a.pred == b.pred && a.branch != b.branch && !a.loop) return a;
  return {};
}

// ---- nodes ----

void FlowGradients::Made(NodeId node, uint32_t frame) {
  frame_of_.resize(Index(node), 0);
  guard_.resize(Index(node), kAlways);
  frame_of_.push_back(frame);
  FindGuard(node);
}

Result<Out> FlowGradients::Node(uint32_t frame, std::string_view op, std::vector<Out> inputs,
                                const std::string& scope, std::string_view name,
                                std::vector<NamedAttr> attrs, std::vector<NodeId> controls) {
  return NodeNamed(frame, op, inputs, g_.UniqueName(StrCat(scope, "/", name), true), attrs,
                   controls);
}

Result<Out> FlowGradients::NodeNamed(uint32_t frame, std::string_view op,
                                     std::span<const Out> inputs, const std::string& name,
                                     std::span<const NamedAttr> attrs,
                                     std::span<const NodeId> controls) {
  std::vector<Output> in;
  for (Out v : inputs) in.push_back({NodeOf(v), g_.index_of(ValueId{v.id})});
  NodeSpec spec{.op = op,
                .name = name,
                .device = {},
                .inputs = in,
                .controls = controls,
                .attrs = attrs,
                .source = r_.source};
  TENSH_ASSIGN(NodeId node, g_.Append({&spec, 1}));
  Made(node, frame);
  return g_.num_outputs(node) ? Out{Index(g_.output(node, 0))} : Out();
}

// A constant in a loop has a control input from the body of the loop.
Result<Out> FlowGradients::Constant(uint32_t frame, Tensor value, const std::string& scope,
                                    std::string_view name) {
  std::vector<NodeId> controls;
  if (frames_[frame].pivot != kNoValue) controls.push_back(g_.node_of(frames_[frame].pivot));
  const DType dtype = value.dtype();
  return Node(frame, "Const", {}, scope, name, {{"dtype", dtype}, {"value", std::move(value)}},
              controls);
}

Result<Out> FlowGradients::Enter(uint32_t frame, Out v, bool constant, const std::string& scope,
                                 std::string_view name) {
  const Frame& f = frames_[frame];
  TENSH_ASSIGN(Out made, Node(frame, "Enter", {v}, scope, name,
                              {{"frame_name", f.name},
                               {"is_constant", constant},
                               {"parallel_iterations", f.parallel}}));
  TENSH_RETURN_IF_ERROR(g_.SetShape(ValueId{made.id}, ShapeOf(v)));
  return made;
}

// Returns the value in a form that nodes of the frame can use.
Result<Out> FlowGradients::Into(uint32_t frame, Out v, const std::string& scope) {
  const uint32_t from = OutFrame(ValueId{v.id});
  if (from == frame || frame == 0) return v;
  const int backward = frames_[frame].backward;
  if (backward >= 0 && loops_[static_cast<size_t>(backward)].forward == from)
    return RealValue(loops_[static_cast<size_t>(backward)], v, scope);
  if (auto it = entered_.find({frame, v.id}); it != entered_.end()) return it->second;
  TENSH_ASSIGN(Out outside, Into(frames_[frame].parent, v, scope));
  TENSH_ASSIGN(Out made, Enter(frame, outside, true, scope));
  entered_[{frame, v.id}] = made;
  return made;
}

Status FlowGradients::Place(std::string_view op, const std::string& name,
                            std::vector<Output>* inputs, std::vector<NodeId>* controls,
                            uint32_t* frame) {
  if (*frame == 0) return {};
  // If an op needs only the shape of a forward value, only the shape is kept on the stack.
  const OpRole role = g_.ops().RoleOf(op);
  const bool takes_shape =
      role == OpRole::kShapeOf || role == OpRole::kSizeOf || role == OpRole::kRankOf;
  if (takes_shape && inputs->size() == 1) {
    const ValueId v = g_.output((*inputs)[0].node, (*inputs)[0].index);
    const int backward = frames_[*frame].backward;
    if (backward >= 0 && loops_[static_cast<size_t>(backward)].forward == OutFrame(v)) {
      *frame = OutFrame(v);
      return {};
    }
  }
  bool only_constants = true;
  for (Output& in : *inputs) {
    TENSH_ASSIGN(Out v, Into(*frame, Out{Index(g_.output(in.node, in.index))}, name));
    in = {NodeOf(v), g_.index_of(ValueId{v.id})};
    only_constants &= Is(in.node, OpRole::kEnter) && g_.attrs(in.node).Bool("is_constant");
  }
  if (only_constants && controls->empty() && frames_[*frame].pivot != kNoValue)
    controls->push_back(g_.node_of(frames_[*frame].pivot));
  return {};
}

// ---- stacks ----

Result<Out> FlowGradients::RealValue(Loop& loop, Out v, const std::string& scope) {
  if (auto it = loop.real.find(v.id); it != loop.real.end()) return it->second;
  const uint32_t key = v.id;
  const NodeId node = NodeOf(v);
  Out real;
  if (Is(node, OpRole::kEnter) && g_.attrs(node).Bool("is_constant")) {
    // A constant of the loop enters the gradient's loop in the same way.
    TENSH_ASSIGN(Out outside,
                 Into(frames_[loop.backward].parent, Out{Index(g_.input(node, 0))}, scope));
    TENSH_ASSIGN(real, Enter(loop.backward, outside, true, scope));
  } else if (Is(node, OpRole::kConst)) {
    TENSH_ASSIGN(real,
                 Constant(loop.backward, g_.attrs(node).Get<Tensor>("value"), scope, "Const"));
  } else {
    TENSH_ASSIGN(Out stack, Push(loop, v, scope));
    TENSH_ASSIGN(real, Pop(loop, stack, v, scope));
  }
  loop.real[key] = real;
  return real;
}

// Returns the stack, which is outside all loops of the gradient.
Result<Out> FlowGradients::Push(Loop& loop, Out v, const std::string& scope) {
  TENSH_ASSIGN(Out most, Node(0, "Const", {}, scope, "Const",
                              {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(-1)}}));
  const DType type = BaseType(g_.dtype(ValueId{v.id}));
  TENSH_ASSIGN(Out stack, Node(0, "StackV2", {most}, scope, "f_acc", {{"elem_type", type}}));
  TENSH_ASSIGN(Out inside, Into(loop.forward, stack, scope));
  const bool branches = guards_.Branches(GuardOf(ValueId{v.id}));
  TENSH_ASSIGN(Out push, Node(loop.forward, "StackPushV2", {inside, v}, scope, "StackPushV2", {},
                              {NodeOf(loop.f_add)}));
  (branches ? loop.branch_pushes : loop.pushes).push_back(NodeOf(push));
  return stack;
}

Result<Out> FlowGradients::Pop(Loop& loop, Out stack, Out v, const std::string& scope) {
  const std::string name = g_.UniqueName(scope + "/StackPopV2", true);
  TENSH_ASSIGN(Out handle, Into(loop.backward, stack, name));
  // A value that was pushed on a branch is popped on the same branch.
  const Guards::Set guard = guards_.Get(GuardOf(ValueId{v.id}));
  for (const Literal& l : guard) {
    if (l.loop) continue;
    TENSH_ASSIGN(Out pred, RealValue(loop, Predicate(l), scope));
    TENSH_ASSIGN(Out both, Node(loop.backward, "Switch", {handle, pred}, scope, "Switch"));
    handle = l.branch ? Second(both) : both;
  }
  std::vector<NodeId> controls;
  if (Is(NodeOf(handle), OpRole::kEnter))
    controls.push_back(g_.node_of(frames_[loop.backward].pivot));
  const DType type = BaseType(g_.dtype(ValueId{v.id}));
  const NamedAttr attrs[] = {{"elem_type", type}};
  TENSH_ASSIGN(Out pop,
               NodeNamed(loop.backward, "StackPopV2", {&handle, 1}, name, attrs, controls));
  TENSH_RETURN_IF_ERROR(g_.SetShape(ValueId{pop.id}, ShapeOf(v)));
  if (loop.b_sync.empty()) loop.b_sync = g_.UniqueName(scope + "/b_sync", true);
  loop.pops.push_back(NodeOf(pop));
  return pop;
}

// ---- loops ----

Status FlowGradients::Start(std::set<uint32_t>* between) {
  TENSH_RETURN_IF_ERROR(Analyse());
  std::vector<uint32_t> wanted;
  for (uint32_t n : *between)
    if (IsExit(NodeId{n})) wanted.push_back(frame_of_[n]);
  for (uint32_t frame : wanted) TENSH_RETURN_IF_ERROR(AddLoop(frame));
  for (const Loop& loop : loops_)
    for (NodeId exit : frames_[loop.forward].exits) between->insert(Index(exit));
  return {};
}

}  // namespace tensh
