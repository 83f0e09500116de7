// The verbs `undo` and `redo`: change the visible version of the graph.

#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/shell.h"
#include "shell/commands/versions.h"
#include "shell/python/values/error.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

// Returns the extensions of the current graph, oldest first.
std::vector<const HistoryEntry*> Extends(const Shell& shell, const GraphHandle& graph) {
  std::vector<const HistoryEntry*> entries;
  for (const HistoryEntry& entry : shell.history())
    if (entry.graph == tsh_graph_id(graph.get())) entries.push_back(&entry);
  return entries;
}

void Say(Shell& shell, const GraphHandle& graph, const char* verb, const HistoryEntry& entry) {
  shell.PrintLine(std::string(" ") + verb + " @" + std::to_string(entry.version) + ": " +
                  CutTo(Visible(entry.text), 60) + " (" +
                  Count(static_cast<int64_t>(entry.nodes), "node") + "); " +
                  Count(static_cast<int64_t>(shell.VisibleNodes(graph)), "node") + " of " +
                  std::to_string(graph.size()) + " in view");
}

void RunUndo(CommandCall& call) {
  call.WantNothing();
  Shell& shell = call.shell();
  if (!bridge::HasGraph()) throw RuntimeError("nothing to undo").Hint("history lists the versions");
  const GraphHandle graph = bridge::CurrentGraph();
  const std::vector<const HistoryEntry*> entries = Extends(shell, graph);
  const HistoryEntry* last = nullptr;
  for (const HistoryEntry* entry : entries)
    if (entry->first_node < shell.VisibleNodes(graph)) last = entry;
  if (last == nullptr)
    throw RuntimeError("nothing to undo").Hint("history lists the versions; redo goes forward");
  shell.set_view(last->first_node);
  Say(shell, graph, "hidden", *last);
}

void RunRedo(CommandCall& call) {
  call.WantNothing();
  Shell& shell = call.shell();
  if (!bridge::HasGraph()) throw RuntimeError("nothing to redo").Hint("history lists the versions");
  const GraphHandle graph = bridge::CurrentGraph();
  for (const HistoryEntry* entry : Extends(shell, graph)) {
    if (entry->first_node < shell.VisibleNodes(graph)) continue;
    const size_t nodes = entry->first_node + entry->nodes;
    shell.set_view(nodes >= graph.size() ? SIZE_MAX : nodes);
    return Say(shell, graph, "back", *entry);
  }
  throw RuntimeError("nothing to redo").Hint("history lists the versions");
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
