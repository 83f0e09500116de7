// The verb `help`: describes verbs, ops, functions and values.

#include <algorithm>

#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/commands/help/name_help.h"
#include "shell/commands/help/op_help.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell {
namespace {

std::string FirstLine(const char* text) {
  const std::string_view view = text;
  return std::string(view.substr(0, view.find('\n')));
}

std::string Overview(Shell& shell) {
  std::string out = "Python with the TensorFlow 1.x API; tf and np are imported. Verbs:\n\n";
  std::vector<const Command*> sorted;
  for (const Command& command : shell.commands().commands()) sorted.push_back(&command);
  std::sort(sorted.begin(), sorted.end(),
            [](const Command* a, const Command* b) { return std::string_view(a->name) < b->name; });
  std::vector<GridRow> rows;
  for (const Command* command : sorted)
    rows.push_back({"  ", {command->name, FirstLine(command->summary)}});
  out += FormatGrid({{""}, {"", 20}}, rows, shell.out().width(), false);
  return out +
         "\nhelp VERB · help MatMul or MatMul? (an op) · help tf.reduce_sum (a function) · X? (any "
         "value) · help keys\n"
         "Try: a = tf.constant([1., 2.]); eval a + [2., 3.]; explain a * 2\n"
         "A leading dot, as in .nodes, means the verb even if a variable has its name.\n"
         "Leave with Ctrl-D.\n";
}

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

std::string FunctionHelp(const NativeFunction& function) {
  std::string out = std::string(function.row().name) + "(" + function.ParameterText() + ")\n";
  if (function.row().doc[0] != '\0') out += "\n" + std::string(function.row().doc) + "\n";
  return out;
}

// Describes a node of the graph: its line and its attributes.
std::string NodeHelp(const Fetch& fetch) {
  const bool tensor = fetch.is_tensor();
  const tsh_node node = tensor ? fetch.output.node : fetch.node;
  std::string out = NodeLine(fetch.graph, node) + "\n";
  const std::string attrs = fetch.graph.AttrsJson(node);
  if (!attrs.empty() && attrs != "{}") out += "  attributes " + attrs + "\n";
  return out;
}

std::string ValueHelp(const Value& value) {
  const Fetch fetch = AsFetch(value);
  if (fetch) return NodeHelp(fetch);
  if (auto* function = As<NativeFunction>(value)) return FunctionHelp(*function);
  std::string out = TypeName(value) + ": " + CutTo(Repr(value), 400) + "\n";
  const Value doc = FindAttr(value, Intern("__doc__"));
  if (!doc.is_null() && IsStr(doc) && !StrView(doc).empty())
    out += "\n" + std::string(StrView(doc)) + "\n";
  return out;
}

struct KeyRow {
  const char* keys;
  const char* does;
};
constexpr KeyRow kKeys[] = {
    {"Enter",
     "run the cell, or add a line while it is incomplete; in a block, an empty line ends it"},
    {"Alt-Enter, Ctrl-O", "add a line in any case"},
    {"Tab, Shift-Tab",
     "complete; in the menu, the next or previous one; type to filter, Esc leaves"},
    {"Right, End; Ctrl-Right", "at the end, accept the suggestion, or one word of it"},
    {"Up, Down (Ctrl-P, Ctrl-N)", "lines of the cell, then earlier cells that begin like it"},
    {"Ctrl-Up, Ctrl-Down (Alt-P, Alt-N)", "earlier and later cells"},
    {"Ctrl-R, Ctrl-S", "search earlier cells, older and newer; Ctrl-G gives up"},
    {"Left, Right (Ctrl-B, Ctrl-F)", "move by one character"},
    {"Ctrl-Left, Ctrl-Right (Alt-B, Alt-F)", "move by one word"},
    {"Home, End (Ctrl-A, Ctrl-E)", "start and end of the line; of the cell: Alt-<, Alt->"},
    {"Ctrl-K, Ctrl-U", "cut to the end or the start of the line"},
    {"Ctrl-W; Alt-D, Alt-Backspace", "cut back to a blank; a word forward or back"},
    {"Ctrl-Y, Alt-Y", "paste the cut text; replace it with an older one"},
    {"Ctrl-_, Alt-_", "undo and redo"},
    {"Ctrl-T", "exchange two characters"},
    {"Alt-.", "insert the last argument of the previous cell"},
    {"Ctrl-X Ctrl-E", "edit the cell with $EDITOR"},
    {"Ctrl-L", "clear the screen"},
    {"Ctrl-C", "discard the cell, or stop the running command"},
    {"Ctrl-Z", "suspend the shell; fg continues"},
    {"Ctrl-D", "leave the shell, on an empty line"},
};

std::string KeysHelp(Shell& shell) {
  std::vector<GridRow> rows;
  for (const KeyRow& row : kKeys) rows.push_back({"  ", {row.keys, row.does}});
  return "Keys:\n" + FormatGrid({{""}, {"", 20}}, rows, shell.out().width(), false) +
         "Pasted text is one cell. `set editor vi` selects the keys of vi.\n"
         "_ is the last result, Out[3] the result of In[3], and Out[3]? shows its origin.\n";
}

// Looks the text up as a verb, a variable, an op or a name of tf or np. Returns false if it is none of
// these.
bool HelpOn(Shell& shell, std::string_view text, std::string* out) {
  if (const Command* command = shell.commands().Find(text)) {
    *out = CommandHelp(*command);
    return true;
  }
  if (IsName(text)) {
    const Value global = shell.interp().GetGlobal(text);
    if (!global.is_null()) {
      *out = ValueHelp(global);
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
    return !out->empty();
  }
  *out = HelpOnName(shell, text);
  return !out->empty();
}

// Describes the origin of a result such as "Out[3]". Returns false if the text is not one.
bool WhereFrom(Shell& shell, std::string_view text, std::string* out) {
  if (text.substr(0, 4) != "Out[" || text.back() != ']') return false;
  const std::string number(text.substr(4, text.size() - 5));
  for (const ResultOrigin& result : shell.results().origins()) {
    if (std::to_string(result.cell) != number) continue;
    *out = std::string(text) + " from In[" + number + "]: " + Visible(result.text) +
           "\n  the graph was at @" + std::to_string(result.version) + ", seed " +
           (result.seed.empty() ? "not set" : result.seed) + "\n  again: at @" +
           std::to_string(result.version) + " " + Visible(result.text) + "\n";
    return true;
  }
  return false;
}

void RunHelp(CommandCall& call) {
  Shell& shell = call.shell();
  std::string_view text = call.text();
  while (!text.empty() && text.back() == '?') text = Trim(text.substr(0, text.size() - 1));
  if (text.empty()) return shell.out().Print(Overview(shell));
  const bool keys = text == "keys" || text == "shortcuts";
  if (keys && shell.interp().GetGlobal(text).is_null()) return shell.out().Print(KeysHelp(shell));
  std::string out;
  if (WhereFrom(shell, text, &out)) return shell.out().Print(Wrap(out, shell.out().width()));
  if (HelpOn(shell, text, &out)) return shell.out().Print(Wrap(out, shell.out().width()));
  Value value;
  try {
    value = EvalPiece(shell, text);
  } catch (const PyError& error) {
    if (!error.Is(kNameError)) throw;
    throw NameError("no help on '" + std::string(text) +
                    "': it is not a verb, op, tf name or variable")
        .Type("help, or ops " + std::string(text));
  }
  shell.out().Print(Wrap(ValueHelp(value), shell.out().width()));
}

constexpr CommandExample kExamples[] = {{"help devices", nullptr}, {"help MatMul", nullptr}};

}  // namespace

void RegisterCommand_help(CommandRegistry& r) {
  r.Add({.name = "help",
         .usage = "help [X] | help keys",
         .summary = "List the verbs, or describe X: a verb, an op, a tf function, a tensor or any "
                    "other value.",
         .help = "`X?` is short for `help X`, and `help keys` lists the keys of the editor.",
         .examples = kExamples,
         .complete = "expr",
         .pages = true,
         .run = RunHelp});
}

}  // namespace tensh::shell
