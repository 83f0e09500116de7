#include "shell/commands/base/graph_report.h"

#include "shell/commands/base/tables.h"
#include "shell/session/graphs.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxDrawn = 150'000;

}  // namespace

bool ParseReportOf(const ExplainedRun& run, Report* report) {
  if (!ParseReport(run.report, report)) return false;
  for (const GraphHandle& graph : LiveGraphs()) {
    if (graph.id() != run.graph) continue;
    for (ReportNode& node : report->nodes) {
      const auto id = static_cast<tsh_node>(node.id);
      if (node.op != "Placeholder" || !node.within.empty() || id >= graph.size() ||
          ShownOp(graph, id) != "PyFunc")
        continue;
      node.op = "PyFunc", node.reason = "result of Python";
      if (!report->IsPython(node.name)) report->python.push_back(node.name);
    }
  }
  return true;
}

Report GraphReport(const GraphHandle& graph, const std::vector<tsh_node>& nodes) {
  Report report;
  report.version = graph.version();
  for (const tsh_node id : nodes) {
    ReportNode node;
    node.id = id;
    node.name = graph.NodeName(id);
    node.op = ShownOp(graph, id);
    const std::string types = NodeTypes(graph, id);
    node.type = types.substr(0, types.find(' '));
    for (const tsh_output input : graph.Inputs(id)) {
      node.inputs.push_back(std::string(graph.NodeName(input.node)) + ":" +
                            std::to_string(input.index));
    }
    for (const tsh_node control : graph.Controls(id))
      node.inputs.push_back("^" + std::string(graph.NodeName(control)));
    node.state = "runs";
    const std::string asked = graph.Device(id);
    node.device = asked.empty() ? "no device requested" : ShortDevice(asked);
    report.nodes.push_back(std::move(node));
  }
  return report;
}

std::vector<tsh_node> AllNodes(const GraphHandle& graph) {
  std::vector<tsh_node> nodes;
  const size_t size = graph.size() <= kMaxDrawn ? graph.size() : 0;
  for (size_t n = 0; n < size; ++n) nodes.push_back(static_cast<tsh_node>(n));
  return nodes;
}

}  // namespace tensh::shell
