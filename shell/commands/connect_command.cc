// The verb `connect`: selects a session on a TensorFlow server.

#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/sessions.h"
#include "shell/tensorflow/names/tf.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kScheme = "grpc://";

// Opens the session and requests the server's devices, so that an unreachable server is reported at
// once.
void ConnectTo(CommandCall& call, std::string_view text) {
  const size_t scheme = text.find("://");
  const std::string_view address = scheme == text.npos ? text : text.substr(scheme + 3);
  const std::string target = std::string(kScheme) + std::string(address);
  Shell& shell = call.shell();
  At(shell, text, [&] {
    if (scheme != text.npos && !text.starts_with(kScheme))
      throw ValueError("connect: a server of TensorFlow has an address like " +
                       std::string(kScheme) + "HOST:PORT, not " + std::string(text))
          .Hint({ErrorHint::Kind::kType, "connect " + target});
    const Value session = Call(tf::FindInVerb("Session"), {MakeStr(target)});
    Status status;
    const tsh_run nothing{};
    TakeText(tsh_session_explain(SessionOf(session), &nothing, 0, status));
    if (status.code() != 0) CallMethod(session, "close", {});
    status.Check();
    const Value devices = CallMethod(session, "list_devices", {});
    call.shell().sessions().Use(session);
    const std::vector<Value>* list = Sequence(devices);
    shell.out().Note(" session s" + std::to_string(tsh_session_id(SessionOf(session))) +
                     " runs on " + target + ", " +
                     Count(static_cast<int64_t>(list == nullptr ? 0 : list->size()), "device") +
                     "; eval, run and explain use it. Back: connect default");
  });
}

void Disconnect(CommandCall& call) {
  const Value session = call.shell().sessions().Current();
  const std::string target = TargetOf(session);
  if (target.empty()) return call.out().Note(" not connected: steps run in this process");
  call.shell().sessions().StopUsing(session);
  CallMethod(session, "close", {});
  call.out().Note(" " + target + " is disconnected; eval and run use the shell's own session");
}

void RunConnect(CommandCall& call) {
  const std::string_view text = Trim(call.text());
  if (text == "default") return Disconnect(call);
  if (!text.empty()) return ConnectTo(call, text);
  const std::string target = TargetOf(call.shell().sessions().Current());
  call.out().PrintLine(target.empty() ? "steps run in this process" : "steps run on " + target);
}

constexpr CommandExample kExamples[] = {
    {"connect", "steps run in this process\n"},
};

}  // namespace

void RegisterCommand_connect(CommandRegistry& r) {
  r.Add(
      {.name = "connect",
       .usage = "connect [grpc://HOST:PORT | default]",
       .summary =
           "Connect to a TensorFlow server or cluster. `connect default` returns to this process.",
       .help = "The graph stays in the shell, and its new nodes are sent to the server before each "
               "step. Variables live\non the server. `explain` shows the plan for the server's "
               "devices, and `explain analyze` what the server\nmeasured. `tensh serve` starts a "
               "server; any TensorFlow server will do. For TLS, start the shell with\n`tensh "
               "--tls-ca FILE`.",
       .examples = kExamples,
       .complete = "",
       .lasting = true,
       .run = RunConnect});
}

}  // namespace tensh::shell
