#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/run_request.h"
#include "shell/commands/shell.h"
#include "shell/commands/words.h"
#include "shell/values/containers.h"
#include "shell/values/ops.h"

namespace tensh::shell {
namespace {

// "s3" by its number among the sessions this verb made, or an expression that gives a tf.Session.
Value FindSession(CommandCall& call, std::string_view text) {
  if (text.empty()) call.Misused("which session? A variable that holds a tf.Session");
  const Value value = call.shell().interp().Eval(text);
  At(call.shell(), text, [&] { bridge::SessionOf(value); });
  return value;
}

std::string Described(const Value& session) {
  return "session s" + std::to_string(tsh_session_id(bridge::SessionOf(session)));
}

void NewSession(CommandCall& call, std::string_view text) {
  if (!text.empty() && !IsName(text))
    call.Misused("new wants a variable's name to put the session in, or nothing");
  const Value session = bridge::NewSession();
  if (!text.empty()) call.shell().interp().SetGlobal(text, session);
  bridge::UseSession(session);
  call.shell().Note(" " + Described(session) + " is open, and eval and run use it" +
                    (text.empty() ? "" : "; it is in " + std::string(text)));
}

void UseSession(CommandCall& call, std::string_view text) {
  const Value session = text == "default" ? Value() : FindSession(call, text);
  bridge::UseSession(session);
  call.shell().Note(session.is_null() ? " eval and run use the shell's own session"
                                      : " eval and run use " + Described(session));
}

void CloseSession(CommandCall& call, std::string_view text) {
  const Value session = text.empty() ? bridge::CurrentSession() : FindSession(call, text);
  const std::string what = Described(session);
  bridge::StopUsing(session);
  CallMethod(session, "close", {});
  call.shell().Note(" " + what + " is closed: its variables are gone");
}

struct Action {
  const char* word;
  void (*run)(CommandCall& call, std::string_view text);
};
constexpr Action kActions[] = {{"new", NewSession}, {"use", UseSession}, {"close", CloseSession}};

void RunSession(CommandCall& call) {
  const std::string_view word = FirstWord(call.text());
  for (const Action& action : kActions) {
    if (word == action.word) return action.run(call, Trim(call.text().substr(word.size())));
  }
  call.Misused(word.empty() ? "new, use or close?"
                            : "no '" + std::string(word) + "'; new, use or close?");
}

constexpr CommandExample kExamples[] = {
    {"v = tf.Variable(7)\nsession new s\nrun v.initializer\neval v\nsession close s", "7\n"},
};

}  // namespace

void RegisterCommand_session(CommandRegistry& r) {
  r.Add({.name = "session",
         .usage =
             "session new [NAME] | session use NAME | session use default | session close [NAME]",
         .summary = "Open a session over the default graph, choose the one that eval and run use, "
                    "close one.",
         .help = "Sessions over one graph share its nodes; each has its own variables. NAME is a "
                 "variable.",
         .examples = kExamples,
         .complete = "session",
         .run = RunSession});
}

}  // namespace tensh::shell
