// The verb `sessions`: lists the open sessions.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/tables/data_table.h"
#include "shell/session/sessions.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

std::string DevicesText(const Json& devices) {
  return devices.is_string() ? devices.as_string() : Count(devices.as_int(), "device");
}

std::string TargetText(const Json& session) {
  const std::string& target = session["target"].as_string();
  return target.empty() ? "direct" : target;
}

void RunSessions(CommandCall& call) {
  call.shell().sessions().Current();  // creates the default session if necessary
  const tsh_session* current = SessionOf(call.shell().sessions().Current());
  DataTable table{.columns = {{.name = "current", .head = ""},
                              {.name = "session"},
                              {.name = "target", .least = 8},
                              {.name = "graph"},
                              {.name = "devices", .least = 10}},
                  .rows = {}};
  table.noun = "session";
  table.json = TakeText(tsh_sessions_json());
  const Json sessions = Json::Parse(table.json);
  for (const Json& session : sessions.items()) {
    const bool is_current = session["id"].as_int() == static_cast<int64_t>(tsh_session_id(current));
    table.rows.push_back({Cell::Text(is_current ? "*" : " "),
                          Cell::Text("s" + std::to_string(session["id"].as_int())),
                          Cell::Text(TargetText(session)),
                          Cell::Text("g" + std::to_string(session["graph"].as_int())),
                          Cell::Text(DevicesText(session["devices"]))});
  }
  ShowTable(call, std::move(table));
}

}  // namespace

void RegisterCommand_sessions(CommandRegistry& r) {
  r.Add({.name = "sessions",
         .usage = "sessions " TENSH_TABLE_USAGE,
         .summary = "List the open sessions; * marks the one that eval and run use.",
         .help = kTableHelp,
         .examples = {},
         .complete = "",
         .run = RunSessions});
}

}  // namespace tensh::shell
