// The verb `bench`: runs a step many times and prints statistics of its time.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "shell/commands/base/command.h"
#include "shell/commands/base/progress.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongEnoughNs = 1e9;  // without `times`, stop after about a second
constexpr int64_t kSteps = 1000;

int64_t Times(CommandCall& call, const RunRequest& request) {
  if (request.times.empty()) return kSteps;
  const int64_t times = ToIndex(call.shell().interp().Eval(request.times));
  if (times < 1) throw ValueError("times must be at least 1, got " + std::to_string(times));
  return times;
}

void Show(CommandCall& call, double first, std::vector<double> rest) {
  std::sort(rest.begin(), rest.end());
  const auto at = [&](double part) {
    return rest[std::min(rest.size() - 1,
                         static_cast<size_t>(part * static_cast<double>(rest.size())))];
  };
  const auto steps = static_cast<int64_t>(rest.size());
  if (call.json()) {
    const auto number = [](double ns) { return std::to_string(static_cast<int64_t>(ns)); };
    return call.out().PrintLine(
        "{\"steps\": " + std::to_string(steps) + ", \"first_ns\": " + number(first) +
        ", \"min_ns\": " + number(rest.front()) + ", \"median_ns\": " + number(at(0.5)) +
        ", \"p95_ns\": " + number(at(0.95)) + "}");
  }
  const std::string text = " " + Count(steps, "step") + ": median " + Duration(at(0.5)) +
                           " · p95 " + Duration(at(0.95)) + " · least " + Duration(rest.front()) +
                           " · first (with its plan) " + Duration(first) + "\n";
  call.out().Print(WrapAdvice(text, call.out().width()));
}

void RunBench(CommandCall& call) {
  if (call.text().empty()) call.Misused("needs an expression to measure");
  Shell& shell = call.shell();
  const RunRequest request = ParseRun(call, call.text());
  const int64_t times = Times(call, request);
  const Value session = SessionFor(shell, request);
  Value fetch = request.fetches[0];
  if (request.fetches.size() > 1) fetch = MakeList(request.fetches);
  if (!IsRunnable(fetch))
    throw TypeError("bench expects a tensor or an operation")
        .Hint("For any other expression: time EXPR");
  std::vector<double> ns;
  double first = 0, sum = 0;
  std::atomic<int64_t> done = 0;
  const int64_t total = request.times.empty() ? -1 : times;
  const Progress progress(shell,
                          [&](double seconds) { return LoopText(done, total, "step", seconds); });
  for (int64_t i = 0; i <= times; ++i) {
    shell.interp().CheckInterrupt();
    const Clock::time_point began = Clock::now();
    RunStep(shell, request, session, fetch, request.pieces[0]);
    const double step = std::chrono::duration<double, std::nano>(Clock::now() - began).count();
    if (i == 0) {
      first = step;
      continue;
    }
    ns.push_back(step);
    ++done;
    sum += step;
    if (request.times.empty() && sum > kLongEnoughNs) break;
  }
  Show(call, first, std::move(ns));
}

constexpr CommandExample kExamples[] = {{"bench tf.constant(1) + 2 times 10", nullptr}};

}  // namespace

void RegisterCommand_bench(CommandRegistry& r) {
  r.Add(
      {.name = "bench",
       .usage = "bench EXPR[, …] [feed X=…, …] [times N] [--json]",
       .summary = "Measure a step: run it many times and print its median, 95th percentile and "
                  "least time.",
       .help =
           "Without `times`, runs 1000 steps or for about a second. Each time covers the whole "
           "Session.run call. The\nfirst step, which also makes the plan, is reported separately.",
       .examples = kExamples,
       .complete = "expr",
       .run = RunBench});
}

}  // namespace tensh::shell
