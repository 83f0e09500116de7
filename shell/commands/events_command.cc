// The verb `events`: lists the events of the last traced step.

#include <algorithm>

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/data_table.h"
#include "shell/explain/report.h"

namespace tensh::shell {
namespace {

void RunEvents(CommandCall& call) {
  DataTable table{.columns = {{.name = "device"},
                              {.name = "kind"},
                              {.name = "node", .least = 8},
                              {.name = "op", .least = 6},
                              {.name = "start", .unit = DataColumn::Unit::kNs},
                              {.name = "time", .unit = DataColumn::Unit::kNs},
                              {.name = "tensor", .least = 6},
                              {.name = "waits_for", .least = 8}},
                  .of = &kEventsTable,
                  .noun = "event",
                  .searched = 4,
                  .empty = "no step has been traced yet; try explain analyze X"};
  Report report;
  ParseReport(call.shell().runs().last_traced().report, &report, ReportParts::kTimes);
  const auto is_in_loop = [](const ReportEvent& event) { return event.iteration > 0; };
  const auto is_inner = [](const ReportEvent& event) { return event.inner > 0; };
  const auto& inside = report.in_loops;
  const bool loops = std::any_of(report.events.begin(), report.events.end(), IsLoop);
  if (loops || std::any_of(inside.begin(), inside.end(), is_in_loop))
    table.columns.push_back({.name = "iteration"});
  if (std::any_of(inside.begin(), inside.end(), is_inner))
    table.columns.push_back({.name = "inner"});
  if (loops || !inside.empty()) table.columns.push_back({.name = "value"});
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
         .help = "The events inside of a loop follow that of the loop, with the number of the "
                 "iteration and, in a loop within a\nloop, that of the inner one. The first 1000 "
                 "of each device are kept.\n" TENSH_TABLE_HELP(
                     "`kind == wait and time > 20us` or `op in (Relu, MatMul)`"),
         .examples = kExamples,
         .complete = "",
         .gives_value = true,
         .pages = true,
         .run = RunEvents});
}

}  // namespace tensh::shell
