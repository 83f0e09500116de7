#include <algorithm>

#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/run_request.h"
#include "shell/commands/shell.h"
#include "shell/commands/words.h"
#include "shell/explain/layout.h"
#include "shell/values/error.h"

namespace tensh::shell {
namespace {

void RunWatch(CommandCall& call) {
  Shell& shell = call.shell();
  if (call.text().empty()) {
    bool none = true;
    for (const Watch& watch : shell.watches()) {
      if (!watch.on) continue;
      none = false;
      shell.PrintLine(" " + watch.text +
                      (watch.numbers.empty()
                           ? ""
                           : "  " + Count(static_cast<int64_t>(watch.numbers.size()), "value")));
    }
    if (!shell.break_condition().empty()) shell.PrintLine(" break if " + shell.break_condition());
    if (none) shell.Note(" nothing is watched; watch X");
    return;
  }
  for (const std::string_view piece : SplitCommas(call.text())) {
    if (piece.empty()) call.Misused("there is nothing between two commas");
    At(shell, piece,
       [&] { (void)EvalPiece(shell, piece); });  // a mistake shows now, not in the run
    std::vector<Watch>& watches = shell.watches();
    const auto known = std::find_if(watches.begin(), watches.end(),
                                    [&](const Watch& w) { return w.text == piece; });
    if (known == watches.end()) {
      watches.push_back({.text = std::string(piece), .numbers = {}});
    } else {
      known->on = true;
    }
  }
}

void RunUnwatch(CommandCall& call) {
  std::vector<Watch>& watches = call.shell().watches();
  if (call.text().empty()) {
    for (Watch& watch : watches) watch.on = false;
    return;
  }
  for (const std::string_view piece : SplitCommas(call.text())) {
    const auto found = std::find_if(watches.begin(), watches.end(),
                                    [&](const Watch& w) { return w.on && w.text == piece; });
    if (found != watches.end()) {
      found->on = false;
      continue;
    }
    throw ValueError(std::string(piece) + " is not watched").Hint("watch lists what is");
  }
}

void RunBreak(CommandCall& call) {
  constexpr std::string_view kIf = "if";
  std::string& condition = call.shell().break_condition();
  if (FirstWord(call.text()) != kIf)
    call.Misused("wants `if` and a condition: break if loss > 100");
  const std::string_view wanted = Trim(call.text().substr(kIf.size()));
  if (wanted == "None" || wanted == "never") return condition.clear();
  if (wanted.empty()) call.Misused("wants a condition: break if loss > 100");
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
         .summary = "Print values after the steps of run … times N, and keep them for plot; alone, "
                    "list what is watched.",
         .help = "A tensor is fetched in a step of its own, anything else is evaluated. Long runs "
                 "print about twenty "
                 "lines; plot X\ndraws every step.",
         .examples = kExamples,
         .complete = "expr",
         .run = RunWatch});
  r.Add({.name = "unwatch",
         .usage = "unwatch [X[, …]]",
         .summary = "Watch X no more; alone, nothing at all.",
         .help = "plot X still draws what it was in the last run that watched it.",
         .examples = {},
         .complete = "expr",
         .run = RunUnwatch});
  r.Add({.name = "break",
         .usage = "break if COND",
         .summary = "Stop run … times N after the step that makes COND true.",
         .help = "COND is a tensor or an expression: break if tf.is_nan(loss), break if "
                 "np.isnan(_). break if never "
                 "forgets it.",
         .examples = kBreakExamples,
         .complete = "expr",
         .run = RunBreak});
}

}  // namespace tensh::shell
