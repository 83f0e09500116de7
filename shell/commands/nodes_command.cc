#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/shell.h"
#include "shell/commands/tables.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxRows = 100;

bool Contains(std::string_view text, std::string_view part) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (size_t i = 0; i + part.size() <= text.size(); ++i) {
    size_t k = 0;
    while (k < part.size() && lower(text[i + k]) == lower(part[k])) ++k;
    if (k == part.size()) return true;
  }
  return false;
}

void RunNodes(CommandCall& call) {
  const GraphHandle graph = bridge::CurrentGraph();
  std::vector<tsh_node> found;
  for (size_t n = 0; n < graph.size(); ++n) {
    const auto node = static_cast<tsh_node>(n);
    if (Contains(graph.NodeName(node), call.text()) || Contains(graph.NodeOp(node), call.text()))
      found.push_back(node);
  }
  Shell& shell = call.shell();
  if (call.json()) {
    return shell.PrintLine(NodesJson(graph, found));
  }
  TableText table{.columns = {{"name", 10}, {"op", 6}, {"type", 8}, {"device", 6}, {"inputs", 8}},
                  .rows = {}};
  const std::string text(call.text());
  table.noun = "node";
  table.total = found.size();
  table.see_all = "nodes " + (text.empty() ? text : text + " ") + "--all";
  for (const tsh_node node : found) {
    if (!call.Has("--all") && table.rows.size() >= kMaxRows) break;
    table.rows.push_back(
        {"",
         {Visible(graph.NodeName(node)), Visible(graph.NodeOp(node)), NodeTypes(graph, node),
          Visible(tsh_node_device(graph.get(), node)), NodeInputs(graph, node)}});
  }
  if (found.empty())
    return shell.Note(text.empty() ? " no nodes yet"
                                   : " no node's name or op has '" + text + "' in it");
  PrintTable(shell, table);
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nnodes exp",
     "name  op   type    device  inputs\nb     Exp  f32[2]          a\n"},
};

}  // namespace

void RegisterCommand_nodes(CommandRegistry& r) {
  r.Add({.name = "nodes",
         .usage = "nodes [PATTERN] [--all] [--json]",
         .summary = "List the nodes of the graph whose name or op contains PATTERN.",
         .help = "",
         .examples = kExamples,
         .complete = "expr",
         .run = RunNodes});
}

}  // namespace tensh::shell
