#pragma once
// What compiling a plan and the reference interpreter share: a node's view for Prepare, and its
// variable.
#include <memory>

#include "runtime/core/bind_kernel.h"
#include "runtime/exec/plan.h"
#include "runtime/graph/graph.h"

namespace tensh {

class NodePrepareCtx : public PrepareCtx {
 public:
  // functions may be null; scope: the function whose body the graph is, "" for none; device: where
  // the node runs, "" when that is not known.
  NodePrepareCtx(const Graph& graph, NodeId node, ResourceTable& resources,
                 FunctionRuntime* functions = nullptr, const std::string& scope = {},
                 std::string_view device = {})
      : g_(graph),
        n_(node),
        resources_(resources),
        functions_(functions),
        name_(scope.empty() ? std::string(g_.name(n_)) : StrCat(scope, "/", g_.name(n_))),
        device_(device) {}
  // Nodes of one name in two functions are two: each has its own state.
  std::string_view node_name() const override { return name_; }
  Attrs attrs() const override { return g_.attrs(n_); }
  int num_inputs() const override { return static_cast<int>(g_.num_inputs(n_)); }
  DType input_dtype(int i) const override {
    return g_.dtype(g_.input(n_, static_cast<uint32_t>(i)));
  }
  int num_outputs() const override { return static_cast<int>(g_.num_outputs(n_)); }
  DType output_dtype(int i) const override {
    return g_.dtype(g_.output(n_, static_cast<uint32_t>(i)));
  }
  Shape input_shape(int i) const override {
    return g_.shape(g_.input(n_, static_cast<uint32_t>(i)));
  }
  ResourceTable& resources() override { return resources_; }
  FunctionRuntime* functions() override { return functions_; }
  std::string_view op_name() const override { return g_.op(n_).name; }
  std::string_view device_name() const override { return device_; }

 private:
  const Graph& g_;
  NodeId n_;
  ResourceTable& resources_;
  FunctionRuntime* const functions_;
  const std::string name_;
  const std::string_view device_;
};

// Returns the variable of a node with the role kVariable, and makes it when it is first met. The
// kernels of such ops do nothing; whoever runs a graph puts the reference into the output itself.
Result<std::shared_ptr<Variable>> FindVariable(const Graph& graph, NodeId node,
                                               ResourceTable& resources);
// Binds the kernel that a node has on a device. InvalidArgument if it has none. Errors name the
// node.
Result<BoundKernel> BindNode(const Graph& graph, NodeId node, const Device& device,
                             const CompileOptions& options);
// The error of a node without a kernel on a device.
Status NoKernel(const Graph& graph, NodeId node, const Device& device);
// What a reference slot holds. The variable must outlive it.
Tensor ReferenceTo(Variable* variable);
// Whether input i of a node takes a reference and not a value.
bool TakesReference(const Graph& graph, NodeId node, uint32_t i);

}  // namespace tensh
