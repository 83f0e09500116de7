// What a run needs of its graph, and what it lacks when it fails.
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
// Throws the error of a run that failed in this session. If placeholders were not fed, the error names
// them.
[[noreturn]] void ThrowRunError(tsh_session* session, const tsh_run& run, const tsh_status* status);

}  // namespace tensh::shell::tf
