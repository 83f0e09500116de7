// A graph as a report for drawing, before it is pruned and placed. Nodes are grouped by the device
// that they request.
#pragma once

#include <vector>

#include "shell/client/client.h"
#include "shell/explain/report.h"
#include "shell/session/runs.h"

namespace tensh::shell {

Report GraphReport(const GraphHandle& graph, const std::vector<tsh_node>& nodes);
// Parses the report of a run, in which the results of Python functions are fed placeholders to the
// runtime. Returns false if there is no report.
bool ParseReportOf(const ExplainedRun& run, Report* report);
std::vector<tsh_node> AllNodes(const GraphHandle& graph);  // empty if there are too many to draw

}  // namespace tensh::shell
