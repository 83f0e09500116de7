// The verb `place`: requests a device for nodes.

#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/run_request.h"
#include "shell/commands/shell.h"
#include "shell/commands/words.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
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
    At(shell, piece, [&] {
      const Value value = EvalPiece(shell, piece);
      const bridge::Fetch fetch =
          bridge::AsFetch(IsStr(value) ? bridge::FindByName(StrView(value)) : value);
      if (fetch.kind == bridge::Fetch::Kind::kNeither) {
        throw TypeError("'" + TypeName(value) + "' object is not a node of a graph")
            .Hint("nodes lists the nodes");
      }
      const tsh_node node =
          fetch.kind == bridge::Fetch::Kind::kTensor ? fetch.output.node : fetch.node;
      Status status;
      tsh_node_set_device(fetch.graph.get(), node, device.c_str(), status);
      status.Check();
      const std::string name = Visible(fetch.graph.NodeName(node));
      shell.Note(" " + name + (device.empty() ? " may go anywhere" : " requests " + device) +
                 " from the next run on. See: explain " + name);
    });
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
         .run = RunPlace});
}

}  // namespace tensh::shell
