// Feeds that the user did not give: values to type for placeholders, and the feeds of an earlier
// verb. Threads: the interpreter's thread only.
#pragma once

#include <string>
#include <vector>

#include "shell/client/client.h"
#include "shell/commands/base/run_request.h"

namespace tensh::shell {

// Returns a feed that can be typed, "x=[0., 0.], n=0": a zero of the type and shape of each
// placeholder. An unknown extent is 1, and a large value is written as np.zeros([64, 784]).
std::string ZeroFeeds(const GraphHandle& graph, const std::vector<tsh_node>& placeholders);
// Adds to the request the feeds of the last verb that had any, except those that belong to another
// graph. Throws RuntimeError if no such feeds exist.
void AddLastFeeds(Shell& shell, RunRequest* request);
// Returns the Python functions (tf.py_func) of a session's graph.
std::vector<tf::HostFunction> FunctionsOf(const Value& session);
// Returns the text that the user can append to the request to add these feeds: " feed x=0." or,
// after a feed, ", x=0.".
std::string FeedsToAdd(const RunRequest& request, const std::string& feeds);

// A run in which the placeholders that are not fed are assumed to be fed. Such a run can be
// planned, but not executed.
//
// Borrows the arrays of `run`.
class AssumedFeeds {
 public:
  // `functions` are the Python functions of the graph. Their results are not assumed, but the
  // placeholders that they need are.
  AssumedFeeds(const GraphHandle& graph, const tsh_run& run,
               const std::vector<tf::HostFunction>& functions);
  AssumedFeeds(const AssumedFeeds&) = delete;

  // Borrows from this object.
  const tsh_run& run() const { return run_; }
  const std::vector<tsh_node>& placeholders() const { return placeholders_; }
  // Adds the names of the placeholders, and the results of Python functions, to a report.
  std::string Note(std::string report_json) const;

 private:
  // Finds the placeholders that a run needs, and the Python functions, with what these need.
  void Find(const tsh_run& run, const std::vector<tf::HostFunction>& functions);
  void AddFunction(const tf::HostFunction& function, const tsh_run& run,
                   const std::vector<tf::HostFunction>& functions);

  struct Called {
    tsh_node output;
    std::vector<tsh_node> needs;  // that run in a step before
  };
  GraphHandle graph_;
  std::vector<tsh_node> placeholders_;
  std::vector<Called> called_;
  std::vector<tsh_output> feeds_;
  tsh_run run_;
};

// Runs `body`. If it throws because placeholders are not fed, replaces the hint by the verb's line
// with feeds that can be typed.
void HintAtFeeds(const RunRequest& request, const GraphHandle& graph, const PyError& error);
template <class F>
auto HintingAtFeeds(const RunRequest& request, const GraphHandle& graph, F body) {
  try {
    return body();
  } catch (const PyError& error) {
    HintAtFeeds(request, graph, error);
    throw;
  }
}

}  // namespace tensh::shell
