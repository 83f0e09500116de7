// The verb `place`: requests a device for nodes.

#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/placements.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kWords[] = {"on"};

// Returns a device name. `/cpu:1` and `cpu:1` are taken literally; a quoted text is evaluated as a
// Python expression.
std::string DeviceText(Shell& shell, std::string_view text) {
  if (!text.empty() && (text[0] == '"' || text[0] == '\''))
    return ToText(shell.interp().Eval(text), "device");
  if (text == "none" || text == "None") return "";
  return text.empty() || text[0] == '/' ? std::string(text) : "/" + std::string(text);
}

void RunPlace(CommandCall& call) {
  Shell& shell = call.shell();
  const std::vector<Clause> clauses = SplitClauses(call.text(), kWords);
  if (clauses.size() != 2 || clauses[0].text.empty() || clauses[1].text.empty())
    call.Misused("expects X on DEVICE");
  const std::string device = DeviceText(shell, clauses[1].text);
  for (const std::string_view piece : SplitCommas(clauses[0].text)) {
    const Fetch node = EvalNode(shell, piece);
    At(shell, piece, [&] { ApplyMoves({{node.graph, node.node, device}}); });
    const std::string name = Visible(node.graph.NodeName(node.node));
    shell.out().Note(" " + name + (device.empty() ? " may go anywhere" : " requests " + device) +
                     " from the next run on. See: explain " + name);
  }
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant(1., name=\"a\")\nplace a on /cpu:1\ngraph",
     "a = Const() f32[] /device:CPU:1\n"},
};

}  // namespace

void RegisterCommand_place(CommandRegistry& r) {
  r.Add({.name = "place",
         .usage = "place X[, …] on DEVICE",
         .summary = "Move a node to a device, or remove the request with `none`.",
         .help = "Cached plans are dropped, and the next run places the node again. Variables that "
                 "already have a value\nstay on their device.",
         .examples = kExamples,
         .complete = "expr",
         .lasting = true,
         .run = RunPlace});
}

}  // namespace tensh::shell
