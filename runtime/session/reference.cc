#include "runtime/session/reference.h"

#include "runtime/core/run_kernel.h"

namespace tensh {
namespace {

class NodeCtx : public PrepareCtx {
 public:
  NodeCtx(const Graph& graph, NodeId node, ResourceTable& resources)
      : g_(graph), n_(node), resources_(resources) {}
  std::string_view node_name() const override { return g_.name(n_); }
  Attrs attrs() const override { return g_.attrs(n_); }
  int num_inputs() const override { return static_cast<int>(g_.num_inputs(n_)); }
  DType input_dtype(int i) const override { return g_.dtype(Input(i)); }
  int num_outputs() const override { return static_cast<int>(g_.num_outputs(n_)); }
  DType output_dtype(int i) const override {
    return g_.dtype(g_.output(n_, static_cast<uint32_t>(i)));
  }
  Shape input_shape(int i) const override { return g_.shape(Input(i)); }
  ResourceTable& resources() override { return resources_; }

 private:
  ValueId Input(int i) const { return g_.input(n_, static_cast<uint32_t>(i)); }
  const Graph& g_;
  NodeId n_;
  ResourceTable& resources_;
};

class Evaluator {
 public:
  Evaluator(const Plan& plan, std::span<const Tensor> feeds, ResourceTable& resources)
      : plan_(plan), g_(plan.graph), feeds_(feeds), resources_(resources) {}

  Status Run(std::span<Tensor> fetched) {
    for (NodeId node : plan_.pruned.nodes) {
      Status status = Evaluate(node);
      if (!status.ok()) return std::move(status).WithNode(g_.name(node));
    }
    std::vector<Tensor> values;
    for (ValueId v : plan_.signature.fetches) {
      TENSH_ASSIGN(Tensor value, Value(v));
      values.push_back(std::move(value));
    }
    std::move(values.begin(), values.end(), fetched.begin());
    return {};
  }

 private:
  bool IsFed(ValueId v) const { return plan_.pruned.fed.Find(Index(v)) != UINT32_MAX; }

  // What a node's output holds: a tensor, or a reference to a variable.
  const Tensor& Raw(ValueId v) const {
    return IsFed(v) ? feeds_[plan_.pruned.fed.Find(Index(v))] : values_.at(Index(v));
  }

  // The same with a reference read.
  Result<Tensor> Value(ValueId v) const {
    if (IsFed(v) || !IsRef(g_.dtype(v))) return Raw(v);
    Variable* variable = *Raw(v).data<Variable*>();
    Tensor value = variable->Read();
    if (!value)
      return FailedPrecondition("Attempting to use uninitialized value ", variable->name)
          .WithHint("run tf.global_variables_initializer()");
    return value;
  }

  bool TakesRef(NodeId node, uint32_t i) const {
    int64_t next = 0;
    for (const ArgDef& arg : g_.op(node).inputs) {
      next += TypesOf(arg, g_.attrs(node)).count;
      if (i < next) return arg.is_ref;
    }
    return false;
  }

  Status Evaluate(NodeId node) {
    const OpDef& op = g_.op(node);
    if (op.name == "Const") {
      values_[Index(g_.output(node, 0))] = g_.attrs(node).Get<Tensor>("value");
      return {};
    }
    if (op.name == "VariableV2") return MakeReference(node);
    std::vector<Tensor> slots;
    for (uint32_t i = 0; i < g_.num_inputs(node); ++i) {
      ValueId v = g_.input(node, i);
      if (TakesRef(node, i)) {
        slots.push_back(Raw(v));
        continue;
      }
      TENSH_ASSIGN(Tensor value, Value(v));
      slots.push_back(std::move(value));
    }
    return RunKernelOf(node, std::move(slots));
  }

  Status RunKernelOf(NodeId node, std::vector<Tensor> slots) {
    const KernelRow* kernel = g_.op(node).FindKernel("CPU", g_.attrs(node));
    if (!kernel) return Unimplemented("there is no CPU kernel of ", g_.op(node).name);
    std::unique_ptr<KernelState> state;
    if (kernel->prepare) {
      NodeCtx prepare(g_, node, resources_);
      TENSH_ASSIGN(state, kernel->prepare(prepare));
    }
    const uint32_t n_in = g_.num_inputs(node), n_out = g_.num_outputs(node);
    slots.resize(n_in + n_out);
    std::vector<uint32_t> ids(slots.size());
    for (uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;
    std::vector<DType> dtypes;
    for (uint32_t i = 0; i < n_out; ++i)
      dtypes.push_back(BaseType(g_.dtype(g_.output(node, i))));
    KernelCall call{.in = ids.data(),
                    .out = ids.data() + n_in,
                    .out_dtypes = dtypes.data(),
                    .state = state.get(),
                    .n_in = static_cast<uint16_t>(n_in),
                    .n_out = static_cast<uint16_t>(n_out),
                    .forwardable = 0};
    KernelCtx ctx(slots.data(), nullptr, nullptr, HostAllocator());
    ctx.Bind(call);
    TENSH_RETURN_IF_ERROR(kernel->fn(ctx));
    for (uint32_t i = 0; i < n_out; ++i)
      values_[Index(g_.output(node, i))] = std::move(slots[n_in + i]);
    return {};
  }

  Status MakeReference(NodeId node) {
    const std::string& shared = g_.attrs(node).String("shared_name");
    std::string name = shared.empty() ? std::string(g_.name(node)) : shared;
    // The plan made it; the table owns it for as long as the session is open.
    auto variable = resources_.FindOrMake<Variable>(name, [] { return nullptr; });
    if (!variable) return Internal("variable ", name, " was not made with its plan");
    values_[Index(g_.output(node, 0))] =
        Tensor::Scalar<int64_t>(static_cast<int64_t>(reinterpret_cast<intptr_t>(variable.get())));
    return {};
  }

  const Plan& plan_;
  const Graph& g_;
  std::span<const Tensor> feeds_;
  ResourceTable& resources_;
  std::unordered_map<uint32_t, Tensor> values_;
};

}  // namespace

Status RunReference(const Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> fetched,
                    ResourceTable& resources) {
  return Evaluator(plan, feeds, resources).Run(fetched);
}

}  // namespace tensh
