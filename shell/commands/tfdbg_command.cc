// Short verbs with the names of tfdbg's commands. Each runs another verb and prints the name of
// that verb.
#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"

namespace tensh::shell {
namespace {

struct Alias {
  const char *name, *verb, *before;  // `name X` means `verb before X`
  const char *usage, *summary;
};
constexpr Alias kAliases[] = {
    {"lt", "nodes", "", "lt [PATTERN]", "List tensors: tfdbg's name for nodes."},
    {"ni", "help", "", "ni NODE", "Node info: tfdbg's name for help NODE."},
    {"li", "graph", "", "li NODE", "List inputs: tfdbg's name for graph NODE."},
    {"lo", "edges", "where from == ", "lo NODE",
     "List outputs: tfdbg's name for edges where from == NODE."},
    {"pt", "eval", "", "pt TENSOR [feed X=…]", "Print a tensor: tfdbg's name for eval."},
    {"ps", "history", "", "ps",
     "Print source: tfdbg's name for history, which says what each line added."},
};

void RunAlias(CommandCall& call) {
  for (const Alias& alias : kAliases) {
    if (std::string_view(alias.name) != call.command().name) continue;
    const Command* verb = call.shell().commands().Find(alias.verb);
    const std::string text = alias.before + std::string(call.text());
    call.out().Note(std::string(" ") + alias.verb + (text.empty() ? "" : " " + text));
    CommandCall expanded(call.shell(), *verb, *alias.before ? std::string_view(text) : call.text());
    return verb->run(expanded);
  }
}

}  // namespace

void RegisterCommand_tfdbg(CommandRegistry& r) {
  for (const Alias& alias : kAliases)
    r.Add({.name = alias.name,
           .usage = alias.usage,
           .summary = alias.summary,
           .complete = "expr",
           .run = RunAlias});
}

}  // namespace tensh::shell
