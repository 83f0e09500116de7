// The verb `help`: describes verbs, ops, functions and values.

#include <algorithm>

#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/commands/help/name_help.h"
#include "shell/commands/help/op_help.h"
#include "shell/commands/help/overview.h"
#include "shell/commands/help/python_examples.h"
#include "shell/commands/help/value_help.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell {
namespace {

// Joins the lines of a help text, which are broken for the source code. The terminal wraps them
// again.
std::string Paragraph(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text + "\n";
}

std::string CommandHelp(const Command& command) {
  std::string out = std::string(command.usage) + "\n\n" + Paragraph(command.summary);
  if (command.help[0] != '\0') out += Paragraph(command.help);
  for (const CommandExample& example : command.examples) {
    std::string_view lines = example.input;
    out += "\n";
    while (!lines.empty()) {
      const size_t end = std::min(lines.find('\n'), lines.size());
      out += "  >>> " + std::string(lines.substr(0, end)) + "\n";
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    std::string_view result = example.output == nullptr ? "" : example.output;
    while (!result.empty()) {
      const size_t end = std::min(result.find('\n'), result.size());
      out += "  " + std::string(result.substr(0, end)) + "\n";
      result.remove_prefix(std::min(end + 1, result.size()));
    }
  }
  return out;
}

// Looks up the text as a verb, a variable, an op or a name of tf or np. Returns false if there is
// no such thing.
bool HelpOn(Shell& shell, std::string_view text, bool full, std::string* out) {
  if (const Command* command = shell.commands().Find(text)) {
    *out = CommandHelp(*command);
    return true;
  }
  if (IsName(text)) {
    const Value global = shell.interp().GetGlobal(text);
    if (!global.is_null()) {
      *out = ValueHelp(shell, global, full);
      return true;
    }
    const Json op = FindOp(text);
    if (!op.is_null()) {
      const std::string& own = op["name"].as_string();
      if (own != text) *out = std::string(text) + ": an older name of " + own + "\n\n";
      *out += OpHelp(op);
      return true;
    }
    *out = NameHelp(tf::TensorFlowCatalogue(), text);
  } else {
    *out = HelpOnName(shell, text);
  }
  if (!out->empty()) return true;
  // help json.dumps, before `import json`
  if (!shell.interp().GetGlobal(text.substr(0, text.find('.'))).is_null()) return false;
  const Value python = PythonName(text);
  if (!python.is_null()) *out = ValueHelp(shell, python, full);
  return !out->empty();
}

// Describes the origin of a result such as "Out[3]", or lists the cells with results if that cell
// has none. Returns false if the text has another form.
bool WhereFrom(Shell& shell, std::string_view text, std::string* out) {
  if (!text.starts_with("Out[") || text.back() != ']') return false;
  const std::string number(text.substr(4, text.size() - 5));
  std::string set;
  for (const ResultOrigin& result : shell.results().origins()) {
    const std::string cell = std::to_string(result.cell);
    set += (set.empty() ? "" : ", ") + cell;
    if (cell != number) continue;
    *out = std::string(text) + " from In[" + number + "]: " + Visible(result.text) +
           "\n  the graph was at @" + std::to_string(result.version) + ", seed " +
           (result.seed.empty() ? "not set" : result.seed) + "\n  again: at @" +
           std::to_string(result.version) + " " + Visible(result.text) + "\n";
    return true;
  }
  *out = std::string(text) + " is not set. " +
         (set.empty() ? "No cell has had a value yet\n" : "Cells with a value: " + set + "\n");
  return true;
}

// Wraps the text, except the typed lines of examples, which the user may copy.
void Print(Shell& shell, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const bool typed = line.starts_with("  >>> ") || line.starts_with("  ... ");
    out += typed ? std::string(line) : Wrap(line, shell.out().width());
    text.remove_prefix(end);
  }
  shell.out().Print(out);
}

// Prints the page for `help`, `help keys` or `help all`, unless a variable has that name. Returns
// false for any other text.
bool Topic(Shell& shell, std::string_view text) {
  if (text.empty()) return shell.out().Print(HelpOverview(shell)), true;
  if (!shell.interp().GetGlobal(text).is_null()) return false;
  if (text == "keys" || text == "shortcuts") return shell.out().Print(HelpKeys(shell)), true;
  if (text == "all" || text == "verbs") return shell.out().Print(HelpAll(shell)), true;
  return false;
}

void RunHelp(CommandCall& call) {
  Shell& shell = call.shell();
  std::string_view text = call.text();
  if (text.starts_with('?')) {  // ?pattern
    text = Trim(text.substr(
        text.find_first_not_of('?') == text.npos ? text.size() : text.find_first_not_of('?')));
    while (text.ends_with('?')) text.remove_suffix(1);
    if (text.empty()) return shell.out().Print(HelpOverview(shell));
    return shell.out().Print(NamesLike(shell, text));
  }
  const bool full = text.ends_with("??") || call.question() == "??";
  while (!text.empty() && text.back() == '?') text = Trim(text.substr(0, text.size() - 1));
  if (Topic(shell, text)) return;
  std::string out;
  if (WhereFrom(shell, text, &out)) return Print(shell, out);
  if (HelpOn(shell, text, full, &out)) return Print(shell, out);
  Value value;
  try {
    value = EvalPiece(shell, text);
  } catch (const PyError& error) {
    if (!error.Is(kNameError)) throw;
    const ErrorHint meant = error.exception().hint;
    PyError unknown = NameError("no help on '" + std::string(text) +
                                "': it is not a verb, op, tf name or variable");
    throw meant.empty() ? unknown.Type("help, or ?" + std::string(text)) : unknown.Hint(meant);
  }
  Print(shell, ValueHelp(shell, value, full));
}

// help(x), as in Python.
Value HelpFunction(Args& a) {
  auto* shell = static_cast<Shell*>(Interp::Current().hooks());
  if (!a.has(0)) return shell->out().Print(HelpOverview(*shell)), Value::None();
  std::string out;
  if (!IsStr(a[0]) || !HelpOn(*shell, StrView(a[0]), false, &out))
    out = ValueHelp(*shell, a[0], false);
  Print(*shell, out);
  return Value::None();
}

constexpr FunctionRow kFunctions[] = {
    {"help", "object=..., /", HelpFunction, "Describes a value, or the name in a string."}};

constexpr CommandExample kExamples[] = {{"help devices", nullptr}, {"help MatMul", nullptr}};

}  // namespace

void RegisterCommand_help(CommandRegistry& r) {
  r.Add({.name = "help",
         .usage = "help [X] | help keys | help all",
         .summary = "List the verbs, or describe X: a verb, an op, a tf function, a tensor or any "
                    "other value.",
         .help =
             "`X?` and `help(X)` mean the same. `X??` also shows the attributes of a node and the "
             "source of a\nfunction. `?relu` lists the names that contain `relu`; `*` stands for "
             "any text. `help keys` lists the keys of\nthe editor, and `help all` every verb.",
         .examples = kExamples,
         .complete = "expr",
         .pages = true,
         .functions = kFunctions,
         .run = RunHelp});
}

}  // namespace tensh::shell
