// The verb `transfers`: lists the Send/Recv pairs of the last run.

#include <unordered_map>

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/data_table.h"
#include "shell/explain/report.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

void RunTransfers(CommandCall& call) {
  Report report;
  ParseReport(call.shell().runs().last().report, &report);
  DataTable table{.columns = {{.name = "tensor", .least = 10},
                              {.name = "consumers", .least = 10},
                              {.name = "from"},
                              {.name = "to"},
                              {.name = "bytes", .unit = DataColumn::Unit::kBytes},
                              {.name = "waited", .unit = DataColumn::Unit::kNs}},
                  .rows = {}};
  table.noun = "transfer";
  table.empty = call.shell().runs().last().report.empty() ? "nothing has run yet: explain X"
                                                          : "the last run sent nothing";
  std::unordered_map<std::string, int64_t> waited;
  for (const ReportEvent& event : report.events) {
    if (event.kind == "wait")
      waited[event.device + " " + event.tensor] += event.end_ns - event.start_ns;
  }
  for (const ReportTransfer& transfer : report.transfers) {
    const auto at = waited.find(transfer.to + " " + transfer.tensor);
    const Cell wait =
        report.events.empty() ? Cell() : Cell::Number(at == waited.end() ? 0 : at->second);
    table.rows.push_back({Cell::Text(transfer.tensor), Cell::Text(Join(transfer.consumers, ", ")),
                          Cell::Text(transfer.from), Cell::Text(transfer.to),
                          Cell::Known(transfer.bytes), wait});
  }
  ShowTable(call, std::move(table));
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
         .help = kTableHelp,
         .examples = kExamples,
         .complete = "",
         .run = RunTransfers});
}

}  // namespace tensh::shell
