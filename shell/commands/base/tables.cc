#include "shell/commands/base/tables.h"

#include "shell/commands/base/shell.h"
#include "shell/explain/report.h"
#include "shell/session/graphs.h"
#include "shell/text/json.h"

namespace tensh::shell {

void PrintTable(Shell& shell, const TableText& table) {
  const Palette palette = shell.out().palette();
  std::string out =
      PaintHead(FormatGrid(table.columns, table.rows, shell.out().width(), true, palette), palette);
  if (table.total > table.rows.size()) {
    out += "… " +
           Count(static_cast<int64_t>(table.total - table.rows.size()),
                 std::string("more ") + table.noun) +
           "; see all: " + table.see_all + "\n";
  }
  shell.out().Print(out);
}

std::string ShapeText(const ShapeInfo& shape) {
  if (shape.rank < 0) return "[…]";
  std::string text = "[";
  for (const int64_t extent : shape.dims())
    text += (text.size() > 1 ? "," : "") + (extent < 0 ? std::string("?") : std::to_string(extent));
  return text + "]";
}

std::string NodeTypes(const GraphHandle& graph, uint32_t node) {
  std::string text;
  const size_t outputs = graph.NumOutputs(node);
  for (uint32_t i = 0; i < outputs; ++i) {
    text += (i > 0 ? " " : "") + ShortType(tsh_dtype_name(graph.DType({node, i}))) +
            ShapeText(graph.Shape({node, i}));
  }
  return text;
}

namespace {

// Returns the name of an input as it is listed. Inside a scope, "…/b" stands for the node b of that
// scope.
std::string InputName(std::string_view name, std::string_view within) {
  const bool inside = !within.empty() && name.size() > within.size() && name.starts_with(within) &&
                      name[within.size()] == '/';
  return inside ? "…" + Visible(name.substr(within.size())) : Visible(name);
}

}  // namespace

std::string NodeInputs(const GraphHandle& graph, uint32_t node, const InputsAs& as) {
  std::vector<std::string> names;
  const size_t total = graph.Inputs(node).size() + graph.Controls(node).size();
  for (const tsh_output input : graph.Inputs(node)) {
    if (names.size() >= as.most) break;
    names.push_back(InputName(graph.NodeName(input.node), as.within) +
                    (input.index > 0 ? ":" + std::to_string(input.index) : ""));
  }
  for (const tsh_node control : graph.Controls(node)) {
    if (names.size() >= as.most) break;
    names.push_back("^" + InputName(graph.NodeName(control), as.within));
  }
  if (names.size() < total)
    names.push_back("… " + Digits(static_cast<int64_t>(total - names.size())) + " more");
  return Join(names, ", ");
}

std::string NodeLine(const GraphHandle& graph, uint32_t node, const InputsAs& as) {
  std::string line = Visible(graph.NodeName(node)) + " = " + Visible(ShownOp(graph, node)) + "(" +
                     NodeInputs(graph, node, as) + ")";
  const std::string types = NodeTypes(graph, node);
  if (!types.empty()) line += " " + types;
  const std::string device = graph.Device(node);
  if (!device.empty()) line += " " + Visible(ShortDevice(device));
  return line;
}

namespace {

std::string NodeJson(const GraphHandle& graph, tsh_node node) {
  return "{\"id\": " + std::to_string(node) + ", \"name\": " + JsonQuote(graph.NodeName(node)) +
         ", \"op\": " + JsonQuote(ShownOp(graph, node)) +
         ", \"type\": " + JsonQuote(NodeTypes(graph, node)) +
         ", \"device\": " + JsonQuote(graph.Device(node)) +
         ", \"inputs\": " + JsonQuote(NodeInputs(graph, node)) + "}";
}

}  // namespace

std::string NodesJson(const GraphHandle& graph, const std::vector<uint32_t>& nodes) {
  std::string out = "[";
  for (const uint32_t node : nodes) out += (out.size() > 1 ? ",\n" : "") + NodeJson(graph, node);
  return out + "]";
}

void NoteOtherGraphs(CommandCall& call) {
  const GraphHandle current = CurrentGraph();
  std::vector<std::string> others;
  for (const GraphHandle& graph : LiveGraphs()) {
    if (graph.get() == current.get() || graph.size() == 0) continue;
    const std::string name = GraphName(graph);
    others.push_back(Count(static_cast<int64_t>(graph.size()), "node") + " in " + name + " (at " +
                     name + " nodes)");
  }
  constexpr size_t kNamed = 3;
  const size_t more = others.size() > kNamed ? others.size() - kNamed : 0;
  others.resize(others.size() - more);
  if (more > 0) others.push_back(Digits(static_cast<int64_t>(more)) + " more graphs (graphs)");
  if (!others.empty())
    call.out().Note(call.out().palette().Paint(
        Role::kNote, " this is graph " + GraphName(current) +
                         (others[0].starts_with("1 ") ? "; there is " : "; there are ") +
                         Join(others, ", ")));
}

}  // namespace tensh::shell
