// The verb `at`: runs another verb on an earlier version of the graph, or on another graph.

#include <optional>

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/versions.h"
#include "shell/commands/base/words.h"
#include "shell/session/graphs.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

void RunAt(CommandCall& call) {
  Shell& shell = call.shell();
  const std::string_view version_text = FirstWord(call.text());
  if (version_text.empty()) call.Misused("expects a version and a verb, as in: at @5 eval X");
  const GraphHandle graph = FindGraph(version_text);
  if (!graph && version_text[0] == 'g')
    call.Misused("no graph is called " + std::string(version_text) + "; graphs lists them");
  const int64_t version = graph ? 0 : ParseVersion(call, version_text);
  const size_t nodes = graph ? SIZE_MAX : NodesAtVersion(call, version);
  std::string_view rest = Trim(call.text().substr(version_text.size()));
  if (rest.starts_with('.')) rest.remove_prefix(1);
  const std::string_view verb = FirstWord(rest);
  const Command* command = shell.commands().Find(verb);
  if (verb.empty() || command == nullptr)
    call.Misused("expects a verb after " + std::string(version_text) +
                 ", as in: at @5 nodes, at @5 eval X");
  std::optional<AtGraph> at_graph;
  if (graph) at_graph.emplace(graph);
  const EarlierView view(shell.versions(), nodes);
  CommandCall inner(shell, *command, rest.substr(verb.size()));
  command->run(inner);
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nat @1 graph",
     "a = Const() f32[2]\n"},
};

}  // namespace

void RegisterCommand_at(CommandRegistry& r) {
  r.Add({.name = "at",
         .usage = "at @VERSION VERB … | at GRAPH VERB …",
         .summary = "Run a verb on an earlier version of the graph, or on another graph.",
         .help = "The verb does not see nodes that were added later. Variables keep their current "
                 "values. `history` lists\nthe versions, and `graphs` the graphs: at g1 nodes.",
         .examples = kExamples,
         .complete = "expr",
         .run = RunAt});
}

}  // namespace tensh::shell
