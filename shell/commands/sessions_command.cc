#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/shell.h"
#include "shell/commands/tables.h"
#include "shell/print/json.h"

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
  call.WantNothing();
  bridge::CurrentSession();  // the default one exists from now on
  const tsh_session* current = bridge::SessionOf(bridge::CurrentSession());
  const std::string text = TakeText(tsh_sessions_json());
  if (call.json()) return call.shell().PrintLine(text);
  TableText table{.columns = {{""}, {"session"}, {"target", 8}, {"graph"}, {"devices", 10}},
                  .rows = {}};
  table.noun = "session";
  const Json sessions = Json::Parse(text);
  for (const Json& session : sessions.items()) {
    const bool is_current = session["id"].as_int() == static_cast<int64_t>(tsh_session_id(current));
    table.rows.push_back(
        {"",
         {is_current ? "*" : " ", "s" + std::to_string(session["id"].as_int()), TargetText(session),
          "g" + std::to_string(session["graph"].as_int()), DevicesText(session["devices"])}});
  }
  PrintTable(call.shell(), table);
}

}  // namespace

void RegisterCommand_sessions(CommandRegistry& r) {
  r.Add({.name = "sessions",
         .usage = "sessions [--json]",
         .summary = "List the open sessions; * marks the one that eval and run use.",
         .help = "",
         .examples = {},
         .complete = "",
         .run = RunSessions});
}

}  // namespace tensh::shell
