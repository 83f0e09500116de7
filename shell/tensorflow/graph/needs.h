// The nodes that a run needs, and the feeds that are missing when it fails.
#pragma once

#include <string>
#include <vector>

#include "shell/client/client.h"

namespace tensh::shell::tf {

// Returns a flag for each node of the graph: true if the run needs it. Walks back from the fetches and
// targets and stops at the feeds. Iterative, because a path may be a million nodes long.
std::vector<bool> NeededNodes(const GraphHandle& graph, const tsh_run& run);
// Returns the placeholders that the run needs and does not feed, in the order of the graph.
std::vector<tsh_node> UnfedPlaceholders(const GraphHandle& graph, const tsh_run& run);
// Returns a node that a session can run in order to run this one: the node itself or, if it is inside
// of a tf.cond or tf.while_loop, the first node outside that depends on it. Returns TSH_NO_NODE if
// nothing outside does.
tsh_node FetchableUser(const GraphHandle& graph, tsh_node node);
// Returns the source locations of nodes, "x from line 3, y from line 4", or "" if they are unknown.
std::string Places(const GraphHandle& graph, const std::vector<std::string>& names);
// Returns a value to feed, as Python text: "[0., 0.]" for f32[2]. An unknown extent is 1, and a large
// value is written as "np.zeros([64, 784])".
std::string ZeroText(const GraphHandle& graph, tsh_output value);
// Throws the error of a run that failed in this session. If placeholders were not fed, the error names
// them.
[[noreturn]] void ThrowRunError(tsh_session* session, const tsh_run& run, const tsh_status* status);

}  // namespace tensh::shell::tf
