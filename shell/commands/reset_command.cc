// The verb `reset`: starts over with an empty graph and a new session.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell {
namespace {

void RunReset(CommandCall& call) {
  call.WantNothing();
  call.shell().sessions().Reset();
  call.shell().set_last_feeds(Value());
  Call(tf::FindInVerb("reset_default_graph"), {});
  call.shell().interp().ClearGlobals();
  call.shell().interp().SetGlobal("__name__", MakeStr("__main__"));
  call.shell().journal().clear();
  call.shell().runs().Clear();
  call.shell().watches() = Watches();
  call.out().Note(" an empty graph, a new session, no names");
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant(1, name=\"a\")\nreset\na = tf.constant(2, name=\"a\")\ngraph",
     "a = Const() i32[]\n"},
};

}  // namespace

void RegisterCommand_reset(CommandRegistry& r) {
  r.Add({.name = "reset",
         .usage = "reset",
         .summary = "Start over with an empty graph, a new session and no variables.",
         .help = "",
         .examples = kExamples,
         .lasting = true,
         .run = RunReset});
}

}  // namespace tensh::shell
