// The verb `run`: runs steps once, a number of times, or until a condition is true.

#include <atomic>
#include <chrono>
#include <mutex>

#include "shell/commands/base/command.h"
#include "shell/commands/base/live.h"
#include "shell/commands/base/progress.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/value_json.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/runs.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kValueWidth = 60;             // maximum of a watched value
constexpr size_t kNumberWidth = 12;            // of most values
constexpr std::chrono::seconds kAutosave{30};  // interval of the saves of variables in a loop

// Returns a printed matrix as one line, cut to kValueWidth columns.
std::string OneLine(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == '\n' || c == ' ';
    if (!blank || (!out.empty() && out.back() != ' ')) out += blank ? ' ' : c;
  }
  return CutTo(out, kValueWidth);
}

double Seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

// The progress of a loop of steps, for the line that shows it. Thread-safe: the line is drawn by
// another thread.
class LoopState {
 public:
  explicit LoopState(int64_t total) : total_(total) {}

  void Step(int64_t done) { done_.store(done, std::memory_order_relaxed); }
  void Watched(const std::string& values) {
    const std::lock_guard<std::mutex> lock(mutex_);
    watched_ = values;
  }
  std::string Done() const { return Steps(done_.load(std::memory_order_relaxed), total_, "step"); }
  ProgressText Text(double seconds) {
    ProgressText progress =
        LoopText(done_.load(std::memory_order_relaxed), total_, "step", seconds);
    const std::lock_guard<std::mutex> lock(mutex_);
    progress.text += watched_;
    return progress;
  }

 private:
  const int64_t total_;  // -1 if it is unknown
  std::atomic<int64_t> done_ = 0;
  std::mutex mutex_;
  std::string watched_;
};

int64_t ParseTimes(CommandCall& call, std::string_view text) {
  if (text.empty()) return -1;
  const Value n = call.shell().interp().Eval(text);
  if (!IsIndex(n) || ToIndex(n) < 0) call.Misused("times expects a whole number, not " + Repr(n));
  return ToIndex(n);
}

// The condition of `until`, checked after each step. A tensor is fetched in a separate step, so
// that it sees the effects of the step before; any other expression is evaluated again.
class Until {
 public:
  Until(Shell& shell, const RunRequest& request) : shell_(shell), request_(request) {
    if (request.until.empty()) return;
    const Value value = EvalPiece(shell, request.until);
    if (IsRunnable(value)) fetch_ = value;
  }
  bool Reached(const Value& session) {
    if (request_.until.empty()) return false;
    const SideRuns aside;
    if (fetch_.is_null()) return Truth(shell_.interp().Eval(request_.until));
    return Truth(RunStep(shell_, request_, session, fetch_, request_.until));
  }

 private:
  Shell& shell_;
  const RunRequest& request_;
  Value fetch_ = Value();
};

// Checks `watch` and `break if` after each step of a loop. Each tensor is fetched in a separate
// step.
class Watching {
 public:
  Watching(Shell& shell, const RunRequest& request, int64_t times, LoopState* state)
      : shell_(shell),
        request_(request),
        every_(times > kLines * 2 ? times / kLines : 1),
        times_(times),
        state_(state) {
    if (request.times.empty() && request.until.empty()) return;
    for (Watch& watch : shell.watches().all()) {
      if (!watch.on) continue;
      watch.numbers.clear();
      watches_.push_back({.watch = &watch, .value = EvalPiece(shell, watch.text)});
    }
    if (!shell.watches().break_condition.empty()) {
      breaks_ = true;
      condition_ = EvalPiece(shell, shell.watches().break_condition);
    }
  }
  void Look(const Value& session, int64_t step) {
    if (watches_.empty()) return;
    std::string line;
    for (Item& item : watches_) {
      const Value value = Now(session, item.value, item.watch->text);
      const Value number = FindAttr(value, Intern("item"));
      const bool single =
          value.is_float() || value.is_int() || !FindAttr(value, Intern("dtype")).is_null();
      if (single) AddNumber(value, number, &item.watch->numbers);
      const std::string text = OneLine(Str(value));
      // The columns line up, unless a value becomes longer than all before.
      if (&item != &watches_.back())
        line += "  " + item.watch->text + " " + PadTo(text, item.width);
      else
        line += "  " + item.watch->text + " " + text;
      item.width = std::max(item.width, TextWidth(text));
    }
    PublishWatches(shell_, false);
    state_->Watched(" ·" + line);
    if (step % every_ != 0 && step != times_ && step != 1) return;
    const std::string number = std::to_string(step);
    const size_t digits = times_ > 0 ? std::to_string(times_).size() : number.size();
    shell_.out().PrintLine(" step " + PadLeft(number, digits) + line);
    shell_.interp().Flush();
  }
  bool Breaks(const Value& session, int64_t step) {
    if (!breaks_ || !Truth(Now(session, condition_, shell_.watches().break_condition)))
      return false;
    shell_.out().PrintLine(" stopped after step " + std::to_string(step) + ": " +
                           shell_.watches().break_condition);
    return true;
  }

 private:
  static constexpr int64_t kLines = 20;
  struct Item {
    Watch* watch;
    Value value;
    size_t width = kNumberWidth;  // of the widest value so far
  };
  static void AddNumber(const Value& value, const Value& item, std::vector<double>* numbers) {
    const Value number = item.is_null() ? value : SingleItem(value, item);
    if (number.is_float()) numbers->push_back(number.as_float());
    if (number.is_int()) numbers->push_back(static_cast<double>(number.as_int()));
  }
  static Value SingleItem(const Value& value, const Value& item) {
    const Value size = FindAttr(value, Intern("size"));
    return size.is_int() && size.as_int() == 1 ? Call(item, {}) : Value();
  }
  Value Now(const Value& session, const Value& value, const std::string& text) {
    const SideRuns aside;
    return IsRunnable(value) ? RunStep(shell_, request_, session, value, text)
                             : EvalPiece(shell_, text);
  }

  Shell& shell_;
  const RunRequest& request_;
  std::vector<Item> watches_;
  Value condition_ = Value();
  bool breaks_ = false;
  int64_t every_, times_;
  LoopState* state_;
};

bool Loops(const RunRequest& request) { return !request.times.empty() || !request.until.empty(); }

// The result of a loop of steps.
struct LoopResult {
  int64_t done = 0;
  Value last = Value();  // the values of the last step, or its only value
};

// Runs the steps of the loop.
void RunSteps(CommandCall& call, const RunRequest& request, int64_t times, LoopState* state,
              LoopResult* result) {
  Shell& shell = call.shell();
  Until until(shell, request);
  const Value session = SessionFor(shell, request);
  const Value fetches =
      request.fetches.size() == 1 ? request.fetches[0] : MakeList(request.fetches);
  const std::string_view where(
      request.pieces.front().data(),
      static_cast<size_t>(request.pieces.back().data() + request.pieces.back().size() -
                          request.pieces.front().data()));
  const WholeSteps whole(Loops(request));
  const Progress progress(shell, [state](double seconds) { return state->Text(seconds); });
  Watching watches(shell, request, times, state);
  Clock::time_point saved = Clock::now();
  while (times < 0 || result->done < times) {
    result->last = RunStep(shell, request, session, fetches, where);
    state->Step(++result->done);
    shell.interp().CheckInterrupt();
    if (!Loops(request)) break;
    watches.Look(session, result->done);
    PublishPins();
    if (watches.Breaks(session, result->done) || until.Reached(session)) break;
    if (shell.repeating()) break;
    if (const Clock::time_point now = Clock::now(); now - saved > kAutosave) {
      saved = now;
      shell.autosave().Save(shell.interp(), shell.cells().variables_file(), shell.cell(),
                            Autosave::When::kDuring);
    }
  }
  if (result->done > 1) PublishWatches(shell, true);
}

std::vector<Value> ValuesOf(const RunRequest& request, const LoopResult& result) {
  if (result.last.is_null()) return {};
  return request.fetches.size() == 1 ? std::vector<Value>{result.last} : ToVector(result.last);
}

// Prints how many steps a loop ran before an error or Ctrl-C stopped it.
void SayWhereItStopped(Shell& shell, const RunRequest& request, const LoopState& state,
                       const LoopResult& result, double seconds, bool interrupted) {
  std::string said = std::string(" stopped ") + (interrupted ? "by Ctrl-C " : "") + "after " +
                     state.Done() + " in " + Duration(seconds * 1e9);
  for (const Value& value : ValuesOf(request, result)) {
    if (value.is_none()) continue;
    const std::string text = Str(value);
    said += " · last value " + CutTo(text.substr(0, text.find('\n')), 60);
    break;
  }
  shell.out().Note(said);
  shell.statement().Said();
}

void RunRun(CommandCall& call) {
  Shell& shell = call.shell();
  const RunRequest request = ParseRun(call, call.text());
  for (size_t i = 0; i < request.fetches.size(); ++i) {
    At(shell, request.pieces[i], [&] {
      if (IsRunnable(request.fetches[i])) return;
      throw TypeError("cannot run a '" + TypeName(request.fetches[i]) +
                      "' object: " + CutTo(Repr(request.fetches[i]), 60))
          .Hint("`eval` prints the value of any expression");
    });
  }
  const int64_t times = ParseTimes(call, request.times);
  const Clock::time_point began = Clock::now();
  LoopState state(times);
  LoopResult result;
  try {
    RunSteps(call, request, times, &state, &result);
  } catch (const PyError& error) {
    if (Loops(request))
      SayWhereItStopped(shell, request, state, result, Seconds(Clock::now() - began),
                        error.Is(kKeyboardInterrupt));
    throw;
  }
  const double ns = Seconds(Clock::now() - began) * 1e9;
  const std::vector<Value> values = ValuesOf(request, result);
  std::vector<Value> shown;
  for (const Value& value : values) {
    if (value.is_none()) continue;
    shown.push_back(value);
    if (call.wants_value()) continue;
    if (call.json()) {
      shell.out().PrintLine(ValueJson(value));
    } else {
      shell.interp().Write(Str(value) + "\n");
    }
  }
  if (call.wants_value() && !shown.empty())
    call.set_value(shown.size() == 1 ? shown[0] : MakeTuple(shown));
  else if (shown.size() == 1)
    shell.Remember(shown[0]);
  AfterRun(shell, request, values);
  if (!Loops(request)) return;
  shell.out().Note(
      " " + Count(result.done, "step") + " in " + Duration(ns) +
      (result.done > 0 ? ", " + Duration(ns / static_cast<double>(result.done)) + " each" : ""));
}

constexpr CommandExample kExamples[] = {
    {"v = tf.Variable(0)\nrun tf.global_variables_initializer()\nrun v.assign_add(2) times 5",
     "10\n"},
    {"w = tf.Variable(1.)\nrun w.initializer\nrun w.assign(w * 2) until w > 100", "128.0\n"},
};

}  // namespace

void RegisterCommand_run(CommandRegistry& r) {
  r.Add({.name = "run",
         .usage = "run EXPR[, …] [feed X=…, …] [on SESSION] [times N] [until COND] [--json]",
         .summary = "Run operations or fetch tensors, once or many times.",
         .help = "`times N` and `until COND` repeat the step. COND is a tensor or an expression, "
                 "and is evaluated after\neach step. The values of the last step are printed, "
                 "or kept by\n`v = run EXPR`. In a terminal, a line shows the progress of a long "
                 "loop. Ctrl-C\nstops the loop "
                 "between two steps, "
                 "or within a step that takes long.",
         .examples = kExamples,
         .complete = "expr",
         .gives_value = true,
         .run = RunRun});
}

}  // namespace tensh::shell
