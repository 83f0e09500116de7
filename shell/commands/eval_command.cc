// The verb `eval`: evaluates expressions and prints their values.

#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/value_json.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"

namespace tensh::shell {
namespace {

// Evaluates all fetches. If all of them are part of a graph, they run in one step, so that they see
// the same state.
std::vector<Value> EvalAll(Shell& shell, const RunRequest& request) {
  std::vector<Value> results;
  bool all = request.fetches.size() > 1;
  for (const Value& value : request.fetches) all = all && IsRunnable(value);
  if (all) {
    const std::string_view pieces(
        request.pieces.front().data(),
        static_cast<size_t>(request.pieces.back().data() + request.pieces.back().size() -
                            request.pieces.front().data()));
    return ToVector(
        RunStep(shell, request, SessionFor(shell, request), MakeList(request.fetches), pieces));
  }
  for (size_t i = 0; i < request.fetches.size(); ++i)
    results.push_back(EvalFetch(shell, request, i));
  return results;
}

void RunEval(CommandCall& call) {
  const RunRequest request = ParseRun(call, call.text());
  if (!request.times.empty() || !request.until.empty()) call.Misused("times and until go with run");
  const std::vector<Value> results = EvalAll(call.shell(), request);
  const Value value = results.size() == 1 ? results[0] : MakeTuple(results);
  if (call.wants_value()) {
    call.set_value(value);
    return AfterRun(call.shell(), request, results);
  }
  for (const Value& result : results) {
    if (call.json()) {
      call.out().PrintLine(ValueJson(result));
    } else if (!result.is_none()) {
      call.shell().interp().Write(Str(result) + "\n");
    }
  }
  call.shell().Remember(value);
  AfterRun(call.shell(), request, results);
}

constexpr CommandExample kExamples[] = {
    {"eval 1+1", "2\n"},
    {"eval tf.constant([1., 2.]) + tf.constant([2., 3.])", "[3. 5.]\n"},
    {"eval matmul([[1., 2.]], [[3.], [4.]])", "[[11.]]\n"},
    {"a = tf.constant([1., 2.])\nv = eval a * 2\nprint(v + 1)", "[3. 5.]\n"},
    {"x = tf.placeholder(tf.float32, [2], name=\"x\")\neval x * 2, x + 1 feed x=[3, 4]",
     "[6. 8.]\n[4. 5.]\n"},
};

}  // namespace

void RegisterCommand_eval(CommandRegistry& r) {
  r.Add({.name = "eval",
         .usage = "eval EXPR[, …] [feed X=…, …] [on SESSION] [--json]",
         .summary = "Evaluate tensors or other expressions, and print the values as numpy does.",
         .help = "Several tensors are fetched in one step. Without `on`, the step runs in the "
                 "current session. A node may\nbe given by name, as in `eval layer/add:0`, and "
                 "functions of tf do not need the prefix `tf.`. The value\nis kept in `_`, and "
                 "`v = eval EXPR` keeps it in a variable. Nodes that were made for this step only\n"
                 "are removed after it.",
         .examples = kExamples,
         .complete = "expr",
         .gives_value = true,
         .run = RunEval});
}

}  // namespace tensh::shell
