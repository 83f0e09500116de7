// From pruned nodes to nodes that know where their values go.
#include "runtime/core/promote.h"
#include "runtime/exec/dataflow.h"
#include "runtime/exec/edge_key.h"
#include "runtime/exec/prepare.h"

namespace tensh {
namespace {

class DataflowCompiler {
 public:
  DataflowCompiler(Plan& plan, const CompileOptions& options)
      : plan_(plan), g_(plan.graph), options_(options) {}

  Result<std::shared_ptr<DataflowCode>> Run() {
    const std::vector<uint16_t>& device = plan_.placement.device;
    for (uint16_t d : device)
      if (d != device[0])
        return Unimplemented(
                   "a loop that is spread over several tasks, with branches or loops in it, "
                   "is on several devices of this task: ",
                   (*options_.devices)[device[0]].info().name, " and ",
                   (*options_.devices)[d].info().name)
            .WithHint("place the loop on one device of each task");
    code_->device = &(*options_.devices)[device[0]];
    code_->allocator = code_->device->allocator();
    if (options_.allocator && code_->allocator == HostAllocator())
      code_->allocator = options_.allocator;
    code_->nodes.resize(plan_.pruned.nodes.size());
    code_->enters.resize(plan_.pruned.flow.frames.size());
    for (uint32_t i = 0; i < code_->nodes.size(); ++i) {
      const NodeId node = plan_.pruned.nodes[i];
      Status status = Compile(node, i);
      if (!status.ok()) return std::move(status).WithNode(g_.name(node));
    }
    return std::move(code_);
  }

 private:
  Status Compile(NodeId node, uint32_t position) {
    DataflowNode& n = code_->nodes[position];
    n.node = node;
    n.kind = plan_.pruned.flow.kind[position];
    n.n_in = g_.num_inputs(node);
    n.n_out = g_.num_outputs(node);
    for (uint32_t i = 0; i < n.n_in; ++i) {
      const ValueId v = g_.input(node, i);
      n.reads.push_back(IsRef(g_.dtype(v)) && !TakesReference(g_, node, i));
      From(v).push_back({position, g_.index_of(v), i});
    }
    for (uint32_t i = 0; i < g_.num_controls(node); ++i) {
      const uint32_t from = plan_.pruned.position.Find(Index(g_.control(node, i)));
      if (from == UINT32_MAX) continue;
      code_->nodes[from].edges.push_back({position, DataflowNode::kNone, 0});
      ++n.n_controls;
    }
    const OpDef& op = g_.op(node);
    if (IsKeyed(op)) return CompileTransfer(n);
    switch (n.kind) {
      case FlowKind::kEnter:
        n.frame = plan_.pruned.flow.frame_of[position];
        n.is_constant = g_.attrs(node).Bool("is_constant");
        ++code_->enters[n.frame];
        return {};
      case FlowKind::kPlain:
        break;
      default:
        return {};
    }
    if (op.name == "Const") {
      n.constant = g_.attrs(node).Get<Tensor>("value");
      return {};
    }
    if (op.name == "VariableV2") {
      TENSH_ASSIGN(auto variable, FindVariable(g_, node, *options_.resources));
      n.constant = ReferenceTo(variable.get());
      plan_.resources.push_back(std::move(variable));
      return {};
    }
    return CompileKernel(n, op);
  }

  std::vector<DataflowNode::Edge>& From(ValueId v) {
    return code_->nodes[plan_.pruned.position.Find(Index(g_.node_of(v)))].edges;
  }

  Status CompileTransfer(DataflowNode& n) {
    n.keyed = static_cast<uint32_t>(plan_.keyed.size());
    plan_.keyed.push_back(KeyedEdge(g_, n.node, true));
    return {};
  }

  Status CompileKernel(DataflowNode& n, const OpDef& op) {
    const KernelRow* kernel = op.FindKernel(code_->device->info().type, g_.attrs(n.node));
    if (!kernel || !kernel->fn)
      return InvalidArgument("No OpKernel was registered to support Op '", op.name,
                             "' with these attrs: its types have no kernel on ",
                             code_->device->info().type);
    NodePrepareCtx prepare(g_, n.node, *options_.resources, options_.functions, options_.scope,
                           code_->device->info().name);
    TENSH_ASSIGN(n.state, PrepareKernel(op, *kernel, prepare));
    n.fn = kernel->fn;
    for (uint32_t i = 0; i < n.n_in + n.n_out; ++i) n.slots.push_back(i);
    for (uint32_t i = 0; i < n.n_out; ++i)
      n.dtypes.push_back(BaseType(g_.dtype(g_.output(n.node, i))));
    n.call = {.in = n.slots.data(),
              .out = n.slots.data() + n.n_in,
              .out_dtypes = n.dtypes.data(),
              .state = n.state.get(),
              .n_in = static_cast<uint16_t>(n.n_in),
              .n_out = static_cast<uint16_t>(n.n_out),
              .forwardable = 0};
    if (op.contract.empty()) return {};
    n.contract = std::make_unique<Contract>();
    if (!PlaceContract(op, g_.attrs(n.node), n.contract.get())) *n.contract = op.contract;
    n.call.contract = n.contract.get();
    return {};
  }

  Plan& plan_;
  const Graph& g_;
  const CompileOptions& options_;
  std::shared_ptr<DataflowCode> code_ = std::make_shared<DataflowCode>();
};

}  // namespace

bool NeedsDataflow(const Plan& plan, bool could) {
  const Flow& flow = plan.pruned.flow;
  if (flow.empty()) return false;
  for (uint32_t i = 0; i < plan.pruned.nodes.size(); ++i) {
    const NodeId node = plan.pruned.nodes[i];
    if (!IsKeyed(plan.graph.op(node))) continue;
    if (could || plan.graph.attrs(node).Find(kByTokens) ||
        (flow.frame_of[i] && !IsSimpleLoop(plan.graph, plan.pruned, flow.frame_of[i])))
      return true;
  }
  return false;
}

Result<std::shared_ptr<DataflowCode>> CompileDataflow(Plan& plan, const CompileOptions& options) {
  return DataflowCompiler(plan, options).Run();
}

}  // namespace tensh
