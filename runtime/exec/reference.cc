#include "runtime/exec/reference.h"

#include <map>

#include "runtime/core/float_mode.h"
#include "runtime/core/run_kernel.h"
#include "runtime/exec/prepare.h"

namespace tensh {
namespace {

class Reference {
 public:
  Reference(Plan& plan, ResourceTable& resources)
      : plan_(plan), g_(plan.graph), resources_(resources) {}

  void Feed(ValueId v, Tensor value) { values_[Index(v)] = std::move(value); }

  Status Run(NodeId node) {
    const OpDef& op = g_.op(node);
    if (op.name == "Const") {
      values_.emplace(Index(g_.output(node, 0)), g_.attrs(node).Get<Tensor>("value"));
      return {};
    }
    if (op.name == "VariableV2") {
      TENSH_ASSIGN(auto variable, FindVariable(g_, node, resources_));
      values_.emplace(Index(g_.output(node, 0)), ReferenceTo(variable.get()));
      plan_.resources.push_back(std::move(variable));
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
    NodePrepareCtx prepare(g_, node, resources_);
    TENSH_ASSIGN(std::vector<Tensor> outputs, RunKernel(op, prepare, inputs, types));
    // A fed output keeps the fed value.
    for (uint32_t i = 0; i < outputs.size(); ++i)
      values_.emplace(Index(g_.output(node, i)), std::move(outputs[i]));
    return {};
  }

  Result<Tensor> Read(ValueId v, bool as_reference) {
    Tensor value = values_[Index(v)];
    bool fed = plan_.pruned.fed.Find(Index(v)) != UINT32_MAX;
    if (!IsRef(g_.dtype(v)) || fed || as_reference) return value;
    Variable* variable = *value.data<Variable*>();
    Tensor held = variable->Read();
    if (!held) return FailedPrecondition("Attempting to use uninitialized value ", variable->name);
    return held;
  }

 private:
  Plan& plan_;
  const Graph& g_;
  ResourceTable& resources_;
  std::map<uint32_t, Tensor> values_;
};

}  // namespace

Status RunReference(Plan& plan, ResourceTable& resources, std::span<const Tensor> feeds,
                    std::span<Tensor> fetched) {
  FlushDenormals flush;
  Reference reference(plan, resources);
  for (size_t i = 0; i < feeds.size(); ++i) reference.Feed(plan.signature.feeds[i], feeds[i]);
  for (NodeId node : plan.pruned.nodes)
    if (Status status = reference.Run(node); !status.ok())
      return std::move(status).WithNode(plan.graph.name(node));
  for (size_t i = 0; i < fetched.size(); ++i) {
    Result<Tensor> value = reference.Read(plan.signature.fetches[i], false);
    if (!value.ok()) {
      for (Tensor& t : fetched) t = Tensor();
      return std::move(value).status().WithNode(
          plan.graph.name(plan.graph.node_of(plan.signature.fetches[i])));
    }
    fetched[i] = value->DeepCopy();  // a fetched value must not change when a variable does
    if (!fetched[i]) return ResourceExhausted("out of memory for a fetched value");
  }
  return {};
}

}  // namespace tensh
