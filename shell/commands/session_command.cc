// The verb `session`: opens, selects and closes sessions.

#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/sessions.h"

namespace tensh::shell {
namespace {

// Returns the session that the text denotes: an expression whose value is a tf.Session, such as the
// variable that `session new` set.
Value FindSession(CommandCall& call, std::string_view text) {
  if (text.empty()) call.Misused("needs a session: a variable that holds a tf.Session");
  const char* const hint = "Give a variable that holds a session; `session new NAME` sets one";
  try {
    const Value value = call.shell().interp().Eval(text);
    At(call.shell(), text, [&] { SessionOf(value); });
    return value;
  } catch (PyError& error) {
    if (error.Is(kTypeError) || error.Is(kNameError)) error.Hint(hint);
    throw;
  }
}

std::string Described(const Value& session) {
  return "session s" + std::to_string(tsh_session_id(SessionOf(session)));
}

void NewSession(CommandCall& call, std::string_view text) {
  if (!text.empty() && !IsName(text))
    call.Misused("new accepts the name of a variable for the session, or nothing");
  const Value session = call.shell().sessions().New();
  if (!text.empty()) call.shell().interp().SetGlobal(text, session);
  call.shell().sessions().Use(session);
  call.out().Note(" " + Described(session) + " is open, and eval and run use it" +
                  (text.empty() ? "" : "; it is in " + std::string(text)));
}

void UseSession(CommandCall& call, std::string_view text) {
  const Value session = text == "default" ? Value() : FindSession(call, text);
  call.shell().sessions().Use(session);
  call.out().Note(session.is_null() ? " eval and run use the shell's own session"
                                    : " eval and run use " + Described(session));
}

void CloseSession(CommandCall& call, std::string_view text) {
  const Value session = text.empty() ? call.shell().sessions().Current() : FindSession(call, text);
  const std::string what = Described(session);
  call.shell().sessions().StopUsing(session);
  CallMethod(session, "close", {});
  call.out().Note(" " + what + " is closed: its variables are gone");
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
  call.Misused(word.empty() ? "expects new, use or close"
                            : "no '" + std::string(word) + "'; expects new, use or close");
}

constexpr CommandExample kExamples[] = {
    {"v = tf.Variable(7)\nsession new s\nrun v.initializer\neval v\nsession close s", "7\n"},
};

}  // namespace

void RegisterCommand_session(CommandRegistry& r) {
  r.Add({.name = "session",
         .usage =
             "session new [NAME] | session use NAME | session use default | session close [NAME]",
         .summary = "Open a session over the default graph, select the current one, or close one.",
         .help = "`eval` and `run` use the current session. Sessions over one graph share its "
                 "nodes, but each has its own\nvariables. NAME is a variable.",
         .examples = kExamples,
         .complete = "session",
         .lasting = true,
         .run = RunSession});
}

}  // namespace tensh::shell
