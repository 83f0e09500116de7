#include "shell/session/effects.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "shell/tensorflow/graph/needs.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kPrint = "Print";
constexpr std::string_view kEffects[] = {kPrint, "PrintV2", "Assert"};
constexpr std::string_view kEffectPrefixes[] = {"Assign",  "Apply",           "ResourceApply",
                                                "Scatter", "ResourceScatter", "QueueEnqueue"};
constexpr std::string_view kPure = "ScatterNd";  // the one op with a prefix above but no effect
constexpr std::string_view kVariables[] = {"Variable", "VariableV2", "VarHandleOp"};

// Stateful ops, besides those that take a reference to a variable, that change the state they refer
// to.
constexpr std::string_view kChanges[] = {"Assign",
                                         "ResourceApply",
                                         "ResourceSparseApply",
                                         "ResourceScatter",
                                         "ResourceStrided",
                                         "ResourceCountUpTo",
                                         "ResourceAccumulator",
                                         "Queue",
                                         "Random",
                                         "Iterator",
                                         "MakeIterator",
                                         "OneShot",
                                         "AnonymousIterator",
                                         "Reader",
                                         "LookupTableI",
                                         "LookupTableR",
                                         "InitializeTable",
                                         "Write",
                                         "Stage",
                                         "Unstage",
                                         "Barrier",
                                         "DestroyResource",
                                         "Stateful",
                                         "Truncated",
                                         "Multinomial",
                                         "Parameterized",
                                         "PyFunc",
                                         "EagerPyFunc",
                                         "Case",
                                         "If",
                                         "While",
                                         "RemoteCall",
                                         "Uniform",
                                         "LogUniform",
                                         "Timestamp"};
// Ops that pass a reference on or only ask about it.
constexpr std::string_view kPassing[] = {"RefIdentity", "RefSwitch", "RefMerge",
                                         "RefEnter",    "RefExit",   "RefNextIteration",
                                         "RefSelect",   "Identity",  "IsVariableInitialized"};

template <size_t n>
bool IsOneOf(std::string_view op, const std::string_view (&ops)[n]) {
  return std::find(std::begin(ops), std::end(ops), op) != std::end(ops);
}

bool HasEffect(std::string_view op) {
  const auto starts = [op](std::string_view with) { return op.starts_with(with); };
  return IsOneOf(op, kEffects) || (op != kPure && std::any_of(std::begin(kEffectPrefixes),
                                                              std::end(kEffectPrefixes), starts));
}

// Adds the producers of the node that were made before `first` to `inputs`, and the others to
// `inside`.
void Visit(const GraphHandle& graph, tsh_node node, size_t first, std::vector<tsh_node>* inside,
           std::vector<tsh_node>* inputs) {
  const auto add = [&](tsh_node from) { (from < first ? inputs : inside)->push_back(from); };
  for (const tsh_output input : graph.Inputs(node)) add(input.node);
  for (const tsh_node control : graph.Controls(node)) add(control);
}

bool HasConsumer(const GraphHandle& graph, tsh_node node) {
  for (tsh_node other = node + 1; other < graph.size(); ++other) {
    for (const tsh_output input : graph.Inputs(other))
      if (input.node == node) return true;
    for (const tsh_node control : graph.Controls(other))
      if (control == node) return true;
  }
  return false;
}

bool TakesReference(const char* op) {
  const tsh_op_info* info = tsh_op_info_of(op);
  return info != nullptr && std::any_of(info->inputs, info->inputs + info->n_inputs,
                                        [](const tsh_op_arg& input) { return input.is_ref != 0; });
}

bool Changes(const char* op) {
  const std::string_view name = op;
  return std::any_of(std::begin(kChanges), std::end(kChanges),
                     [name](std::string_view with) { return name.starts_with(with); }) ||
         (!IsOneOf(name, kPassing) && TakesReference(op));
}

}  // namespace

bool ChangesState(const GraphHandle& graph, const tsh_run& run) {
  std::unordered_set<std::string_view> harmless;
  const std::vector<bool> needed = tf::NeededNodes(graph, run);
  for (size_t n = 0; n < needed.size(); ++n) {
    if (!needed[n]) continue;
    const char* op = graph.NodeOp(static_cast<tsh_node>(n));
    if (!harmless.insert(op).second) continue;
    if (Changes(op)) return true;
  }
  return false;
}

// Forgets nodes that were rolled back.
Effects::InGraph& Effects::Of(const GraphHandle& graph) {
  InGraph& in = graphs_[graph.id()];
  const size_t valid = std::min<size_t>(graph.valid_below(in.generation), graph.size());
  std::erase_if(in.open, [valid](const Open& each) { return each.node >= valid; });
  in.seen = std::min(in.seen, valid);
  in.generation = graph.generation();
  return in;
}

void Effects::Unassigned(const GraphHandle& graph, tsh_node result, size_t first) {
  if (result < first) return;  // an older node, such as `v.initializer`
  Open open{result, {}, true};
  std::vector<tsh_node> inside{result};
  std::unordered_set<tsh_node> visited;
  bool effect = false;
  while (!inside.empty()) {
    const tsh_node node = inside.back();
    inside.pop_back();
    if (!visited.insert(node).second) continue;
    effect |= HasEffect(graph.NodeOp(node));
    Visit(graph, node, first, &inside, &open.inputs);
  }
  if (effect) Of(graph).open.push_back(std::move(open));
}

std::vector<tsh_node> Effects::NotRun(const GraphHandle& graph, const tsh_run& run) {
  InGraph& in = Of(graph);
  for (; in.seen < graph.size(); ++in.seen) {
    const auto node = static_cast<tsh_node>(in.seen);
    if (graph.NodeOp(node) != kPrint) continue;
    Open open{node, {}, false};
    Visit(graph, node, node, &open.inputs, &open.inputs);
    in.open.push_back(std::move(open));
  }
  if (in.open.empty()) return {};
  const std::vector<bool> ran = tf::NeededNodes(graph, run);
  // A run without values, such as that of an initializer, needs variables but does not read them.
  const auto computed = [&](tsh_node node) {
    return ran[node] && (run.n_fetches > 0 || !IsOneOf(graph.NodeOp(node), kVariables));
  };
  std::vector<tsh_node> not_run;
  std::erase_if(in.open, [&](const Open& open) {
    if (ran[open.node]) return true;
    if (std::none_of(open.inputs.begin(), open.inputs.end(), computed)) return false;
    if (open.unassigned || !HasConsumer(graph, open.node)) not_run.push_back(open.node);
    return true;
  });
  std::sort(not_run.begin(), not_run.end());
  not_run.erase(std::unique(not_run.begin(), not_run.end()), not_run.end());
  return not_run;
}

}  // namespace tensh::shell
