// The verb `transfers`: lists the Send/Recv pairs of the last run.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/data_table.h"

namespace tensh::shell {
namespace {

void RunTransfers(CommandCall& call) {
  const bool ran = !call.shell().runs().last().report.empty();
  ShowTable(call, {.columns = {{.name = "tensor", .least = 10},
                               {.name = "consumers", .least = 10},
                               {.name = "from", .sql = "source"},
                               {.name = "to", .sql = "target"},
                               {.name = "bytes", .unit = DataColumn::Unit::kBytes},
                               {.name = "waited", .unit = DataColumn::Unit::kNs}},
                   .of = &kTransfersTable,
                   .noun = "transfer",
                   .empty = ran ? "the last run sent nothing" : "nothing has run yet: explain X"});
}

constexpr CommandExample kExamples[] = {
    {"with tf.device(\"/cpu:1\"): a = tf.constant([1., 2.], name=\"a\")\n"
     "with tf.device(\"/cpu:0\"): b = tf.exp(a, name=\"b\")\nexplain b --stage 3\n"
     "transfers where bytes > 4 --csv",
     nullptr},
};

}  // namespace

void RegisterCommand_transfers(CommandRegistry& r) {
  r.Add({.name = "transfers",
         .usage = "transfers [PATTERN] " TENSH_TABLE_USAGE,
         .summary = "List the Send/Recv pairs of the last run with their bytes and waits.",
         .help = TENSH_TABLE_HELP("`bytes > 1KB` or `to == cpu:1`"),
         .examples = kExamples,
         .complete = "",
         .gives_value = true,
         .pages = true,
         .run = RunTransfers});
}

}  // namespace tensh::shell
