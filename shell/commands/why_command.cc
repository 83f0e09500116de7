// The verb `why`: explains decisions of the last run.

#include <algorithm>

#include "shell/commands/command.h"
#include "shell/commands/run_request.h"
#include "shell/commands/shell.h"
#include "shell/commands/words.h"
#include "shell/explain/view.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/placements.h"
#include "shell/session/sessions.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kNot = "not";

// The name of the node in question, and the fetch that explains it.
struct Subject {
  std::string node;
  Fetch fetch;
};

Subject FindSubject(CommandCall& call, std::string_view text) {
  // "mul/y" is a node name here, even if mul and y are values that could be divided.
  const Value named = text.find('/') == std::string_view::npos ? Value() : FindByName(text);
  Subject subject;
  subject.fetch =
      named.is_null()
          ? EvalNode(call.shell(), text,
                     "nodes lists the nodes; why also takes a -> b, a device, wait, error")
          : AsFetch(named);
  subject.node = subject.fetch.graph.NodeName(subject.fetch.node);
  return subject;
}

// Returns the placeholders that a node depends on. Iterative, because a path may be a million nodes
// long.
std::vector<tsh_output> Placeholders(const Fetch& fetch) {
  tsh_graph* graph = fetch.graph.get();
  const tsh_node root = fetch.node;
  std::vector<bool> seen(fetch.graph.size(), false);
  std::vector<tsh_node> open{root};
  std::vector<tsh_output> found;
  while (!open.empty()) {
    const tsh_node node = open.back();
    open.pop_back();
    if (seen[node]) continue;
    seen[node] = true;
    const std::string_view op = fetch.graph.NodeOp(node);
    if ((op == "Placeholder" || op == "PlaceholderV2") && node != root) found.push_back({node, 0});
    for (size_t i = 0; i < tsh_node_num_inputs(graph, node); ++i)
      open.push_back(tsh_node_input(graph, node, i).node);
    for (size_t i = 0; i < tsh_node_num_controls(graph, node); ++i)
      open.push_back(tsh_node_control(graph, node, i));
  }
  return found;
}

// Explains the node as if every placeholder were fed, because the question is not about feeds.
std::string ExplainAlone(Shell& shell, const Subject& subject) {
  tsh_run run{};
  const std::vector<tsh_output> feeds = Placeholders(subject.fetch);
  run.feeds = feeds.data();
  run.n_feeds = feeds.size();
  const bool tensor = subject.fetch.is_tensor();
  run.fetches = &subject.fetch.output;
  run.n_fetches = tensor ? 1 : 0;
  run.targets = &subject.fetch.node;
  run.n_targets = tensor ? 0 : 1;
  const Value session = shell.sessions().Current();
  CheckGraph(SessionOf(session), subject.fetch.graph, subject.node.c_str());
  Status status;
  char* report = tsh_session_explain(SessionOf(session), &run, 0, status);
  status.Check();
  return TakeText(report);
}

// Explanations of error messages for users who see them for the first time.
struct ErrorRow {
  const char* part;  // part of the message
  const char* means;
};
constexpr ErrorRow kErrors[] = {
    {"placeholder",
     "A placeholder has no value. Every run must feed all placeholders that its fetches depend on; "
     "the others need no feed."},
    {"uninitialized",
     "A variable gets its first value when its initializer runs, not when it is created. Values "
     "live in the session, so each session must initialize its variables."},
    {"not initialized",
     "A variable gets its first value when its initializer runs, not when it is created. Values "
     "live in the session, so each session must initialize its variables."},
    {"Cannot assign a device",
     "Every node that runs needs an existing device with a kernel for it. Nodes that share a "
     "reference or are colocated need a common device."},
    {"No OpKernel",
     "An op runs only on devices with a kernel for its types; `help OP` lists the kernels."},
    {"same graph",
     "A tensor belongs to the graph in which it was created. A session runs one graph, and all "
     "inputs of an op must belong to the same graph."},
    {"closed Session",
     "Closing a session frees its variables. The graph remains and can be used by another "
     "session."},
    {"is not an element of this graph",
     "Names are looked up in the graph of the session that runs."},
    {"Cannot feed value of shape",
     "A fed value must fit the shape of the placeholder; ? accepts any size."},
    {"finalized",
     "No nodes can be added to a finalized graph. Add them before, or use another graph."},
    {"Cancelled",
     "The step was stopped. Variables that it had already assigned keep their new values."},
    {"SyntaxError", "The line is neither valid Python nor a command of the shell."},
    {"NameError",
     "A name must be assigned before it is used. Names of nodes can be used only in verbs."},
};

std::string WhyError(const LastError& last) {
  const std::string& error = last.text;
  if (error.empty()) return "there was no error yet. Type: help\n";
  std::string out = error;
  while (!out.empty() && out.back() == '\n') out.pop_back();
  for (const ErrorRow& row : kErrors) {
    if (error.find(row.part) == std::string::npos) continue;
    out += std::string("\n") + row.means;
    break;
  }
  std::string hint = last.hint;
  const size_t at = hint.find(": ");
  if (hint.empty()) hint = "help";
  return out + "\nTry: " +
         (hint.rfind("Type: ", 0) == 0 || hint.rfind("Run: ", 0) == 0 ? hint.substr(at + 2)
                                                                      : hint) +
         "\n";
}

// Returns the last report if it contains the node, and otherwise a report of the node alone.
Report ReportOn(CommandCall& call, const Subject& subject, std::string_view text) {
  Report report;
  ParseReport(call.shell().runs().last().report, &report);
  const ReportNode* node = report.Find(subject.node);
  if (node != nullptr && node->state != "pruned") return report;
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
    std::string answer = ExplainWhy(report, subject.node);
    answer.erase(std::min(answer.find(" Move it: "), answer.size()));
    return answer + " Try it there: explain " + std::string(piece) + " with " + std::string(piece) +
           "=" + std::string(device) + "\n";
  }
  const Subject subject = FindSubject(call, text);
  const std::string& target = call.shell().runs().last().target;
  if (target.empty())
    return Visible(subject.node) + ": nothing has run yet. Type: explain " + std::string(text) +
           "\n";
  Report report;
  ParseReport(call.shell().runs().last().report, &report);
  return ExplainWhyNot(report, subject.node, target);
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

void RunWhy(CommandCall& call) {
  Shell& shell = call.shell();
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
    if (!ParseReport(shell.runs().last().report, &report))
      return shell.out().PrintLine(std::string(text) + ": nothing has run yet. Type: explain X");
    const std::string name(text);
    answer = ExplainDevice(report, ShortDevice(name[0] == '/' ? name : "/" + name));
  } else if (negated) {
    answer = WhyNot(call, text);
  } else {
    const Subject subject = FindSubject(call, text);
    answer = ExplainWhy(ReportOn(call, subject, text), subject.node);
  }
  if (call.json()) {
    while (!answer.empty() && answer.back() == '\n') answer.pop_back();
    return shell.out().PrintLine("{\"question\": " + JsonQuote(call.text()) +
                                 ", \"answer\": " + JsonQuote(answer) + "}");
  }
  shell.out().Print(Wrap(answer, shell.options().interactive ? shell.out().width() : 0));
}

constexpr CommandExample kExamples[] = {
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
       .usage = "why [not] X | why A -> B | why DEVICE | why wait | why error | why not X on "
                "DEVICE  [--json]",
       .summary = "Explain why X is on its device, why it did not run, why an edge is cut, or what "
                  "an error means.",
       .help = "`why not X` explains why X did not run, and `why not X on DEVICE` why it is not "
               "there. `why DEVICE` lists\nthe nodes of a device with the reasons, and `why wait` "
               "shows what waited for what. The answers come from\nthe last run or explain, or "
               "else X is explained separately. Each answer ends with a command to try.",
       .examples = kExamples,
       .complete = "expr",
       .run = RunWhy});
}

}  // namespace tensh::shell
