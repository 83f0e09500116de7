// The verb `ops`: lists the registered ops.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/commands/help/op_help.h"
#include "shell/commands/tables/data_table.h"

namespace tensh::shell {
namespace {

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  const Json ops = Json::Parse(TakeText(tsh_ops_json("")));
  for (const Json& op : ops.items()) names.push_back(op["name"].as_string());
  return names;
}

void RunOps(CommandCall& call) {
  // A pattern alone is matched with the whole documentation; clauses use the columns of the table.
  static constexpr std::string_view kClauses[] = {"where", "group", "order", "limit", "count"};
  const std::string text = "_ " + std::string(call.text());
  const std::vector<Clause> clauses = SplitClauses(text, kClauses);
  const std::string pattern(Trim(clauses[0].text.substr(1)));
  std::string json = TakeText(tsh_ops_json(pattern.c_str()));
  const Json ops = Json::Parse(json);
  if (ops.size() == 0) {
    PyError error =
        MakeError(kLookupError, "no op has '" + pattern + "' in its name or documentation");
    const ErrorHint meant = DidYouMean(pattern, OpNames());
    throw meant.empty() ? error.Type("ops") : error.Hint(meant);
  }
  DataTable table{.columns = {{.name = "op"},
                              {.name = "signature", .least = 12},
                              {.name = "does", .least = 14},
                              {.name = "stateful", .hidden = true},
                              {.name = "gradient", .hidden = true}},
                  .noun = "op",
                  .searched = SIZE_MAX,
                  .shown = SIZE_MAX};
  if (clauses.size() == 1) table.json = std::move(json);
  for (const Json& op : ops.items()) {
    std::string doc = op["doc"].as_string();
    doc = doc.substr(0, doc.find('\n'));
    table.rows.push_back({Cell::Text(op["name"].as_string()), Cell::Text(OpSignature(op)),
                          Cell::Text(doc), Cell::Bool(op["stateful"].as_bool()),
                          Cell::Bool(op["gradient"].as_bool())});
  }
  ShowTable(call, std::move(table), pattern);
}

constexpr CommandExample kExamples[] = {{"ops MatMul", nullptr}};

}  // namespace

void RegisterCommand_ops(CommandRegistry& r) {
  r.Add({.name = "ops",
         .usage = "ops [PATTERN] " TENSH_TABLE_USAGE,
         .summary = "List the ops whose name or documentation contains PATTERN.",
         .help = "`help NAME` or `NAME?` describes one op. --json prints the op definitions or, "
                 "with clauses, the rows of\nthe table. " TENSH_TABLE_HELP(
                     "`gradient == false and op like \"Sparse%\"`"),
         .examples = kExamples,
         .complete = "op",
         .gives_value = true,
         .pages = true,
         .run = RunOps});
}

}  // namespace tensh::shell
