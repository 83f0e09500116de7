#include "shell/commands/base/echo.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/explain/report.h"
#include "shell/session/graphs.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kMostLines = 6;
constexpr size_t kSmallestFold = 3;

// The nodes that one line shows: a single node, or those of a name scope.
struct Lines {
  std::string scope;  // "" for a single node
  std::vector<tsh_node> nodes;
};

// Returns the text before the first slash of a name, or "".
std::string ScopeOf(const GraphHandle& graph, tsh_node node) {
  const std::string name = graph.NodeName(node);
  const size_t slash = name.find('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

// Returns a line for each node, or for each scope of at least kSmallestFold nodes if `fold`.
std::vector<Lines> Grouped(const GraphHandle& graph, const Version& version, bool fold) {
  std::vector<Lines> scopes, lines;
  std::unordered_map<std::string, size_t> found;
  for (size_t n = version.first; n < version.end; ++n) {
    const auto node = static_cast<tsh_node>(n);
    const std::string scope = fold ? ScopeOf(graph, node) : "";
    const auto [at, added] = found.emplace(scope, scopes.size());
    if (added || scope.empty())
      scopes.push_back({scope, {node}});
    else
      scopes[at->second].nodes.push_back(node);
  }
  for (Lines& each : scopes) {
    if (!each.scope.empty() && each.nodes.size() >= kSmallestFold) {
      lines.push_back(std::move(each));
      continue;
    }
    for (const tsh_node node : each.nodes) lines.push_back({"", {node}});
  }
  return lines;
}

GridRow RowOf(const GraphHandle& graph, const Lines& line, const std::string& lead) {
  if (!line.scope.empty())
    return {
        lead,
        {"▸ " + Visible(line.scope) + "/", Count(static_cast<int64_t>(line.nodes.size()), "node")},
        {Role::kTensor, Role::kNote}};
  const tsh_node node = line.nodes[0];
  const std::string device = graph.Device(node), inputs = NodeInputs(graph, node);
  std::string type;
  if (graph.NumOutputs(node) > 0)
    type = tsh_dtype_short_name(graph.DType({node, 0})) + ShapeText(graph.Shape({node, 0}));
  return {lead,
          {Visible(graph.NodeName(node)),
           Visible(ShownOp(graph, node)) + (inputs.empty() ? "" : "(" + inputs + ")"), type,
           device.empty() ? "" : ShortDevice(device) + " requested"},
          {Role::kTensor, Role::kPlain, Role::kDtype, DeviceRole(ShortDevice(device))}};
}

// Returns "@1 · 1 node · extend 2 µs", preceded by the number of nodes that are not shown.
std::string TailOf(const GraphHandle& graph, const Version& version, size_t shown, bool alone) {
  const bool other = graph.get() != CurrentGraph().get();
  const std::string name = GraphName(graph);
  std::string tail = (other ? name + " @" : "@") + std::to_string(version.number) + " · " +
                     Count(static_cast<int64_t>(version.end), "node");
  if (alone) tail += " · extend " + Duration(static_cast<double>(extend_clock.ns));
  if (shown == version.nodes()) return tail;
  return "and " + Count(static_cast<int64_t>(version.nodes() - shown), "more node") +
         "; all: " + (other ? "at " + name + " nodes" : "nodes") + " · " + tail;
}

}  // namespace

void EchoExtend(Shell& shell, const GraphHandle& graph, const Version& version, bool alone) {
  Output& out = shell.out();
  const Palette palette = out.palette();
  std::vector<Lines> lines = Grouped(graph, version, version.nodes() > kMostLines);
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  const std::string lead = " " + palette.Paint(Role::kRuns, "+") + " ";
  std::vector<GridRow> rows;
  size_t shown = 0;
  for (const Lines& line : lines) {
    rows.push_back(RowOf(graph, line, lead));
    shown += line.nodes.size();
  }
  const std::vector<Column> columns = {
      {.least = 12, .middle = true}, {.least = 8}, {.least = 5}, {.least = 5}};
  std::string text = FormatGrid(columns, std::move(rows), out.width(), false, palette);
  const size_t width = out.width() == 0 ? 80 : out.width();
  std::string tail = TailOf(graph, version, shown, alone);
  if (TextWidth(tail) + 3 > width) tail = TailOf(graph, version, shown, false);
  // convert before measuring the width
  if (shell.options().ascii) tail = ToAscii(tail), text = ToAscii(text);
  text.pop_back();
  const size_t last =
      TextWidth(text.substr(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1));
  const std::string painted = palette.Paint(Role::kNote, tail);
  if (last + TextWidth(tail) + 3 <= width) {
    text += std::string(width - last - TextWidth(tail) - 1, ' ') + painted;
  } else {
    text += "\n   " + painted;
  }
  out.Print(text + "\n");
}

}  // namespace tensh::shell
