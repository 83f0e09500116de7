#include <algorithm>

#include "runtime/plan/stages.h"

namespace tensh {

IdMap::IdMap(size_t expected) {
  size_t capacity = 16;
  while (capacity < expected * 2) capacity *= 2;
  slots_.resize(capacity);
}

size_t IdMap::Probe(uint32_t key) const {
  size_t mask = slots_.size() - 1;
  size_t i = (key * 2654435769u) & mask;  // Fibonacci hashing
  while (slots_[i].key != UINT32_MAX && slots_[i].key != key) i = (i + 1) & mask;
  return i;
}

uint32_t IdMap::Find(uint32_t key) const {
  const Slot& slot = slots_[Probe(key)];
  return slot.key == key ? slot.value : UINT32_MAX;
}

bool IdMap::Insert(uint32_t key, uint32_t value) {
  if ((count_ + 1) * 2 > slots_.size()) Grow();
  Slot& slot = slots_[Probe(key)];
  if (slot.key == key) return false;
  slot = {key, value};
  ++count_;
  return true;
}

void IdMap::Set(uint32_t key, uint32_t value) {
  if (!Insert(key, value)) slots_[Probe(key)].value = value;
}

void IdMap::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.key != UINT32_MAX) slots_[Probe(slot.key)] = slot;
}

namespace {

// An op that has state or takes a reference has effects besides its outputs.
bool HasEffect(const OpDef& op) {
  auto is_ref = [](const ArgDef& arg) { return arg.is_ref; };
  return op.stateful || op.outputs.empty() ||
         std::any_of(op.inputs.begin(), op.inputs.end(), is_ref) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), is_ref);
}

// Consumers follow producers, so a walk from the end visits them first.
void FindUnused(const Graph& graph, const RunSignature& signature, Pruned& pruned) {
  std::vector<bool> used(pruned.nodes.size());
  auto use = [&](NodeId n) {
    const uint32_t position = pruned.position.Find(Index(n));
    if (position != UINT32_MAX) used[position] = true;
  };
  for (ValueId fetch : signature.fetches) use(graph.node_of(fetch));
  for (NodeId target : signature.targets) use(target);
  for (size_t i = pruned.nodes.size(); i-- > 0;) {
    const NodeId n = pruned.nodes[i];
    used[i] = used[i] || HasEffect(graph.op(n));
    if (!used[i]) continue;
    for (uint32_t k = 0; k < graph.num_inputs(n); ++k)
      if (pruned.fed.Find(Index(graph.input(n, k))) == UINT32_MAX)
        use(graph.node_of(graph.input(n, k)));
  }
  used.flip();
  pruned.unused = std::move(used);
}

}  // namespace

Pruned Prune(const Graph& graph, const RunSignature& signature) {
  Pruned pruned;
  for (uint32_t i = 0; i < signature.feeds.size(); ++i)
    pruned.fed.Insert(Index(signature.feeds[i]), i);
  std::vector<NodeId> stack;
  auto visit = [&](NodeId n) {
    if (pruned.position.Insert(Index(n), 0)) {
      pruned.nodes.push_back(n);
      stack.push_back(n);
    }
  };
  // A fed value cuts its edge: its producer runs only if something else needs it.
  auto need = [&](ValueId v) {
    if (pruned.fed.Find(Index(v)) == UINT32_MAX) visit(graph.node_of(v));
  };
  for (ValueId fetch : signature.fetches) need(fetch);
  for (NodeId target : signature.targets) visit(target);
  while (!stack.empty()) {
    NodeId n = stack.back();
    stack.pop_back();
    for (uint32_t i = 0; i < graph.num_inputs(n); ++i) need(graph.input(n, i));
    for (uint32_t i = 0; i < graph.num_controls(n); ++i) {
      // A control edge from a fed placeholder is dropped, because its feed is available from the
      // start.
      const NodeId source = graph.control(n, i);
      const OpRole role = graph.op(source).role;
      const bool placeholder =
          role == OpRole::kPlaceholder || role == OpRole::kPlaceholderWithDefault;
      placeholder ? need(graph.output(source, 0)) : visit(source);
    }
  }
  pruned.has_flow = std::any_of(pruned.nodes.begin(), pruned.nodes.end(), [&](NodeId n) {
    const OpRole role = graph.op(n).role;
    return role == OpRole::kSwitch || role == OpRole::kMerge || role == OpRole::kEnter ||
           role == OpRole::kRecv;
  });
  std::sort(pruned.nodes.begin(), pruned.nodes.end());
  for (uint32_t i = 0; i < pruned.nodes.size(); ++i) pruned.position.Set(Index(pruned.nodes[i]), i);
  FindUnused(graph, signature, pruned);
  return pruned;
}

}  // namespace tensh
