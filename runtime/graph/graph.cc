#include "runtime/graph/graph.h"

#include "runtime/core/device/device.h"

namespace tensh {
namespace {

struct Live {
  std::mutex mu;
  std::map<uint64_t, const Graph*> graphs;
  uint64_t next = 0;
};
Live& LiveGraphs() {
  static Live* live = new Live;
  return *live;
}

}  // namespace

Graph::Graph(const OpRegistry& ops)
    : ops_(ops), functions_(std::make_shared<FunctionLibrary>(ops)), id_([] {
        Live& live = LiveGraphs();
        std::lock_guard lock(live.mu);
        return live.next++;
      }()) {
  Live& live = LiveGraphs();
  std::lock_guard lock(live.mu);
  live.graphs[id_] = this;
}

Graph::Graph(const OpRegistry& ops, std::shared_ptr<FunctionLibrary> functions)
    : ops_(ops), functions_(std::move(functions)), id_(UINT64_MAX) {}

Graph::~Graph() = default;

const OpDef* Graph::FindOp(std::string_view name) const {
  if (const OpDef* op = ops_.Find(name)) return op;
  const Function* function = functions_->Find(name);
  return function ? &function->op : nullptr;
}

void Graph::Unref() {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  Live& live = LiveGraphs();
  {
    std::lock_guard lock(live.mu);
    live.graphs.erase(id_);
  }
  delete this;
}

void Graph::ForEachLive(const std::function<void(const Graph&)>& fn) {
  Live& live = LiveGraphs();
  std::lock_guard lock(live.mu);
  for (auto& [id, graph] : live.graphs) fn(*graph);
}

std::string Graph::ValueName(ValueId v) const { return StrCat(name(node_of(v)), ":", index_of(v)); }

NodeId Graph::Find(std::string_view name) const {
  std::lock_guard lock(mu_);
  return NodeId{names_.Find(name)};
}

size_t Graph::bytes() const {
  std::lock_guard lock(mu_);
  return op_.bytes() + device_.bytes() + attrs_.bytes() + source_.bytes() + in_begin_.bytes() +
         n_inputs_.bytes() + out_begin_.bytes() + n_controls_.bytes() + n_outputs_.bytes() +
         edges_.bytes() + value_node_.bytes() + shape_.bytes() + dtype_.bytes() + names_.bytes();
}

std::string Graph::UniqueName(std::string_view name, bool mark_as_used) {
  std::lock_guard lock(mu_);
  return names_.Unique(name, mark_as_used);
}

Status Graph::SetShape(ValueId v, const Shape& wanted) {
  std::lock_guard lock(mu_);
  TENSH_ASSIGN(Shape merged, Shape::Merge(shape(v), wanted));
  Write(shape_, Index(v), shapes_.Intern(merged));
  return {};
}

Status Graph::SetInput(NodeId merge, uint32_t i, const Output& from) {
  {
    std::lock_guard lock(mu_);
    if (finalized_) return FailedPrecondition("Graph is finalized and cannot be modified.");
    if (Index(merge) >= op_.size() || Index(from.node) >= op_.size() || i >= num_inputs(merge) ||
        from.index >= num_outputs(from.node))
      return InvalidArgument("there is no such input or output to connect");
    if (op(merge).role != OpRole::kMerge || op(from.node).role != OpRole::kNextIteration)
      return InvalidArgument(
                 "only a NextIteration may come after the node that it feeds, which must be a "
                 "Merge: '",
                 name(from.node), "' is a ", op(from.node).name, ", '", name(merge), "' a ",
                 op(merge).name)
          .WithNode(name(merge));
    const ValueId v = output(from.node, from.index);
    if (dtype(v) != dtype(input(merge, i)))
      return InvalidArgument("Input ", i, " of node ", name(merge), " was passed ",
                             SignatureName(dtype(v)), " from ", ValueName(v),
                             " incompatible with expected ", SignatureName(dtype(input(merge, i))),
                             ".")
          .WithNode(name(merge));
    const uint32_t edge = in_begin_[Index(merge)] + i;
    if (edges_[edge] == Index(v)) return {};
    back_edges_.push_back({edge, edges_[edge]});
    Write(edges_, edge, Index(v));
  }
  if (Index(merge) < planned_.load()) Notify(Index(merge));
  return {};
}

void Graph::NotePlanned(uint32_t n) const {
  uint32_t before = planned_.load();
  while (before <= n && !planned_.compare_exchange_weak(before, n + 1)) {
  }
}

Status Graph::SetDevice(NodeId n, std::string_view device) {
  TENSH_ASSIGN(DeviceName parsed, DeviceName::Parse(device));
  {
    std::lock_guard lock(mu_);
    Write(device_, Index(n), devices_.Intern(parsed.ToString()));
  }
  Notify(Index(n));
  return {};
}

void Graph::Begin() {
  std::lock_guard lock(mu_);
  in_command_ = true;
  mark_ = Here();
  names_.Begin();
}

void Graph::Commit() {
  std::lock_guard lock(mu_);
  if (!in_command_) return;
  in_command_ = false;
  names_.End();
  if (op_.size() > mark_.nodes) version_.fetch_add(1, std::memory_order_release);
}

void Graph::Rollback() {
  uint32_t kept;
  {
    std::lock_guard lock(mu_);
    if (!in_command_) return;
    in_command_ = false;
    kept = mark_.nodes;
    if (op_.size() == kept && back_edges_.size() == mark_.back_edges) {
      names_.Rollback();
      return;
    }
    rollbacks_.push_back({++generation_, kept});
  }
  Notify(kept);
  std::lock_guard lock(mu_);
  names_.Rollback();
  Truncate(mark_);
}

uint32_t Graph::valid_below(uint32_t generation) const {
  if (generation == generation_) return UINT32_MAX;
  std::lock_guard lock(mu_);
  uint32_t lowest = UINT32_MAX;
  for (size_t i = rollbacks_.size(); i-- > 0 && rollbacks_[i].generation > generation;)
    lowest = std::min(lowest, rollbacks_[i].size);
  return lowest;
}

void Graph::Truncate(const Mark& mark) {
  size_.store(mark.nodes, std::memory_order_release);
  planned_.store(std::min(planned_.load(), mark.nodes));  // the ids will be reused by new nodes
  for (; back_edges_.size() > mark.back_edges; back_edges_.pop_back())
    Write(edges_, back_edges_.back().edge, back_edges_.back().before);
  for (auto* column : {&device_, &attrs_, &source_, &in_begin_, &n_inputs_, &n_controls_,
                       &out_begin_, &n_outputs_})
    column->Truncate(mark.nodes);
  op_.Truncate(mark.nodes);
  edges_.Truncate(mark.edges);
  value_node_.Truncate(mark.values);
  shape_.Truncate(mark.values);
  dtype_.Truncate(mark.values);
  attr_sets_.Truncate(mark.attr_sets);
  names_.Truncate(mark.nodes);
}

uint64_t Graph::AddObserver(Observer observer) {
  std::lock_guard lock(observers_mu_);
  observers_[next_observer_] = std::move(observer);
  return next_observer_++;
}

void Graph::RemoveObserver(uint64_t token) {
  std::lock_guard lock(observers_mu_);
  observers_.erase(token);
}

void Graph::Notify(uint32_t first_dropped) {
  std::lock_guard lock(observers_mu_);
  for (auto& [token, observer] : observers_) observer(first_dropped);
}

}  // namespace tensh
