// The verb `explain`: shows the stages of a run, in one of several formats.

#include <charconv>

#include "shell/commands/base/command.h"
#include "shell/commands/base/feeds.h"
#include "shell/commands/base/moves.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/versions.h"
#include "shell/commands/base/warm.h"
#include "shell/commands/base/words.h"
#include "shell/explain/export.h"
#include "shell/explain/predict.h"
#include "shell/explain/view.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/graphs.h"
#include "shell/session/recording.h"
#include "shell/session/sessions.h"
#include "shell/tensorflow/graph/arrays.h"

namespace tensh::shell {
namespace {

constexpr size_t kPrunedListed = 100;
constexpr std::string_view kAnalyze = "analyze";

struct Format {
  const char* flag;
  const char* mime;
  std::string (*render)(const Report&, const ViewOptions&);
};

int ParseStage(CommandCall& call) {
  const std::string_view text = call.Option("--stage");
  if (text.empty()) return 0;
  int stage = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), stage);
  if (error != std::errc() || end != text.data() + text.size() || stage < 1 || stage > 5) {
    call.Misused("--stage must be 1 to 5, not '" + std::string(text) + "'");
  }
  return stage;
}

// Removes the word `analyze` from the text, unless it is a variable of the user, which is then
// explained.
bool TakeAnalyze(CommandCall& call, std::string_view* text) {
  if (FirstWord(*text) != kAnalyze || text->size() == kAnalyze.size()) return false;
  if (!call.shell().interp().GetGlobal(kAnalyze).is_null()) return false;
  *text = Trim(text->substr(kAnalyze.size()));
  return true;
}

// Prints each value with the name of its node. A value of several lines begins on a new line.
void PrintFetched(CommandCall& call, const std::vector<tsh_output>& fetches, tsh_session* session,
                  const std::vector<TensorHandle>& fetched) {
  Shell& shell = call.shell();
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
  const Palette palette = shell.out().palette();
  const bool drawn = call.Has("--dot") || call.Has("--svg") || call.Has("--html");
  for (size_t i = 0; i < fetched.size(); ++i) {
    std::string name = Visible(graph.NodeName(fetches[i].node));
    if (fetches[i].index > 0) name += ":" + std::to_string(fetches[i].index);
    const Value value = tf::ToValue(fetched[i]);
    const std::string text = Str(value);
    const bool block = text.find('\n') != std::string::npos;
    // The name would follow a drawing in its file.
    if (!drawn)
      shell.out().Print(" " + palette.Paint(Role::kFetch, "★ " + name) + " =" +
                        (block ? "\n" : " "));
    shell.out().PrintValue(text + "\n");
    if (fetched.size() == 1) shell.Remember(value);
  }
}

Report Parsed(const std::string& text) {
  Report report;
  if (!ParseReport(text, &report)) throw RuntimeError("the runtime's report cannot be read");
  return report;
}

// Returns the number of pruned nodes that the report should list.
size_t PrunedListed(CommandCall& call) {
  return call.Has("--pruned") || call.Has("--all") ? SIZE_MAX : kPrunedListed;
}

constexpr Format kFormats[] = {{"--dot", "text/vnd.graphviz", RenderDot},
                               {"--svg", "image/svg+xml", RenderSvg},
                               {"--html", "text/html", RenderHtml}};

void Show(CommandCall& call, Report report, const ViewOptions& view) {
  Shell& shell = call.shell();
  if (shell.versions().earlier() && view.graph.empty()) {
    // The view of an earlier version omits later nodes, even from the pruned ones.
    const GraphHandle graph = CurrentGraph();
    const auto view_end = static_cast<int64_t>(shell.versions().Visible(graph));
    const auto later = std::erase_if(report.nodes, [view_end](const ReportNode& node) {
      return node.state == "pruned" && node.id >= view_end;
    });
    report.pruned_total -= static_cast<int64_t>(later);
    report.version = shell.versions().VisibleNumber(graph);
    report.graph_nodes = view_end;
  }
  for (const Format& format : kFormats) {
    if (!call.Has(format.flag)) continue;
    std::string text = format.render(report, view);
    if (call.Has("--ascii")) text = ToAscii(text);
    return shell.out().PrintRich(text, format.mime, [&] { return text; });
  }
  const std::string text = WrapAdvice(RenderExplain(report, view), view.width);
  shell.out().PrintRich(call.Has("--ascii") ? ToAscii(text) : text, "text/html",
                        [&] { return RenderHtml(report, view); });
}

// `explain X with add=/cpu:1` shows the plan with another placement, and its cost predicted from
// measured times. The placement is restored afterwards.
void ShowWhatIf(CommandCall& call, const RunRequest& request, tsh_session* session,
                const tsh_run& run, std::string_view moves, const ViewOptions& view) {
  Shell& shell = call.shell();
  const std::string_view where = request.pieces.front();
  Report before =
      At(shell, where, [&] { return Parsed(ExplainRun(session, run, PrunedListed(call))); });
  std::string after_text;
  {
    const TrialMoves trial(ParseMoves(call, moves));
    after_text = At(shell, moves, [&] { return ExplainRun(session, run, PrunedListed(call)); });
  }
  Report after = Parsed(after_text);
  MeasuredCosts costs;
  Report measured;
  if (ParseReport(shell.runs().last_traced().report, &measured)) costs.Learn(measured);
  size_t unknown = 0;
  if (costs.measured > 0) {
    PredictStep(costs, &before);
    unknown = PredictStep(costs, &after);
  }
  if (call.json()) return shell.out().PrintLine(after_text);
  std::string out = RenderNodes(after, view) + RenderPartitions(after, view) + " what if   with " +
                    std::string(moves) + "\n" + CompareReports(before, after, true);
  if (costs.measured == 0) {
    out += "   no times yet. Measure them: explain analyze " + request.text + "\n";
  } else if (unknown > 0) {
    out += "   " + Count(static_cast<int64_t>(unknown), "node") +
           " never measured, counted as nothing\n";
  }
  out = WrapAdvice(out + " nothing was changed; next: apply\n", view.width);
  shell.out().Print(call.Has("--ascii") ? ToAscii(out) : out);
  shell.tried_moves() = std::string(moves);
}

// Throws LookupError if open= names neither a scope of the graph nor a called function.
void CheckOpen(const CommandCall& call, const GraphHandle& graph, const Report& report) {
  for (const std::string& scope : call.open()) {
    const auto is_inside = [&](std::string_view name) {
      return name == scope || (name.starts_with(scope) && name[scope.size()] == '/');
    };
    bool found = std::any_of(report.called.begin(), report.called.end(),
                             [&](const ReportNode& node) { return is_inside(node.name); });
    for (size_t n = 0; n < call.shell().versions().Visible(graph) && !found; ++n)
      found = is_inside(graph.NodeName(static_cast<tsh_node>(n)));
    if (!found)
      throw MakeError(kLookupError, "no node is in a scope " + scope).Type("graph --scopes");
  }
}

void RunExplain(CommandCall& call) {
  Shell& shell = call.shell();
  std::string_view text = call.text();
  if (FirstWord(text) == "diff" && text.find('@') != std::string_view::npos)
    return ExplainDiff(call, Trim(text.substr(4)));
  if (text == "diff" && shell.interp().GetGlobal("diff").is_null())
    call.Misused("diff expects two versions, as in explain diff @1 @2. `history` lists them");
  const bool analyze = TakeAnalyze(call, &text);
  ViewOptions view{.width = shell.out().width(), .stage = ParseStage(call)};
  view.open = call.open();
  view.fold_pruned = !call.Has("--pruned") && !call.Has("--all");
  view.palette = shell.out().palette();
  if (call.Has("--all")) view.max_rows = 0;
  constexpr std::string_view kWith[] = {"with"};
  const std::vector<Clause> clauses = SplitClauses(text, kWith);
  if (clauses.size() > 2 || (clauses.size() == 2 && analyze))
    call.Misused(analyze ? "a tried placement cannot be measured; leave out analyze"
                         : "accepts only one `with`");
  RunRequest request = ParseRun(call, clauses[0].text);
  if (analyze) request.verb = "explain analyze";
  view.request = request.text;
  const Value session_value = SessionFor(shell, request);
  tsh_session* session = SessionOf(session_value);
  const tf::FlatRun step =
      analyze ? StepToRun(shell, request, session_value) : StepOf(shell, request, session);
  const tsh_run run = step.run();
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
  if (graph.get() != CurrentGraph().get()) view.graph = GraphName(graph);
  // The step that is about to run has the results of Python functions among its feeds.
  const tf::FlatRun asked = analyze ? StepOf(shell, request, session) : tf::FlatRun();
  const AssumedFeeds assumed(graph, analyze ? asked.run() : run, FunctionsOf(session_value));
  if (!analyze) view.feeds = FeedsToAdd(request, ZeroFeeds(graph, assumed.placeholders()));
  if (clauses.size() == 2)
    return ShowWhatIf(call, request, session, assumed.run(), clauses[1].text, view);
  std::vector<TensorHandle> fetched;
  const std::string report_text = At(shell, text, [&] {
    if (!analyze) return assumed.Note(ExplainRun(session, assumed.run(), PrunedListed(call)));
    return assumed.Note(
        HintingAtFeeds(request, graph, [&] { return RunTraced(session, run, &fetched); }));
  });
  shell.runs().Add({request.text, request.target, report_text, graph.id()}, analyze);
  if (call.json()) return shell.out().PrintLine(report_text);
  // Each part of the work takes seconds for a million nodes.
  shell.interp().CheckInterrupt();
  Report report = Parsed(report_text);
  shell.interp().CheckInterrupt();
  if (analyze) view.warm_ns = WarmTime(session, run, report);
  CheckOpen(call, graph, report);
  Show(call, std::move(report), view);
  PrintFetched(call, step.fetches, session, fetched);
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nexplain b", nullptr},
    {"x = tf.placeholder(tf.float32, [2], name=\"x\")\ny = tf.add(x, 1., name=\"y\")\n"
     "explain analyze y feed x=[3, 4]",
     nullptr},
};

}  // namespace

void RegisterCommand_explain(CommandRegistry& r) {
  r.Add(
      {.name = "explain",
       .usage =
           "explain [analyze] EXPR[, …] [feed X=…, … | again] [on SESSION] [with NODE=DEVICE, …] "
           "[open=SCOPE] [--stage N] [--pruned] [--all] [--ascii] [--json] [--dot] [--svg] "
           "[--html] [> FILE] "
           "| explain diff @M @N",
       .summary = "Show the stages of a run: graph, pruning, placement, partitions and, with "
                  "`analyze`, times.",
       .help =
           "Pruning and placement come with their reasons, and partitions with their Send/Recv "
           "pairs. `analyze` runs\nthe step and shows its times. Each node keeps its row, and each "
           "stage adds a column. Double lines\nin the rails are edges between devices. More than "
           "three pruned nodes are folded into one\nline; --pruned lists them. Above 60 rows, "
           "nodes are folded by name scope: open=SCOPE opens a fold, or the\nfunctions that a "
           "node calls, and --all shows every node. --stage N shows one stage. Placeholders that "
           "are not\nfed are assumed to be; `feed again` takes the feeds of the last verb.\n"
           "--json prints the "
           "document that all other forms are drawn from, with every reason in full. --dot, "
           "--svg\nand --html draw it, as in `explain X --svg > x.svg`.\n`explain X with a=/cpu:1` "
           "shows the plan as it would be with that placement, with times predicted from\nthe last "
           "`analyze`. It changes nothing; `apply` makes the change. `explain diff @7 @8` shows "
           "what was\nadded between two versions and how that changed the last explained run.",
       .examples = kExamples,
       .complete = "expr",
       .pages = true,
       .run = RunExplain});
}

}  // namespace tensh::shell
