#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/shell.h"
#include "shell/commands/tables.h"
#include "shell/print/json.h"

namespace tensh::shell {
namespace {

void RunDevices(CommandCall& call) {
  call.WantNothing();
  const std::string text =
      TakeText(tsh_session_devices_json(bridge::SessionOf(bridge::CurrentSession())));
  if (call.json()) return call.shell().PrintLine(text);
  const Json devices = Json::Parse(text);
  if (!call.Has("--verbose")) {
    for (const Json& device : devices.items()) call.shell().PrintLine(device["name"].as_string());
    return;
  }
  TableText table{
      .columns = {{"short"}, {"device", 12}, {"memory limit", SIZE_MAX, true}, {"incarnation"}},
      .rows = {}};
  for (const Json& device : devices.items()) {
    const int64_t limit = device["memory_limit"].as_int();
    const Json& incarnation = device["incarnation"];
    table.rows.push_back(
        {"",
         {device["short"].as_string(), device["name"].as_string(), limit > 0 ? Bytes(limit) : "–",
          incarnation.is_string() ? incarnation.as_string() : incarnation.Dump()}});
  }
  PrintTable(call.shell(), table);
}

constexpr CommandExample kExamples[] = {
    {"devices",
     "/job:localhost/replica:0/task:0/device:CPU:0\n/job:localhost/replica:0/task:0/"
     "device:CPU:1\n"},
};

}  // namespace

void RegisterCommand_devices(CommandRegistry& r) {
  r.Add({.name = "devices",
         .usage = "devices [--verbose] [--json]",
         .summary = "List the devices that the session in effect can place ops on.",
         .help = "--verbose adds memory limits and incarnations. The default session has two CPU "
                 "devices, so that\n"
                 "placement and Send/Recv can be seen anywhere; tensh --cpus N gives it others.",
         .examples = kExamples,
         .complete = "",
         .run = RunDevices});
}

}  // namespace tensh::shell
