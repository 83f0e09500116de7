// The verb `run`: runs steps once, a number of times, or until a condition is true.

#include <unistd.h>

#include <chrono>

#include "shell/commands/base/command.h"
#include "shell/commands/base/live.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/runs.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kFirstDraw{500};
constexpr std::chrono::milliseconds kRedraw{100};
constexpr size_t kBarCells = 24;
constexpr int64_t kClockEvery = 64;  // steps between checks of the clock

double Seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

// A progress bar on stderr, shown after half a second. It is only drawn in a terminal.
class Progress {
 public:
  Progress(Shell& shell, int64_t total)
      : on_(shell.options().interactive && isatty(STDERR_FILENO)),
        ascii_(shell.options().ascii),
        total_(total) {}
  ~Progress() {
    if (drawn_) Write("\r\033[K");
  }
  Progress(const Progress&) = delete;

  void Step(int64_t done) {
    if (!on_ || done % kClockEvery != 0) return;
    const Clock::time_point now = Clock::now();
    if (now - began_ < kFirstDraw || now - last_ < kRedraw) return;
    last_ = now;
    drawn_ = true;
    std::string text = "\r " + Count(done, "step");
    if (total_ > 0) {
      const size_t cells = kBarCells * static_cast<size_t>(done) / static_cast<size_t>(total_);
      const double left =
          Seconds(now - began_) * static_cast<double>(total_ - done) / static_cast<double>(done);
      text = "\r " + std::to_string(100 * done / total_) + " % " + Repeat("▓", cells) +
             Repeat("·", kBarCells - cells) + " " + Count(done, "step") + ", " +
             Duration(left * 1e9) + " left";
    }
    Write((ascii_ ? ToAscii(text) : text) + "\033[K");
  }

 private:
  static void Write(const std::string& text) {
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
  }

  bool on_, ascii_, drawn_ = false;
  int64_t total_;
  Clock::time_point began_ = Clock::now(), last_ = began_;
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
  Watching(Shell& shell, const RunRequest& request, int64_t times)
      : shell_(shell),
        request_(request),
        every_(times > kLines * 2 ? times / kLines : 1),
        times_(times) {
    if (request.times.empty() && request.until.empty()) return;
    for (Watch& watch : shell.watches().all()) {
      if (!watch.on) continue;
      watch.numbers.clear();
      watches_.push_back({&watch, EvalPiece(shell, watch.text)});
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
      line += "  " + item.watch->text + " " + Str(value);
    }
    PublishWatches(shell_, false);
    if (step % every_ == 0 || step == times_ || step == 1)
      shell_.out().PrintLine(" step " + std::to_string(step) + line);
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
};

// Runs the loop and returns the values of the last step.
Value RunSteps(CommandCall& call, const RunRequest& request, int64_t times, int64_t* done) {
  Shell& shell = call.shell();
  Until until(shell, request);
  const Value session = SessionFor(shell, request);
  const Value fetches = MakeList(request.fetches);
  const std::string_view where(
      request.pieces.front().data(),
      static_cast<size_t>(request.pieces.back().data() + request.pieces.back().size() -
                          request.pieces.front().data()));
  Progress progress(shell, times);
  Watching watches(shell, request, times);
  Value result;
  while (times < 0 || *done < times) {
    result = RunStep(shell, request, session, fetches, where);
    shell.interp().CheckInterrupt();
    ++*done;
    watches.Look(session, *done);
    if (watches.Breaks(session, *done) || until.Reached(session)) break;
    if (request.times.empty() && request.until.empty()) break;
    progress.Step(*done);
  }
  if (*done > 1) PublishWatches(shell, true);
  return result;
}

void RunRun(CommandCall& call) {
  Shell& shell = call.shell();
  const RunRequest request = ParseRun(call, call.text());
  for (size_t i = 0; i < request.fetches.size(); ++i) {
    At(shell, request.pieces[i], [&] {
      if (IsRunnable(request.fetches[i])) return;
      throw TypeError("cannot run a '" + TypeName(request.fetches[i]) +
                      "' object: " + CutTo(Repr(request.fetches[i]), 60))
          .Hint("eval prints the value of any expression");
    });
  }
  const int64_t times = ParseTimes(call, request.times);
  const Clock::time_point began = Clock::now();
  int64_t done = 0;
  const Value result = RunSteps(call, request, times, &done);
  std::vector<Value> shown;
  for (const Value& value : result.is_null() ? std::vector<Value>() : ToVector(result)) {
    if (value.is_none()) continue;
    shown.push_back(value);
    if (call.json()) {
      shell.out().PrintLine(ValueJson(value));
    } else {
      shell.interp().Write(Str(value) + "\n");
    }
  }
  if (shown.size() == 1) shell.Remember(shown[0]);
  AfterRun(shell, request);
  if (request.times.empty() && request.until.empty()) return;
  const double ns = Seconds(Clock::now() - began) * 1e9;
  shell.out().Note(" " + Count(done, "step") + " in " + Duration(ns) +
                   (done > 0 ? ", " + Duration(ns / static_cast<double>(done)) + " each" : ""));
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
                 "and is evaluated after\neach step. The values of the last step are printed. "
                 "Ctrl-C stops the loop.",
         .examples = kExamples,
         .complete = "expr",
         .lasting = true,
         .run = RunRun});
}

}  // namespace tensh::shell
