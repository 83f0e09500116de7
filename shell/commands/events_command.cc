// The verb `events`: lists the events of the last traced step.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/data_table.h"
#include "shell/explain/report.h"

namespace tensh::shell {
namespace {

void RunEvents(CommandCall& call) {
  Report report;
  ParseReport(call.shell().runs().last_traced().report, &report);
  DataTable table{.columns = {{.name = "device"},
                              {.name = "kind"},
                              {.name = "node", .least = 8},
                              {.name = "op", .least = 6},
                              {.name = "start", .unit = DataColumn::Unit::kNs},
                              {.name = "time", .unit = DataColumn::Unit::kNs},
                              {.name = "tensor", .least = 6},
                              {.name = "waits_for", .least = 8}},
                  .rows = {}};
  table.noun = "event";
  table.searched = 4;
  table.empty = "no step has been traced yet; try explain analyze X";
  for (const ReportEvent& event : report.events) {
    table.rows.push_back({Cell::Text(event.device), Cell::Text(event.kind), Cell::Text(event.node),
                          Cell::Text(event.op), Cell::Number(event.start_ns),
                          Cell::Number(event.end_ns - event.start_ns), Cell::Text(event.tensor),
                          Cell::Text(event.waits_for)});
  }
  ShowTable(call, std::move(table));
}

constexpr CommandExample kExamples[] = {
    {"a = tf.exp(tf.constant([1., 2.]), name=\"a\")\nexplain analyze a --stage 1\n"
     "events where kind == compute order time desc limit 10",
     nullptr},
};

}  // namespace

void RegisterCommand_events(CommandRegistry& r) {
  r.Add({.name = "events",
         .usage = "events [PATTERN] " TENSH_TABLE_USAGE,
         .summary = "List the events of the last traced step: kernels, Sends, Recvs and waits.",
         .help = kTableHelp,
         .examples = kExamples,
         .complete = "",
         .run = RunEvents});
}

}  // namespace tensh::shell
