// The verb `devices`: lists the devices of the current session.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/tables/data_table.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"
#include "tensh/tensh_devices.h"

namespace tensh::shell {
namespace {

void RunDevices(CommandCall& call) {
  std::string text = DevicesText(call.shell());
  const Json devices = Json::Parse(text);
  // Programs that read the output expect TensorFlow's names.
  const bool all_columns = call.Has("--verbose") || call.json() || HasTableClauses(call);
  if (!call.shell().options().interactive && !all_columns) {
    for (const Json& device : devices.items()) call.out().PrintLine(device["name"].as_string());
    return;
  }
  const auto& list = devices.items();
  const bool silent = !std::all_of(list.begin(), list.end(), DeviceAnswers);
  DataTable table{.columns = {{.name = "short"},
                              {.name = "device", .least = 12, .hidden = !all_columns},
                              {.name = "type", .hidden = all_columns},
                              {.name = "memory_limit", .unit = DataColumn::Unit::kBytes},
                              {.name = "incarnation", .hidden = !all_columns},
                              {.name = "answers", .hidden = !silent}},
                  .of = &kDevicesTable,
                  .noun = "device",
                  .json = std::move(text)};
  const bool has_gpu = std::any_of(list.begin(), list.end(),
                                   [](const Json& d) { return d["type"].as_string() == "GPU"; });
  const bool explain = call.Has("--verbose") && !call.json() && !call.wants_value();
  ShowTable(call, std::move(table));
  if (!explain) return;
  std::string why = TakeText(tsh_why_no_device("GPU"));
  if (has_gpu) why = TakeText(tsh_what_devices_lack("GPU"));
  if (!has_gpu && why.empty()) why = "this session uses none (device_count)";
  if (why.empty()) return;
  call.out().Print(Wrap((has_gpu ? "GPUs: " : "no GPU: ") + why + "\n", call.out().width()));
}

constexpr CommandExample kExamples[] = {
    {"devices",
     "/job:localhost/replica:0/task:0/device:CPU:0\n/job:localhost/replica:0/task:0/"
     "device:CPU:1\n"},
};

}  // namespace

void RegisterCommand_devices(CommandRegistry& r) {
  r.Add({.name = "devices",
         .usage = "devices [PATTERN] [--verbose] " TENSH_TABLE_USAGE,
         .summary = "List the devices of the current session.",
         .help =
             "--verbose adds full names and incarnations, and says why there is no GPU or what "
             "GPUs lack. `answers` "
             "appears if a task\nof the cluster does not answer. The default session has two CPU "
             "devices, so that placement and Send/Recv\ncan be seen on any machine. `tensh --cpus "
             "N` changes their number.\n" TENSH_TABLE_HELP("`type == GPU`"),
         .examples = kExamples,
         .complete = "",
         .gives_value = true,
         .pages = true,
         .run = RunDevices});
}

}  // namespace tensh::shell
