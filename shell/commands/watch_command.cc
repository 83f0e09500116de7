// The verbs `watch`, `unwatch` and `break`: observe a loop of steps.

#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/error.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

void RunWatch(CommandCall& call) {
  Shell& shell = call.shell();
  if (call.text().empty()) {
    bool none = true;
    for (const Watch& watch : shell.watches().all()) {
      if (!watch.on) continue;
      none = false;
      shell.out().PrintLine(
          " " + watch.text +
          (watch.numbers.empty()
               ? ""
               : "  " + Count(static_cast<int64_t>(watch.numbers.size()), "value")));
    }
    if (!shell.watches().break_condition.empty())
      shell.out().PrintLine(" break if " + shell.watches().break_condition);
    if (none) shell.out().Note(" nothing is watched; watch X");
    return;
  }
  for (const std::string_view piece : SplitCommas(call.text())) {
    if (piece.empty()) call.Misused("an expression is missing between two commas");
    At(shell, piece,
       [&] { (void)EvalPiece(shell, piece); });  // reports a mistake now instead of during the run
    shell.watches().Add(piece);
  }
}

void RunUnwatch(CommandCall& call) {
  Watches& watches = call.shell().watches();
  if (call.text().empty()) return watches.RemoveAll();
  for (const std::string_view piece : SplitCommas(call.text())) {
    if (!watches.Remove(piece))
      throw ValueError(std::string(piece) + " is not watched")
          .Hint("`watch` lists the watched values");
  }
}

void RunBreak(CommandCall& call) {
  constexpr std::string_view kIf = "if";
  std::string& condition = call.shell().watches().break_condition;
  if (FirstWord(call.text()) != kIf)
    call.Misused("expects `if` and a condition, as in: break if loss > 100");
  const std::string_view wanted = Trim(call.text().substr(kIf.size()));
  if (wanted == "None" || wanted == "never") return condition.clear();
  if (wanted.empty()) call.Misused("expects a condition, as in: break if loss > 100");
  At(call.shell(), wanted, [&] { (void)EvalPiece(call.shell(), wanted); });
  condition = std::string(wanted);
}

constexpr CommandExample kExamples[] = {
    {"v = tf.Variable(1.)\nrun v.initializer\nstep = v.assign(v * 2.)\nwatch v\nrun step times "
     "3\nunwatch v",
     " step 1  v 2.0\n step 2  v 4.0\n step 3  v 8.0\n8.0\n"},
};
constexpr CommandExample kBreakExamples[] = {
    {"v = tf.Variable(1.)\nrun v.initializer\nbreak if v > 10.\nrun v.assign(v * 2.) times "
     "100\nbreak if never",
     " stopped after step 4: v > 10.\n16.0\n"},
};

}  // namespace

void RegisterCommand_watch(CommandRegistry& r) {
  r.Add({.name = "watch",
         .usage = "watch [X[, …]]",
         .summary = "Print values after each step of `run … times N`. Without an argument, list "
                    "the watched tensors.",
         .help =
             "A tensor is fetched in a separate step; any other expression is evaluated. A long "
             "run prints about twenty\nlines. The values are kept, and `plot X` draws every step.",
         .examples = kExamples,
         .complete = "expr",
         .lasting = true,
         .run = RunWatch});
  r.Add({.name = "unwatch",
         .usage = "unwatch [X[, …]]",
         .summary = "Stop watching a tensor. Without an argument, stop watching all.",
         .help = "`plot X` still draws the values of the last run that watched it.",
         .examples = {},
         .complete = "expr",
         .lasting = true,
         .run = RunUnwatch});
  r.Add({.name = "break",
         .usage = "break if COND",
         .summary = "Stop `run … times N` after the first step that makes COND true.",
         .help = "COND is a tensor or an expression, as in `break if tf.is_nan(loss)` or `break if "
                 "np.isnan(_)`. `break if\nnever` removes the condition.",
         .examples = kBreakExamples,
         .complete = "expr",
         .lasting = true,
         .run = RunBreak});
}

}  // namespace tensh::shell
