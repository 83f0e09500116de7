#pragma once
// The gradient of a function, as a body. Internal to function bodies.
#include "runtime/graph/function_body.h"

namespace tensh {

// function.attrs has f. Takes f's arguments, then a gradient for each of its results; gives a
// gradient for each argument, zeros where none flows.
Result<FunctionBody> MakeGradientBody(const OpRegistry& ops,
                                      const std::shared_ptr<FunctionLibrary>& functions,
                                      const FuncAttr& function);

}  // namespace tensh
