#pragma once
// The body of a function as a separate graph: arguments are placeholders to feed, results are
// fetched. It is made once for each set of attribute values with which the function is called.
#include "runtime/graph/graph.h"

namespace tensh {

struct FunctionBody {
  std::unique_ptr<Graph> graph;
  std::vector<Output> args, rets;
  std::vector<NodeId> effects;  // Nodes to run although no result needs them.
};

// Makes the body of a function. `function` may be SymbolicGradient with the attribute f. Its body
// computes the gradients of f's arguments, given f's arguments and the gradients of its results.
// Returns NotFound if the function does not exist, and InvalidArgument if its body is inconsistent.
Result<FunctionBody> MakeFunctionBody(const OpRegistry& ops,
                                      const std::shared_ptr<FunctionLibrary>& functions,
                                      const FuncAttr& function);
// Returns the type of the variable whose handle argument `arg` is; kInvalid if the body uses no
// variable through it.
DType HandleTypeOf(const OpRegistry& ops, const std::shared_ptr<FunctionLibrary>& functions,
                   const FuncAttr& function, int arg);

inline constexpr std::string_view kGradientFunction = "SymbolicGradient";

}  // namespace tensh
