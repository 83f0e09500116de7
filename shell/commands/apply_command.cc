// The verb `apply`: applies the placement that the last `explain … with` tried.

#include "shell/commands/base/command.h"
#include "shell/commands/base/moves.h"
#include "shell/commands/base/shell.h"
#include "shell/python/values/error.h"
#include "shell/session/placements.h"

namespace tensh::shell {
namespace {

void RunApply(CommandCall& call) {
  Shell& shell = call.shell();
  const std::string moves = call.text().empty() ? shell.tried_moves() : std::string(call.text());
  if (moves.empty())
    throw RuntimeError("nothing to apply").Hint("Try one first: explain X with NODE=/cpu:1");
  ApplyMoves(ParseMoves(call, moves));
  shell.RecordAs("apply " + moves);
  shell.tried_moves() = "";
  shell.out().Note(" " + moves + " from the next run on");
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\n"
     "explain b with b=/cpu:1\napply\ngraph b",
     nullptr},
};

}  // namespace

void RegisterCommand_apply(CommandRegistry& r) {
  r.Add(
      {.name = "apply",
       .usage = "apply [NODE=DEVICE, …]",
       .summary = "Apply the placement that the last `explain … with` tried.",
       .help = "With NODE=DEVICE, apply that placement instead. It takes effect with the next run.",
       .examples = kExamples,
       .complete = "expr",
       .lasting = true,
       .run = RunApply});
}

}  // namespace tensh::shell
