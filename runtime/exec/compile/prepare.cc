#include "runtime/exec/compile/prepare.h"

#include "runtime/core/run_kernel.h"

namespace tensh {

Result<std::shared_ptr<Variable>> FindVariable(const Graph& graph, NodeId node,
                                               ResourceTable& resources) {
  Attrs attrs = graph.attrs(node);
  const std::string& shared = attrs.String("shared_name");
  const std::string name =
      InContainer(attrs, shared.empty() ? std::string(graph.name(node)) : shared);
  DType dtype = attrs.Type("dtype");
  auto variable = resources.FindOrMake<Variable>(name, [&] {
    auto made = std::make_shared<Variable>();
    made->name = name;
    made->dtype = dtype;
    return made;
  });
  if (!variable || variable->dtype != dtype)
    return InvalidArgument("the resource '", name, "' is not a variable of type ", Name(dtype))
        .WithNode(graph.name(node));
  return variable;
}

Result<BoundKernel> BindNode(const Graph& graph, NodeId node, const Device& device,
                             const CompileOptions& options, const Rewrites* rewrites) {
  const OpDef& op = graph.op(node);
  const KernelRow* row = op.FindKernel(device.info().type, graph.attrs(node));
  if (!row) return NoKernel(graph, node, device);
  NodePrepareCtx ctx(graph, node, *options.resources, options.functions, options.scope,
                     device.info().name, rewrites);
  Result<BoundKernel> bound = BindKernel(op, *row, ctx);
  if (!bound.ok()) return std::move(bound).status().WithNode(graph.name(node));
  return bound;
}

Status NoKernel(const Graph& graph, NodeId node, const Device& device) {
  return InvalidArgument("No OpKernel was registered to support Op '", graph.op(node).name,
                         "' with these attrs: its types have no kernel on ", device.info().type)
      .WithReason(Reason::kNoKernel)
      .WithNode(graph.name(node));
}

Tensor ReferenceTo(Variable* variable) {
  return Tensor::Scalar<int64_t>(static_cast<int64_t>(reinterpret_cast<intptr_t>(variable)));
}

bool TakesReference(const Graph& graph, NodeId node, uint32_t i) {
  int64_t next = 0;
  for (const ArgDef& arg : graph.op(node).inputs) {
    next += TypesOf(arg, graph.attrs(node)).count;
    if (i < next) return arg.is_ref;
  }
  return false;
}

}  // namespace tensh
