#include "tests/support/reference.h"

#include <map>

#include "runtime/core/device/float_mode.h"
#include "runtime/core/run_kernel.h"
#include "runtime/exec/compile/prepare.h"
#include "runtime/exec/reference_value.h"

namespace tensh {
namespace {

class Reference {
 public:
  Reference(const Stages& stages, const EvaluatorOptions& options)
      : stages_(stages), g_(stages.graph), options_(options), resources_(*options.resources) {}

  size_t fetch_ = 0;  // for messages

  void Feed(ValueId v, Tensor value) { values_[Index(v)] = std::move(value); }

  // The nodes of the plan in their order, loops one iteration after the other. A value that is not
  // there (a branch not taken) is an empty tensor.
  Status RunAll() {
    if (stages_.pruned.flow.empty()) {
      for (NodeId node : stages_.pruned.nodes) TENSH_RETURN_IF_ERROR(Named(Run(node), node));
      return {};
    }
    return RunNodes(0, static_cast<uint32_t>(stages_.pruned.nodes.size()), 0);
  }

  Status Run(NodeId node) {
    const OpDef& op = g_.op(node);
    if (op.role == OpRole::kConst) {
      values_.emplace(Index(g_.output(node, 0)), g_.attrs(node).Get<Tensor>("value"));
      return {};
    }
    if (op.role == OpRole::kVariable) {
      TENSH_ASSIGN(auto variable, FindVariable(g_, node, resources_));
      values_.emplace(Index(g_.output(node, 0)), ReferenceTo(variable.get()));
      variables_.push_back(std::move(variable));
      return {};
    }
    std::vector<Tensor> inputs;
    for (uint32_t i = 0; i < g_.num_inputs(node); ++i) {
      TENSH_ASSIGN(Tensor value, Read(g_.input(node, i), TakesReference(g_, node, i)));
      inputs.push_back(std::move(value));
    }
    std::vector<DType> types;
    for (uint32_t i = 0; i < g_.num_outputs(node); ++i)
      types.push_back(BaseType(g_.dtype(g_.output(node, i))));
    NodePrepareCtx prepare(g_, node, resources_, options_.functions, options_.scope);
    TENSH_ASSIGN(std::vector<Tensor> outputs, RunKernel(op, prepare, inputs, types));
    // A fed output keeps the fed value.
    for (uint32_t i = 0; i < outputs.size(); ++i)
      values_.emplace(Index(g_.output(node, i)), std::move(outputs[i]));
    return {};
  }

  Result<Tensor> Read(ValueId v, bool as_reference) {
    Tensor value = values_[Index(v)];
    if (!value) return InvalidArgument("Retval[", fetch_, "] does not have value");
    bool fed = stages_.pruned.fed.Find(Index(v)) != UINT32_MAX;
    if (!IsRef(g_.dtype(v)) || fed || as_reference) return value;
    Variable* variable = VariableOf(value);
    if (!variable) return InvalidArgument("the fetched value is not a reference to a variable");
    Tensor held = variable->Read();
    if (!held) return FailedPrecondition("Attempting to use uninitialized value ", variable->name);
    return held;
  }

 private:
  static Status Named(Status status, NodeId node, const Graph& g) {
    return status.ok() ? std::move(status) : std::move(status).WithNode(g.name(node));
  }
  Status Named(Status status, NodeId node) const { return Named(std::move(status), node, g_); }
  bool IsFed(ValueId v) const { return stages_.pruned.fed.Find(Index(v)) != UINT32_MAX; }
  uint32_t Position(NodeId n) const { return stages_.pruned.position.Find(Index(n)); }
  void Set(ValueId v, Tensor value) {
    if (!IsFed(v)) values_[Index(v)] = std::move(value);
  }

  // Nodes at positions [begin, end) that are in `frame`, and the loops among them.
  Status RunNodes(uint32_t begin, uint32_t end, uint32_t frame) {
    const Flow& flow = stages_.pruned.flow;
    for (uint32_t i = begin; i < end;) {
      uint32_t inner = flow.frame_of[i];
      if (inner == frame) {
        TENSH_RETURN_IF_ERROR(RunFlow(i++));
        continue;
      }
      while (flow.frames[inner].parent != frame) inner = flow.frames[inner].parent;
      TENSH_RETURN_IF_ERROR(RunLoop(inner));
      i = flow.frames[inner].end;
    }
    return {};
  }

  Status RunLoop(uint32_t f) {
    const LoopFrame frame = stages_.pruned.flow.frames[f];
    for (uint32_t i = frame.begin; i < frame.body; ++i) TENSH_RETURN_IF_ERROR(RunFlow(i));
    std::vector<std::pair<ValueId, Tensor>> exits;
    for (uint32_t i = frame.exits; i < frame.end; ++i)
      exits.emplace_back(g_.output(stages_.pruned.nodes[i], 0), Tensor());
    first_[f] = true;
    for (bool again = true; again; first_[f] = false) {
      if (options_.cancel && options_.cancel->cancelled()) return options_.cancel->Why();
      TENSH_RETURN_IF_ERROR(RunNodes(frame.body, frame.exits, f));
      again = false;
      for (uint32_t i = frame.body; i < frame.exits; ++i) {
        if (stages_.pruned.flow.frame_of[i] != f ||
            stages_.pruned.flow.role[i] != OpRole::kNextIteration)
          continue;
        again |= bool{values_[Index(g_.output(stages_.pruned.nodes[i], 0))]};
      }
      for (uint32_t i = frame.exits; i < frame.end; ++i) {
        TENSH_RETURN_IF_ERROR(RunFlow(i));
        auto& [v, kept] = exits[i - frame.exits];
        if (values_[Index(v)]) kept = values_[Index(v)];
      }
    }
    for (auto& [v, kept] : exits) Set(v, kept);
    return {};
  }

  Status RunFlow(uint32_t position) {
    NodeId node = stages_.pruned.nodes[position];
    const OpRole role = stages_.pruned.flow.role[position];
    if (role == OpRole::kMerge) return RunMerge(position);
    bool there = true;
    for (uint32_t i = 0; i < g_.num_inputs(node); ++i)
      there &= bool{values_[Index(g_.input(node, i))]};
    for (uint32_t i = 0; i < g_.num_controls(node) && role != OpRole::kControlTrigger; ++i)
      there &= ran_[Index(g_.control(node, i))] ||
               stages_.pruned.position.Find(Index(g_.control(node, i))) == UINT32_MAX;
    ran_[Index(node)] = there;
    for (uint32_t i = 0; i < g_.num_outputs(node); ++i) Set(g_.output(node, i), Tensor());
    if (!there) return {};
    if (role != OpRole::kSwitch) {
      for (uint32_t i = 0; i < g_.num_outputs(node); ++i)
        if (!IsFed(g_.output(node, i))) values_.erase(Index(g_.output(node, i)));
      return Named(Run(node), node);
    }
    TENSH_ASSIGN(Tensor pred, Read(g_.input(node, 1), false));
    if (pred.rank() != 0)
      return Named(
          InvalidArgument("The second input must be a scalar, but it has shape ", pred.shape()),
          node);
    TENSH_ASSIGN(Tensor data, Read(g_.input(node, 0), TakesReference(g_, node, 0)));
    Set(g_.output(node, *pred.data<bool>() ? 1 : 0), std::move(data));
    return {};
  }

  // Returns the first input that has a value; in a loop, that of the Enter or of the NextIteration.
  Status RunMerge(uint32_t position) {
    NodeId node = stages_.pruned.nodes[position];
    const Flow& flow = stages_.pruned.flow;
    ran_[Index(node)] = false;
    Tensor found;
    uint32_t number = 0;
    bool loops = false;
    for (uint32_t i = 0; i < g_.num_inputs(node); ++i) loops |= ComesRound(node, i);
    for (uint32_t i = 0; i < g_.num_inputs(node) && !found; ++i) {
      if (loops && ComesRound(node, i) == first_[flow.frame_of[position]]) continue;
      if (!values_[Index(g_.input(node, i))]) continue;
      TENSH_ASSIGN(found, Read(g_.input(node, i), TakesReference(g_, node, i)));
      number = i;
    }
    ran_[Index(node)] = bool{found};
    Set(g_.output(node, 1),
        found ? Tensor::Scalar<int32_t>(static_cast<int32_t>(number)) : Tensor());
    Set(g_.output(node, 0), std::move(found));
    return {};
  }

  bool ComesRound(NodeId merge, uint32_t i) const {
    const uint32_t from = Position(g_.node_of(g_.input(merge, i)));
    return i > 0 && from != UINT32_MAX && stages_.pruned.flow.role[from] == OpRole::kNextIteration;
  }

  const Stages& stages_;
  const Graph& g_;
  const EvaluatorOptions& options_;
  ResourceTable& resources_;
  std::vector<std::shared_ptr<Variable>> variables_;  // those that references point to
  std::map<uint32_t, bool> ran_, first_;              // by node; by frame: its first iteration
  std::map<uint32_t, Tensor> values_;
};

}  // namespace

Status RunReference(const Stages& stages, std::span<const Tensor> feeds, std::span<Tensor> fetched,
                    const EvaluatorOptions& options) {
  FlushDenormals flush;
  Reference reference(stages, options);
  for (size_t i = 0; i < feeds.size(); ++i) reference.Feed(stages.signature.feeds[i], feeds[i]);
  TENSH_RETURN_IF_ERROR(reference.RunAll());
  for (size_t i = 0; i < fetched.size(); ++i) {
    reference.fetch_ = i;
    const ValueId fetch = stages.signature.fetches[i];
    Result<Tensor> value = reference.Read(fetch, false);
    if (!value.ok()) {
      for (Tensor& t : fetched) t = Tensor();
      return std::move(value).status().WithNode(stages.graph.name(stages.graph.node_of(fetch)));
    }
    fetched[i] = value->DeepCopy();  // a fetched value must not change when a variable does
    if (!fetched[i]) return ResourceExhausted("out of memory for a fetched value");
  }
  return {};
}

}  // namespace tensh
