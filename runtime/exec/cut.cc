#include "runtime/exec/cut.h"

#include <map>

#include "runtime/exec/edge_key.h"

namespace tensh {
namespace {

std::string TaskOf(const std::string& device) { return device.substr(0, device.find("/device:")); }

// The nodes of one task's graph, listed first, so that a loop's Merge can name what comes behind it.
class Cutter {
 public:
  Cutter(const Plan& plan, const DeviceMgr& devices)
      : plan_(plan), g_(plan.graph), devices_(devices), cut_(std::make_unique<Cut>()) {}

  Result<std::unique_ptr<Cut>> Run() {
    for (const Partition& part : plan_.partitioned.parts) AddTask(devices_[part.device]);
    FindEnds();
    for (uint32_t i = 0; i < plan_.pruned.nodes.size(); ++i) ListNode(i);
    std::vector<size_t> part_of_task(lists_.size());
    for (size_t t = 0; t < lists_.size(); ++t) {
      if (lists_[t].empty()) continue;
      part_of_task[t] = cut_->parts.size();
      TENSH_RETURN_IF_ERROR(Build(t));
    }
    for (auto* ends : {&cut_->feeds, &cut_->fetches})
      for (CutEnd& end : *ends) end.part = part_of_task[end.part];
    return std::move(cut_);
  }

 private:
  struct Item {
    enum Kind : uint8_t { kNode, kSend, kRecv, kDummy, kWaited } kind;
    NodeId node = kNoNode;
    uint16_t part = 0;               // partition, hence device
    std::string name = {}, edge = {};  // of a node that is made here
    uint16_t other = 0;              // the partition at the other end
    ValueId value = kNoValue;        // sent or received; none: a control edge
    bool client = false;
  };
  // What stands for a value, or for having waited, in a partition: an item's place in the task's list.
  using Where = std::map<std::pair<uint32_t, uint16_t>, uint32_t>;

  void AddTask(const Device& device) {
    const std::string task = TaskOf(device.info().name);
    uint32_t t = 0;
    while (t < tasks_.size() && tasks_[t] != task) ++t;
    if (t == tasks_.size()) {
      tasks_.push_back(task);
      lists_.emplace_back();
    }
    task_of_.push_back(t);
  }
  uint32_t Add(Item item) {
    auto& list = lists_[task_of_[item.part]];
    list.push_back(std::move(item));
    return static_cast<uint32_t>(list.size() - 1);
  }
  std::string Fresh(std::string_view stem) {
    std::string name;
    do name = StrCat(stem, "/_", ++made_);
    while (g_.Find(name) != kNoNode);
    return name;
  }
  bool SameTask(uint16_t a, uint16_t b) const { return task_of_[a] == task_of_[b]; }
  const DeviceInfo& DeviceOf(uint16_t part) const {
    return devices_[plan_.partitioned.parts[part].device].info();
  }

  void FindEnds() {
    const auto& transfers = plan_.partitioned.transfers;
    for (uint32_t t = 0; t < transfers.size(); ++t) {
      const Transfer& transfer = transfers[t];
      if (transfer.value != kNoValue && plan_.pruned.fed.Find(Index(transfer.value)) != UINT32_MAX)
        continue;  // fed where it is needed
      if (SameTask(transfer.from, transfer.to)) continue;
      const NodeId from =
          transfer.value == kNoValue ? transfer.control : g_.node_of(transfer.value);
      sends_.emplace(Index(from), t);
    }
    const auto& fetches = plan_.signature.fetches;
    for (uint32_t f = 0; f < fetches.size(); ++f)
      if (plan_.pruned.fed.Find(Index(fetches[f])) == UINT32_MAX)
        fetched_.emplace(Index(g_.node_of(fetches[f])), f);
  }

  std::string EdgeName(uint32_t t) const {
    const Transfer& transfer = plan_.partitioned.transfers[t];
    const NodeId from = transfer.value == kNoValue ? transfer.control : g_.node_of(transfer.value);
    return StrCat("edge_", t, "_", g_.name(from));
  }

  // The node with what it receives before it and what is sent behind it.
  void ListNode(uint32_t i) {
    const NodeId node = plan_.pruned.nodes[i];
    const uint16_t part = plan_.partitioned.part_of[i];
    for (uint32_t k = 0; k < g_.num_inputs(node); ++k) NeedValue(g_.input(node, k), part);
    for (uint32_t k = 0; k < g_.num_controls(node); ++k) NeedControl(g_.control(node, k), part);
    const uint32_t at = Add({.kind = Item::kNode, .node = node, .part = part});
    places_[Index(node)] = at;
    for (auto [it, end] = sends_.equal_range(Index(node)); it != end; ++it) ListSend(it->second);
    for (auto [it, end] = fetched_.equal_range(Index(node)); it != end; ++it) {
      const ValueId value = plan_.signature.fetches[it->second];
      const std::string name = g_.ValueName(value);
      Item item{.kind = Item::kSend, .node = node, .part = part, .edge = WithPort(value)};
      item.name = StrCat("_send_", g_.name(node), "_", g_.index_of(value));
      item.other = part;
      item.value = value;
      item.client = true;
      const auto [known, added] = sent_out_.try_emplace(Index(value), KeyOf(item));
      if (added) Add(std::move(item));
      cut_->fetches.push_back({task_of_[part], it->second, known->second});
    }
  }

  std::string WithPort(ValueId v) const {
    return StrCat(g_.name(g_.node_of(v)), ":", g_.index_of(v));
  }
  std::string KeyOf(const Item& item) const {
    const bool sends = item.kind == Item::kSend;
    const DeviceInfo& from = DeviceOf(sends ? item.part : item.other);
    return EdgeKey(from.name, from.incarnation, DeviceOf(sends ? item.other : item.part).name,
                   item.edge);
  }

  void ListSend(uint32_t t) {
    const Transfer& transfer = plan_.partitioned.transfers[t];
    const bool control = transfer.value == kNoValue;
    const NodeId from = control ? transfer.control : g_.node_of(transfer.value);
    if (control)
      Add({.kind = Item::kDummy, .node = from, .part = transfer.from, .name = Fresh(g_.name(from))});
    Item item{.kind = Item::kSend, .node = from, .part = transfer.from, .edge = EdgeName(t)};
    item.name = Fresh(g_.name(from));
    item.other = transfer.to;
    item.value = transfer.value;
    Add(std::move(item));
  }

  void NeedValue(ValueId v, uint16_t part) {
    const auto place = std::pair(Index(v), part);
    const uint32_t feed = plan_.pruned.fed.Find(Index(v));
    if (feed != UINT32_MAX) {
      if (received_.count(place)) return;
      const NodeId node = g_.node_of(v);
      Item item{.kind = Item::kRecv, .node = node, .part = part, .edge = WithPort(v)};
      item.name = StrCat("_recv_", g_.name(node), "_", g_.index_of(v), part ? StrCat("_", part) : "");
      item.other = part;
      item.value = v;
      item.client = true;
      cut_->feeds.push_back({task_of_[part], feed, KeyOf(item)});
      received_[place] = Add(std::move(item));
      return;
    }
    const NodeId from = g_.node_of(v);
    if (SameTask(PartOf(from), part) || received_.count(place)) return;
    Item item{.kind = Item::kRecv, .node = from, .part = part, .edge = EdgeName(Find(v, from, part))};
    item.name = Fresh(g_.name(from));
    item.other = PartOf(from);
    item.value = v;
    received_[place] = Add(std::move(item));
  }

  void NeedControl(NodeId from, uint16_t part) {
    const uint32_t position = plan_.pruned.position.Find(Index(from));
    const auto place = std::pair(Index(from), part);
    if (position == UINT32_MAX || SameTask(PartOf(from), part) || waited_.count(place)) return;
    Item item{
        .kind = Item::kRecv, .node = from, .part = part, .edge = EdgeName(Find(kNoValue, from, part))};
    item.name = Fresh(g_.name(from));
    item.other = PartOf(from);
    Add(std::move(item));
    waited_[place] =
        Add({.kind = Item::kWaited, .node = from, .part = part, .name = Fresh(g_.name(from))});
  }

  uint16_t PartOf(NodeId n) const {
    return plan_.partitioned.part_of[plan_.pruned.position.Find(Index(n))];
  }
  uint32_t Find(ValueId v, NodeId from, uint16_t to) const {
    for (auto [it, end] = sends_.equal_range(Index(from)); it != end; ++it) {
      const Transfer& t = plan_.partitioned.transfers[it->second];
      if (t.value == v && t.to == to) return it->second;
    }
    TENSH_CHECK(false, "an edge that was not cut, from ", g_.name(from));
    return 0;
  }

  // ---- the graph of a task ----

  struct Arrays {
    std::vector<Output> inputs;
    std::vector<NodeId> controls;
    std::vector<NamedAttr> attrs;
    std::string name;
  };

  Status Build(size_t t) {
    // With the functions its nodes call.
    auto* graph = new Graph(g_.ops(), g_.shared_functions());
    cut_->parts.push_back({tasks_[t], graph});
    std::vector<Arrays> arrays(lists_[t].size());
    std::vector<NodeSpec> specs;
    for (uint32_t i = 0; i < lists_[t].size(); ++i)
      specs.push_back(Spec(lists_[t], i, arrays[i]));
    return graph->Append(specs).status();
  }

  Output Stands(ValueId v, uint16_t part) const {
    auto received = received_.find({Index(v), part});
    if (received != received_.end()) return {NodeId{received->second}, 0};
    return {NodeId{places_.at(Index(g_.node_of(v)))}, g_.index_of(v)};
  }

  NodeSpec Spec(const std::vector<Item>& list, uint32_t i, Arrays& a) const {
    const Item& item = list[i];
    a.name = item.kind == Item::kNode ? std::string(g_.name(item.node)) : item.name;
    std::string_view op;
    switch (item.kind) {
      case Item::kNode:
        op = g_.op(item.node).name;
        a.attrs = g_.attrs(item.node).all();
        for (uint32_t k = 0; k < g_.num_inputs(item.node); ++k)
          a.inputs.push_back(Stands(g_.input(item.node, k), item.part));
        for (uint32_t k = 0; k < g_.num_controls(item.node); ++k)
          AddControl(g_.control(item.node, k), item.part, a);
        break;
      case Item::kDummy:
        op = "Const";
        a.attrs = {{"dtype", DType::kFloat}, {"value", *Tensor::Make(DType::kFloat, Shape({0}))}};
        a.controls.push_back(NodeId{places_.at(Index(item.node))});
        break;
      case Item::kWaited:
        op = "Identity";
        a.inputs.push_back({NodeId{i - 1}, 0});
        break;
      default:
        op = item.kind == Item::kSend ? "_Send" : "_Recv";
        if (item.kind == Item::kSend)
          a.inputs.push_back(item.value == kNoValue ? Output{NodeId{i - 1}, 0}
                                                    : Stands(item.value, item.part));
        EdgeAttrs(item, a);
    }
    return {.op = op,
            .name = a.name,
            .device = DeviceOf(item.part).name,
            .inputs = a.inputs,
            .controls = a.controls,
            .attrs = a.attrs};
  }

  void AddControl(NodeId from, uint16_t part, Arrays& a) const {
    auto waited = waited_.find({Index(from), part});
    auto place = places_.find(Index(from));
    if (waited != waited_.end())
      a.controls.push_back(NodeId{waited->second});
    else if (place != places_.end())
      a.controls.push_back(NodeId{place->second});
  }

  void EdgeAttrs(const Item& item, Arrays& a) const {
    const bool sends = item.kind == Item::kSend;
    const DeviceInfo& from = DeviceOf(sends ? item.part : item.other);
    const DeviceInfo& to = DeviceOf(sends ? item.other : item.part);
    const DType dtype =
        item.value == kNoValue ? DType::kFloat : BaseType(g_.dtype(item.value));
    a.attrs = {{sends ? "T" : "tensor_type", dtype},
               {"tensor_name", item.edge},
               {"send_device", from.name},
               {"send_device_incarnation", static_cast<int64_t>(from.incarnation)},
               {"recv_device", to.name},
               {"client_terminated", item.client}};
  }

  const Plan& plan_;
  const Graph& g_;
  const DeviceMgr& devices_;
  std::unique_ptr<Cut> cut_;
  std::vector<std::string> tasks_;
  std::vector<uint32_t> task_of_;         // by partition
  std::vector<std::vector<Item>> lists_;  // by task
  std::multimap<uint32_t, uint32_t> sends_, fetched_;  // by node: transfers; fetches
  std::map<uint32_t, std::string> sent_out_;           // by value: the key it is fetched under
  std::map<uint32_t, uint32_t> places_;  // by node
  Where received_, waited_;  // by value; by node: what was waited for elsewhere
  uint64_t made_ = 0;
};

}  // namespace

Result<std::unique_ptr<Cut>> CutByTask(const Plan& plan, const DeviceMgr& devices) {
  return Cutter(plan, devices).Run();
}

}  // namespace tensh
