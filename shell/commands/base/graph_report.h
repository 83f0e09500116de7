// A graph as a report for drawing, before it is pruned and placed. Nodes are grouped by the device
// that they request.
#pragma once

#include <vector>

#include "shell/client/client.h"
#include "shell/explain/report.h"

namespace tensh::shell {

Report GraphReport(const GraphHandle& graph, const std::vector<tsh_node>& nodes);
std::vector<tsh_node> AllNodes(const GraphHandle& graph);  // empty if there are too many to draw

}  // namespace tensh::shell
