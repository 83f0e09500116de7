#include <charconv>

#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/run_request.h"
#include "shell/commands/shell.h"
#include "shell/commands/words.h"
#include "shell/explain/view.h"
#include "shell/values/containers.h"
#include "shell/values/ops.h"

namespace tensh::shell {
namespace {

constexpr size_t kPrunedListed = 100;
constexpr std::string_view kAnalyze = "analyze";

int ParseStage(CommandCall& call) {
  const std::string_view text = call.Option("--stage");
  if (text.empty()) return 0;
  int stage = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), stage);
  if (error != std::errc() || end != text.data() + text.size() || stage < 1 || stage > 5) {
    call.Misused("--stage is 1 to 5, not '" + std::string(text) + "'");
  }
  return stage;
}

// `explain analyze X`; but a user's variable of that name is what is explained.
bool TakeAnalyze(CommandCall& call, std::string_view* text) {
  if (FirstWord(*text) != kAnalyze || text->size() == kAnalyze.size()) return false;
  if (!call.shell().interp().GetGlobal(kAnalyze).is_null()) return false;
  *text = Trim(text->substr(kAnalyze.size()));
  return true;
}

void PrintFetched(CommandCall& call, const std::vector<TensorHandle>& fetched) {
  for (const TensorHandle& tensor : fetched) {
    const Value value = bridge::FromTensor(tensor);
    call.shell().interp().Write(Str(value) + "\n");
    if (fetched.size() == 1) call.shell().Remember(value);
  }
}

void RunExplain(CommandCall& call) {
  Shell& shell = call.shell();
  std::string_view text = call.text();
  const bool analyze = TakeAnalyze(call, &text);
  const RunRequest request = ParseRun(call, text);
  const Value session_value = SessionFor(request);
  tsh_session* session = bridge::SessionOf(session_value);
  const StepSpec step(shell, request, session);
  const tsh_run run = step.run();
  std::vector<TensorHandle> fetched;
  const std::string report_text = At(shell, text, [&] {
    if (analyze) return bridge::RunTraced(session, run, &fetched);
    Status status;
    char* report = tsh_session_explain(session, &run, kPrunedListed, status);
    status.Check();
    return TakeText(report);
  });
  shell.RememberRun(request.text, report_text);
  if (call.json()) return shell.PrintLine(report_text);
  Report report;
  if (!ParseReport(report_text, &report)) throw RuntimeError("the runtime's report cannot be read");
  ViewOptions view{.width = shell.width(), .stage = ParseStage(call), .request = request.text};
  if (call.Has("--all")) view.max_rows = 0;
  shell.Print(call.Has("--ascii") ? ToAscii(RenderExplain(report, view))
                                  : RenderExplain(report, view));
  PrintFetched(call, fetched);
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nexplain b", nullptr},
    {"x = tf.placeholder(tf.float32, [2], name=\"x\")\ny = tf.add(x, 1., name=\"y\")\n"
     "explain analyze y feed x=[3, 4]",
     nullptr},
};

}  // namespace

void RegisterCommand_explain(CommandRegistry& r) {
  r.Add({.name = "explain",
         .usage = "explain [analyze] EXPR[, …] [feed X=…, …] [on SESSION] [--stage N] [--all] "
                  "[--json] [--ascii]",
         .summary = "Show the five stages of a run: the graph, what is pruned, where each node is "
                    "placed and why,\n"
                    "the partitions with their Send/Recv pairs, and with `analyze`, which runs it, "
                    "the times.",
         .help = "Each node keeps its row; each stage adds a column. More than 60 rows fold by "
                 "name scope; --all\n"
                 "shows every one. --stage N shows one stage, --json the document that the rest is "
                 "drawn from.",
         .examples = kExamples,
         .complete = "expr",
         .run = RunExplain});
}

}  // namespace tensh::shell
