#include "shell/tensorflow/graph/needs.h"

#include <algorithm>
#include <string_view>

#include "shell/python/values/error.h"
#include "shell/tensorflow/graph/errors.h"

namespace tensh::shell::tf {

namespace {

bool IsPlaceholder(const GraphHandle& graph, tsh_node node) {
  const std::string_view op = graph.NodeOp(node);
  return op == "Placeholder" || op == "PlaceholderV2";
}

}  // namespace

std::vector<bool> NeededNodes(const GraphHandle& graph, const tsh_run& run) {
  std::vector<bool> needed(graph.size(), false);
  const auto fed = [&run](tsh_output value) {
    return std::any_of(run.feeds, run.feeds + run.n_feeds, [value](const tsh_output& feed) {
      return feed.node == value.node && feed.index == value.index;
    });
  };
  std::vector<tsh_node> open(run.targets, run.targets + run.n_targets);
  for (size_t i = 0; i < run.n_fetches; ++i)
    if (!fed(run.fetches[i])) open.push_back(run.fetches[i].node);
  while (!open.empty()) {
    const tsh_node node = open.back();
    open.pop_back();
    if (node >= needed.size() || needed[node]) continue;
    needed[node] = true;
    for (const tsh_output input : graph.Inputs(node)) {
      if (!fed(input)) open.push_back(input.node);
    }
    // A fed placeholder does not run for its control edges either.
    for (const tsh_node control : graph.Controls(node))
      if (!IsPlaceholder(graph, control) || !fed({control, 0})) open.push_back(control);
  }
  return needed;
}

std::vector<tsh_node> UnfedPlaceholders(const GraphHandle& graph, const tsh_run& run) {
  const std::vector<bool> needed = NeededNodes(graph, run);
  std::vector<tsh_node> unfed;
  for (tsh_node node = 0; node < needed.size(); ++node) {
    if (needed[node] && IsPlaceholder(graph, node)) unfed.push_back(node);
  }
  return unfed;
}

void ThrowRunError(tsh_session* session, const tsh_run& run, const tsh_status* status) {
  const int code = tsh_status_code(status);
  const std::string failed = tsh_status_node(status);
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
  try {
    ThrowStatus(status);
  } catch (PyError& error) {
    if (code != TSH_INVALID_ARGUMENT || !graph) throw;
    // The runtime checks the feeds before it runs anything, and names one of the placeholders.
    std::vector<std::string> names;
    for (const tsh_node node : UnfedPlaceholders(graph, run))
      names.emplace_back(graph.NodeName(node));
    if (std::find(names.begin(), names.end(), failed) == names.end()) throw;
    error.exception().missing_feeds = std::move(names);
    error.Explain(kWhyUnfed);
    throw;
  }
}

}  // namespace tensh::shell::tf
