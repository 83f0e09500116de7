#include "shell/commands/base/statement_progress.h"

#include "shell/python/values/ops.h"
#include "shell/python/vm/vm.h"
#include "shell/tensorflow/graph/last_run.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr double kNoticed = 0.5;  // seconds; shorter work needs no report
constexpr size_t kValueWidth = 40;

using Clock = std::chrono::steady_clock;
double SecondsSince(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

}  // namespace

StatementProgress::StatementProgress(Interp& interp, ProgressLine& line)
    : interp_(interp),
      line_(line),
      text_([this](double seconds, bool alone) { return Text(seconds, alone); }) {}

void StatementProgress::Begin(int line) {
  tf::Last().number_fetched = Value();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    began_ = Clock::now();
    seen_ = {};
    name_ = line > 0 ? "line " + std::to_string(line) : "running";
    steps_before_ = tf::Last().number;
    said_ = false;
  }
  if (!std::exchange(running_, true)) line_.Begin(&text_);
}

void StatementProgress::End() {
  if (std::exchange(running_, false)) line_.End();
}

void StatementProgress::RunsVerb(std::string_view verb) {
  const std::lock_guard<std::mutex> lock(mutex_);
  name_ = verb;
}

void StatementProgress::Said() {
  const std::lock_guard<std::mutex> lock(mutex_);
  said_ = true;
}

void StatementProgress::Look() {
  const Vm::LoopPosition loop = interp_.main_vm().OutermostLoop();
  const Value& number = tf::Last().number_fetched;
  std::string value = number.is_null() ? "" : CutTo(Str(number), kValueWidth);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (loop.loop != seen_.loop) {
    seen_.loop = loop.loop;
    seen_.first_done = loop.done;
    seen_.first = Clock::now();
  }
  seen_.done = loop.done;
  seen_.total = loop.total;
  seen_.steps = tf::Last().number - steps_before_;
  seen_.value = std::move(value);
}

ProgressText StatementProgress::Text(double seconds, bool alone) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  ProgressText progress;
  if (seen_.loop != nullptr) {
    // The loop may have been running for a while when it was seen first.
    const auto fresh = static_cast<double>(seen_.done - seen_.first_done);
    const double spent =
        fresh > 0 ? SecondsSince(seen_.first) * static_cast<double>(seen_.done) / fresh : 0;
    progress = LoopText(seen_.done, seen_.total, "iteration", spent);
  } else if (alone && seen_.steps > 1) {
    progress = LoopText(static_cast<int64_t>(seen_.steps), -1, "step", seconds);
  } else if (alone) {
    progress.text = name_ + " · " + Duration(seconds * 1e9);
  }
  if (!progress.text.empty() && !seen_.value.empty()) progress.text += " · last " + seen_.value;
  return progress;
}

std::string StatementProgress::Stopped() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const double seconds = SecondsSince(began_);
  const bool loop = seen_.loop != nullptr, steps = seen_.steps > 0 && !said_;
  if (!loop && (said_ || (!steps && seconds < kNoticed))) return "";
  std::string text = "after ";
  if (loop) text += Steps(seen_.done, seen_.total, "iteration");
  const auto ran = static_cast<int64_t>(seen_.steps);
  // A step for each iteration, of which the last may be incomplete, needs no second number.
  if (steps && !(loop && (ran == seen_.done || ran == seen_.done + 1)))
    text += (loop ? ", " : "") + Count(ran, "step");
  text += (loop || steps ? " in " : "") + Duration(seconds * 1e9);
  return seen_.value.empty() || said_ ? text : text + " · last value " + seen_.value;
}

}  // namespace tensh::shell
