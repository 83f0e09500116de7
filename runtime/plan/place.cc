#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "runtime/core/absent_kernels.h"
#include "runtime/graph/unknown_op.h"
#include "runtime/plan/stages.h"

namespace tensh {
namespace {

std::string AvailableText(const DeviceMgr& devices) {
  std::string text;
  for (size_t i = 0; i < devices.size(); ++i) text += (i ? ", " : "") + devices[i].info().name;
  return text;
}

// Assigns a device to every node. Nodes form colocation groups: a reference edge joins its two
// ends, and `_class: loc:@name` joins a node to the named one.
class Placer {
 public:
  Placer(const Graph& graph, const RunSignature& signature, const Pruned& pruned,
         const DeviceMgr& devices, const PlaceOptions& options)
      : g_(graph),
        s_(signature),
        p_(pruned),
        devices_(devices),
        options_(options),
        parent_(pruned.nodes.size()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  Result<Placement> Run() {
    size_t n = p_.nodes.size();
    for (uint32_t i = 0; i < n; ++i)
      if (IsUnknown(g_.op(p_.nodes[i]))) return UnknownOp(i);
    out_.device.resize(n);
    out_.reason.resize(n, PlaceReason::kDefault);
    out_.detail.resize(n);
    FindPreferred();
    tasks_ = SeveralTasks();
    for (uint32_t i = 0; i < n; ++i) JoinColocated(i);
    JoinLoops();
    for (uint32_t i = 0; i < n; ++i)
      if (Root(i) == i) groups_.push_back(i);
    std::vector<std::vector<uint32_t>> members(n);
    for (uint32_t i = 0; i < n; ++i) members[Root(i)].push_back(i);
    placed_.resize(n);
    for (uint32_t root : groups_) {
      TENSH_RETURN_IF_ERROR(PlaceGroup(members[root]));
      placed_[root] = true;
    }
    PlaceFeeds();
    if (devices_.size() > 1) {
      FollowConsumers(members);
      FollowInputs();
    }
    return std::move(out_);
  }

 private:
  uint32_t Root(uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  // The earlier node becomes the root, so that the first node of a group represents it.
  void Join(uint32_t a, uint32_t b) {
    a = Root(a), b = Root(b);
    if (a < b)
      parent_[b] = a;
    else
      parent_[a] = b;
  }

  // The message begins like TensorFlow's, and names the fetches and targets that need the node.
  Status UnknownOp(uint32_t at) const {
    constexpr size_t kNamed = 4;
    IdMap needs;
    std::string used;  // the first output of the node that is needed
    const auto depends = [&](NodeId node) { return needs.Find(Index(node)) != UINT32_MAX; };
    needs.Insert(Index(p_.nodes[at]), 0);
    for (size_t i = at; i < p_.nodes.size(); ++i) {
      const NodeId node = p_.nodes[i];
      bool any = false;
      for (uint32_t k = 0; k < g_.num_inputs(node); ++k)
        if (const ValueId v = g_.input(node, k); p_.fed.Find(Index(v)) == UINT32_MAX) {
          any |= depends(g_.node_of(v));
          if (used.empty() && g_.node_of(v) == p_.nodes[at]) used = g_.ValueName(v);
        }
      for (uint32_t k = 0; k < g_.num_controls(node); ++k) any |= depends(g_.control(node, k));
      if (any) needs.Insert(Index(node), 0);
    }
    std::vector<std::string> blocked;
    for (ValueId v : s_.fetches)
      if (depends(g_.node_of(v))) blocked.push_back(g_.ValueName(v));
    for (NodeId node : s_.targets)
      if (depends(node)) blocked.emplace_back(g_.name(node));
    std::string text;
    for (size_t i = 0; i < std::min(blocked.size(), kNamed); ++i)
      text += (i ? ", " : "") + blocked[i];
    if (blocked.size() > kNamed) text += StrCat(" and ", blocked.size() - kNamed, " more");
    const NodeId node = p_.nodes[at];
    return NotFound("Op type not registered '", g_.op(node).name, "': tensh does not have the op ",
                    "of node '", g_.name(node), "', on which ", text, " depend",
                    blocked.size() == 1 ? "s" : "")
        .WithNode(g_.name(node))
        .WithHint(used.empty() || blocked.empty() ? std::string()
                                                  : StrCat("give its result instead: eval ",
                                                           blocked[0], " feed ", used, "=VALUE"));
  }

  // Lists GPUs before CPUs. As in TensorFlow, a node that requests no device runs on a GPU if its
  // op has a kernel there.
  void FindPreferred() {
    for (size_t d = 0; d < devices_.size(); ++d)
      if (devices_[d].info().type != "CPU") preferred_.push_back(d);
    has_gpu_ = !preferred_.empty();
    for (size_t d = 0; d < devices_.size(); ++d)
      if (devices_[d].info().type == "CPU") preferred_.push_back(d);
  }

  void JoinColocated(uint32_t i) {
    NodeId node = p_.nodes[i];
    for (uint32_t k = 0; k < g_.num_inputs(node); ++k) {
      ValueId in = g_.input(node, k);
      // A resource lies in the memory of one device and in one process, so the users of its handle
      // run where it is created.
      if ((has_gpu_ || tasks_) && g_.dtype(in) == DType::kResource) JoinProducer(i, k);
      if (!IsRef(g_.dtype(in))) continue;
      // A reader that requests no device runs on the variable's device. A Send would read the
      // variable too early: before the nodes that the reader's control edges wait for.
      if (!TakesRef(node, k) && !g_.device(node).empty()) continue;
      uint32_t producer = p_.position.Find(Index(g_.node_of(in)));
      if (producer != UINT32_MAX && p_.fed.Find(Index(in)) == UINT32_MAX) Join(i, producer);
    }
    const AttrValue* classes = g_.attrs(node).Find("_class");
    const auto* list = classes ? classes->Find<AttrValue::Strings>() : nullptr;
    if (!list) return;
    for (const std::string& entry : *list) {
      if (entry.rfind("loc:@", 0) != 0) continue;
      NodeId other = g_.Find(std::string_view(entry).substr(5));
      uint32_t position = other == kNoNode ? UINT32_MAX : p_.position.Find(Index(other));
      if (position != UINT32_MAX) Join(i, position);
    }
  }

  // The nodes that carry a loop (Enter, Merge, the Switches of its LoopCond, NextIteration, Exit)
  // share a device, the loop's home. Nodes of an iteration that request no device run there too.
  // Nodes that request a device get it, and nodes that bring a variable into the loop run on the
  // device of the variable.
  //
  // A loop that is not usual runs on one device. So does a loop with branches or loops in or around
  // it if a task has several devices, because a task runs its part of such a loop by tokens
  // (dataflow.h), on one device.
  void JoinLoops() {
    const Flow& flow = p_.flow;
    if (flow.frames.size() < 2) return;  // frames[0] is not a loop
    const bool whole_unless_simple = tasks_ && SeveralDevicesOfATask();
    for (uint32_t f = 1; f < flow.frames.size(); ++f) {
      const LoopFrame& frame = flow.frames[f];
      bool asks = false;
      const bool simple = !frame.guarded && IsSimpleLoop(g_, p_, f);
      const bool whole = !frame.usual || (whole_unless_simple && !simple);
      for (uint32_t i = frame.begin; i < frame.end; ++i) {
        const bool own = flow.frame_of[i] == f, carries = own && Carries(i) && !IsOfVariable(i);
        asks |= carries && !g_.device(p_.nodes[i]).empty();
        if (whole || carries || (own && StaysHome(i))) Join(frame.begin, i);
      }
      if (frame.parent && !asks && !options_.spread)
        Join(frame.begin, flow.frames[frame.parent].begin);
    }
  }

  bool StaysHome(uint32_t i) const {
    return g_.device(p_.nodes[i]).empty() && !options_.spread && !IsOfVariable(i);
  }

  // Returns true if the node is placed with the loop that it carries. A LoopCond is placed with the
  // nodes of its loop.
  bool Carries(uint32_t i) const {
    return p_.flow.role[i] == OpRole::kLoopCond || CarriesLoop(g_, p_, i);
  }

  // Returns the home of the loop that node i belongs to, or UINT16_MAX if the node is in no loop or
  // the home is not known yet.
  uint16_t HomeOf(uint32_t i) {
    const uint32_t f = p_.flow.empty() ? 0 : p_.flow.frame_of[i];
    if (!f || Root(p_.flow.frames[f].begin) == Root(i)) return UINT16_MAX;
    return placed_[Root(p_.flow.frames[f].begin)] ? out_.device[p_.flow.frames[f].begin]
                                                  : UINT16_MAX;
  }

  static bool SameTask(const DeviceName& a, const DeviceName& b) {
    return a.job == b.job && a.replica == b.replica && a.task == b.task;
  }
  bool SeveralTasks() const {
    for (size_t d = 1; d < devices_.size(); ++d)
      if (!SameTask(devices_[0].name(), devices_[d].name())) return true;
    return false;
  }
  bool SeveralDevicesOfATask() const {
    for (size_t a = 0; a < devices_.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        if (SameTask(devices_[a].name(), devices_[b].name())) return true;
    return false;
  }
  // Returns true if the run has several tasks and the node takes or returns a reference or a
  // handle. Such a node runs in the process of the variable (JoinColocated), not in that of the
  // loop.
  bool IsOfVariable(uint32_t i) const {
    if (!tasks_) return false;
    const NodeId node = p_.nodes[i];
    const auto is = [&](ValueId v) {
      return IsRef(g_.dtype(v)) || g_.dtype(v) == DType::kResource;
    };
    bool any = false;
    for (uint32_t k = 0; k < g_.num_inputs(node); ++k) any |= is(g_.input(node, k));
    for (uint32_t k = 0; k < g_.num_outputs(node); ++k) any |= is(g_.output(node, k));
    return any;
  }
  void JoinProducer(uint32_t i, uint32_t input = 0) {
    const ValueId in = g_.input(p_.nodes[i], input);
    const uint32_t producer = p_.position.Find(Index(g_.node_of(in)));
    if (producer != UINT32_MAX && p_.fed.Find(Index(in)) == UINT32_MAX) Join(i, producer);
  }
  bool TakesRef(NodeId node, uint32_t input) const {
    const OpDef& op = g_.op(node);
    // In all ops, arguments up to the last reference are single tensors, so inputs and arguments
    // have the same positions.
    return input < op.inputs.size() && op.inputs[input].is_ref;
  }

  bool HasKernel(NodeId node, size_t device) const {
    return g_.op(node).FindKernel(devices_[device].info().type, g_.attrs(node)) != nullptr;
  }

  bool AllHaveKernels(const std::vector<uint32_t>& members, size_t device) const {
    for (uint32_t m : members)
      if (!HasKernel(p_.nodes[m], device)) return false;
    return true;
  }

  // Returns a sentence about the first member without a kernel on a device, if its plug-in knows one.
  std::string WhyNotOn(const std::vector<uint32_t>& members, size_t device) const {
    for (uint32_t m : members)
      if (!HasKernel(p_.nodes[m], device))
        return WhyNoKernel(devices_[device].info().type, g_.op(p_.nodes[m]).name);
    return "";
  }

  // Returns true if the node itself requests this device.
  bool Asks(uint32_t i, uint16_t device) const {
    if (g_.device(p_.nodes[i]).empty()) return false;
    auto wanted = DeviceName::Parse(g_.device(p_.nodes[i]));
    return wanted.ok() && wanted->Matches(devices_[device].name());
  }

  void Assign(const std::vector<uint32_t>& members, uint16_t device, PlaceReason reason,
              const std::string& detail) {
    for (uint32_t m : members) {
      out_.device[m] = device;
      out_.reason[m] = reason;
      out_.detail[m] = detail;
      if (members.size() > 1 && m != members[0] && !Asks(m, device)) {
        out_.reason[m] = PlaceReason::kColocated;
        out_.detail[m] = g_.name(p_.nodes[members[0]]);
      }
    }
  }

  // Places a group where an earlier plan put one of its members. Returns false if no member was
  // placed before, or if that device lacks a kernel for another member.
  bool PlaceWhereKept(const std::vector<uint32_t>& members) {
    if (!options_.kept) return false;
    for (uint32_t kept : members) {
      const auto at = options_.kept->find(Index(p_.nodes[kept]));
      if (at == options_.kept->end() || !AllHaveKernels(members, at->second)) continue;
      for (uint32_t m : members) {
        out_.device[m] = at->second;
        const bool asks = Asks(m, at->second);
        out_.reason[m] = asks        ? PlaceReason::kAsked
                         : m == kept ? PlaceReason::kKept
                                     : PlaceReason::kColocated;
        out_.detail[m] = asks ? g_.device(p_.nodes[m]) : m == kept ? "" : g_.name(p_.nodes[kept]);
      }
      return true;
    }
    return false;
  }

  Status PlaceGroup(const std::vector<uint32_t>& members) {
    if (PlaceWhereKept(members)) return {};
    std::string asked = AskedText(members);
    if (asked.empty()) return PlaceAnywhere(members);
    TENSH_ASSIGN(DeviceName wanted, DeviceName::Parse(asked));
    bool exists = false;
    std::string why;
    const uint16_t home = HomeOf(members[0]);
    for (size_t k = 0; k < devices_.size(); ++k) {
      const size_t d = home == UINT16_MAX ? k : k == 0 ? home : k <= home ? k - 1 : k;
      if (!wanted.Matches(devices_[d].name())) continue;
      exists = true;
      if (!AllHaveKernels(members, d)) {
        if (why.empty()) why = WhyNotOn(members, d);
        continue;
      }
      Assign(members, static_cast<uint16_t>(d), PlaceReason::kAsked, asked);
      return {};
    }
    if (!options_.allow_soft_placement) return CannotPlace(members, asked, exists, why);
    TENSH_RETURN_IF_ERROR(PlaceAnywhere(members));
    for (uint32_t m : members) {
      out_.reason[m] = PlaceReason::kAskedNotGot;
      out_.detail[m] = StrCat(asked, exists ? " has no kernel for it" : " does not exist",
                              why.empty() ? "" : ": ", why);
    }
    return {};
  }

  // Returns the device that the first member with a request asks for, or "".
  std::string AskedText(const std::vector<uint32_t>& members) const {
    for (uint32_t m : members)
      if (!g_.device(p_.nodes[m]).empty()) return std::string(g_.device(p_.nodes[m]));
    return "";
  }

  size_t Rank(size_t device) const {
    return static_cast<size_t>(std::find(preferred_.begin(), preferred_.end(), device) -
                               preferred_.begin());
  }

  Status PlaceAnywhere(const std::vector<uint32_t>& members) {
    const uint16_t home = HomeOf(members[0]);
    const size_t first = options_.spread               ? members[0] % devices_.size()
                         : home != UINT16_MAX          ? Rank(home)
                         : options_.home != UINT16_MAX ? Rank(options_.home)
                                                       : 0;
    for (size_t k = 0; k < devices_.size(); ++k) {
      const size_t d = preferred_[(first + k) % devices_.size()];
      if (!AllHaveKernels(members, d)) continue;
      if (k == 0)
        Assign(members, static_cast<uint16_t>(d), PlaceReason::kDefault, "");
      else
        Assign(members, static_cast<uint16_t>(d), PlaceReason::kOnlyKernel,
               WhyNotOn(members, preferred_[first % devices_.size()]));
      return {};
    }
    NodeId node = p_.nodes[members[0]];
    return InvalidArgument("No OpKernel was registered to support Op '", g_.op(node).name,
                           "' used by node ", g_.name(node),
                           " with these attrs: its types have no kernel on ",
                           AvailableText(devices_))
        .WithReason(Reason::kNoKernel)
        .WithNode(g_.name(node));
  }

  // Returns a sentence that names the member with the request and the members bound to it, or "".
  std::string Chain(const std::vector<uint32_t>& members, const std::string& asked) const {
    if (members.size() < 2) return "";
    constexpr size_t kNamed = 4;
    std::string asks, bound;
    size_t n_bound = 0;
    for (uint32_t m : members) {
      const bool speaks = asks.empty() && g_.device(p_.nodes[m]) == asked;
      if (speaks) asks = StrCat("node ", g_.name(p_.nodes[m]), " requests ", asked);
      if (speaks || ++n_bound > kNamed) continue;
      bound += StrCat(bound.empty() ? "" : ", ", g_.name(p_.nodes[m]));
    }
    return StrCat(asks, ", and ", bound,
                  n_bound > kNamed ? StrCat(" and ", n_bound - kNamed, " more") : "",
                  " must be on the same device, because of a reference or a _class. ");
  }

  Status CannotPlace(const std::vector<uint32_t>& members, const std::string& asked, bool exists,
                     const std::string& why) const {
    // The hint moves the member that requested the device.
    uint32_t member = members[0];
    for (size_t i = members.size(); i-- > 0;)
      if (g_.device(p_.nodes[members[i]]) == asked) member = members[i];
    size_t feasible = 0;
    while (feasible + 1 < devices_.size() && !AllHaveKernels(members, feasible)) ++feasible;
    NodeId node = p_.nodes[member];
    Status status =
        exists ? InvalidArgument("Cannot assign a device for operation ", g_.name(node),
                                 ": no kernel of ", g_.op(node).name, " runs on ", asked,
                                 why.empty() ? "" : ". ", why)
               : InvalidArgument(
                     "Cannot assign a device for operation ", g_.name(node), ": node ",
                     g_.name(node), " (", g_.op(node).name, ") was explicitly assigned to ", asked,
                     " but available devices are [ ", AvailableText(devices_),
                     " ]. Make sure the device specification refers to a valid device.");
    const std::string chain = Chain(members, asked);
    return std::move(status)
        .WithReason(Reason::kNoDevice)
        .WithHint(StrCat(chain, chain.empty() ? "place" : "Place", " it where there is one (place ",
                         g_.name(node), " on ", devices_[feasible].name().ShortString(),
                         "), or let it move: tf.ConfigProto(allow_soft_placement=True)"))
        .WithNode(g_.name(node));
  }

  // Feeds arrive from the client on the first device of the task that the fed node requests. In a
  // function body they are the arguments.
  void PlaceFeeds() {
    if (options_.home != UINT16_MAX) {
      out_.feed_device.assign(s_.feeds.size(), options_.home);
      return;
    }
    for (ValueId feed : s_.feeds) {
      NodeId node = g_.node_of(feed);
      uint16_t device = 0;
      auto name = DeviceName::Parse(g_.device(node));
      if (name.ok() && !name->empty()) {
        name->type.clear(), name->id = -1;
        for (size_t d = devices_.size(); d-- > 0;)
          if (name->Matches(devices_[d].name())) device = static_cast<uint16_t>(d);
      }
      out_.feed_device.push_back(device);
    }
  }

  // The device of a consumer that does not run: the first one that matches its request.
  uint16_t FirstMatching(std::string_view request) const {
    const auto name = DeviceName::Parse(request);
    for (uint16_t d = 0; name.ok() && !name->empty() && d < devices_.size(); ++d)
      if (name->Matches(devices_[d].name())) return d;
    return 0;
  }

  // A node that may move to the device of its consumers.
  struct Movable {
    static constexpr uint32_t kNobody = UINT32_MAX, kSeveral = UINT32_MAX - 1;
    uint32_t device = kNobody;                   // the device of the consumers seen so far
    std::vector<ConsumerIndex::Request> inside;  // requests of the consumers that run

    void Take(uint16_t d) { device = device == kNobody || device == d ? d : kSeveral; }
    uint32_t EdgesInside(std::string_view request) const {
      for (const auto& [device_name, edges] : inside)
        if (device_name == request) return edges;
      return 0;
    }
  };
  using Movables = std::unordered_map<uint32_t, Movable>;  // by node

  // Nodes without inputs that request no device and share it with no other node.
  Movables FindMovables(const std::vector<std::vector<uint32_t>>& members) {
    Movables found;
    for (uint32_t i = 0; i < p_.nodes.size(); ++i) {
      const NodeId node = p_.nodes[i];
      const bool alone = members[Root(i)].size() == 1 && out_.reason[i] == PlaceReason::kDefault;
      if (!alone || g_.num_inputs(node) > 0 || g_.num_outputs(node) != 1) continue;
      if (!g_.device(node).empty() || IsRef(g_.dtype(g_.output(node, 0)))) continue;
      found.try_emplace(Index(node));
    }
    return found;
  }

  void TakeConsumersThatRun(Movables& movables) const {
    for (uint32_t i = 0; i < p_.nodes.size(); ++i) {
      const NodeId node = p_.nodes[i];
      const auto take = [&](NodeId producer) {
        const auto at = movables.find(Index(producer));
        if (at == movables.end()) return;
        at->second.Take(out_.device[i]);
        auto& inside = at->second.inside;
        const auto same = [&](const auto& r) { return r.device == g_.device(node); };
        const auto known = std::find_if(inside.begin(), inside.end(), same);
        if (known != inside.end())
          ++known->edges;
        else
          inside.push_back({g_.device(node), 1});
      };
      for (uint32_t k = 0; k < g_.num_inputs(node); ++k) take(g_.node_of(g_.input(node, k)));
      for (uint32_t k = 0; k < g_.num_controls(node); ++k) take(g_.control(node, k));
    }
  }

  // A node without inputs that requests no device goes to its consumers if all of them are on one
  // device. Consumers that do not run count as well, as in TensorFlow, whose placer sees the whole
  // graph. The index of consumers avoids a walk over the graph.
  void FollowConsumers(const std::vector<std::vector<uint32_t>>& members) {
    if (options_.spread) return;
    Movables movables = FindMovables(members);
    TakeConsumersThatRun(movables);
    std::erase_if(movables, [&](const auto& each) {
      return each.second.device >= devices_.size() ||
             each.second.device == out_.device[p_.position.Find(each.first)];
    });
    if (movables.empty()) return;
    ConsumerIndex own;
    ConsumerIndex& consumers = options_.consumers ? *options_.consumers : own;
    consumers.Update(g_);
    for (auto& [index, movable] : movables) {
      const NodeId node{index};
      for (const ConsumerIndex::Request& request : consumers.Of(node))
        if (request.edges > movable.EdgesInside(request.device))
          movable.Take(FirstMatching(request.device));
      if (movable.device >= devices_.size() || !HasKernel(node, movable.device)) continue;
      const uint32_t i = p_.position.Find(index);
      out_.device[i] = static_cast<uint16_t>(movable.device);
      out_.reason[i] = PlaceReason::kFollowsConsumer;
    }
  }

  // Places the Switch of a conditional on the device of its data, even if it requests another one,
  // so that a value on a branch not taken is not sent.
  void FollowInputs() {
    const Flow& flow = p_.flow;
    for (uint32_t i = 0; i < p_.nodes.size() && !flow.empty(); ++i) {
      if (flow.role[i] != OpRole::kSwitch || flow.frame_of[i] != 0) continue;
      const ValueId data = g_.input(p_.nodes[i], 0);
      const uint32_t feed = p_.fed.Find(Index(data));
      const uint32_t from = p_.position.Find(Index(g_.node_of(data)));
      if (IsRef(g_.dtype(data))) continue;
      const uint16_t device = feed != UINT32_MAX ? out_.feed_device[feed] : out_.device[from];
      if (device == out_.device[i] || !HasKernel(p_.nodes[i], device)) continue;
      out_.device[i] = device;
      out_.reason[i] = PlaceReason::kFollowsInput;
      out_.detail[i].clear();
    }
  }

  const Graph& g_;
  const RunSignature& s_;
  const Pruned& p_;
  const DeviceMgr& devices_;
  const PlaceOptions& options_;
  std::vector<uint32_t> parent_, groups_;
  std::vector<size_t> preferred_;  // devices in order of preference
  bool has_gpu_ = false, tasks_ = false;
  std::vector<bool> placed_;  // by root: the group has a device
  Placement out_;
};

}  // namespace

std::string ReasonText(PlaceReason reason, std::string_view detail) {
  switch (reason) {
    case PlaceReason::kAsked:
      return "asked";
    case PlaceReason::kAskedNotGot:
      return "asked≠got";
    case PlaceReason::kOnlyKernel:
      return "only kernel";
    case PlaceReason::kColocated:
      return detail.empty() ? "colocated" : StrCat("colocated with ", detail);
    case PlaceReason::kFedHere:
      return "feed arrives here";
    case PlaceReason::kDefault:
      return "default";
    case PlaceReason::kKept:
      return "kept";
    case PlaceReason::kFollowsInput:
      return "follows input";
    case PlaceReason::kFollowsConsumer:
      return "follows consumer";
  }
  return "";
}

Result<Placement> Place(const Graph& graph, const RunSignature& signature, const Pruned& pruned,
                        const DeviceMgr& devices, const PlaceOptions& options) {
  return Placer(graph, signature, pruned, devices, options).Run();
}

}  // namespace tensh
