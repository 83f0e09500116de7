// The verb `vars`: lists the variables of the current session.

#include <algorithm>
#include <unordered_map>

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/tables/data_table.h"
#include "shell/explain/report.h"
#include "shell/session/sessions.h"
#include "shell/text/json.h"

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

// Returns the variables of the graph. The session only knows those that have run.
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
  std::string device;  // the requested device
};

std::vector<VariableRow> Variables(tsh_session* session) {
  const Json known = Json::Parse(TakeText(tsh_session_variables_json(session)));
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
  std::unordered_map<std::string_view, const Json*> by_name;
  for (const Json& var : known.items()) by_name[var["name"].as_string()] = &var;
  std::vector<VariableRow> rows;
  for (const tsh_node node : VariableNodes(graph)) {
    VariableRow row{graph.NodeName(node), NodeTypes(graph, node), false, 0, graph.Device(node)};
    std::erase(row.type, '&');  // every variable has a reference type
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

void RunVars(CommandCall& call) {
  Shell& shell = call.shell();
  const Value session = call.shell().sessions().Current();
  const std::vector<VariableRow> rows = Variables(SessionOf(session));
  DataTable table{.columns = {{.name = "name", .least = 10},
                              {.name = "type"},
                              {.name = "initialized"},
                              {.name = "bytes", .unit = DataColumn::Unit::kBytes},
                              {.name = "device", .least = 6, .head = "requested"}},
                  .rows = {}};
  table.noun = "variable";
  table.searched = 1;
  table.empty = "no variables in this session's graph";
  bool missing = false;
  for (const VariableRow& row : rows) {
    missing = missing || !row.ready;
    table.rows.push_back({Cell::Text(row.name), Cell::Text(row.type), Cell::Bool(row.ready),
                          row.ready ? Cell::Number(row.bytes) : Cell(), Cell::Text(row.device)});
  }
  ShowTable(call, std::move(table));
  if (missing && !call.json() && !call.Has("--csv"))
    shell.out().Note(" next: run tf.global_variables_initializer()");
}

constexpr CommandExample kExamples[] = {
    {"v = tf.Variable([1., 2.], name=\"v\")\nrun v.initializer\nvars", nullptr},
};

}  // namespace

void RegisterCommand_vars(CommandRegistry& r) {
  r.Add({.name = "vars",
         .usage = "vars [PATTERN] " TENSH_TABLE_USAGE,
         .summary = "List the variables of the current session: type, shape, whether initialized, "
                    "size and device.",
         .help = kTableHelp,
         .examples = kExamples,
         .complete = "",
         .run = RunVars});
}

}  // namespace tensh::shell
