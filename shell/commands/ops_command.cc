#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/op_help.h"
#include "shell/commands/shell.h"
#include "shell/commands/tables.h"

namespace tensh::shell {
namespace {

void RunOps(CommandCall& call) {
  Shell& shell = call.shell();
  const std::string pattern(call.text());
  const std::string text = TakeText(tsh_ops_json(pattern.c_str()));
  if (call.json()) return shell.PrintLine(text);
  const Json ops = Json::Parse(text);
  if (ops.size() == 0) {
    throw MakeError(kLookupError, "no op's name or documentation has '" + pattern + "' in it")
        .Hint("Type: ops");
  }
  TableText table{.columns = {{"op"}, {"signature", 20}, {"does", 16}}, .rows = {}};
  table.noun = "op";
  for (const Json& op : ops.items()) {
    std::string doc = op["doc"].as_string();
    doc = doc.substr(0, doc.find('\n'));
    table.rows.push_back({"", {op["name"].as_string(), OpSignature(op), doc}});
  }
  PrintTable(shell, table);
}

constexpr CommandExample kExamples[] = {{"ops MatMul", nullptr}};

}  // namespace

void RegisterCommand_ops(CommandRegistry& r) {
  r.Add({.name = "ops",
         .usage = "ops [PATTERN] [--json]",
         .summary = "List the ops whose name or documentation contains PATTERN.",
         .help = "help NAME, or NAME?, says all about one. --json prints the op definitions.",
         .examples = kExamples,
         .complete = "op",
         .run = RunOps});
}

}  // namespace tensh::shell
