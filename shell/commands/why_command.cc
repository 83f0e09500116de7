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

constexpr std::string_view kNot = "not";

// The name of the node that the text means, and the fetch to explain it with.
struct Subject {
  std::string node;
  bridge::Fetch fetch;
};

Subject FindSubject(CommandCall& call, std::string_view text) {
  Shell& shell = call.shell();
  return At(shell, text, [&] {
    const Value value = EvalPiece(shell, text);
    Subject subject;
    subject.fetch = bridge::AsFetch(IsStr(value) ? bridge::FindByName(StrView(value)) : value);
    if (subject.fetch.kind == bridge::Fetch::Kind::kNeither) {
      throw TypeError("'" + TypeName(value) + "' object is no node of a graph")
          .Hint("nodes lists the nodes");
    }
    const bool tensor = subject.fetch.kind == bridge::Fetch::Kind::kTensor;
    subject.node =
        subject.fetch.graph.NodeName(tensor ? subject.fetch.output.node : subject.fetch.node);
    return subject;
  });
}

std::string ExplainAlone(const Subject& subject) {
  tsh_run run{};
  const bool tensor = subject.fetch.kind == bridge::Fetch::Kind::kTensor;
  run.fetches = &subject.fetch.output;
  run.n_fetches = tensor ? 1 : 0;
  run.targets = &subject.fetch.node;
  run.n_targets = tensor ? 0 : 1;
  const Value session = bridge::CurrentSession();
  CheckGraph(bridge::SessionOf(session), subject.fetch.graph, subject.node.c_str());
  Status status;
  char* report = tsh_session_explain(bridge::SessionOf(session), &run, 0, status);
  status.Check();
  return TakeText(report);
}

void RunWhy(CommandCall& call) {
  Shell& shell = call.shell();
  std::string_view text = call.text();
  const bool negated = FirstWord(text) == kNot;
  if (negated) text = Trim(text.substr(kNot.size()));
  if (text.empty()) call.Misused("needs a node");
  const Subject subject = FindSubject(call, text);
  Report report;
  ParseReport(shell.last_report(), &report);
  const ReportNode* node = report.Find(subject.node);
  const bool ran = node != nullptr && node->state != "pruned";
  if (negated) {
    const std::string_view target =
        Trim(std::string_view(shell.last_request()).substr(0, shell.last_request().find(" feed ")));
    if (target.empty())
      return shell.PrintLine(Visible(subject.node) + ": nothing was explained yet. Type: explain " +
                             std::string(text));
    return shell.Print(ExplainWhyNot(report, subject.node, std::string(target)));
  }
  if (!ran) {
    // The last run says nothing of it: explain it as a fetch of its own.
    report = Report();
    const std::string text_alone = At(shell, text, [&] { return ExplainAlone(subject); });
    ParseReport(text_alone, &report);
  }
  shell.Print(ExplainWhy(report, subject.node));
}

constexpr CommandExample kExamples[] = {
    {"with tf.device(\"/cpu:1\"): a = tf.constant(1., name=\"a\")\nwhy a", nullptr},
    {"a = tf.constant(1., name=\"a\"); b = tf.exp(a, name=\"b\"); c = tf.log(a, "
     "name=\"c\")\nexplain b --stage 2\n"
     "why not c",
     nullptr},
};

}  // namespace

void RegisterCommand_why(CommandRegistry& r) {
  r.Add({.name = "why",
         .usage = "why [not] X",
         .summary = "Why is X on that device, or (with `not`) why did it not run.",
         .help = "Answers from what the last explain recorded, or explains X by itself. Ends with "
                 "a command to try.",
         .examples = kExamples,
         .complete = "expr",
         .run = RunWhy});
}

}  // namespace tensh::shell
