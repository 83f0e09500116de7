// Compiles pruned nodes into a TokenProgram, whose nodes list their consumers.
#include "runtime/exec/compile/edge_key.h"
#include "runtime/exec/compile/prepare.h"
#include "runtime/exec/dataflow.h"

namespace tensh {
namespace {

class TokenCompiler {
 public:
  TokenCompiler(const Stages& stages, const CompileOptions& options, Bindings& bindings)
      : stages_(stages), g_(stages.graph), options_(options), bindings_(bindings) {}

  Result<std::unique_ptr<const TokenProgram>> Run() {
    const std::vector<uint16_t>& device = stages_.placement.device;
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
    code_->nodes.resize(stages_.pruned.nodes.size());
    code_->enters.resize(stages_.pruned.flow.frames.size());
    for (uint32_t i = 0; i < code_->nodes.size(); ++i) {
      const NodeId node = stages_.pruned.nodes[i];
      Status status = Compile(node, i);
      if (!status.ok()) return std::move(status).WithNode(g_.name(node));
    }
    return std::unique_ptr<const TokenProgram>(std::move(code_));
  }

 private:
  Status Compile(NodeId node, uint32_t position) {
    TokenNode& n = code_->nodes[position];
    n.node = node;
    n.role = stages_.pruned.flow.role[position];
    n.n_in = g_.num_inputs(node);
    n.n_out = g_.num_outputs(node);
    for (uint32_t i = 0; i < n.n_in; ++i) {
      const ValueId v = g_.input(node, i);
      n.reads.push_back(IsRef(g_.dtype(v)) && !TakesReference(g_, node, i));
      From(v).push_back({position, g_.index_of(v), i});
    }
    for (uint32_t i = 0; i < g_.num_controls(node); ++i) {
      const uint32_t from = stages_.pruned.position.Find(Index(g_.control(node, i)));
      if (from == UINT32_MAX) continue;
      code_->nodes[from].edges.push_back({position, TokenNode::kNone, 0});
      ++n.n_controls;
    }
    const OpDef& op = g_.op(node);
    if (IsKeyed(op)) return CompileTransfer(n);
    switch (n.role) {
      case OpRole::kEnter:
        n.frame = stages_.pruned.flow.frame_of[position];
        n.is_constant = g_.attrs(node).Bool("is_constant");
        ++code_->enters[n.frame];
        return {};
      case OpRole::kSwitch:
      case OpRole::kMerge:
      case OpRole::kExit:
      case OpRole::kNextIteration:
      case OpRole::kLoopCond:
      case OpRole::kControlTrigger:
        return {};
      case OpRole::kConst:
        n.constant = g_.attrs(node).Get<Tensor>("value");
        return {};
      case OpRole::kVariable: {
        TENSH_ASSIGN(auto variable, FindVariable(g_, node, *options_.resources));
        n.constant = ReferenceTo(variable.get());
        bindings_.resources.push_back(std::move(variable));
        return {};
      }
      default:
        return CompileKernel(n, op);
    }
  }

  std::vector<TokenNode::Edge>& From(ValueId v) {
    return code_->nodes[stages_.pruned.position.Find(Index(g_.node_of(v)))].edges;
  }

  Status CompileTransfer(TokenNode& n) {
    n.keyed = static_cast<uint32_t>(bindings_.keyed.size());
    bindings_.keyed.push_back(KeyedEdge(g_, n.node, true));
    return {};
  }

  Status CompileKernel(TokenNode& n, const OpDef& op) {
    // Token programs do not move values between memories, so they cannot run the CPU's kernel on a
    // device with its own memory.
    const KernelRow* row = op.FindKernel(code_->device->info().type, g_.attrs(n.node));
    if (row && !row->fn) return NoKernel(g_, n.node, *code_->device);
    TENSH_ASSIGN(n.kernel, BindNode(g_, n.node, *code_->device, options_));
    for (uint32_t i = 0; i < n.n_in + n.n_out; ++i) n.slots.push_back(i);
    for (uint32_t i = 0; i < n.n_out; ++i)
      n.dtypes.push_back(BaseType(g_.dtype(g_.output(n.node, i))));
    n.call = {.in = n.slots.data(),
              .out = n.slots.data() + n.n_in,
              .out_dtypes = n.dtypes.data(),
              .state = n.kernel.state.get(),
              .n_in = static_cast<uint16_t>(n.n_in),
              .n_out = static_cast<uint16_t>(n.n_out),
              .forwardable = 0};
    n.call.contract = n.kernel.contract;
    return {};
  }

  const Stages& stages_;
  const Graph& g_;
  const CompileOptions& options_;
  Bindings& bindings_;
  std::unique_ptr<TokenProgram> code_ = std::make_unique<TokenProgram>();
};

}  // namespace

bool NeedsTokens(const Stages& stages, bool could) {
  const Flow& flow = stages.pruned.flow;
  if (flow.empty()) return false;
  for (uint32_t i = 0; i < stages.pruned.nodes.size(); ++i) {
    const NodeId node = stages.pruned.nodes[i];
    if (!IsKeyed(stages.graph.op(node))) continue;
    if (could || stages.graph.attrs(node).Find(kByTokens) ||
        (flow.frame_of[i] && !IsSimpleLoop(stages.graph, stages.pruned, flow.frame_of[i])))
      return true;
  }
  return false;
}

Result<std::unique_ptr<const TokenProgram>> CompileTokens(const Stages& stages,
                                                          const CompileOptions& options,
                                                          Bindings& bindings) {
  return TokenCompiler(stages, options, bindings).Run();
}

}  // namespace tensh
