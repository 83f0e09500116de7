#include <algorithm>
#include <unordered_map>

#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/shell.h"
#include "shell/commands/tables.h"
#include "shell/explain/report.h"
#include "shell/print/json.h"

namespace tensh::shell {
namespace {

std::string ShapeText(const Json& shape) {
  if (shape.is_string()) return shape.as_string();
  if (!shape.is_array()) return "[…]";
  std::string out = "[";
  for (const Json& extent : shape.items()) {
    out += (out.size() > 1 ? "," : "") +
           (extent.as_int(-1) < 0 ? std::string("?") : std::to_string(extent.as_int()));
  }
  return out + "]";
}

constexpr std::string_view kVariableOps[] = {"VariableV2", "Variable", "VarHandleOp"};

// The variables of the graph; what the session knows of those that have run.
std::vector<tsh_node> VariableNodes(const GraphHandle& graph) {
  std::vector<tsh_node> nodes;
  for (size_t n = 0; n < graph.size(); ++n) {
    const std::string_view op = graph.NodeOp(static_cast<tsh_node>(n));
    if (std::find(std::begin(kVariableOps), std::end(kVariableOps), op) == std::end(kVariableOps))
      continue;
    nodes.push_back(static_cast<tsh_node>(n));
  }
  return nodes;
}

struct VariableRow {
  std::string name, type;
  bool ready = false;
  int64_t bytes = 0;
  std::string device;  // asked for
};

std::vector<VariableRow> Variables(tsh_session* session) {
  const Json known = Json::Parse(TakeText(tsh_session_variables_json(session)));
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
  std::unordered_map<std::string_view, const Json*> by_name;
  for (const Json& var : known.items()) by_name[var["name"].as_string()] = &var;
  std::vector<VariableRow> rows;
  for (const tsh_node node : VariableNodes(graph)) {
    VariableRow row{graph.NodeName(node), NodeTypes(graph, node), false, 0,
                    tsh_node_device(graph.get(), node)};
    std::erase(row.type, '&');  // every variable is a reference
    const auto at = by_name.find(row.name);
    if (at != by_name.end() && (*at->second)["initialized"].as_bool()) {
      row.ready = true;
      row.bytes = (*at->second)["bytes"].as_int();
      row.type = ShortType((*at->second)["dtype"].as_string()) + ShapeText((*at->second)["shape"]);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string RowJson(const VariableRow& row) {
  return "{\"name\": " + JsonQuote(row.name) + ", \"type\": " + JsonQuote(row.type) +
         ", \"initialized\": " + (row.ready ? "true" : "false") +
         ", \"bytes\": " + std::to_string(row.bytes) + ", \"device\": " + JsonQuote(row.device) +
         "}";
}

void RunVars(CommandCall& call) {
  call.WantNothing();
  Shell& shell = call.shell();
  const Value session = bridge::CurrentSession();
  const std::vector<VariableRow> rows = Variables(bridge::SessionOf(session));
  if (call.json()) {
    std::string out = "[";
    for (const VariableRow& row : rows) out += (out.size() > 1 ? ",\n" : "") + RowJson(row);
    return shell.PrintLine(out + "]");
  }
  if (rows.empty()) return shell.Note(" no variables in this session's graph");
  TableText table{.columns = {{"name", 10},
                              {"type"},
                              {"value", 8},
                              {"bytes", SIZE_MAX, true},
                              {"asked for", 6}},
                  .rows = {}};
  table.noun = "variable";
  bool missing = false;
  for (const VariableRow& row : rows) {
    missing = missing || !row.ready;
    table.rows.push_back(
        {"",
         {Visible(row.name), row.type, row.ready ? "initialised" : "not initialised",
          row.ready ? Bytes(row.bytes) : "–", Visible(row.device)}});
  }
  PrintTable(shell, table);
  if (missing) shell.Note(" next: run tf.global_variables_initializer()");
}

constexpr CommandExample kExamples[] = {
    {"v = tf.Variable([1., 2.], name=\"v\")\nrun v.initializer\nvars", nullptr},
};

}  // namespace

void RegisterCommand_vars(CommandRegistry& r) {
  r.Add({.name = "vars",
         .usage = "vars [--json]",
         .summary = "List the variables of the session in effect: type, shape, whether they have a "
                    "value, size, device.",
         .help = "",
         .examples = kExamples,
         .complete = "",
         .run = RunVars});
}

}  // namespace tensh::shell
