// The tables of the session and of the shell: devices, vars, sessions, ops and cells.
#include <algorithm>
#include <ctime>
#include <unordered_map>

#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/help/op_help.h"
#include "shell/commands/tables/cell_rows.h"
#include "shell/commands/tables/relation.h"
#include "shell/explain/report.h"
#include "shell/python/values/containers.h"
#include "shell/session/sessions.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

using Type = RelationColumn::Type;

constexpr RelationColumn kDeviceColumns[] = {
    {"short", Type::kText, "the short name, such as cpu:0"},
    {"device", Type::kText, "the full name"},
    {"type", Type::kText, "CPU or GPU"},
    {"memory_limit", Type::kBytes, "bytes; NULL if there is no limit"},
    {"incarnation", Type::kText, "a number that changes when a server restarts"},
    {"answers", Type::kBool, "false if the task of the device does not answer"},
};

}  // namespace

std::string DevicesText(Shell& shell) {
  const Value session = shell.sessions().Current();
  std::string text = TakeText(tsh_session_devices_json(SessionOf(session)));
  if (Json::Parse(text).size() > 0) return text;
  throw RuntimeError("the server " + TargetOf(session) + " does not list its devices")
      .Hint("Is it running? To work in this process: connect default");
}

bool DeviceAnswers(const Json& device) { return device["incarnation"].as_int(1) != 0; }

namespace {

std::vector<Row> DeviceRows(Shell& shell) {
  const Json devices = Json::Parse(DevicesText(shell));
  std::vector<Row> rows;
  for (const Json& device : devices.items()) {
    const int64_t limit = device["memory_limit"].as_int();
    const Json& incarnation = device["incarnation"];
    rows.push_back(
        {Cell::Text(device["short"].as_string()), Cell::Text(device["name"].as_string()),
         Cell::Text(device["type"].as_string()), limit > 0 ? Cell::Number(limit) : Cell(),
         Cell::Text(incarnation.is_string() ? incarnation.as_string() : incarnation.Dump()),
         Cell::Bool(DeviceAnswers(device))});
  }
  return rows;
}

constexpr RelationColumn kVarColumns[] = {
    {"name", Type::kText, "the name of the variable's node"},
    {"type", Type::kText, "its type and shape; of the value if it is initialized"},
    {"value", Type::kText,
     "a scalar in full, otherwise the first elements; NULL if it is not known here"},
    {"initialized", Type::kBool, "true if it has a value in this session; NULL on a server"},
    {"bytes", Type::kBytes, "the size of the value; NULL without one"},
    {"device", Type::kText, "the short name of the requested device, or ''"},
    {"dtype", Type::kText, "the element type"},
    {"shape", Type::kText, "the shape"},
    {"rank", Type::kInteger, "the number of dimensions; NULL if unknown"},
    {"elements", Type::kInteger, "the number of elements; NULL if unknown"},
};

constexpr std::string_view kVariableOps[] = {"VariableV2", "Variable", "VarHandleOp"};

ShapeInfo ShapeOf(const Json& json) {
  ShapeInfo shape;
  if (!json.is_array()) return shape;
  for (const Json& extent : json.items()) shape.extents.push_back(extent.as_int(-1));
  shape.rank = static_cast<int>(shape.extents.size());
  return shape;
}

Cell ElementsCell(const ShapeInfo& shape) {
  if (shape.rank < 0) return Cell();
  int64_t elements = 1;
  for (const int64_t extent : shape.dims())
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements)) return Cell();
  return Cell::Number(elements);
}

// `here` is false for the session of a server, which does not list its variables.
Row VarRow(const GraphHandle& graph, tsh_node node, const Json* known, bool here) {
  const bool ready = known != nullptr && (*known)["initialized"].as_bool();
  const bool has_output = graph.NumOutputs(node) > 0;
  ShapeInfo shape = has_output ? graph.Shape({node, 0}) : ShapeInfo();
  std::string dtype = has_output ? ShortType(tsh_dtype_name(graph.DType({node, 0}))) : "";
  std::string type = NodeTypes(graph, node);
  std::erase(type, '&');  // every variable has a reference type
  std::erase(dtype, '&');
  if (ready) {
    shape = ShapeOf((*known)["shape"]);
    dtype = ShortType((*known)["dtype"].as_string());
    const Json& text = (*known)["shape"];
    type = dtype + (text.is_string() ? text.as_string() : ShapeText(shape));
  }
  const std::string value = ready ? (*known)["value"].as_string() : "";
  return {Cell::Text(graph.NodeName(node)),
          Cell::Text(type),
          value.empty() ? Cell() : Cell::Text(Visible(value)),
          here ? Cell::Bool(ready) : Cell(),
          ready ? Cell::Number((*known)["bytes"].as_int()) : Cell(),
          Cell::Text(ShortDevice(graph.Device(node))),
          Cell::Text(dtype),
          Cell::Text(ShapeText(shape)),
          Cell::Known(shape.rank),
          ElementsCell(shape)};
}

// The session lists only variables that a run has used; the others come from its graph.
std::vector<Row> VarRows(Shell& shell) {
  const Value current = shell.sessions().Current();
  tsh_session* session = SessionOf(current);
  const Json known = Json::Parse(TakeText(tsh_session_variables_json(session)));
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
  const bool here = TargetOf(current).empty();
  std::unordered_map<std::string_view, const Json*> by_name;
  for (const Json& var : known.items()) by_name[var["name"].as_string()] = &var;
  std::vector<Row> rows;
  for (size_t n = 0; n < graph.size(); ++n) {
    const auto node = static_cast<tsh_node>(n);
    const std::string_view op = graph.NodeOp(node);
    if (std::find(std::begin(kVariableOps), std::end(kVariableOps), op) == std::end(kVariableOps))
      continue;
    const auto at = by_name.find(graph.NodeName(node));
    rows.push_back(VarRow(graph, node, at == by_name.end() ? nullptr : at->second, here));
  }
  return rows;
}

constexpr RelationColumn kSessionColumns[] = {
    {"session", Type::kInteger, "the number of the session, written s0 in verbs"},
    {"current", Type::kBool, "true for the one that eval and run use"},
    {"target", Type::kText, "direct, or the address of a server"},
    {"graph", Type::kInteger, "the number of its graph, as in the table graphs"},
    {"devices", Type::kText, "the devices, or their number"},
};

std::vector<Row> SessionRows(Shell& shell) {
  const Value value = shell.sessions().Current();  // creates the default session if necessary
  const auto current = static_cast<int64_t>(tsh_session_id(SessionOf(value)));
  const Json sessions = Json::Parse(TakeText(tsh_sessions_json()));
  std::vector<Row> rows;
  for (const Json& session : sessions.items()) {
    const std::string& target = session["target"].as_string();
    const Json& devices = session["devices"];
    rows.push_back(
        {Cell::Number(session["id"].as_int()), Cell::Bool(session["id"].as_int() == current),
         Cell::Text(target.empty() ? "direct" : target), Cell::Number(session["graph"].as_int()),
         Cell::Text(devices.is_string() ? devices.as_string()
                                        : Count(devices.as_int(), "device"))});
  }
  return rows;
}

constexpr RelationColumn kOpColumns[] = {
    {"op", Type::kText, "the name of the op"},
    {"signature", Type::kText, "its inputs and outputs"},
    {"does", Type::kText, "the first line of its documentation"},
    {"stateful", Type::kBool, "true if it has state or effects"},
    {"gradient", Type::kBool, "true if it has a gradient"},
    {"doc", Type::kText, "the whole documentation"},
};

std::vector<Row> OpRows() {
  const Json ops = Json::Parse(TakeText(tsh_ops_json("")));
  std::vector<Row> rows;
  for (const Json& op : ops.items()) {
    const std::string& doc = op["doc"].as_string();
    rows.push_back({Cell::Text(op["name"].as_string()), Cell::Text(OpSignature(op)),
                    Cell::Text(doc.substr(0, doc.find('\n'))), Cell::Bool(op["stateful"].as_bool()),
                    Cell::Bool(op["gradient"].as_bool()), Cell::Text(doc)});
  }
  return rows;
}

constexpr RelationColumn kCellColumns[] = {
    {"cell", Type::kInteger, "n of In[n]; in a script, the number of the statement"},
    {"text", Type::kText, "the text"},
    {"lines", Type::kInteger, "the number of lines"},
    {"state", Type::kText, "worked, failed or running; in an old session also not finished"},
    {"time", Type::kNs, "how long it took; NULL in a script"},
    {"nodes", Type::kInteger, "the number of nodes that it added to the graph"},
    {"began", Type::kText, "when it began; NULL in a script"},
    {"session", Type::kText, "the session of `tensh --resume`, or ''"},
};

// Returns the local time as "2026-11-23 11:05:07".
std::string TimeText(int64_t time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local)};
}

const char* StateText(const JournalCell& cell, bool running) {
  if (cell.state == JournalCell::State::kWorked) return "worked";
  if (cell.state == JournalCell::State::kFailed) return "failed";
  return running ? "running" : "not finished";
}

Cell LinesCell(const std::string& text) {
  return Cell::Number(1 + std::count(text.begin(), text.end(), '\n'));
}

// At a prompt, these are its cells; in a script, the statements so far.
std::vector<Row> CellRows(Shell& shell) {
  if (shell.options().interactive)
    return RowsOfCells(shell.cells().cells(), shell.cells().id(), true);
  std::vector<Row> rows;
  for (const Statement& each : shell.journal()) {
    if (each.text.empty()) continue;
    rows.push_back({Cell::Number(static_cast<int64_t>(rows.size()) + 1), Cell::Text(each.text),
                    LinesCell(each.text), Cell::Text("worked"), Cell(),
                    Cell::Number(static_cast<int64_t>(each.nodes)), Cell(), Cell::Text("")});
  }
  return rows;
}

}  // namespace

std::vector<Row> RowsOfCells(const std::vector<JournalCell>& cells, const std::string& session,
                             bool running) {
  std::vector<Row> rows;
  for (const JournalCell& cell : cells) {
    rows.push_back({Cell::Number(cell.number), Cell::Text(cell.text), LinesCell(cell.text),
                    Cell::Text(StateText(cell, running)),
                    Cell::Number(static_cast<int64_t>(cell.seconds * 1e9)),
                    Cell::Number(cell.nodes), Cell::Text(TimeText(cell.time)),
                    Cell::Text(session)});
  }
  return rows;
}

const ShellTable kDevicesTable{
    "devices", "The devices of the current session.", kDeviceColumns,
    [](Shell& shell) { return StoredRows([&shell] { return DeviceRows(shell); }); }};
const ShellTable kVarsTable{
    "vars", "The variables of the current session.", kVarColumns,
    [](Shell& shell) { return StoredRows([&shell] { return VarRows(shell); }); }};
const ShellTable kSessionsTable{
    "sessions", "The open sessions.", kSessionColumns,
    [](Shell& shell) { return StoredRows([&shell] { return SessionRows(shell); }); }};
const ShellTable kOpsTable{"ops", "The registered ops.", kOpColumns,
                           [](Shell&) { return StoredRows(OpRows); }};
const ShellTable kCellsTable{"cells", "The cells that were typed.", kCellColumns, [](Shell& shell) {
                               return StoredRows([&shell] { return CellRows(shell); });
                             }};

}  // namespace tensh::shell
