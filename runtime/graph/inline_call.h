#pragma once
// Copies the body of a called function into the graph of the caller, so that its tensors can be
// fetched by name. The call itself stays.
#include <string_view>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh {

// Adds the nodes of the function that the node calls, and those of the calls inside of it, all or
// none. They take the inputs of the node. Their names are PREFIX/NAME; names that occur several
// times have the names of the calls in between. Returns the results of the call, or InvalidArgument if the node calls no
// function, and ResourceExhausted if the functions have too many nodes.
Result<std::vector<Output>> InlineCall(Graph& graph, NodeId call, std::string_view prefix,
                                       uint32_t source);

}  // namespace tensh
