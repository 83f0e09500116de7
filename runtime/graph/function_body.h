#pragma once
// The body of a function as a graph of its own: arguments are placeholders to be fed, results are
// fetched. Made once for each set of attribute values a function is called with.
#include "runtime/graph/graph.h"

namespace tensh {

struct FunctionBody {
  std::unique_ptr<Graph> graph;
  std::vector<Output> args, rets;
  std::vector<NodeId> effects;  // run although no result needs them
};

// `function` may be SymbolicGradient with the attribute f: what gives the gradients of f's
// arguments from f's arguments and the gradients of its results. NotFound, or InvalidArgument for a
// body that does not fit together.
Result<FunctionBody> MakeFunctionBody(const OpRegistry& ops,
                                      const std::shared_ptr<FunctionLibrary>& functions,
                                      const FuncAttr& function);
// Type of the variable whose handle argument `arg` is; kInvalid when the body uses none there.
DType HandleTypeOf(const OpRegistry& ops, const std::shared_ptr<FunctionLibrary>& functions,
                   const FuncAttr& function, int arg);

inline constexpr std::string_view kGradientFunction = "SymbolicGradient";

}  // namespace tensh
