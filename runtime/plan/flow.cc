#include "runtime/plan/flow.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "runtime/graph/guards.h"
#include "runtime/plan/stages.h"

namespace tensh {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

// Works on positions in Pruned::nodes, which are in graph order. Back edges of loops are kept apart
// from all other edges, so that the others form a directed acyclic graph.
class FlowFinder {
 public:
  FlowFinder(const Graph& graph, const RunSignature& signature, Pruned& pruned)
      : g_(graph), s_(signature), p_(pruned), n_(Count(pruned.nodes.size())) {}

  Status Run() {
    FindEdges();
    TENSH_RETURN_IF_ERROR(Sort());
    TENSH_RETURN_IF_ERROR(FindFrames());
    FindConds();
    TENSH_RETURN_IF_ERROR(CheckFetches());
    do FindGuards();
    while (!CheckUsual());
    TENSH_RETURN_IF_ERROR(Order());
    Finish();
    return {};
  }

 private:
  struct Edge {
    uint32_t from, to;
    uint32_t output;  // kNone for a control edge
  };
  static uint32_t Count(size_t n) { return static_cast<uint32_t>(n); }
  OpRole role(uint32_t i) const { return role_[i]; }
  std::string_view name(uint32_t i) const { return g_.name(p_.nodes[i]); }

  void FindEdges() {
    for (NodeId node : p_.nodes) {
      role_.push_back(g_.op(node).role);
      arrivals_ |= role_.back() == OpRole::kRecv;
    }
    first_in_.push_back(0);
    for (uint32_t i = 0; i < n_; ++i) {
      NodeId node = p_.nodes[i];
      for (uint32_t k = 0; k < g_.num_inputs(node); ++k) {
        ValueId v = g_.input(node, k);
        if (p_.fed.Find(Index(v)) != kNone) continue;
        const uint32_t from = p_.position.Find(Index(g_.node_of(v)));
        if (role(i) == OpRole::kMerge && k > 0 && role(from) == OpRole::kNextIteration)
          back_.push_back({from, i, 0});
        else
          edges_.push_back({from, i, g_.index_of(v)});
      }
      for (uint32_t k = 0; k < g_.num_controls(node); ++k) {
        const uint32_t from = p_.position.Find(Index(g_.control(node, k)));
        if (from != kNone) edges_.push_back({from, i, kNone});  // otherwise a fed placeholder
      }
      first_in_.push_back(Count(edges_.size()));
    }
  }
  std::span<const Edge> InputsOf(uint32_t i) const {
    return std::span(edges_).subspan(first_in_[i], first_in_[i + 1] - first_in_[i]);
  }

  Status Sort() {
    std::vector<std::vector<uint32_t>> out(n_);
    std::vector<uint32_t> waiting(n_);
    for (const Edge& e : edges_) out[e.from].push_back(e.to), ++waiting[e.to];
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    for (uint32_t i = 0; i < n_; ++i)
      if (!waiting[i]) ready.push(i);
    while (!ready.empty()) {
      const uint32_t i = ready.top();
      ready.pop();
      sorted_.push_back(i);
      for (uint32_t to : out[i])
        if (--waiting[to] == 0) ready.push(to);
    }
    for (uint32_t i = 0; i < n_; ++i)
      if (waiting[i])
        return InvalidArgument("the graph has a cycle that is not a loop, through node ", name(i))
            .WithNode(name(i));
    return {};
  }

  // ---- frames ----

  bool IsWithin(uint32_t frame, uint32_t ancestor) const {
    for (; frame != ancestor; frame = frames_[frame].parent)
      if (frame == 0) return false;
    return true;
  }
  uint32_t OutFrame(uint32_t i) const {
    return role(i) == OpRole::kExit ? frames_[frame_[i]].parent : frame_[i];
  }

  Status FindFrames() {
    frames_.assign(1, {});
    frame_.assign(n_, 0);
    std::map<std::pair<uint32_t, std::string>, uint32_t> known;
    for (uint32_t i : sorted_) {
      uint32_t frame = 0, from = kNone;
      for (const Edge& e : InputsOf(i)) {
        const uint32_t f = OutFrame(e.from);
        if (!IsWithin(frame, f) && !IsWithin(f, frame)) return OtherFrame(i, from, e.from);
        if (IsWithin(f, frame)) frame = f, from = e.from;
      }
      if (role(i) == OpRole::kEnter) {
        const std::string& text = g_.attrs(p_.nodes[i]).String("frame_name");
        auto [it, added] = known.try_emplace({frame, text}, Count(frames_.size()));
        if (added) frames_.push_back({.name = text, .parent = frame});
        frame = it->second;
      } else if ((role(i) == OpRole::kExit || role(i) == OpRole::kNextIteration) && !frame) {
        return InvalidArgument("node ", name(i), " (", g_.op(p_.nodes[i]).name,
                               ") is not inside a loop")
            .WithNode(name(i));
      }
      frame_[i] = frame;
    }
    for (const Edge& e : back_)
      if (frame_[e.from] != frame_[e.to]) return OtherFrame(e.to, e.to, e.from);
    return {};
  }

  // Finds the node that controls each loop. It is the LoopCond, or, if the LoopCond is in another
  // process, the Recv of its value, which controls the Switch of a loop variable.
  void FindConds() {
    is_cond_.assign(n_, false);
    std::vector<bool> known(frames_.size()), loops(n_);
    for (uint32_t i = 0; i < n_; ++i)
      if (role(i) == OpRole::kLoopCond) is_cond_[i] = known[frame_[i]] = true;
    for (const Edge& e : back_) loops[e.to] = true;
    for (uint32_t i = 0; i < n_; ++i) {
      if (role(i) != OpRole::kSwitch || !frame_[i] || known[frame_[i]]) continue;
      const auto in = InputsOf(i);
      if (in.size() < 2 || !loops[in[0].from] || role(in[1].from) != OpRole::kRecv) continue;
      is_cond_[in[1].from] = known[frame_[i]] = true;
    }
  }

  Status OtherFrame(uint32_t node, uint32_t a, uint32_t b) const {
    auto text = [&](uint32_t i) { return frames_[i == kNone ? 0 : OutFrame(i)].name; };
    return InvalidArgument("The node '", name(node),
                           "' has inputs from different frames. The input '",
                           name(a == kNone ? b : a), "' is in frame '", text(a), "'. The input '",
                           name(b), "' is in frame '", text(b), "'.")
        .WithNode(name(node));
  }

  Status CheckFetches() const {
    for (ValueId v : s_.fetches) {
      const uint32_t i = p_.position.Find(Index(g_.node_of(v)));
      if (i == kNone || p_.fed.Find(Index(v)) != kNone || OutFrame(i) == 0) continue;
      return InvalidArgument("'", g_.ValueName(v), "' is inside the loop '",
                             frames_[OutFrame(i)].name, "': it has a value in every iteration")
          .WithNode(name(i))
          .WithHint("fetch the result of the loop, its Exit");
    }
    return {};
  }

  // ---- guards ----

  // Returns the predicate of a Switch, traced back through LoopCond and Identity.
  Literal Decides(uint32_t switch_node) const {
    ValueId v = g_.input(p_.nodes[switch_node], 1);
    Literal l{Index(v), 0, false};
    while (p_.fed.Find(Index(v)) == kNone) {
      const uint32_t i = p_.position.Find(Index(g_.node_of(v)));
      if (is_cond_[i] && frames_[frame_[i]].usual) l.loop = frame_[i];
      const bool is_name = role(i) == OpRole::kLoopCond || role(i) == OpRole::kIdentity;
      if (!is_name) break;
      v = g_.input(p_.nodes[i], 0);
    }
    l.pred = Index(v);
    return l;
  }

  GuardId GuardOf(const Edge& e) {
    const LoopFrame& frame = frames_[frame_[e.from]];
    if (role(e.from) == OpRole::kEnter) return frame.usual ? kAlways : kUnclear;
    const GuardId guard = guard_[e.from];
    if (role(e.from) == OpRole::kRecv && e.output != kNone && !is_cond_[e.from])
      return guards_.And(guard, {Index(g_.output(p_.nodes[e.from], 0)) | kArrives, 0, true});
    if (role(e.from) != OpRole::kSwitch || e.output == kNone) return guard;
    Literal l = Decides(e.from);
    l.branch = e.output == 1;
    return frame.usual || !frame_[e.from] ? guards_.And(guard, l) : kUnclear;
  }

  GuardId AllOf(uint32_t i) {
    GuardId guard = kAlways;
    for (const Edge& e : InputsOf(i)) guard = guards_.And(guard, GuardOf(e));
    return guard;
  }

  // The guard of a Merge whose branches arrive from other processes. Which branch was taken is
  // known only within a step, so the output of the Merge is treated like an arrival.
  GuardId WhatArrives(uint32_t merge) {
    bool arrives = false;
    GuardId loops = kAlways;
    for (const Edge& e : InputsOf(merge)) {
      const GuardId guard = GuardOf(e);
      if (e.output == kNone) continue;
      if (guard == kUnclear) return kUnclear;
      arrives |= guards_.ArrivalPart(guard) != kAlways;
      loops = guards_.And(loops, guards_.LoopPart(guard));
    }
    if (!arrives) return kUnclear;
    return guards_.And(loops, {Index(g_.output(p_.nodes[merge], 0)) | kArrives, 0, true});
  }

  GuardId AnyOf(uint32_t merge) {
    GuardId either = kUnclear, waits = kAlways;
    bool first = true;
    for (const Edge& e : InputsOf(merge)) {
      const GuardId guard = GuardOf(e);
      if (e.output == kNone) {
        waits = guards_.And(waits, guard);
        continue;
      }
      either = first ? guard : guards_.Either(either, guard);
      first = false;
    }
    if (either == kUnclear) either = WhatArrives(merge);
    return guards_.And(either, waits);
  }

  void FindGuards() {
    guard_.assign(n_, kAlways);
    entry_.assign(frames_.size(), kAlways);
    std::vector<bool> loops(n_);
    for (const Edge& e : back_) loops[e.to] = true;
    for (uint32_t i : sorted_) {
      const LoopFrame& frame = frames_[frame_[i]];
      switch (role(i)) {
        case OpRole::kEnter:
          guard_[i] = AllOf(i);
          entry_[frame_[i]] = guards_.And(
              entry_[frame_[i]], IsConstant(i) ? guards_.ArrivalPart(guard_[i]) : guard_[i]);
          break;
        case OpRole::kExit:
          guard_[i] = frame.usual ? entry_[frame_[i]] : kUnclear;
          break;
        case OpRole::kMerge:
          guard_[i] = !loops[i] ? AnyOf(i) : frame.usual ? kAlways : kUnclear;
          break;
        case OpRole::kControlTrigger:
          guard_[i] = frame.usual ? guards_.LoopPart(AllOf(i)) : kUnclear;
          break;
        case OpRole::kLoopCond:  // every iteration that begins evaluates it
          guard_[i] = guards_.WithoutArrivals(AllOf(i));
          break;
        default:
          guard_[i] = AllOf(i);
      }
    }
  }

  bool IsConstant(uint32_t enter) const { return g_.attrs(p_.nodes[enter]).Bool("is_constant"); }

  // Returns 0 if the node runs before the LoopCond of its own loop is known, 1 if it runs only when
  // the LoopCond is true, 2 if only when it is false, and 3 for a contradiction.
  int ClassIn(GuardId guard, uint32_t frame) const {
    int found = 0;
    for (const Literal& l : guards_.Get(guard))
      if (l.loop == frame && frame) found |= l.branch ? 1 : 2;
    return found;
  }

  // Returns true if an Enter has a value whenever its loop runs. Either all Enters of a loop have a
  // value or the loop does not run. This held where the graph was cut, so an arriving value is not
  // required to carry the guard of its branch again.
  bool EntersWithLoop(uint32_t i) {
    const bool constant = IsConstant(i);
    const GuardId entry = entry_[frame_[i]], guard = guard_[i];
    const GuardId both =
        guards_.And(constant ? entry : guard, constant ? guard : guards_.ArrivalPart(entry));
    if (both == entry) return true;
    return guards_.ArrivalPart(constant ? entry : guard) != kAlways && guard != kUnclear &&
           entry != kUnclear;
  }

  bool IsUsual(uint32_t i) {
    if (role(i) == OpRole::kEnter) return EntersWithLoop(i);
    if (ClassIn(guard_[i], frame_[i]) == 3) return false;
    if (role(i) != OpRole::kExit) return true;
    return !InputsOf(i).empty() && IsJust(InputsOf(i)[0], frame_[i], false);
  }

  bool IsUsual(const Edge& e) const {
    const uint32_t frame = frame_[e.to];
    return frame_[e.from] != frame || role(e.from) == OpRole::kEnter ||
           role(e.to) == OpRole::kExit ||
           ClassIn(guard_[e.from], frame) <= ClassIn(guard_[e.to], frame);
  }

  // Returns true if the edge is the back edge of a loop variable with one Enter, and the value it
  // carries exists exactly when the loop continues.
  bool ClosesUsually(const Edge& e) {
    if (e.to >= n_ || InputsOf(e.to).empty() || g_.num_inputs(p_.nodes[e.to]) != 2) return false;
    const uint32_t enter = InputsOf(e.to)[0].from;
    return role(enter) == OpRole::kEnter && !IsConstant(enter) &&
           IsJust({e.from, e.to, 0}, frame_[e.from], true);
  }

  // Returns false if a loop turns out not to be usual. The guards must then be computed again.
  bool CheckUsual() {
    std::vector<bool> bad(frames_.size());
    std::vector<uint32_t> conds(frames_.size(), 0);
    for (uint32_t i = 0; i < n_; ++i) {
      if (is_cond_[i]) ++conds[frame_[i]], frames_[frame_[i]].cond = p_.nodes[i];
      if (!IsUsual(i)) bad[frame_[i]] = true;
    }
    for (const Edge& e : back_)
      if (!ClosesUsually(e)) bad[frame_[e.from]] = true;
    for (const Edge& e : edges_)
      if (!IsUsual(e)) bad[frame_[e.to]] = true;
    bool all = true;
    for (uint32_t f = 1; f < frames_.size(); ++f) {
      if (!frames_[f].usual || (!bad[f] && conds[f] == 1)) continue;
      frames_[f].usual = false;
      all = false;
    }
    return all;
  }

  // Returns true if the edge has a value exactly when the loop's LoopCond equals `branch`. A value
  // that arrives for the next iteration exists under the same condition as in the process that
  // sends it.
  bool IsJust(const Edge& e, uint32_t frame, bool branch) {
    const GuardId guard = GuardOf(e);
    if (guard == kUnclear) return false;
    bool just = false;
    for (const Literal& l : guards_.Get(guard)) {
      const bool arrives = branch && !l.loop && (l.pred & kArrives);
      if (!arrives && (l.loop != frame || l.branch != branch)) return false;
      just = true;
    }
    return just;
  }

  // ---- order ----

  // Returns the item for node i in `frame`: the node itself, or the inner loop that contains it.
  // Items below n are nodes; item n + f is frame f.
  uint32_t ItemIn(uint32_t i, uint32_t frame) const {
    uint32_t f = frame_[i], item = i;
    for (; f != frame; f = frames_[f].parent) item = n_ + f;
    return item;
  }
  bool IsEnd(uint32_t i) const { return role(i) == OpRole::kEnter || role(i) == OpRole::kExit; }

  Status Order() {
    const uint32_t items = n_ + Count(frames_.size());
    out_.assign(items, {});
    waiting_.assign(items, 0);
    for (const Edge& e : edges_) {
      uint32_t level = frame_[e.from];
      while (!IsWithin(frame_[e.to], level)) level = frames_[level].parent;
      const uint32_t from = ItemIn(e.from, level), to = ItemIn(e.to, level);
      if (from == to || (from < n_ && IsEnd(from)) || (to < n_ && IsEnd(to))) continue;
      out_[from].push_back(to);
      ++waiting_[to];
    }
    members_.assign(frames_.size(), {});
    first_.assign(frames_.size(), kNone);
    for (uint32_t i = 0; i < n_; ++i) {
      members_[frame_[i]].push_back(i);
      first_[frame_[i]] = std::min(first_[frame_[i]], i);
    }
    for (uint32_t f = 1; f < frames_.size(); ++f) members_[frames_[f].parent].push_back(n_ + f);
    return Emit(0);
  }

  struct Item {
    int order;
    uint32_t first, item;
    bool operator>(const Item& o) const {
      return std::tie(order, first) > std::tie(o.order, o.first);
    }
  };
  Item MakeItem(uint32_t item, uint32_t frame) const {
    const GuardId guard = item < n_ ? guard_[item] : entry_[item - n_];
    uint32_t first = item < n_ ? item : first_[item - n_];
    if (arrivals_ && item < n_ && ComesLast(item)) first += n_;
    // If TensorFlow cut the loop, the value for the next iteration is requested at the beginning of
    // this one. It arrives only after it is known that there will be a next iteration.
    const bool next = item < n_ && role(item) == OpRole::kNextIteration;
    const int order = next ? 1 : ClassIn(guard, frame);
    return {frames_[frame].usual ? order : 0, first, item};
  }

  // These nodes come last, so that waiting for a value that only they need does not delay other
  // nodes of the iteration.
  bool ComesLast(uint32_t i) const {
    return frame_[i] && (role(i) == OpRole::kNextIteration ||
                         (role(i) == OpRole::kSwitch && Decides(i).loop == frame_[i]));
  }

  Status Emit(uint32_t frame) {
    frames_[frame].begin = Count(order_.size());
    EmitEnds(frame, OpRole::kEnter);
    const uint32_t body = Count(order_.size());
    uint32_t starts[3] = {body, kNone, kNone};
    std::priority_queue<Item, std::vector<Item>, std::greater<>> ready;
    size_t left = 0;
    for (uint32_t item : members_[frame]) {
      if (item < n_ && IsEnd(item)) continue;
      ++left;
      if (!waiting_[item]) ready.push(MakeItem(item, frame));
    }
    while (!ready.empty()) {
      const Item next = ready.top();
      ready.pop();
      --left;
      if (starts[next.order] == kNone) starts[next.order] = Count(order_.size());
      if (next.item < n_)
        order_.push_back(next.item);
      else
        TENSH_RETURN_IF_ERROR(Emit(next.item - n_));
      for (uint32_t to : out_[next.item])
        if (--waiting_[to] == 0) ready.push(MakeItem(to, frame));
    }
    if (left)
      return Unimplemented("a loop inside '", frames_[frame].name, "' depends on its own result");
    LoopFrame& f = frames_[frame];
    f.body = body;
    f.exits = Count(order_.size());
    f.tail = starts[2] == kNone ? f.exits : starts[2];
    f.test = starts[1] == kNone ? f.tail : starts[1];
    EmitEnds(frame, OpRole::kExit);
    f.end = Count(order_.size());
    f.guarded = !f.usual || guards_.Branches(entry_[frame]);
    return {};
  }

  void EmitEnds(uint32_t frame, OpRole which) {
    for (uint32_t item : members_[frame])
      if (item < n_ && frame && role(item) == which) order_.push_back(item);
  }

  void Finish() {
    std::vector<NodeId> nodes;
    Flow& flow = p_.flow;
    for (uint32_t i : order_)  // Decides needs the old positions
      flow.loop_switch.push_back(role(i) == OpRole::kSwitch && frame_[i] &&
                                 Decides(i).loop == frame_[i]);
    for (uint32_t i : order_) {
      p_.position.Set(Index(p_.nodes[i]), Count(nodes.size()));
      nodes.push_back(p_.nodes[i]);
      flow.frame_of.push_back(frame_[i]);
      flow.guarded.push_back(guards_.Branches(guard_[i]));
      flow.role.push_back(role(i));
    }
    flow.frames = std::move(frames_);
    p_.nodes = std::move(nodes);
    p_.unused.assign(n_, false);  // a node on a branch also decides whether its successors run
  }

  const Graph& g_;
  const RunSignature& s_;
  Pruned& p_;
  const uint32_t n_;
  std::vector<OpRole> role_;
  bool arrivals_ = false;
  std::vector<bool> is_cond_;  // by position: the node decides about its loop
  std::vector<Edge> edges_, back_;
  std::vector<uint32_t> first_in_, sorted_, frame_, order_;
  std::vector<LoopFrame> frames_;
  Guards guards_;
  std::vector<GuardId> guard_, entry_;  // by position; by frame: the guard of its Enters
  std::vector<std::vector<uint32_t>> out_, members_;
  std::vector<uint32_t> waiting_, first_;
};

}  // namespace

bool IsLoopVariable(const Graph& graph, const Pruned& pruned, NodeId node) {
  const Flow& flow = pruned.flow;
  if (flow.role[pruned.position.Find(Index(node))] != OpRole::kMerge) return false;
  for (uint32_t i = 1; i < graph.num_inputs(node); ++i) {
    const uint32_t from = pruned.position.Find(Index(graph.node_of(graph.input(node, i))));
    if (from != UINT32_MAX && flow.role[from] == OpRole::kNextIteration) return true;
  }
  return false;
}

bool CarriesLoop(const Graph& graph, const Pruned& pruned, uint32_t position) {
  switch (pruned.flow.role[position]) {
    case OpRole::kEnter:
    case OpRole::kExit:
    case OpRole::kNextIteration:
      return true;
    case OpRole::kSwitch:
      return pruned.flow.loop_switch[position];
    case OpRole::kMerge:
      return IsLoopVariable(graph, pruned, pruned.nodes[position]);
    default:
      return false;
  }
}

bool IsSimpleLoop(const Graph& graph, const Pruned& pruned, uint32_t f) {
  const Flow& flow = pruned.flow;
  const LoopFrame& frame = flow.frames[f];
  bool simple = frame.usual && !frame.parent;
  for (uint32_t i = frame.begin; simple && i < frame.end; ++i) {
    const bool branches = flow.role[i] == OpRole::kSwitch && !flow.loop_switch[i],
               merges = flow.role[i] == OpRole::kMerge &&
                        !IsLoopVariable(graph, pruned, pruned.nodes[i]);
    simple = flow.frame_of[i] == f && !branches && !merges;
  }
  return simple;
}

Status OrderFlow(const Graph& graph, const RunSignature& signature, Pruned& pruned) {
  if (!pruned.has_flow) return {};
  return FlowFinder(graph, signature, pruned).Run();
}

}  // namespace tensh
