#include "shell/commands/base/nonfinite_run.h"

#include <atomic>

#include "shell/commands/base/feeds.h"
#include "shell/commands/base/progress.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/value_json.h"
#include "shell/commands/base/words.h"
#include "shell/explain/view.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/session/effects.h"
#include "shell/session/graphs.h"
#include "shell/session/recording.h"
#include "shell/session/sessions.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/exchange/records.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

// Calls a function of nonfinite.py, which makes the answers.
Value Ask(const char* function, std::initializer_list<Value> args) {
  return Call(FromLibrary("nonfinite", Intern(function)), args);
}

// The question, and the report and the values of the last step.
struct Question {
  bool nan;
  std::string request = {};  // as typed, without `times N`; "" if a script ran it
  int64_t step = 1, steps = 1;
  Value feeds = MakeList({}), fetched = MakeList({});  // pairs of a name and a value
  Value values = Value::None();                        // of a step in another process
  std::string report = {};
  const char* word() const { return nan ? "nan" : "inf"; }
};

Value Named(const GraphHandle& graph, const std::vector<tsh_output>& of,
            const std::vector<TensorHandle>& values) {
  std::vector<Value> pairs;
  for (size_t i = 0; i < of.size() && i < values.size(); ++i)
    pairs.push_back(MakeTuple(
        {MakeStr(std::string(graph.NodeName(of[i].node)) + ":" + std::to_string(of[i].index)),
         tf::ToValue(values[i])}));
  return MakeList(std::move(pairs));
}

// Returns the request without the clause `times N`.
std::string WithoutTimes(const RunRequest& request) {
  if (request.times.empty()) return request.text;
  const std::string& text = request.text;
  const size_t at = text.rfind(request.times);
  return std::string(Trim(text.substr(0, text.rfind("times", at)))) +
         text.substr(at + request.times.size());
}

int64_t StepsOf(CommandCall& call, const RunRequest& request) {
  if (!request.until.empty()) call.Misused("accepts no `until`; give the largest number of steps");
  if (request.times.empty()) return 1;
  const Value n = call.shell().interp().Eval(request.times);
  if (!IsIndex(n) || ToIndex(n) < 1)
    call.Misused("times expects a whole number from 1, not " + Repr(n));
  return ToIndex(n);
}

Value AnswerOf(const Question& q) {
  return Ask("Answer", {tf::ValueOf(Json::Parse(q.report)), Value::Bool(q.nan), MakeStr(q.request),
                        Value::Int(q.step), Value::Int(q.steps), q.feeds, q.fetched, q.values});
}

// Runs one recorded step. A step that runs elsewhere does not look at its values, so all those that
// can be fetched are fetched.
void RunOnce(Shell& shell, const RunRequest& request, const Value& session_value, Question* q) {
  tsh_session* session = SessionOf(session_value);
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
  const auto* object = As<tf::SessionObject>(session_value);
  RunRequest all = request;
  Value extra = Value::None();
  if (object != nullptr && !object->target.empty()) {
    extra = Ask("outside", {MakeList(request.fetches)});
    for (const Value& tensor : ToVector(extra)) {
      all.fetches.push_back(tensor);
      all.pieces.push_back(request.pieces.front());
    }
  }
  const tf::FlatRun step = StepToRun(shell, all, session_value);
  std::vector<TensorHandle> fetched;
  q->report =
      HintingAtFeeds(request, graph, [&] { return RunTraced(session, step.run(), &fetched); });
  q->feeds = Named(graph, step.feeds, step.values);
  const size_t own = step.fetches.size() - (extra.is_none() ? 0 : ToVector(extra).size());
  q->fetched = Named(
      graph, {step.fetches.begin(), step.fetches.begin() + static_cast<ptrdiff_t>(own)}, fetched);
  if (extra.is_none()) return;
  q->values = MakeDict();
  // An operation that is run has no value.
  size_t at = 0;
  for (const Value& each : all.fetches)
    if (AsFetch(each).is_tensor() && at < fetched.size())
      SetItem(q->values, each, tf::ToValue(fetched[at++]));
}

// Runs recorded steps until one contains what is asked for. Returns the answer.
Value RunAndLook(CommandCall& call, std::string_view text, Question* q) {
  Shell& shell = call.shell();
  RunRequest request = ParseRun(call, text);
  request.verb = q->nan ? "why nan" : "why inf";
  q->steps = StepsOf(call, request);
  q->request = WithoutTimes(request);
  const Value session = SessionFor(shell, request);
  Value answer = Value::None();
  At(shell, request.pieces.front(), [&] {
    const RecordingSteps recording;
    std::atomic<int64_t> done = 0;
    const Progress progress(shell, [&](double s) { return LoopText(done, q->steps, "step", s); });
    for (q->step = 1;; ++q->step) {
      RunOnce(shell, request, session, q);
      const bool last = q->step == q->steps;
      if (last || q->report.find(std::string("\"kind\":\"") + q->word()) != std::string::npos ||
          !q->values.is_none() || Truth(Ask("any_in", {q->feeds, q->fetched, Value::Bool(q->nan)})))
        answer = AnswerOf(*q);
      ++done;
      if (last || (!answer.is_none() && Truth(CallMethod(answer, "found", {})))) break;
      shell.interp().CheckInterrupt();
    }
  });
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(SessionOf(session)));
  shell.runs().Add({q->request, request.target, q->report, graph.id()}, true);
  return answer;
}

// Returns true if the last run can be run again without a change of its session.
bool CanRepeat(CommandCall& call, const ExplainedRun& last) {
  if (!last.typed && (last.request.find(" feed ") != std::string::npos ||
                      last.request.find("…") != std::string::npos))
    return false;
  const RunRequest request = ParseRun(call, last.request);
  tsh_session* session = SessionOf(SessionFor(call.shell(), request));
  return !ChangesState(GraphHandle::Share(tsh_session_graph(session)),
                       StepOf(call.shell(), request, session).run());
}

// Returns what is known of a last run that cannot be repeated.
Value NotRepeated(Shell& shell, const ExplainedRun& last, bool nan) {
  const SideRuns aside;
  Value session = shell.sessions().Current();
  for (const GraphHandle& graph : LiveGraphs())
    if (graph.id() == last.graph) session = SessionOver(shell, graph);
  return Ask("NotRepeated",
             {session, Value::Bool(nan), MakeStr(last.target), MakeStr(last.request)});
}

}  // namespace

void WhyNonFinite(CommandCall& call, bool nan, std::string_view text) {
  Shell& shell = call.shell();
  Question q{.nan = nan};
  Value answer;
  if (!text.empty()) {
    answer = RunAndLook(call, text, &q);
  } else {
    ExplainedRun last = shell.runs().last();
    // The nodes of a typed expression may have been removed after the run.
    if (last.report.empty() || last.kept != SIZE_MAX) last.request = shell.runs().typed_request();
    if (last.request.empty())
      return shell.out().PrintLine(std::string("nothing has run yet. Type: why ") + q.word() +
                                   " X");
    const bool looked = last.report.find("\"nonfinite\":") != std::string::npos;
    if (looked) {
      q.report = last.report, q.request = last.typed ? last.request : "";
      answer = AnswerOf(q);
    } else {
      answer = CanRepeat(call, last) ? RunAndLook(call, last.request, &q)
                                     : NotRepeated(shell, last, nan);
    }
  }
  const std::string said = Str(CallMethod(answer, "text", {}));
  if (!call.json())
    return shell.out().Print(
        WrapAdvice(VisibleLines(said), shell.options().interactive ? shell.out().width() : 0));
  std::string fields = ValueJson(CallMethod(answer, "fields", {}));
  shell.out().PrintLine("{\"question\": " + JsonQuote(call.text()) +
                        ", \"answer\": " + JsonQuote(Trim(said)) + ", " + fields.substr(1));
}

}  // namespace tensh::shell
