// The verb `why`: explains decisions of the last run.

#include <algorithm>

#include "shell/commands/base/command.h"
#include "shell/commands/base/feeds.h"
#include "shell/commands/base/graph_report.h"
#include "shell/commands/base/nonfinite_run.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/explain/view.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/placements.h"
#include "shell/session/recording.h"
#include "shell/session/sessions.h"
#include "shell/tensorflow/graph/needs.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kNot = "not";

// The node that the question is about, and the fetch with which it is explained. The fetch is empty
// for a temporary of the last run, and for a node of a function that the run calls.
struct Subject {
  std::string node;
  Fetch fetch;
  bool called = false;  // a node of a function
};

// Returns true if the last run may call a function with this node, as in "cond/then/Exp".
bool IsCalled(Shell& shell, std::string_view name) {
  if (name.find('/') == std::string_view::npos) return false;
  Report report;
  ParseReportOf(shell.runs().last(), &report);
  const ReportNode* node = report.Find(name);
  return node != nullptr && !node->within.empty();
}

// Returns true if the last run had a node of this name that has been removed since.
bool WasTemporary(Shell& shell, std::string_view name) {
  const ExplainedRun& last = shell.runs().last();
  if (last.kept == SIZE_MAX || !shell.interp().GetGlobal(name).is_null()) return false;
  Report report;
  ParseReportOf(last, &report);
  const ReportNode* node = report.Find(name);
  return node != nullptr && static_cast<size_t>(node->id) >= last.kept;
}

Subject FindSubject(CommandCall& call, std::string_view text) {
  // "mul/y" is the name of a node here, even if mul and y are variables that could be divided.
  const Value named = text.find('/') == std::string_view::npos ? Value() : FindByName(text);
  Subject subject;
  if (FindByName(text).is_null() && IsCalled(call.shell(), text))
    return {std::string(text), {}, true};
  if (named.is_null() && FindByName(text).is_null() && WasTemporary(call.shell(), text))
    return {std::string(text), {}};
  subject.fetch =
      named.is_null()
          ? EvalNode(call.shell(), text,
                     "nodes lists the nodes; why also takes a -> b, a device, wait, error")
          : AsFetch(named);
  subject.node = subject.fetch.graph.NodeName(subject.fetch.node);
  return subject;
}

// Explains the node as if every placeholder were fed, because the question is not about feeds.
std::string ExplainAlone(Shell& shell, const Subject& subject) {
  const Fetch& fetch = subject.fetch;
  tsh_run run{};
  run.fetches = &fetch.output;
  run.n_fetches = fetch.is_tensor() ? 1 : 0;
  run.targets = &fetch.node;
  run.n_targets = fetch.is_tensor() ? 0 : 1;
  // A node inside of a branch or a loop runs only as a part of it.
  const tsh_node user = tf::FetchableUser(fetch.graph, fetch.node);
  if (user != fetch.node && user != TSH_NO_NODE) {
    run.targets = &user;
    run.n_fetches = 0, run.n_targets = 1;
  }
  const Value session = SessionOver(shell, fetch.graph);
  const AssumedFeeds assumed(fetch.graph, run, FunctionsOf(session));
  CheckGraph(SessionOf(session), subject.fetch.graph, subject.node.c_str());
  return assumed.Note(ExplainRun(SessionOf(session), assumed.run(), 0));
}

std::string WhyError(const LastError& last) {
  if (last.text.empty()) return "there was no error yet. Type: help\n";
  std::string out = last.text;
  while (out.ends_with('\n')) out.pop_back();
  if (!last.explanation.empty()) out += "\n" + last.explanation;
  return out + (last.hint.empty() ? "" : "\n" + last.hint) + "\n";
}

bool IsOfLastRun(Shell& shell, const Subject& subject) {
  const ExplainedRun& last = shell.runs().last();
  return !subject.fetch ||
         (last.graph == subject.fetch.graph.id() && subject.fetch.node < last.kept);
}

// Returns the last report if it contains the node, and otherwise a report of the node alone.
Report ReportOn(CommandCall& call, const Subject& subject, std::string_view text) {
  Report report;
  if (IsOfLastRun(call.shell(), subject)) ParseReportOf(call.shell().runs().last(), &report);
  const ReportNode* node = report.Find(subject.node);
  if (!subject.fetch || (node != nullptr && node->state != "pruned")) return report;
  Report alone;
  ParseReport(At(call.shell(), text, [&] { return ExplainAlone(call.shell(), subject); }), &alone);
  return alone;
}

// Splits "add on /cpu:1" into a node and a device. Returns false if the text has no device.
bool SplitOn(std::string_view text, std::string_view* node, std::string_view* device) {
  constexpr std::string_view kOn[] = {"on"};
  const std::vector<Clause> clauses = SplitClauses(text, kOn);
  if (clauses.size() != 2 || clauses[0].text.empty() || clauses[1].text.empty()) return false;
  *node = clauses[0].text;
  *device = clauses[1].text;
  return true;
}

std::string WhyNot(CommandCall& call, std::string_view text) {
  std::string_view piece, device;
  if (SplitOn(text, &piece, &device)) {
    const Subject subject = FindSubject(call, piece);
    const Report report = ReportOn(call, subject, piece);
    const ReportNode* node = report.Find(subject.node);
    if (node != nullptr && node->device == ShortDevice(device))
      return Visible(subject.node) + " is on " + node->device + ". More: why " +
             std::string(piece) + "\n";
    return ExplainPlace(report, subject.node) + " Try it there: explain " + std::string(piece) +
           " with " + std::string(piece) + "=" + std::string(device) + "\n";
  }
  const Subject subject = FindSubject(call, text);
  const ExplainedRun& last = call.shell().runs().last();
  const Fetch& fetch = subject.fetch;
  const tsh_node user = fetch ? tf::FetchableUser(fetch.graph, fetch.node) : TSH_NO_NODE;
  const bool inside = fetch && user != fetch.node;
  const std::string by = inside && user != TSH_NO_NODE ? fetch.graph.NodeName(user) : "";
  if (last.target.empty() || !IsOfLastRun(call.shell(), subject))
    return Visible(subject.node) + ": nothing has run yet. Type: explain " +
           (by.empty() ? std::string(text) : Visible(by)) + "\n";
  Report report;
  ParseReportOf(last, &report);
  RunText run{last.request, last.target};
  run.inside = inside;
  run.user = by;
  return ExplainWhyNot(report, subject.node, run);
}

std::string WhyEdge(CommandCall& call, std::string_view from_text, std::string_view to_text) {
  const Subject from = FindSubject(call, from_text), to = FindSubject(call, to_text);
  return ExplainEdge(ReportOn(call, to, to_text), from.node, to.node);
}

bool IsDevice(CommandCall& call, std::string_view text) {
  if (text.find(':') == std::string_view::npos) return false;
  std::string name(text);
  if (name[0] != '/') name.insert(0, "/");
  const std::string last = ShortDevice(name);
  const bool in_cluster = last.rfind("/job:", 0) == 0 && last.find(' ') == std::string::npos;
  return (last.rfind("cpu:", 0) == 0 || in_cluster) &&
         call.shell().interp().GetGlobal("cpu").is_null();
}

bool IsWord(CommandCall& call, std::string_view text, std::string_view word) {
  return text == word && call.shell().interp().GetGlobal(word).is_null();
}

// Answers `why nan`, `why nan X` and the same of `inf`. Returns false for other questions, also about
// a node of that name.
bool AsksForNonFinite(CommandCall& call) {
  const std::string_view word = FirstWord(call.text());
  if ((word != "nan" && word != "inf") || call.text().find("->") != std::string_view::npos)
    return false;
  const Value named = call.shell().interp().GetGlobal(word);
  if ((!named.is_null() && AsFetch(named)) || !FindByName(word).is_null()) return false;
  WhyNonFinite(call, word == "nan", Trim(call.text().substr(word.size())));
  return true;
}

void RunWhy(CommandCall& call) {
  Shell& shell = call.shell();
  if (AsksForNonFinite(call)) return;
  std::string_view text = call.text();
  const bool negated = FirstWord(text) == kNot;
  if (negated) text = Trim(text.substr(kNot.size()));
  if (text.empty() && (negated || shell.last_error().text.empty())) call.Misused("needs a node");
  std::string answer;
  const size_t arrow = text.find("->");
  Report report;
  if (text.empty() || IsWord(call, text, "error")) {
    answer = WhyError(shell.last_error());
  } else if (IsWord(call, text, "wait") || IsWord(call, text, "waits")) {
    ParseReport(shell.runs().last_traced().report, &report);
    answer = ExplainWaits(report, shell.runs().last_traced().request);
  } else if (arrow != std::string_view::npos) {
    answer = WhyEdge(call, Trim(text.substr(0, arrow)), Trim(text.substr(arrow + 2)));
  } else if (IsDevice(call, text)) {
    if (!ParseReportOf(shell.runs().last(), &report))
      return shell.out().PrintLine(std::string(text) + ": nothing has run yet. Type: explain X");
    const std::string name(text);
    answer = ExplainDevice(report, ShortDevice(name[0] == '/' ? name : "/" + name));
  } else if (negated) {
    answer = WhyNot(call, text);
  } else {
    const Subject subject = FindSubject(call, text);
    report = ReportOn(call, subject, text);
    answer = subject.fetch || subject.called
                 ? ExplainWhy(report, subject.node)
                 : ExplainPlace(report, subject.node) +
                       " It was made for that run and removed after it. Keep such a "
                       "node: assign the expression to a name\n";
  }
  if (call.json()) {
    while (!answer.empty() && answer.back() == '\n') answer.pop_back();
    return shell.out().PrintLine("{\"question\": " + JsonQuote(call.text()) +
                                 ", \"answer\": " + JsonQuote(answer) + "}");
  }
  shell.out().Print(WrapAdvice(answer, shell.options().interactive ? shell.out().width() : 0));
}

constexpr CommandExample kExamples[] = {
    {"x = tf.placeholder(tf.float32, [3], name=\"x\")\n"
     "loss = tf.reduce_sum(x * tf.log(x, name=\"log\"), name=\"loss\")\n"
     "why nan loss feed x=[1., 2., -1.]",
     nullptr},
    {"with tf.device(\"/cpu:1\"): a = tf.constant(1., name=\"a\")\nwhy a", nullptr},
    {"a = tf.constant(1., name=\"a\"); b = tf.exp(a, name=\"b\"); c = tf.log(a, "
     "name=\"c\")\nexplain b --stage 2\n"
     "why not c\nwhy a -> b\nwhy cpu:0",
     nullptr},
};

}  // namespace

void RegisterCommand_why(CommandRegistry& r) {
  r.Add(
      {.name = "why",
       .usage = "why [not] X | why nan [X[, …] [feed Y=…, …] [times N]] | why inf … | why A -> B | "
                "why DEVICE | why wait | why error | why not X on DEVICE  [--json]",
       .summary = "Explain why X is on its device, why it did not run, where a NaN comes from, why "
                  "an edge is cut, or what an error means.",
       .help =
           "`why not X` explains why X did not run, and `why not X on DEVICE` why it is not "
           "there. `why nan X` runs X\nand names the first node that made a NaN from inputs "
           "without one, with the values, the iteration of a loop,\nthe usual cause and a form "
           "that avoids it. `times N` runs up to N steps and stops at the first NaN. `why nan`\n"
           "asks about the last run, and `why inf` about infinite numbers. `why DEVICE` lists\n"
           "the nodes of a device with the reasons, and `why wait` "
           "shows what waited for what. The answers come from\nthe last run or explain; "
           "otherwise X is explained separately. Each answer ends with a command to try.",
       .examples = kExamples,
       .complete = "expr",
       .run = RunWhy});
}

}  // namespace tensh::shell
