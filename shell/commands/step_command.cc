// The verbs `step` and `back`: walk through the events of a step.

#include <algorithm>
#include <charconv>

#include "shell/commands/base/command.h"
#include "shell/commands/base/feeds.h"
#include "shell/commands/base/live.h"
#include "shell/commands/base/node_values.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/explain/film.h"
#include "shell/explain/player.h"
#include "shell/explain/view.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/recording.h"
#include "shell/session/sessions.h"
#include "shell/tensorflow/graph/needs.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxValues = 2000, kValueWidth = 40;
constexpr size_t kMaxMoments = 2000;   // of a walk; later events are left out
constexpr int64_t kMaxNodes = 20'000;  // of a step, because each moment looks at all of them

// The step that the user walks through.
struct Walk {
  std::string title;
  uint64_t era = 0;  // Runs::era() when it began
  Report report;
  std::vector<Moment> moments;
  size_t more = 0;  // the number of events after the last moment
  ValueTexts values;
  size_t at = 0;
};
Walk& Current() {
  static Walk walk;
  return walk;
}

void AddValues(const GraphHandle& graph, const NodeValues& values, Walk* walk) {
  for (const ReportNode& node : walk->report.nodes) {
    if (node.state == "pruned" || node.id < 0) continue;
    // For a node inside of a loop, only the last value is known. The values of the iterations are
    // in the events.
    if (!node.loop.empty() && node.op != "Exit" && node.op != "RefExit") continue;
    const auto id = static_cast<tsh_node>(node.id);
    for (size_t i = 0; i < graph.NumOutputs(id) && walk->values.size() < kMaxValues; ++i) {
      const std::string text = values.Text(graph, {id, static_cast<uint32_t>(i)}, kValueWidth);
      if (!text.empty()) walk->values[node.name + ":" + std::to_string(i)] = text;
    }
  }
}

// Throws if the step is too large to walk through. A step may change variables, so this is checked
// before it runs.
void CheckSize(const GraphHandle& graph, const tf::FlatRun& step, const RunRequest& request) {
  const std::vector<bool> needed = tf::NeededNodes(graph, step.run());
  const int64_t nodes = std::count(needed.begin(), needed.end(), true);
  if (nodes <= kMaxNodes) return;
  throw ValueError("that step needs " + Count(nodes, "node") +
                   ", and `step` walks through at most " + Digits(kMaxNodes) + "; nothing was run")
      .Type("explain analyze " + request.text);
}

void Begin(CommandCall& call) {
  Shell& shell = call.shell();
  const RunRequest request = ParseRun(call, call.text());
  const Value session_value = SessionFor(shell, request);
  tsh_session* session = SessionOf(session_value);
  const tf::FlatRun step = StepToRun(shell, request, session_value);
  At(shell, request.pieces.front(), [&] {
    const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
    const tf::FlatRun asked = StepOf(shell, request, session);
    CheckSize(graph, asked, request);
    const AssumedFeeds assumed(graph, asked.run(), FunctionsOf(session_value));
    const RecordingSteps recording;
    std::vector<TensorHandle> fetched;
    const std::string text =
        HintingAtFeeds(request, graph, [&] { return RunTraced(session, step.run(), &fetched); });
    Walk walk;
    walk.title = request.text;
    walk.era = shell.runs().era();
    ParseReport(text, &walk.report);
    AddValues(graph, NodeValues(RecordedValues()), &walk);
    walk.moments = Moments(walk.report, kMaxMoments, &walk.more);
    shell.runs().Add({request.text, request.target, assumed.Note(text), graph.id()}, true);
    Current() = std::move(walk);
  });
}

// Returns ": mul = [ 8. 12.]", the values of the fetches.
std::string FetchedText(const Walk& walk) {
  std::vector<std::string> parts;
  for (const ReportNode& node : walk.report.nodes) {
    const auto at = walk.values.find(node.name + ":0");
    if (node.state == "fetch" && at != walk.values.end())
      parts.push_back(Visible(node.name) + " = " + at->second);
  }
  return parts.empty() ? "" : ": " + Join(parts, ", ");
}

void Tell(Shell& shell) {
  const Walk& walk = Current();
  ShowMoment(walk.at);
  std::string out = RenderMoment(walk.report, walk.moments[walk.at], walk.at,
                                 walk.moments.size() - 1, walk.values, shell.out().width());
  const bool last = walk.at + 1 == walk.moments.size();
  if (walk.at == 0) out += " next: step · back · step --html > step.html\n";
  if (last && walk.more > 0)
    out += " the walk ends here; the step had " +
           Count(static_cast<int64_t>(walk.more), "more event") + FetchedText(walk) + "\n";
  else if (last)
    out += " the step has ended" + FetchedText(walk) + "\n";
  shell.out().Print(WrapAdvice(out, shell.out().width()));
}

bool IsCount(std::string_view text, size_t* count) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *count);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

// Throws if no step is being walked through, or if it began before a `reset`.
void NeedWalk(Shell& shell) {
  if (Current().moments.empty() || Current().era != shell.runs().era())
    throw RuntimeError("no step has been started").Hint("Start one: step X");
}

// `step until X`: moves forward to the next event of a node.
void StepUntil(CommandCall& call, std::string_view text) {
  NeedWalk(call.shell());
  Walk& walk = Current();
  std::string name(text);
  const auto is_it = [&name](const ReportNode& node) { return node.name == name; };
  // The nodes of called functions are not in the graph.
  if (std::none_of(walk.report.called.begin(), walk.report.called.end(), is_it)) {
    const Value named = FindByName(text);
    const Fetch fetch = named.is_null() ? EvalNode(call.shell(), text) : AsFetch(named);
    name = fetch.graph.NodeName(fetch.node);
  }
  for (size_t at = walk.at + 1; at < walk.moments.size(); ++at) {
    if (walk.moments[at].node != name) continue;
    walk.at = at;
    return Tell(call.shell());
  }
  At(call.shell(), text, [&] {
    throw ValueError("no later event of this step is of " + Visible(name))
        .Type("why not " + Visible(name));
  });
}

void RunStepVerb(CommandCall& call) {
  Shell& shell = call.shell();
  if (FirstWord(call.text()) == "until" && shell.interp().GetGlobal("until").is_null() &&
      call.text() != "until")
    return StepUntil(call, Trim(call.text().substr(5)));
  Walk& walk = Current();
  size_t count = 1;
  const bool forward = call.text().empty() || IsCount(call.text(), &count);
  if (forward) NeedWalk(shell);
  if (!forward) Begin(call);
  if (call.Has("--html")) {
    Drawing drawing(std::shared_ptr<const Report>(std::shared_ptr<const Report>(), &walk.report));
    return shell.out().Print(
        RenderFilm({walk.report, walk.moments, walk.values, walk.title, walk.more}, &drawing));
  }
  if (forward) walk.at = std::min(walk.at + std::min(count, kMaxMoments), walk.moments.size() - 1);
  Tell(shell);
}

void RunBack(CommandCall& call) {
  size_t count = 1;
  if (!call.text().empty() && !IsCount(call.text(), &count))
    call.Misused("expects a number of events");
  NeedWalk(call.shell());
  Walk& walk = Current();
  walk.at -= std::min(count, walk.at);
  Tell(call.shell());
}

constexpr CommandExample kExamples[] = {
    {"x = tf.placeholder(tf.float32, [2], name=\"x\")\ny = tf.exp(x, name=\"y\")\nstep y feed "
     "x=[0, 1]\nback",
     " before the step: constants, variables and feeds are ready\n   done        –\n   ready       "
     "y\n"
     "   in flight   x:0 [0. 1.]\n next: step · back · step --html > step.html\n"
     " before the step: constants, variables and feeds are ready\n   done        –\n   ready       "
     "y\n"
     "   in flight   x:0 [0. 1.]\n next: step · back · step --html > step.html\n"},
};

}  // namespace

void RegisterCommand_step(CommandRegistry& r) {
  r.Add({.name = "step",
         .usage = "step EXPR[, …] [feed X=…, …] [on SESSION] [--html] [> FILE] | step [N] | step "
                  "until X",
         .summary = "Run a step and walk through its events.",
         .help = "`step EXPR` runs the step once and stops before its first event. Each event "
                 "shows which nodes have run,\nwhich are ready, which values are in flight, and "
                 "what the rendezvous holds. `step` moves forward by one\nevent, `step 5` by five, "
                 "`step until X` to the next event of X, and `back` moves backwards.\n`step --html "
                 "> step.html` writes a page with buttons that needs no network.",
         .examples = kExamples,
         .complete = "expr",
         .run = RunStepVerb});
  r.Add({.name = "back",
         .usage = "back [N]",
         .summary = "Step backwards through the current run.",
         .help = "`back 3` goes back three events. `step` moves forward.",
         .examples = {},
         .complete = "",
         .run = RunBack});
}

}  // namespace tensh::shell
