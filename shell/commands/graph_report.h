// A graph as a report in which nothing was decided yet, to be drawn: the columns are the devices
// that its nodes ask for.
#pragma once

#include <vector>

#include "shell/client.h"
#include "shell/explain/report.h"

namespace tensh::shell {

Report GraphReport(const GraphHandle& graph, const std::vector<tsh_node>& nodes);
std::vector<tsh_node> AllNodes(const GraphHandle& graph);  // none when there are too many to draw

}  // namespace tensh::shell
