// The verbs `undo` and `redo`: change the visible version of the graph.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/versions.h"
#include "shell/python/values/error.h"
#include "shell/session/graphs.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

void Say(Shell& shell, const GraphHandle& graph, const char* verb, const Version& version) {
  const std::string text = std::string(" ") + verb + " @" + std::to_string(version.number) + ": " +
                           CutTo(Visible(version.text), 60) + " (" +
                           Count(static_cast<int64_t>(version.nodes()), "node") + "); " +
                           Count(static_cast<int64_t>(shell.versions().Visible(graph)), "node") +
                           " of " + Digits(static_cast<int64_t>(graph.size())) + " in view\n";
  shell.out().Print(Wrap(text, shell.out().width()));
}

void RunUndo(CommandCall& call) {
  call.WantNothing();
  Shell& shell = call.shell();
  if (!HasGraph()) throw RuntimeError("nothing to undo").Hint("`history` lists the versions");
  const GraphHandle graph = CurrentGraph();
  const Version* hidden = shell.versions().Undo(graph);
  if (hidden == nullptr)
    throw RuntimeError("nothing to undo").Hint("`history` lists the versions; `redo` goes forward");
  Say(shell, graph, "hidden", *hidden);
}

void RunRedo(CommandCall& call) {
  call.WantNothing();
  Shell& shell = call.shell();
  if (!HasGraph()) throw RuntimeError("nothing to redo").Hint("`history` lists the versions");
  const GraphHandle graph = CurrentGraph();
  const Version* back = shell.versions().Redo(graph);
  if (back == nullptr) throw RuntimeError("nothing to redo").Hint("`history` lists the versions");
  Say(shell, graph, "back", *back);
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nundo\ngraph\nredo",
     " hidden @2: b = tf.exp(a, name=\"b\") (1 node); 1 node of 2 in view\na = Const() f32[2]\n"
     " back @2: b = tf.exp(a, name=\"b\") (1 node); 2 nodes of 2 in view\n"},
};

}  // namespace

void RegisterCommand_undo(CommandRegistry& r) {
  r.Add({.name = "undo",
         .usage = "undo",
         .summary = "Show the graph as it was before the last command that extended it.",
         .help = "Only the view changes: verbs find and list the nodes of that version. Each "
                 "further `undo` goes back one\nmore version, and `redo` moves forward. The next "
                 "command that extends the graph ends the view. The graph\nkeeps every node, and "
                 "variables keep their values.",
         .examples = kExamples,
         .complete = "",
         .run = RunUndo});
  r.Add({.name = "redo",
         .usage = "redo",
         .summary = "Reverse the last `undo`.",
         .help = "",
         .examples = {},
         .complete = "",
         .run = RunRedo});
}

}  // namespace tensh::shell
