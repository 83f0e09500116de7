#pragma once
// Code that the compiler of plans and the reference evaluator of the tests share: the view of a
// node for Prepare, the kernel of a node, and the variable of a node.
#include <memory>

#include "runtime/core/bind_kernel.h"
#include "runtime/core/transposed_inputs.h"
#include "runtime/exec/plan.h"
#include "runtime/graph/graph.h"

namespace tensh {

class NodePrepareCtx : public PrepareCtx, public TransposedInputs {
 public:
  // `functions` may be null. `scope` is the name of the function whose body the graph is, or "".
  // `device` is the device of the node, or "" if unknown.
  NodePrepareCtx(const Graph& graph, NodeId node, ResourceTable& resources,
                 FunctionRuntime* functions = nullptr, const std::string& scope = {},
                 std::string_view device = {}, const Rewrites* rewrites = nullptr)
      : g_(graph),
        n_(node),
        resources_(resources),
        functions_(functions),
        name_(scope.empty() ? std::string(g_.name(n_)) : StrCat(scope, "/", g_.name(n_))),
        device_(device),
        rewrites_(rewrites) {}
  // The scope is part of the name, because nodes of the same name in two functions have separate
  // state.
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
  bool is_transposed(int i) const override {
    return rewrites_ && rewrites_->Transposes(n_, static_cast<uint32_t>(i));
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
  const Rewrites* const rewrites_;
};

// Returns the variable of a node with the role kVariable, and creates it on the first call. The
// kernels of such ops do nothing; the code that runs a graph sets their output to the reference.
Result<std::shared_ptr<Variable>> FindVariable(const Graph& graph, NodeId node,
                                               ResourceTable& resources);
// Binds the kernel of a node on a device. `rewrites` may be null. Returns InvalidArgument, with the name of the node, if it
// has none.
Result<BoundKernel> BindNode(const Graph& graph, NodeId node, const Device& device,
                             const CompileOptions& options, const Rewrites* rewrites = nullptr);
// The error of a node without a kernel on a device.
Status NoKernel(const Graph& graph, NodeId node, const Device& device);
// Returns the value of a reference slot. The variable must outlive it.
Tensor ReferenceTo(Variable* variable);
// Returns true if input i of a node takes a reference, and false if it takes a value.
bool TakesReference(const Graph& graph, NodeId node, uint32_t i);

}  // namespace tensh
