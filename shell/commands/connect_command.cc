#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/run_request.h"
#include "shell/commands/shell.h"
#include "shell/commands/words.h"
#include "shell/explain/layout.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kScheme = "grpc://";

std::string TargetOf(const Value& session) { return Str(GetAttr(session, Intern("sess_str"))); }

// Opens the session and hears of the server's devices, so that a server that is not there is told
// of at once.
void ConnectTo(CommandCall& call, std::string_view text) {
  const std::string target =
      (text.substr(0, kScheme.size()) == kScheme ? "" : std::string(kScheme)) + std::string(text);
  Shell& shell = call.shell();
  At(shell, text, [&] {
    const Value session = Call(bridge::FindTfName("Session"), {MakeStr(target)});
    Status status;
    const tsh_run nothing{};
    TakeText(tsh_session_explain(bridge::SessionOf(session), &nothing, 0, status));
    if (status.code() != 0) CallMethod(session, "close", {});
    status.Check();
    const Value devices = CallMethod(session, "list_devices", {});
    bridge::UseSession(session);
    const std::vector<Value>* list = Sequence(devices);
    shell.Note(" session s" + std::to_string(tsh_session_id(bridge::SessionOf(session))) +
               " runs on " + target + ", " +
               Count(static_cast<int64_t>(list == nullptr ? 0 : list->size()), "device") +
               "; eval, run and explain use it. Back: connect default");
  });
}

void Disconnect(CommandCall& call) {
  const Value session = bridge::CurrentSession();
  const std::string target = TargetOf(session);
  if (target.empty()) return call.shell().Note(" nothing is connected: steps run in this process");
  bridge::StopUsing(session);
  CallMethod(session, "close", {});
  call.shell().Note(" " + target + " is left; eval and run use the shell's own session");
}

void RunConnect(CommandCall& call) {
  const std::string_view text = Trim(call.text());
  if (text == "default") return Disconnect(call);
  if (!text.empty()) return ConnectTo(call, text);
  const std::string target = TargetOf(bridge::CurrentSession());
  call.shell().PrintLine(target.empty() ? "steps run in this process" : "steps run on " + target);
}

constexpr CommandExample kExamples[] = {
    {"connect", "steps run in this process\n"},
};

}  // namespace

void RegisterCommand_connect(CommandRegistry& r) {
  r.Add({.name = "connect",
         .usage = "connect [grpc://HOST:PORT | default]",
         .summary = "Run what follows on a TensorFlow server or cluster, or again in this process.",
         .help =
             "The graph stays here and goes over as it grows; variables live on the server. "
             "explain shows "
             "the plan for\nthe server's devices, explain analyze what the server did. tensh serve "
             "starts a server; any TensorFlow\nserver will do. With certificates: tensh --tls-ca "
             "FILE.",
         .examples = kExamples,
         .complete = "",
         .run = RunConnect});
}

}  // namespace tensh::shell
