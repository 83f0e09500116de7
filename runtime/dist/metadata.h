#pragma once
// What a server says of a step, in the terms of the client's own graph: which device each node ran
// on, when, and which edges were cut.
#include <functional>
#include <string>

#include "runtime/dist/dist_api.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// The client's node of a name on the wire; TSH_NO_NODE: none of its own.
using NodeFinder = std::function<tsh_node(const std::string& name)>;

// Servers optimise: what they report of nodes that are not the client's is left out.
void TellTrace(const tensorflow::RunMetadata& metadata, const NodeFinder& find,
               const tensh_dist_trace& trace);

}  // namespace tensh::dist
