// What eval, run and explain have in common: `EXPR[, …] [feed X=…, …] [on SESSION]` as values, and
// as the C API's description of one step.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/client.h"
#include "shell/commands/command.h"
#include "shell/values/error.h"
#include "shell/values/value.h"

namespace tensh::shell {

struct RunRequest {
  const char* verb = "eval";
  std::string text;                      // "mul feed x=[3,4]", as typed
  std::vector<std::string_view> pieces;  // the text of each fetch
  std::vector<Value> fetches;            // beside pieces
  Value feeds = Value();                 // a dict for feed_dict, or null
  Value session = Value();               // given with `on`, or null
  std::string_view times, until;         // "" when not given
};

RunRequest ParseRun(CommandCall& call, std::string_view text);
Value SessionFor(const RunRequest& request);

// One piece of a verb's text as a value: an expression, or the name of a node ("layer/add:0").
Value EvalPiece(Shell& shell, std::string_view piece);
// A step through Session.run; errors point at the fetch.
Value RunStep(Shell& shell, const RunRequest& request, const Value& session, const Value& fetch,
              std::string_view piece);

// One step in the C API's terms; owns what it points to.
class StepSpec {
 public:
  // Throws ValueError when a part of it is not of the session's graph.
  StepSpec(Shell& shell, const RunRequest& request, tsh_session* session);
  StepSpec(const StepSpec&) = delete;
  tsh_run run() const;
  size_t fetches() const { return fetches_.size(); }
  bool empty() const { return fetches_.empty() && targets_.empty(); }

 private:
  void AddFetch(const Value& value);
  void AddFeeds(const Value& dict);

  tsh_session* session_;
  std::vector<tsh_output> fetches_, feeds_;
  std::vector<tsh_node> targets_;
  std::vector<TensorHandle> values_;
  std::vector<tsh_tensor*> raw_values_;
};

// What was run becomes what `why` speaks about, and a person is told of effects that did not
// happen.
void AfterRun(Shell& shell, const RunRequest& request);

// Throws ValueError unless the session runs that graph.
void CheckGraph(tsh_session* session, const GraphHandle& graph, const char* name);

// Runs `body`; an error that has no place yet gets that of `piece` in the user's text.
void AddPlace(Shell& shell, const PyError& error, std::string_view piece);
template <class F>
auto At(Shell& shell, std::string_view piece, F body) {
  try {
    return body();
  } catch (const PyError& error) {
    AddPlace(shell, error, piece);
    throw;
  }
}

// A value as JSON: numbers, texts, lists, arrays (nested lists), dicts; anything else as its str().
std::string ValueJson(const Value& value);

}  // namespace tensh::shell
