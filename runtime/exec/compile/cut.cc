#include "runtime/exec/compile/cut.h"

#include <map>
#include <set>

#include "runtime/exec/compile/edge_key.h"

namespace tensh {
namespace {

std::string TaskOf(const std::string& device) { return device.substr(0, device.find("/device:")); }

// Builds the graph of each task. The nodes are listed before a graph is built, because the Merge of
// a loop refers to a node that comes after it.
class Cutter {
 public:
  Cutter(const Stages& stages, const DeviceMgr& devices)
      : stages_(stages), g_(stages.graph), devices_(devices), cut_(std::make_unique<Cut>()) {}

  Result<std::unique_ptr<Cut>> Run() {
    for (const Partition& part : stages_.partitioned.parts) AddTask(devices_[part.device]);
    FindEnds();
    by_tokens_ = CutsALoop();
    for (uint32_t i = 0; i < stages_.pruned.nodes.size(); ++i) ListNode(i);
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
  // An output: the index of an item in its task's list, and the index of the output.
  using Ref = std::pair<uint32_t, uint32_t>;
  struct Item {
    enum Kind : uint8_t { kNode, kSend, kRecv, kMade } kind;
    NodeId node = kNoNode;
    uint16_t part = 0;                 // partition, hence device
    std::string name = {}, edge = {};  // of a node that is added here
    uint16_t other = 0;                // the partition at the other end
    ValueId value = kNoValue;          // the value sent or received; kNoValue for a control edge
    bool client = false;
    const char* op = nullptr;  // kMade
    std::vector<Ref> ins = {};
    std::vector<uint32_t> after = {};
    std::vector<NamedAttr> attrs = {};
  };
  // Maps (value or node, partition) to an item of the task's list: the item that holds the value,
  // or that has waited for the node.
  using Where = std::map<std::pair<uint32_t, uint16_t>, uint32_t>;
  // Items for a loop whose home is another task. They run when an iteration has begun, when the
  // loop continues after it, and when it was the last.
  struct LoopHere {
    uint32_t begun = 0, goes_on = 0, ended = 0;
    uint32_t At(int section) const { return section == 0 ? begun : section == 1 ? goes_on : ended; }
  };

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
    return devices_[stages_.partitioned.parts[part].device].info();
  }

  void FindEnds() {
    const auto& transfers = stages_.partitioned.transfers;
    for (uint32_t t = 0; t < transfers.size(); ++t) {
      const Transfer& transfer = transfers[t];
      if (transfer.value != kNoValue &&
          stages_.pruned.fed.Find(Index(transfer.value)) != UINT32_MAX)
        continue;  // each task that needs the value is fed
      if (SameTask(transfer.from, transfer.to)) continue;
      if (transfer.loop) {
        tokens_.emplace(std::pair(transfer.loop, task_of_[transfer.to]), t);
        continue;
      }
      const NodeId from =
          transfer.value == kNoValue ? transfer.control : g_.node_of(transfer.value);
      sends_.emplace(Index(from), t);
    }
    const auto& fetches = stages_.signature.fetches;
    for (uint32_t f = 0; f < fetches.size(); ++f)
      if (stages_.pruned.fed.Find(Index(fetches[f])) == UINT32_MAX)
        fetched_.emplace(Index(g_.node_of(fetches[f])), f);
  }

  // Returns true if a loop with branches or loops in or around it spans several tasks.
  bool CutsALoop() const {
    for (uint32_t i = 0; i < stages_.pruned.nodes.size(); ++i) {
      const uint32_t f = FrameOf(i);
      if (f && !SameTask(stages_.partitioned.part_of[i], HomeOf(f)) &&
          (flow().frames[f].guarded || !IsSimpleLoop(g_, stages_.pruned, f)))
        return true;
    }
    return false;
  }

  std::string EdgeName(uint32_t t) const {
    const Transfer& transfer = stages_.partitioned.transfers[t];
    const NodeId from = transfer.value == kNoValue ? transfer.control : g_.node_of(transfer.value);
    return StrCat("edge_", t, "_", g_.name(from));
  }

  // Lists a node, preceded by its Recvs and followed by its Sends.
  void ListNode(uint32_t i) {
    const NodeId node = stages_.pruned.nodes[i];
    const uint16_t part = stages_.partitioned.part_of[i];
    if (places_.count(Index(node))) return;
    for (uint32_t f = FrameOf(i); f; f = flow().frames[f].parent)
      if (!SameTask(HomeOf(f), part)) LoopIn(f, part);
    for (uint32_t k = 0; k < g_.num_inputs(node); ++k) NeedValue(g_.input(node, k), part);
    for (uint32_t k = 0; k < g_.num_controls(node); ++k) NeedControl(g_.control(node, k), part);
    const uint32_t at = Add({.kind = Item::kNode, .node = node, .part = part});
    places_[Index(node)] = at;
    ListTokens(i);
    for (auto [it, end] = sends_.equal_range(Index(node)); it != end; ++it) ListSend(it->second);
    for (auto [it, end] = fetched_.equal_range(Index(node)); it != end; ++it) {
      const ValueId value = stages_.signature.fetches[it->second];
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
    const Transfer& transfer = stages_.partitioned.transfers[t];
    const bool control = transfer.value == kNoValue;
    const NodeId from = control ? transfer.control : g_.node_of(transfer.value);
    Item item{.kind = Item::kSend, .node = from, .part = transfer.from, .edge = EdgeName(t)};
    // A value that enters a loop is sent once, before the loop.
    const bool enters = IsEnter(from);
    const Ref before = enters ? Stands(g_.input(from, 0), transfer.from) : Ref();
    if (control)
      item.ins = {
          {Dummy(from, transfer.from, {enters ? before.first : places_.at(Index(from))}), 0}};
    else if (enters)
      item.ins = {before};
    item.name = Fresh(g_.name(from));
    item.other = transfer.to;
    item.value = transfer.value;
    Add(std::move(item));
  }

  void NeedValue(ValueId v, uint16_t part) {
    const auto place = std::pair(Index(v), part);
    if (received_.count(place)) return;
    const NodeId from = g_.node_of(v);
    const uint32_t feed = stages_.pruned.fed.Find(Index(v));
    Item item{.kind = Item::kRecv, .node = from, .part = part};
    item.value = v;
    if (feed != UINT32_MAX) {
      item.edge = WithPort(v);
      item.name =
          StrCat("_recv_", g_.name(from), "_", g_.index_of(v), part ? StrCat("_", part) : "");
      item.other = part;
      item.client = true;
      cut_->feeds.push_back({task_of_[part], feed, KeyOf(item)});
      received_[place] = Add(std::move(item));
      return;
    }
    if (Position(from) == UINT32_MAX || SameTask(PartOf(from), part)) return;
    item.edge = EdgeName(Find(v, from, part));
    item.other = PartOf(from);
    const uint32_t at = Receive(std::move(item), g_.index_of(v));
    received_[place] = IsEnter(from) ? EnterOf(from, part, {at, 0}, BaseType(g_.dtype(v))) : at;
  }

  void NeedControl(NodeId from, uint16_t part) {
    const auto place = std::pair(Index(from), part);
    if (Position(from) == UINT32_MAX || SameTask(PartOf(from), part) || waited_.count(place))
      return;
    Item item{.kind = Item::kRecv,
              .node = from,
              .part = part,
              .edge = EdgeName(Find(kNoValue, from, part))};
    item.other = PartOf(from);
    const uint32_t at = Receive(std::move(item), UINT32_MAX);
    waited_[place] = IsEnter(from) ? EnterOf(from, part, {at, 0}, DType::kFloat)
                                   : Made("Identity", from, part, {{at, 0}}, DType::kFloat);
  }

  // Adds a Recv to the loop that produces its value.
  uint32_t Receive(Item item, uint32_t output) {
    const uint32_t from = Position(item.node), level = Level(from);
    if (level) item.after = {Anchor(level, item.part, Section(level, from, output))};
    item.name = Fresh(g_.name(item.node));
    return Add(std::move(item));
  }

  // ---- loops ----

  const Flow& flow() const { return stages_.pruned.flow; }
  uint32_t Position(NodeId n) const { return stages_.pruned.position.Find(Index(n)); }
  uint32_t FrameOf(uint32_t i) const { return flow().empty() ? 0 : flow().frame_of[i]; }
  bool IsEnter(NodeId n) const {
    return !flow().empty() && flow().role[Position(n)] == OpRole::kEnter;
  }
  uint16_t HomeOf(uint32_t f) const { return stages_.partitioned.part_of[flow().frames[f].begin]; }
  // Returns the innermost loop in which node i yields one value per iteration. For an Enter or Exit
  // that is the loop around its own.
  uint32_t Level(uint32_t i) const {
    const uint32_t f = FrameOf(i);
    if (!f) return 0;
    const OpRole role = flow().role[i];
    return role == OpRole::kEnter || role == OpRole::kExit ? flow().frames[f].parent : f;
  }
  // Returns 0 for a node that runs in every iteration, 1 for one that runs if the loop condition is
  // true, and 2 for one that runs only in the last iteration.
  int Section(uint32_t f, uint32_t i, uint32_t output) const {
    const LoopFrame& frame = flow().frames[f];
    if (output != UINT32_MAX && FrameOf(i) == f && flow().loop_switch[i]) return output ? 1 : 2;
    return i < frame.test ? 0 : i < frame.tail ? 1 : 2;
  }

  uint32_t Made(const char* op, NodeId of, uint16_t part, std::vector<Ref> ins, DType type) {
    Item item{.kind = Item::kMade, .node = of, .part = part, .name = Fresh(g_.name(of)), .op = op};
    item.ins = std::move(ins);
    item.attrs = {{"T", type}};
    return Add(std::move(item));
  }
  // Adds an empty constant, which carries a control edge to another task.
  uint32_t Dummy(NodeId of, uint16_t part, std::vector<uint32_t> after) {
    Item item{
        .kind = Item::kMade, .node = of, .part = part, .name = Fresh(g_.name(of)), .op = "Const"};
    item.after = std::move(after);
    item.attrs = {{"dtype", DType::kFloat}, {"value", *Tensor::Make(DType::kFloat, Shape({0}))}};
    return Add(std::move(item));
  }
  // Adds an Enter into the loop of the node `like`, as a loop constant or as a loop variable.
  uint32_t EnterOf(NodeId like, uint16_t part, Ref in, DType type, bool constant = true) {
    const uint32_t at = Made("Enter", like, part, {in}, type);
    auto& attrs = lists_[task_of_[part]][at].attrs;
    attrs.push_back({"frame_name", g_.attrs(like).String("frame_name")});
    attrs.push_back({"is_constant", constant});
    attrs.push_back({"parallel_iterations", g_.attrs(like).Int("parallel_iterations")});
    return at;
  }

  // Returns the item of this task that runs when an iteration of loop f reaches the section.
  uint32_t Anchor(uint32_t f, uint16_t part, int section) {
    if (!SameTask(HomeOf(f), part)) return LoopIn(f, part).At(section);
    const LoopFrame& frame = flow().frames[f];
    uint32_t i = frame.begin;  // finds the Switch of a loop variable
    while (i < frame.end && !(FrameOf(i) == f && flow().loop_switch[i])) ++i;
    TENSH_CHECK(i < frame.end, "a loop without a Switch: ", frame.name);
    const NodeId node = stages_.pruned.nodes[i], merge = g_.node_of(g_.input(node, 0));
    if (section == 0) {
      ListNode(Position(merge));
      return places_.at(Index(merge));
    }
    auto [it, added] = at_home_.try_emplace({f, section}, 0);
    if (added)
      it->second =
          Made("Identity", node, HomeOf(f), {{places_.at(Index(node)), section == 1 ? 1 : 0}},
               BaseType(g_.dtype(g_.output(node, 0))));
    return it->second;
  }

  // Returns the control loop of a task that is not the home of loop f. Its only variable is an
  // empty tensor, and it iterates as often as the loop does at home. TensorFlow cuts loops in the
  // same way.
  const LoopHere& LoopIn(uint32_t f, uint16_t part) {
    auto [it, added] = loops_.try_emplace({task_of_[part], f}, LoopHere());
    LoopHere& loop = it->second;
    if (!added) return loop;
    const LoopFrame& frame = flow().frames[f];
    const NodeId first = stages_.pruned.nodes[frame.begin];
    const uint32_t in = Entry(f, part);
    const uint32_t enter = EnterOf(first, part, {in, 0}, DType::kFloat, false);
    loop.begun = Made("Merge", first, part, {{enter, 0}, {enter, 0}}, DType::kFloat);
    const ValueId cond = g_.output(frame.cond, 0);
    NeedValue(cond, part);
    const uint32_t decides =
        Made("LoopCond", frame.cond, part, {{received_.at({Index(cond), part}), 0}}, DType::kBool);
    auto& list = lists_[task_of_[part]];
    list[decides].attrs.clear();
    const uint32_t either =
        Made("Switch", first, part, {{loop.begun, 0}, {decides, 0}}, DType::kFloat);
    loop.goes_on = Made("Identity", first, part, {{either, 1}}, DType::kFloat);
    loop.ended = Made("Identity", first, part, {{either, 0}}, DType::kFloat);
    const uint32_t next = Made("NextIteration", first, part, {{loop.goes_on, 0}}, DType::kFloat);
    list[loop.begun].ins[1] = {next, 0};
    return loop;
  }

  // Returns an item outside the loop that has a value if the loop runs.
  uint32_t Entry(uint32_t f, uint16_t part) {
    const LoopFrame& frame = flow().frames[f];
    const NodeId first = stages_.pruned.nodes[frame.begin];
    const auto token = tokens_.find({f, task_of_[part]});
    if (token != tokens_.end()) {
      Item item{.kind = Item::kRecv, .node = first, .part = part, .edge = EdgeName(token->second)};
      item.other = HomeOf(f);
      return Receive(std::move(item), UINT32_MAX);
    }
    if (!frame.parent) return Dummy(first, part, {});
    const int section = Section(frame.parent, frame.begin, UINT32_MAX);
    return Dummy(first, part, {Anchor(frame.parent, part, section)});
  }

  // After the Enter of the first loop variable, sends a token that tells other tasks whether the
  // loop runs.
  void ListTokens(uint32_t i) {
    const uint32_t f = FrameOf(i);
    if (!f || tokens_.empty() || flow().role[i] != OpRole::kEnter) return;
    const NodeId enter = stages_.pruned.nodes[i];
    if (g_.attrs(enter).Bool("is_constant") || !told_.insert(f).second) return;
    const uint16_t part = HomeOf(f);
    for (auto it = tokens_.lower_bound({f, 0}); it != tokens_.end() && it->first.first == f; ++it) {
      const ValueId v = g_.input(enter, 0);
      const uint32_t tap = Made("Identity", enter, part, {Stands(v, part)}, BaseType(g_.dtype(v)));
      Item item{.kind = Item::kSend, .node = enter, .part = part, .edge = EdgeName(it->second)};
      item.ins = {{Dummy(enter, part, {tap}), 0}};
      item.name = Fresh(g_.name(enter));
      item.other = stages_.partitioned.transfers[it->second].to;
      Add(std::move(item));
    }
  }

  uint16_t PartOf(NodeId n) const {
    return stages_.partitioned.part_of[stages_.pruned.position.Find(Index(n))];
  }
  uint32_t Find(ValueId v, NodeId from, uint16_t to) const {
    for (auto [it, end] = sends_.equal_range(Index(from)); it != end; ++it) {
      const Transfer& t = stages_.partitioned.transfers[it->second];
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
    // The graph of the task shares the function library, because its nodes may call functions.
    auto* graph = new Graph(g_.ops(), g_.shared_functions());
    cut_->parts.push_back({tasks_[t], graph});
    std::vector<Arrays> arrays(lists_[t].size());
    std::vector<NodeSpec> specs;
    for (uint32_t i = 0; i < lists_[t].size(); ++i) specs.push_back(Spec(lists_[t], i, arrays[i]));
    return graph->Append(specs).status();
  }

  Ref Stands(ValueId v, uint16_t part) const {
    auto received = received_.find({Index(v), part});
    if (received != received_.end()) return {received->second, 0};
    return {places_.at(Index(g_.node_of(v))), g_.index_of(v)};
  }
  static Output ToOutput(Ref r) { return {NodeId{r.first}, r.second}; }

  NodeSpec Spec(const std::vector<Item>& list, uint32_t i, Arrays& a) const {
    const Item& item = list[i];
    a.name = item.kind == Item::kNode ? std::string(g_.name(item.node)) : item.name;
    std::string_view op;
    for (const Ref& in : item.ins) a.inputs.push_back(ToOutput(in));
    for (uint32_t from : item.after) a.controls.push_back(NodeId{from});
    switch (item.kind) {
      case Item::kNode:
        op = g_.op(item.node).name;
        a.attrs = g_.attrs(item.node).all();
        for (uint32_t k = 0; k < g_.num_inputs(item.node); ++k)
          a.inputs.push_back(ToOutput(Stands(g_.input(item.node, k), item.part)));
        for (uint32_t k = 0; k < g_.num_controls(item.node); ++k)
          AddControl(g_.control(item.node, k), item.part, a);
        break;
      case Item::kMade:
        op = item.op;
        a.attrs = item.attrs;
        break;
      default:
        op = item.kind == Item::kSend ? "_Send" : "_Recv";
        if (item.kind == Item::kSend && item.ins.empty())
          a.inputs.push_back(ToOutput(Stands(item.value, item.part)));
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
    const DType dtype = item.value == kNoValue ? DType::kFloat : BaseType(g_.dtype(item.value));
    a.attrs = {{sends ? "T" : "tensor_type", dtype},
               {"tensor_name", item.edge},
               {"send_device", from.name},
               {"send_device_incarnation", static_cast<int64_t>(from.incarnation)},
               {"recv_device", to.name},
               {"client_terminated", item.client}};
    if (by_tokens_) a.attrs.push_back({std::string(kByTokens), true});
  }

  const Stages& stages_;
  const Graph& g_;
  const DeviceMgr& devices_;
  std::unique_ptr<Cut> cut_;
  std::vector<std::string> tasks_;
  std::vector<uint32_t> task_of_;                             // by partition
  std::vector<std::vector<Item>> lists_;                      // by task
  std::multimap<uint32_t, uint32_t> sends_, fetched_;         // by node: transfers; fetches
  std::map<uint32_t, std::string> sent_out_;                  // by fetched value: its key
  std::map<uint32_t, uint32_t> places_;                       // by node: its item
  Where received_, waited_;                                   // by value; by node
  std::map<std::pair<uint32_t, uint32_t>, LoopHere> loops_;   // by task and frame
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> tokens_;  // by frame and task: a transfer
  std::map<std::pair<uint32_t, int>, uint32_t> at_home_;      // by frame and section: its anchor
  std::set<uint32_t> told_;                                   // frames whose tokens are listed
  bool by_tokens_ = false;
  uint64_t made_ = 0;
};

}  // namespace

Result<std::unique_ptr<Cut>> CutByTask(const Stages& stages, const DeviceMgr& devices) {
  return Cutter(stages, devices).Run();
}

}  // namespace tensh
