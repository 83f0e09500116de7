#include "shell/session/effects.h"

#include <algorithm>
#include <string_view>

#include "shell/tensorflow/graph/needs.h"

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

bool TakesWhatRan(const GraphHandle& graph, tsh_node node, const std::vector<bool>& ran) {
  for (size_t i = 0; i < graph.Inputs(node).size(); ++i)
    if (ran[graph.Input(node, i).node]) return true;
  return false;
}

}  // namespace

std::vector<tsh_node> Effects::NotRun(const GraphHandle& graph, const tsh_run& run) {
  std::vector<bool>& settled = settled_[graph.id()];
  settled.resize(graph.size(), false);
  std::vector<tsh_node> effects, not_run;
  for (size_t n = 0; n < settled.size(); ++n) {
    const auto node = static_cast<tsh_node>(n);
    if (!settled[n] && HasEffect(graph.NodeOp(node))) effects.push_back(node);
  }
  if (effects.empty()) return {};
  const std::vector<bool> ran = tf::NeededNodes(graph, run);
  for (const tsh_node node : effects) {
    if (!ran[node] && (IsForLater(graph.NodeName(node)) || !TakesWhatRan(graph, node, ran)))
      continue;
    settled[node] = true;
    if (!ran[node]) not_run.push_back(node);
  }
  return not_run;
}

}  // namespace tensh::shell
