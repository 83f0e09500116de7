#pragma once
// Gradients of control flow, built as in TensorFlow 1.x. A loop gets a counter. Its gradient is a
// loop that counts down, with a stack for each forward value that it needs. If branches meet in a
// Merge, their gradients separate in a Switch, and vice versa. An object is used for one call,
// under the graph's lock.
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
  // Returns true if any of these nodes is control flow. Otherwise no other function needs to be
  // called.
  static bool Needed(const Graph& graph, const std::set<uint32_t>& nodes);
  // Finds frames and branches. Adds the loops whose Exits are among `between`, and adds these
  // Exits.
  Status Start(std::set<uint32_t>* between);

  // Return the frame in which gradients of the node's outputs are summed, and the frame of its
  // gradient.
  uint32_t SumFrame(NodeId node) const;
  uint32_t GradientFrame(NodeId node) const;
  bool IsExit(NodeId node) const { return Is(node, OpRole::kExit); }
  bool IsLoopSwitch(NodeId node) const;
  bool IsFlow(NodeId node) const;
  // Returns the gradient of a Switch, Merge, Enter, Exit or NextIteration.
  Result<std::vector<Out>> Gradient(NodeId node, const std::string& scope, std::vector<Out> dys);
  // Returns zeros for an output that no gradient reaches. If it is the handle of a variable of type `variable`,
  // zeros of the variable's shape.
  Result<Out> ZerosFor(NodeId node, uint32_t output, const std::string& scope, DType variable);
  // The Exits of a loop, which wait for each other: the number of pending ones, and those without a
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
    ValueId cond = kNoValue;   // The LoopCond.
    ValueId pivot = kNoValue;  // Control input of nodes of the body that have no inputs.
    std::vector<NodeId> exits = {};
    GuardId entry = kAlways;  // Guard under which its variables enter, in terms of the parent.
    int forward = -1;         // Index in loops_ of the loop whose forward frame this is,
    int backward = -1;        // or whose gradient frame this is; -1 for none.
  };
  struct Loop {
    uint32_t forward, backward = 0;
    Out f_merge = {}, f_add = {}, b_merge = {}, b_sub = {};
    // Names reserved for nodes that are made at the end.
    std::string f_next = {}, b_next = {}, b_sync = {};
    std::vector<NodeId> pushes = {}, branch_pushes = {}, pops = {};
    std::map<uint32_t, Out> real = {};  // Maps a forward value to its value in the gradient.
    std::map<uint32_t, NodeId> b_switches = {};  // Maps a Switch to the Merge of its gradient.
    Exits exits = {};
  };

  bool Is(NodeId node, OpRole role) const;
  Status Analyse();
  Status FindFrame(NodeId node);
  GuardId GuardOf(ValueId v);
  void FindGuard(NodeId node);
  std::optional<Literal> MergePredicate(NodeId merge);
  // Returns the value of a literal's predicate that other nodes use.
  Out Predicate(const Literal& literal) const;
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
  // Adds a node to `frame` with these inputs and returns its output 0.
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
  // Returns zeros of the value's shape, in the gradient of the value's frame.
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
  std::vector<uint32_t> frame_of_;  // By node.
  std::vector<GuardId> guard_;      // By node.
  Guards guards_;
  std::map<uint32_t, ValueId> pred_id_;  // By predicate: an Identity of it that Switches use.
  std::deque<Loop> loops_;
  std::map<std::pair<uint32_t, uint32_t>, Out> entered_;  // By frame and value.
};

}  // namespace tensh
