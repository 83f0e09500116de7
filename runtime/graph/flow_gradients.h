#pragma once
// Control flow in tf.gradients, as TensorFlow 1.x builds it. A loop gets a counter; its gradient is
// a loop that counts back, with a stack for each forward value it needs. Where branches meet in a
// Merge the gradient parts in a Switch, and the other way round. Used by one call, under the
// graph's lock.
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "runtime/graph/guards.h"
#include "runtime/graph/scope_builder.h"

namespace tensh {

class FlowGradients : public NodePlacer {
 public:
  FlowGradients(Graph& graph, const GradientRequest& request);
  // Whether any of these nodes is control flow; if not, nothing else need be called.
  static bool Needed(const Graph& graph, const std::set<uint32_t>& nodes);
  // Finds frames and branches; adds the loops whose Exits are among `between`, and those Exits.
  Status Start(std::set<uint32_t>* between);

  // The frame in which gradients of the node's outputs are summed, and the one its gradient is in.
  uint32_t SumFrame(NodeId node) const;
  uint32_t GradientFrame(NodeId node) const;
  bool IsExit(NodeId node) const { return Is(node, "Exit"); }
  bool IsLoopSwitch(NodeId node) const;
  bool IsFlow(NodeId node) const;
  // The gradient of a Switch, Merge, Enter, Exit or NextIteration.
  Result<std::vector<Out>> Gradient(NodeId node, const std::string& scope, std::vector<Out> dys);
  Result<Out> ZerosFor(NodeId node, uint32_t output, const std::string& scope);
  // The exits of a loop that wait for each other: the number still missing, and those without a
  // gradient.
  struct Exits {
    int pending = 0;
    std::vector<NodeId> deferred, unused;
  };
  Exits* ExitsOf(NodeId exit);
  std::vector<NodeId> AllExits() const;
  Result<Out> ZerosForExit(NodeId exit);
  Status Finish();

  Status Place(std::string_view op, const std::string& name, std::vector<Output>* inputs,
               std::vector<NodeId>* controls, uint32_t* frame) override;
  void Made(NodeId node, uint32_t frame) override;

 private:
  struct Frame {
    std::string name = {};
    uint32_t parent = 0;
    int64_t parallel = 10;
    ValueId cond = kNoValue;   // the LoopCond
    ValueId pivot = kNoValue;  // what nodes of the body without inputs wait for
    std::vector<NodeId> exits = {};
    GuardId entry = kAlways;  // when its variables enter, in the terms of the parent
    int forward = -1;         // index in loops_ of the loop whose forward frame this is
    int backward = -1;        // … or whose gradient
  };
  struct Loop {
    uint32_t forward, backward = 0;
    Out f_merge = {}, f_add = {}, b_merge = {}, b_sub = {};
    std::string f_next = {}, b_next = {},
                b_sync = {};  // names kept for nodes that are made at the end
    std::vector<NodeId> pushes = {}, branch_pushes = {}, pops = {};
    std::map<uint32_t, Out> real = {};           // forward value → its value in the gradient
    std::map<uint32_t, NodeId> b_switches = {};  // Switch → Merge of the gradient
    Exits exits = {};
  };

  bool Is(NodeId node, std::string_view op) const;
  Status Analyse();
  Status FindFrame(NodeId node);
  GuardId GuardOf(ValueId v);
  void FindGuard(NodeId node);
  std::optional<Literal> MergePredicate(NodeId merge);
  uint32_t OutFrame(ValueId v) const;
  Status AddLoop(uint32_t frame);
  Result<Out> CountForward(Loop& loop);
  NodeId BranchPivot(GuardId guard) const;
  Status CountBack(Loop& loop, Out count);
  Result<Out> Into(uint32_t frame, Out v, const std::string& scope);
  Result<Out> RealValue(Loop& loop, Out v, const std::string& scope);
  Result<Out> Push(Loop& loop, Out v, const std::string& scope);
  Result<Out> Pop(Loop& loop, Out stack, Out v, const std::string& scope);
  Result<Out> Accumulate(Loop& loop, NodeId enter, Out grad, const std::string& scope);
  Result<std::vector<Out>> SwitchGradient(NodeId node, const std::string& scope,
                                          std::vector<Out> dys);
  // One node in `frame`, inputs as they are; output 0.
  Result<Out> Node(uint32_t frame, std::string_view op, std::vector<Out> inputs,
                   const std::string& scope, std::string_view name,
                   std::vector<NamedAttr> attrs = {}, std::vector<NodeId> controls = {});
  Result<Out> NodeNamed(uint32_t frame, std::string_view op, std::span<const Out> inputs,
                        const std::string& name, std::span<const NamedAttr> attrs,
                        std::span<const NodeId> controls);
  Status CloseLoop(Loop& loop);
  Status CloseVariables(Loop& loop);
  Status SetBackEdge(Out merge, Out next);
  Result<std::vector<Out>> MergeGradient(NodeId node, const std::string& scope, Out dy);
  // Zeros of a value's shape, in the gradient of the value's frame.
  Result<Out> ZerosLike(Out v, const std::string& scope, std::string_view name);
  Result<Out> Zeros(uint32_t frame, Out shape, DType dtype, const std::string& scope,
                    std::vector<NodeId> controls);
  Loop* LoopOf(uint32_t frame) {
    const int number = frames_[frame].forward;
    return number < 0 ? nullptr : &loops_[static_cast<size_t>(number)];
  }
  uint32_t Backward(uint32_t frame) const {
    const int number = frames_[frame].forward;
    return number < 0 ? frame : loops_[static_cast<size_t>(number)].backward;
  }
  Result<Out> Constant(uint32_t frame, Tensor value, const std::string& scope,
                       std::string_view name);
  Result<Out> Enter(uint32_t frame, Out v, bool constant, const std::string& scope,
                    std::string_view name = "Enter");
  Out Second(Out first) const { return {first.id + 1}; }
  NodeId NodeOf(Out v) const { return g_.node_of(ValueId{v.id}); }
  Shape ShapeOf(Out v) const { return g_.shape(ValueId{v.id}); }

  Graph& g_;
  const GradientRequest& r_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> frame_of_;  // by node
  std::vector<GuardId> guard_;      // by node
  Guards guards_;
  std::deque<Loop> loops_;
  std::map<std::pair<uint32_t, uint32_t>, Out> entered_;  // frame, value
};

}  // namespace tensh
