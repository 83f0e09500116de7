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

void RunVars(CommandCall& call) {
  call.WantNothing();
  Shell& shell = call.shell();
  const std::string text =
      TakeText(tsh_session_variables_json(bridge::SessionOf(bridge::CurrentSession())));
  if (call.json()) return shell.PrintLine(text);
  TableText table{
      .columns = {{"name", 10}, {"type"}, {"value", 8}, {"bytes", SIZE_MAX, true}, {"device", 6}},
      .rows = {}};
  table.noun = "variable";
  bool missing = false;
  const Json vars = Json::Parse(text);
  for (const Json& var : vars.items()) {
    const bool ready = var["initialized"].as_bool();
    missing = missing || !ready;
    table.rows.push_back(
        {"",
         {Visible(var["name"].as_string()),
          ShortType(var["dtype"].as_string()) + ShapeText(var["shape"]),
          ready ? "initialised" : "not initialised", ready ? Bytes(var["bytes"].as_int()) : "–",
          ShortDevice(var["device"].as_string())}});
  }
  if (table.rows.empty()) return shell.Note(" no variables in this session's graph");
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
         .alone = true,
         .run = RunVars});
}

}  // namespace tensh::shell
