// Parsing of `EXPR[, …] [feed X=…, …] [on SESSION]`, which eval, run and explain share, into values
// and into the C API's description of a step.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/client/client.h"
#include "shell/commands/base/command.h"
#include "shell/python/values/error.h"
#include "shell/python/values/value.h"
#include "shell/session/fetch.h"
#include "shell/tensorflow/graph/session.h"

namespace tensh::shell {

struct RunRequest {
  const char* verb = "eval";
  std::string text;                      // the whole text as typed: "mul, y feed x=[3,4]"
  std::string target;                    // the fetches as typed: "mul, y"
  std::vector<std::string_view> pieces;  // the text of each fetch
  std::vector<Value> fetches;            // the value of each fetch, parallel to `pieces`
  Value feeds = Value();                 // a dict for feed_dict, or null
  Value session = Value();               // the session of `on`, or null
  std::string_view times, until;         // "" if not given
  bool ends_with_feed = false;           // the text ends with the clause `feed`
};

RunRequest ParseRun(CommandCall& call, std::string_view text);
// Returns the session that runs the request: that of `on`, or one over the graph of the fetches.
Value SessionFor(Shell& shell, const RunRequest& request);
// Returns the current session if it runs this graph, otherwise another one that does.
Value SessionOver(Shell& shell, const GraphHandle& graph);
// Returns the first tensor or operation in a value, which may be a list or a dict.
Fetch FirstFetch(const Value& value);

// Evaluates one piece of a verb's text: an expression or the name of a node ("layer/add:0").
Value EvalPiece(Shell& shell, std::string_view piece);
// Evaluates a piece that must be a node or a tensor, or the name of one. Throws TypeError with this
// hint for other values.
Fetch EvalNode(Shell& shell, std::string_view piece, const char* hint = "nodes lists the nodes");
// Runs a step through Session.run. Errors point at the fetch in the user's text.
Value RunStep(Shell& shell, const RunRequest& request, const Value& session, const Value& fetch,
              std::string_view piece);

// Notes in the shell if this run, which is about to start, may change the state of the session.
void NoteRun(Shell& shell, tsh_session* session, const tsh_run& run);

// Returns the value of fetch i: the session's result, or the value itself if it is not part of a
// graph.
Value EvalFetch(Shell& shell, const RunRequest& request, size_t i);

// Returns the step that the request describes. Throws ValueError if a fetch or feed does not belong
// to the session's graph.
tf::FlatRun StepOf(Shell& shell, const RunRequest& request, tsh_session* session);
// Likewise for a step that is about to run. It also feeds the next elements of tf.data's iterators
// and the results of tf.py_func.
tf::FlatRun StepToRun(Shell& shell, const RunRequest& request, const Value& session);

// Makes this run the one that `why` explains, and reminds the user of side effects that were left
// out. `values` are those of the fetches.
void AfterRun(Shell& shell, const RunRequest& request, const std::vector<Value>& values);

// Throws ValueError unless the session runs that graph.
void CheckGraph(tsh_session* session, const GraphHandle& graph, const char* name);

// Runs `body`. An error without a location gets the location of `piece` in the user's text.
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

}  // namespace tensh::shell
