#pragma once
// The body of a function's gradient. Internal to function bodies.
#include "runtime/graph/function_body.h"

namespace tensh {

// `function.attrs` contains f. The body takes f's arguments, followed by a gradient for each of f's
// results. It returns a gradient for each argument, which is zero if none flows.
Result<FunctionBody> MakeGradientBody(const OpRegistry& ops,
                                      const std::shared_ptr<FunctionLibrary>& functions,
                                      const FuncAttr& function);

}  // namespace tensh
