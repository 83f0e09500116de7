// The verb `events`: lists the events of the last traced step.

#include "shell/commands/base/command.h"
#include "shell/commands/tables/data_table.h"

namespace tensh::shell {
namespace {

void RunEvents(CommandCall& call) {
  ShowTable(call, {.columns = {{.name = "device"},
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
                   .empty = "no step has been traced yet; try explain analyze X"});
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
         .help = TENSH_TABLE_HELP("`kind == wait and time > 20us` or `op in (Relu, MatMul)`"),
         .examples = kExamples,
         .complete = "",
         .gives_value = true,
         .pages = true,
         .run = RunEvents});
}

}  // namespace tensh::shell
