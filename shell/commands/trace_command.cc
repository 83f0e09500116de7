// The verb `trace`: records timelines and saves them.

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tensorboard.h"
#include "shell/commands/base/traces.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/error.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

std::string Steps() { return Count(static_cast<int64_t>(tsh_trace_steps()), "step"); }

void Save(CommandCall& call, std::string_view file) {
  if (tsh_trace_steps() == 0)
    throw RuntimeError("no step has been traced yet")
        .Hint("`trace on`, then run; or `explain analyze X`");
  if (NamesFolder(std::string(file))) return SaveForTensorBoard(call, std::string(file));
  call.out().WriteFile(std::string(file), TakeText(tsh_trace_json()) + "\n");
  call.out().Note(" It has " + Steps() + "; open it in ui.perfetto.dev or chrome://tracing");
}

void RunTrace(CommandCall& call) {
  const std::string_view word = FirstWord(call.text());
  const std::string_view rest = Trim(call.text().substr(word.size()));
  Shell& shell = call.shell();
  if (word.empty()) {
    return shell.out().PrintLine(std::string("tracing is ") +
                                 (tsh_trace_is_on() != 0 ? "on, " : "off, ") + Steps() + " kept");
  }
  // `trace save > FILE` is accepted, because other verbs write files in this way.
  const std::string_view file = rest.starts_with('>') ? Trim(rest.substr(1)) : rest;
  if (word == "save" && !file.empty()) return Save(call, file);
  if (!rest.empty() || (word != "on" && word != "off"))
    call.Misused("expects on, off or save FILE, or save FOLDER/ for TensorBoard");
  if (word == "on") {
    tsh_trace_start();
    return shell.out().Note(
        " the timeline of every step is recorded from now on; trace save FILE · profile");
  }
  tsh_trace_stop();
  shell.out().Note(" " + Steps() + " kept; trace save FILE · profile");
}

constexpr CommandExample kExamples[] = {
    {"trace on\na = tf.exp(tf.constant([1., 2.]), name=\"a\")\nrun a times 3\ntrace off\ntrace",
     "[2.7182817 7.389056 ]\ntracing is off, 3 steps kept\n"},
};

}  // namespace

void RegisterCommand_trace(CommandRegistry& r) {
  r.Add(
      {.name = "trace",
       .usage = "trace [on|off|save FILE|save FOLDER/]",
       .summary =
           "Record the timeline of every step, and save it for Perfetto, chrome://tracing or "
           "TensorBoard.",
       .help =
           "Devices appear as processes, arrows join each Send to its Recv, and waits are slices. "
           "Steps of scripts\n(sess.run) are recorded too. While tracing is off, `explain analyze` "
           "keeps the timeline of its own step\nonly. `profile` summarizes the recorded steps.\n"
           "`trace save FOLDER/` writes a log folder of TensorBoard: the graph of the last step on "
           "its "
           "devices, with its\nSends and Recvs, the times and the memory of its nodes (page "
           "Graphs), "
           "and the timelines (page Profile).",
       .examples = kExamples,
       .complete = "file",
       .run = RunTrace});
}

}  // namespace tensh::shell
