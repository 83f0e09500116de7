#include "shell/session/effects.h"

#include <algorithm>
#include <string_view>

namespace tensh::shell {
namespace {

constexpr std::string_view kEffects[] = {"Print", "PrintV2", "Assert"};
constexpr std::string_view kEffectPrefixes[] = {"Assign", "Apply", "ResourceApply", "Scatter",
                                                "QueueEnqueue"};
constexpr std::string_view kEffectSuffixes[] = {"Summary", "SummaryV2"};
// Nodes that a library creates for later use, which the user did not forget to run.
constexpr std::string_view kForLater[] = {"save/", "report_uninitialized"};

bool HasEffect(std::string_view op) {
  const auto starts = [op](std::string_view with) { return op.starts_with(with); };
  const auto ends = [op](std::string_view with) { return op.ends_with(with); };
  return std::find(std::begin(kEffects), std::end(kEffects), op) != std::end(kEffects) ||
         std::any_of(std::begin(kEffectPrefixes), std::end(kEffectPrefixes), starts) ||
         std::any_of(std::begin(kEffectSuffixes), std::end(kEffectSuffixes), ends);
}

bool IsForLater(std::string_view name) {
  return std::any_of(std::begin(kForLater), std::end(kForLater),
                     [name](std::string_view with) { return name.starts_with(with); });
}

// Marks the nodes that a run needs, by walking back from its fetches and stopping at its feeds.
std::vector<bool> Needed(const GraphHandle& graph, const tsh_run& run) {
  std::vector<bool> seen(graph.size(), false);
  const auto fed = [&](tsh_output value) {
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
    if (node >= seen.size() || seen[node]) continue;
    seen[node] = true;
    for (size_t i = 0; i < tsh_node_num_inputs(graph.get(), node); ++i) {
      const tsh_output input = tsh_node_input(graph.get(), node, i);
      if (!fed(input)) open.push_back(input.node);
    }
    for (size_t i = 0; i < tsh_node_num_controls(graph.get(), node); ++i)
      open.push_back(tsh_node_control(graph.get(), node, i));
  }
  return seen;
}

bool TakesWhatRan(const GraphHandle& graph, tsh_node node, const std::vector<bool>& ran) {
  for (size_t i = 0; i < tsh_node_num_inputs(graph.get(), node); ++i)
    if (ran[tsh_node_input(graph.get(), node, i).node]) return true;
  return false;
}

}  // namespace

std::vector<tsh_node> Effects::NotRun(const GraphHandle& graph, const tsh_run& run) {
  std::vector<bool>& settled = settled_[tsh_graph_id(graph.get())];
  settled.resize(graph.size(), false);
  std::vector<tsh_node> effects, not_run;
  for (size_t n = 0; n < settled.size(); ++n) {
    const auto node = static_cast<tsh_node>(n);
    if (!settled[n] && HasEffect(graph.NodeOp(node))) effects.push_back(node);
  }
  if (effects.empty()) return {};
  const std::vector<bool> ran = Needed(graph, run);
  for (const tsh_node node : effects) {
    if (!ran[node] && (IsForLater(graph.NodeName(node)) || !TakesWhatRan(graph, node, ran)))
      continue;
    settled[node] = true;
    if (!ran[node]) not_run.push_back(node);
  }
  return not_run;
}

}  // namespace tensh::shell
