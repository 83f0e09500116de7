// The verb `vars`: lists the variables of the current session.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/tables/data_table.h"

namespace tensh::shell {
namespace {

constexpr size_t kInitialized = 3;  // index of the column in kVarsTable

// Returns true if the session's graph has a variable that is known to have no value.
bool AnyMissing(Shell& shell) {
  const std::unique_ptr<RowCursor> vars = kVarsTable.opener(shell)();
  while (vars->Next())
    if (const Cell has = vars->At(kInitialized); has.kind == Cell::Kind::kBool && has.number == 0)
      return true;
  return false;
}

void RunVars(CommandCall& call) {
  ShowTable(call, {.columns = {{.name = "name", .least = 10},
                               {.name = "type"},
                               {.name = "value", .least = 8, .unit = DataColumn::Unit::kValue},
                               {.name = "initialized"},
                               {.name = "bytes", .unit = DataColumn::Unit::kBytes},
                               {.name = "device", .least = 6, .head = "requested"}},
                   .of = &kVarsTable,
                   .noun = "variable",
                   .searched = 1,
                   .empty = "no variables in this session's graph"});
  const bool prompt = call.shell().options().interactive && !call.wants_value();
  if (prompt && !call.json() && !call.Has("--csv") && !call.Has("--md") && AnyMissing(call.shell()))
    call.out().Note(" next: run tf.global_variables_initializer()");
}

constexpr CommandExample kExamples[] = {
    {"v = tf.Variable([1., 2.], name=\"v\")\nrun v.initializer\nvars", nullptr},
};

}  // namespace

void RegisterCommand_vars(CommandRegistry& r) {
  r.Add({.name = "vars",
         .usage = "vars [PATTERN] " TENSH_TABLE_USAGE,
         .summary = "List the variables of the current session: type, shape, value, whether "
                    "initialized, size and device.",
         .help = "A scalar is shown in full; of other values, the first elements in row-major "
                 "order. `eval v` prints the\nwhole value.\n" TENSH_TABLE_HELP(
                     "`not initialized` or `bytes > 1MB`"),
         .examples = kExamples,
         .complete = "",
         .gives_value = true,
         .pages = true,
         .run = RunVars});
}

}  // namespace tensh::shell
