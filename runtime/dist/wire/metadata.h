#pragma once
// Translation of a server's report of a step to the client's graph: the device and time of each
// node, and the edges that were cut.
#include <functional>
#include <string>

#include "runtime/api/dist_api.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// Returns the client's node with this name on the wire, or TSH_NO_NODE if the client has none.
using NodeFinder = std::function<tsh_node(const std::string& name)>;

// Servers optimize graphs. Their reports of nodes that the client does not have are left out.
void TellTrace(const tensorflow::RunMetadata& metadata, const NodeFinder& find,
               const tensh_dist_trace& trace);

}  // namespace tensh::dist
