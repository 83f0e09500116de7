// The verb `time`: measures an expression or another verb.

#include <chrono>

#include "runtime/base/text.h"
#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

using Clock = std::chrono::steady_clock;

double Ns(Clock::duration d) { return std::chrono::duration<double, std::nano>(d).count(); }

// Returns the verb with which the text begins, or null. As in a statement, a variable of that name
// takes precedence only if the text can be an expression, and a dot always means the verb.
const Command* VerbOf(Shell& shell, std::string_view* text) {
  const bool dot = text->starts_with('.');
  const std::string_view word = FirstWord(text->substr(dot ? 1 : 0));
  const Command* verb = shell.commands().Find(word);
  if (verb == nullptr) return nullptr;
  const std::string_view rest = Trim(text->substr(word.size()));
  const bool variable = !dot && !shell.interp().GetGlobal(word).is_null();
  const std::string_view next = FirstWord(rest);
  const bool expression = rest.empty() || next == "feed" || next == "on" ||
                          (!IsName(rest.substr(0, 1)) && !IsAsciiDigit(rest[0]));
  if (variable && expression) return nullptr;
  text->remove_prefix(word.size() + (dot ? 1 : 0));
  return verb;
}

// Runs the text as a verb if it is one. Otherwise evaluates it as an expression, and fetches the
// value if it is part of a graph.
void Timed(CommandCall& call, std::string* parts) {
  Shell& shell = call.shell();
  std::string_view text = call.text();
  if (const Command* inner = VerbOf(shell, &text)) {
    CommandCall inner_call(shell, *inner, text);
    return inner->run(inner_call);
  }
  const Clock::time_point began = Clock::now();
  const RunRequest request = ParseRun(call, call.text());
  const Clock::time_point built = Clock::now();
  const Value session = SessionFor(shell, request);
  for (size_t i = 0; i < request.fetches.size(); ++i) {
    if (!IsRunnable(request.fetches[i])) {
      shell.interp().Write(Str(request.fetches[i]) + "\n");
      continue;
    }
    const Clock::time_point first = Clock::now();
    const Value value = RunStep(shell, request, session, request.fetches[i], request.pieces[i]);
    const Clock::time_point second = Clock::now();
    RunStep(shell, request, session, request.fetches[i], request.pieces[i]);
    const double again = Ns(Clock::now() - second);
    if (!value.is_none()) shell.interp().Write(Str(value) + "\n");
    *parts += " · first step " + Duration(Ns(second - first)) + " · second " + Duration(again);
  }
  *parts = " built in " + Duration(Ns(built - began)) + *parts;
}

void RunTime(CommandCall& call) {
  if (call.text().empty()) call.Misused("needs an expression or a verb to time");
  std::string parts;
  const Clock::time_point began = Clock::now();
  Timed(call, &parts);
  const double total = Ns(Clock::now() - began);
  call.shell().interp().Flush();
  call.shell().interp().WriteError(
      (parts.empty() ? " " + Duration(total) : parts + " · all " + Duration(total)) + "\n");
}

constexpr CommandExample kExamples[] = {{"time tf.constant(1) + 2", "3\n"}};

}  // namespace

void RegisterCommand_time(CommandRegistry& r) {
  r.Add({.name = "time",
         .usage = "time EXPR [feed X=…, …] | time VERB …",
         .summary = "Run EXPR once and print its value; the time goes to stderr.",
         .help = "A tensor is then run a second time, because the first step also makes the plan; "
                 "both times are shown.",
         .examples = kExamples,
         .complete = "expr",
         .run = RunTime});
}

}  // namespace tensh::shell
