// The counting loops of gradients, and the gradients of the control-flow ops.
#include "runtime/core/run_kernel.h"
#include "runtime/graph/flow_gradients.h"

namespace tensh {
namespace {

Tensor ZeroTensor(DType dtype, const Shape& shape) {
  Result<Tensor> zeros = Tensor::Make(dtype, shape);
  if (!zeros.ok()) return {};
  std::memset(zeros->raw(), 0, static_cast<size_t>(zeros->bytes()));
  return *std::move(zeros);
}

}  // namespace

uint32_t FlowGradients::GradientFrame(NodeId node) const {
  return Backward(frame_of_[Index(node)]);
}

uint32_t FlowGradients::SumFrame(NodeId node) const {
  const uint32_t frame = frame_of_[Index(node)];
  return frame && IsExit(node) ? Backward(frames_[frame].parent) : Backward(frame);
}

FlowGradients::Exits* FlowGradients::ExitsOf(NodeId exit) {
  Loop* loop = LoopOf(frame_of_[Index(exit)]);
  return loop ? &loop->exits : nullptr;
}

std::vector<NodeId> FlowGradients::AllExits() const {
  std::vector<NodeId> all;
  for (const Loop& loop : loops_)
    all.insert(all.end(), frames_[loop.forward].exits.begin(), frames_[loop.forward].exits.end());
  return all;
}

Status FlowGradients::SetBackEdge(Out merge, Out next) {
  return g_.SetInput(NodeOf(merge), 1, {NodeOf(next), g_.index_of(ValueId{next.id})});
}

// ---- the counters ----

Status FlowGradients::AddLoop(uint32_t frame) {
  if (!frame || frames_[frame].forward >= 0) return {};
  if (frames_[frame].backward >= 0 || frames_[frame].cond == kNoValue)
    return InvalidArgument("Second-order gradient for while loops not supported.");
  TENSH_RETURN_IF_ERROR(AddLoop(frames_[frame].parent));
  const int number = static_cast<int>(loops_.size());
  loops_.push_back({.forward = frame});
  Loop& loop = loops_.back();
  loop.exits.pending = static_cast<int>(frames_[frame].exits.size());
  TENSH_ASSIGN(Out count, CountForward(loop));
  const uint32_t outside = Backward(frames_[frame].parent);
  TENSH_ASSIGN(count, Into(outside, count, r_.scope));
  loop.backward = static_cast<uint32_t>(frames_.size());
  frames_.push_back({.name = g_.UniqueName(StrCat(r_.scope, "/", frames_[frame].name), true),
                     .parent = outside,
                     .parallel = frames_[frame].parallel});
  frames_.back().backward = number;
  frames_[frame].forward = number;
  return CountBack(loop, count);
}

// Returns the control input for nodes without inputs on the innermost branch of a guard: tf.cond's
// switch_t or switch_f.
NodeId FlowGradients::BranchPivot(GuardId guard) const {
  const auto without_identities = [&](ValueId v) {
    while (Is(g_.node_of(v), OpRole::kIdentity)) v = g_.input(g_.node_of(v), 0);
    return v;
  };
  const Literal* innermost = nullptr;
  size_t depth = 0;
  for (const Literal& l : guards_.Get(guard)) {
    if (l.loop || l.pred & kArrives) continue;
    const size_t around = guards_.Get(guard_[Index(g_.node_of(ValueId{l.pred}))]).size();
    if (!innermost || around > depth) innermost = &l, depth = around;
  }
  if (!innermost) return kNoNode;
  const ValueId pred = without_identities(ValueId{innermost->pred});
  for (uint32_t n = 0; n < guard_.size(); ++n) {
    const NodeId node{n};
    if (!Is(node, OpRole::kIdentity)) continue;
    const ValueId from = g_.input(node, 0);
    const NodeId both = g_.node_of(from);
    if (Is(both, OpRole::kSwitch) && g_.input(both, 0) == g_.input(both, 1) &&
        g_.index_of(from) == (innermost->branch ? 1 : 0) &&
        without_identities(g_.input(both, 1)) == pred)
      return node;
  }
  return kNoNode;
}

// n = 0; while …: n = n + 1. Returns n after the loop.
Result<Out> FlowGradients::CountForward(Loop& loop) {
  const uint32_t f = loop.forward;
  const uint32_t parent = frames_[f].parent;
  std::vector<NodeId> controls;
  if (Loop* outer = LoopOf(parent))
    controls.push_back(NodeOf(outer->f_add));
  else if (frames_[parent].pivot != kNoValue)
    controls.push_back(g_.node_of(frames_[parent].pivot));
  else if (const NodeId pivot = BranchPivot(frames_[f].entry); pivot != kNoNode)
    controls.push_back(pivot);
  TENSH_ASSIGN(Out zero,
               Node(parent, "Const", {}, r_.scope, "f_count",
                    {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(0)}}, controls));
  TENSH_ASSIGN(Out enter, Enter(f, zero, false, r_.scope, "f_count"));
  TENSH_ASSIGN(loop.f_merge, Node(f, "Merge", {enter, enter}, r_.scope, "Merge"));
  TENSH_ASSIGN(Out both,
               Node(f, "Switch", {loop.f_merge, Out{Index(frames_[f].cond)}}, r_.scope, "Switch"));
  const std::string add = g_.UniqueName(r_.scope + "/Add", true);
  TENSH_ASSIGN(Out one, Constant(f, Tensor::Scalar<int32_t>(1), add, "y"));
  const Out terms[] = {Second(both), one};
  TENSH_ASSIGN(loop.f_add, NodeNamed(f, "AddV2", terms, add, {}, {}));
  loop.f_next = g_.UniqueName(r_.scope + "/NextIteration", true);
  const std::vector<NodeId> exits = frames_[f].exits;
  TENSH_ASSIGN(Out count, Node(f, "Exit", {both}, r_.scope, "f_count"));
  frames_[f].exits = exits;  // The counter's Exit has no gradient.
  return count;
}

// while count >= 1: count = count - 1
Status FlowGradients::CountBack(Loop& loop, Out count) {
  const uint32_t b = loop.backward, outside = frames_[b].parent;
  TENSH_ASSIGN(Out one, Constant(outside, Tensor::Scalar<int32_t>(1), r_.scope, "b_count"));
  TENSH_ASSIGN(Out enter, Enter(b, count, false, r_.scope, "b_count"));
  TENSH_ASSIGN(loop.b_merge, Node(b, "Merge", {enter, enter}, r_.scope, "Merge"));
  const std::string compare = g_.UniqueName(r_.scope + "/GreaterEqual", true);
  TENSH_ASSIGN(Out limit, Enter(b, one, true, compare));
  entered_[{b, one.id}] = limit;
  const Out sides[] = {loop.b_merge, limit};
  TENSH_ASSIGN(Out more, NodeNamed(b, "GreaterEqual", sides, compare, {}, {}));
  TENSH_ASSIGN(Out cond, Node(b, "LoopCond", {more}, r_.scope, "b_count"));
  frames_[b].cond = ValueId{cond.id};
  TENSH_ASSIGN(Out both, Node(b, "Switch", {loop.b_merge, cond}, r_.scope, "Switch"));
  TENSH_ASSIGN(loop.b_sub, Node(b, "Sub", {Second(both), limit}, r_.scope, "Sub"));
  frames_[b].pivot = ValueId{loop.b_sub.id};
  loop.b_next = g_.UniqueName(r_.scope + "/NextIteration", true);
  TENSH_ASSIGN(Out done, Node(b, "Exit", {both}, r_.scope, "b_count"));
  // The gradient of an inner loop must end before it starts again.
  if (Loop* outer = LoopOf(frames_[loop.forward].parent)) {
    outer->pops.push_back(NodeOf(done));
    if (outer->b_sync.empty()) outer->b_sync = g_.UniqueName(r_.scope + "/b_sync", true);
  }
  return {};
}

Status FlowGradients::Finish() {
  for (Loop& loop : loops_) TENSH_RETURN_IF_ERROR(CloseVariables(loop));
  for (Loop& loop : loops_) TENSH_RETURN_IF_ERROR(CloseLoop(loop));
  return {};
}

// If the next value of a variable does not depend on the current one, its gradient is zero after
// the first iteration.
Status FlowGradients::CloseVariables(Loop& loop) {
  for (auto [node, merge] : loop.b_switches) {
    if (g_.input(merge, 0) != g_.input(merge, 1)) continue;
    const Out first{Index(g_.input(merge, 0))};
    const DType dtype = BaseType(g_.dtype(ValueId{first.id}));
    Out zeros;
    if (ShapeOf(first).IsFullyKnown()) {
      TENSH_ASSIGN(zeros,
                   Constant(loop.backward, ZeroTensor(dtype, ShapeOf(first)), r_.scope, "Const"));
    } else {
      TENSH_ASSIGN(zeros,
                   Node(loop.backward, "ZerosLike", {Out{Index(g_.output(merge, 0))}}, r_.scope,
                        "zeros_like", {}, {g_.node_of(frames_[loop.backward].pivot)}));
    }
    TENSH_ASSIGN(Out next,
                 Node(loop.backward, "NextIteration", {zeros}, r_.scope, "NextIteration"));
    TENSH_RETURN_IF_ERROR(SetBackEdge(Out{Index(g_.output(merge, 0))}, next));
  }
  return {};
}

// The pushes of an iteration must precede the next iteration; so must its pops.
Status FlowGradients::CloseLoop(Loop& loop) {
  std::vector<NodeId> waits = loop.pushes;
  if (!loop.branch_pushes.empty()) {
    TENSH_RETURN_IF_ERROR(
        Node(loop.forward, "ControlTrigger", {}, r_.scope, "f_sync", {}, loop.branch_pushes)
            .status());
    waits.push_back(NodeId{g_.size() - 1});
  }
  TENSH_ASSIGN(Out next,
               NodeNamed(loop.forward, "NextIteration", {&loop.f_add, 1}, loop.f_next, {}, waits));
  TENSH_RETURN_IF_ERROR(SetBackEdge(loop.f_merge, next));
  std::vector<NodeId> synced;
  if (!loop.pops.empty()) {
    TENSH_RETURN_IF_ERROR(
        NodeNamed(loop.backward, "ControlTrigger", {}, loop.b_sync, {}, loop.pops).status());
    synced.push_back(NodeId{g_.size() - 1});
  }
  TENSH_ASSIGN(Out back, NodeNamed(loop.backward, "NextIteration", {&loop.b_sub, 1}, loop.b_next,
                                   {}, synced));
  return SetBackEdge(loop.b_merge, back);
}

// ---- zeros ----

Result<Out> FlowGradients::ZerosLike(Out v, const std::string& scope, std::string_view name) {
  const uint32_t from = OutFrame(ValueId{v.id});
  const uint32_t frame = Backward(from);
  const DType dtype = BaseType(g_.dtype(ValueId{v.id}));
  if (frame && ShapeOf(v).IsFullyKnown())
    return Constant(frame, ZeroTensor(dtype, ShapeOf(v)), scope, name);
  if (frame == from) return Node(frame, "ZerosLike", {v}, scope, name);
  TENSH_ASSIGN(Out shape, Node(from, "Shape", {v}, scope, "Shape"));
  TENSH_ASSIGN(Out real, Into(frame, shape, scope));
  return Zeros(frame, real, dtype, scope, {});
}

// Makes tf.zeros of a shape that is a tensor.
Result<Out> FlowGradients::Zeros(uint32_t frame, Out shape, DType dtype, const std::string& scope,
                                 std::vector<NodeId> controls) {
  const std::string name = g_.UniqueName(scope + "/zeros", true);
  std::vector<NodeId> waits = controls;
  if (waits.empty() && frames_[frame].pivot != kNoValue)
    waits.push_back(g_.node_of(frames_[frame].pivot));
  TENSH_ASSIGN(Out zero, Node(frame, "Const", {}, name, "Const",
                              {{"dtype", dtype}, {"value", ZeroTensor(dtype, Shape())}}, waits));
  const Out inputs[] = {shape, zero};
  return NodeNamed(frame, "Fill", inputs, name, {}, controls);
}

Result<Out> FlowGradients::ZerosForExit(NodeId exit) {
  return ZerosLike(Out{Index(g_.output(exit, 0))}, r_.scope, "zeros_like");
}

// If no gradient reaches an output of a branch's Switch, returns zeros, computed on the other
// branch.
Result<Out> FlowGradients::ZerosFor(NodeId node, uint32_t output, const std::string& scope,
                                    DType variable) {
  const Out y{Index(g_.output(node, output))};
  if (!Is(node, OpRole::kSwitch)) return ZerosLike(y, scope, "zeros_like");
  const uint32_t from = frame_of_[Index(node)], frame = Backward(from);
  const Out data{Index(g_.input(node, 0))}, pred{Index(g_.input(node, 1))};
  const bool is_handle = g_.dtype(ValueId{y.id}) == DType::kResource;
  const DType dtype = is_handle ? variable : BaseType(g_.dtype(ValueId{y.id}));
  if (frame != from && !is_handle && ShapeOf(y).IsFullyKnown()) {
    TENSH_ASSIGN(Out zeros, Constant(frame, ZeroTensor(dtype, ShapeOf(y)), scope, "zeros"));
    TENSH_ASSIGN(Out real, Into(frame, pred, scope));
    TENSH_ASSIGN(Out both, Node(frame, "Switch", {zeros, real}, scope, "Switch"));
    return output ? Second(both) : both;
  }
  TENSH_ASSIGN(Out both, Node(from, "Switch", {data, pred}, scope, "Switch"));
  const Out there = output ? Second(both) : both;
  if (frame != from && !is_handle) return ZerosLike(there, scope, "zeros");
  TENSH_ASSIGN(Out pivot, Node(from, "Identity", {there}, scope, "Identity"));
  const char* shape_op = is_handle ? "VariableShape" : "Shape";
  TENSH_ASSIGN(Out shape, Node(from, shape_op, {there}, scope, shape_op));
  if (frame != from) {
    TENSH_ASSIGN(shape, Into(frame, shape, scope));
    return Zeros(frame, shape, dtype, scope, {});
  }
  return Zeros(from, shape, dtype, scope, {NodeOf(pivot)});
}

// ---- gradients ----

// Sums over all iterations the gradient of a value that is the same in all of them.
Result<Out> FlowGradients::Accumulate(Loop& loop, NodeId enter, Out grad,
                                      const std::string& scope) {
  const uint32_t b = loop.backward, outside = frames_[b].parent;
  const DType dtype = BaseType(g_.dtype(ValueId{grad.id}));
  const Out value{Index(g_.input(enter, 0))};
  Out acc;
  if (ShapeOf(grad).IsFullyKnown()) {
    TENSH_ASSIGN(acc, Constant(outside, ZeroTensor(dtype, ShapeOf(grad)), scope, "b_acc"));
  } else {
    const char* op = g_.dtype(ValueId{value.id}) == DType::kResource ? "VariableShape" : "Shape";
    TENSH_ASSIGN(Out shape, Node(OutFrame(ValueId{value.id}), op, {value}, scope, op));
    TENSH_ASSIGN(Out real, Into(outside, shape, scope));
    TENSH_ASSIGN(acc, Zeros(outside, real, dtype, scope, {}));
  }
  TENSH_ASSIGN(Out entered, Enter(b, acc, false, scope, "b_acc"));
  TENSH_ASSIGN(Out merge, Node(b, "Merge", {entered, entered}, scope, "b_acc"));
  TENSH_ASSIGN(Out both, Node(b, "Switch", {merge, Out{Index(frames_[b].cond)}}, scope, "Switch"));
  TENSH_ASSIGN(Out sum, Node(b, "AddV2", {Second(both), grad}, scope, "Add"));
  TENSH_ASSIGN(Out next, Node(b, "NextIteration", {sum}, scope, "NextIteration"));
  TENSH_RETURN_IF_ERROR(SetBackEdge(merge, next));
  return Node(b, "Exit", {both}, scope, "b_acc");
}

Result<std::vector<Out>> FlowGradients::SwitchGradient(NodeId node, const std::string& scope,
                                                       std::vector<Out> dys) {
  const uint32_t from = frame_of_[Index(node)];
  if (!IsLoopSwitch(node)) {
    if (!dys[0] || !dys[1]) return std::vector<Out>{};
    TENSH_ASSIGN(Out dx, Node(Backward(from), "Merge", {dys[0], dys[1]}, scope, "cond_grad"));
    return std::vector<Out>{dx};
  }
  Loop* loop = LoopOf(from);
  if (!loop) return std::vector<Out>{};
  // A Switch is reached first from the Exit, then from the body, whose gradient forms the back
  // edge.
  auto it = loop->b_switches.find(Index(node));
  if (it != loop->b_switches.end()) {
    if (!dys[1]) return std::vector<Out>{};
    TENSH_ASSIGN(Out next, Node(loop->backward, "NextIteration", {dys[1]}, scope, "NextIteration"));
    TENSH_RETURN_IF_ERROR(SetBackEdge(Out{Index(g_.output(it->second, 0))}, next));
    return std::vector<Out>{};
  }
  if (!dys[0]) return std::vector<Out>{};
  TENSH_ASSIGN(Out merge, Node(loop->backward, "Merge", {dys[0], dys[0]}, scope, "b_switch"));
  loop->b_switches[Index(node)] = NodeOf(merge);
  return std::vector<Out>{merge};
}

Result<std::vector<Out>> FlowGradients::MergeGradient(NodeId node, const std::string& scope,
                                                      Out dy) {
  const uint32_t from = frame_of_[Index(node)], frame = Backward(from);
  Loop* loop = LoopOf(from);
  const bool round =
      Is(g_.node_of(g_.input(node, g_.num_inputs(node) - 1)), OpRole::kNextIteration);
  if (round && loop) {
    TENSH_ASSIGN(Out both,
                 Node(frame, "Switch", {dy, Out{Index(frames_[frame].cond)}}, scope, "Switch"));
    return std::vector<Out>{both, Second(both)};
  }
  if (auto literal = MergePredicate(node)) {
    TENSH_ASSIGN(Out pred, Into(frame, Predicate(*literal), scope));
    TENSH_ASSIGN(Out both, Node(frame, "Switch", {dy, pred}, scope, "cond_grad"));
    if (literal->branch) return std::vector<Out>{Second(both), both};
    return std::vector<Out>{both, Second(both)};
  }
  std::vector<Out> dxs;
  TENSH_ASSIGN(Out taken, Into(frame, Out{Index(g_.output(node, 1))}, scope));
  for (uint32_t i = 0; i < g_.num_inputs(node); ++i) {
    TENSH_ASSIGN(Out number, Constant(frame, Tensor::Scalar<int32_t>(static_cast<int32_t>(i)),
                                      scope, "Equal/y"));
    TENSH_ASSIGN(Out is, Node(frame, "Equal", {taken, number}, scope, "Equal"));
    TENSH_ASSIGN(Out both, Node(frame, "Switch", {dy, is}, scope, "Switch"));
    dxs.push_back(Second(both));
  }
  return dxs;
}

Result<std::vector<Out>> FlowGradients::Gradient(NodeId node, const std::string& scope,
                                                 std::vector<Out> dys) {
  Loop* loop = LoopOf(frame_of_[Index(node)]);
  if (Is(node, OpRole::kSwitch)) return SwitchGradient(node, scope, std::move(dys));
  if (!dys[0]) return std::vector<Out>{};
  if (Is(node, OpRole::kMerge)) return MergeGradient(node, scope, dys[0]);
  Out dx = dys[0];
  if (loop && Is(node, OpRole::kExit)) {
    TENSH_ASSIGN(dx, Enter(loop->backward, dx, false, scope, "b_exit"));
  } else if (loop && Is(node, OpRole::kEnter)) {
    if (g_.attrs(node).Bool("is_constant")) {
      TENSH_ASSIGN(dx, Accumulate(*loop, node, dx, scope));
    } else {
      TENSH_ASSIGN(dx, Node(loop->backward, "Exit", {dx}, scope, "Exit"));
    }
  }
  return std::vector<Out>{dx};
}

}  // namespace tensh
