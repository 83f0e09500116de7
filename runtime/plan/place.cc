#include <numeric>

#include "runtime/plan/stages.h"

namespace tensh {
namespace {

std::string AvailableText(const DeviceMgr& devices) {
  std::string text;
  for (size_t i = 0; i < devices.size(); ++i) text += (i ? ", " : "") + devices[i].info().name;
  return text;
}

// Nodes that must share a device: a reference and what takes it, and what asks with _class
// loc:@name.
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
    out_.device.resize(n);
    out_.reason.resize(n, PlaceReason::kDefault);
    out_.detail.resize(n);
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
    return std::move(out_);
  }

 private:
  uint32_t Root(uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  // The earlier node becomes the root, so that the group's first node speaks for it.
  void Join(uint32_t a, uint32_t b) {
    a = Root(a), b = Root(b);
    if (a < b)
      parent_[b] = a;
    else
      parent_[a] = b;
  }

  void JoinColocated(uint32_t i) {
    NodeId node = p_.nodes[i];
    for (uint32_t k = 0; k < g_.num_inputs(node); ++k) {
      ValueId in = g_.input(node, k);
      if (!IsRef(g_.dtype(in))) continue;
      // A reader that asks for no device reads where the variable lives: a Send would take the
      // value before what the reader's control edges wait for.
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

  // What carries a loop (Enter, Merge, the Switches of its LoopCond, NextIteration, Exit) is in one
  // place, its home, and so is what asks for no device in its iterations. What asks is placed where it
  // asks. A loop of an unusual form, and one in a cluster, runs in one place.
  void JoinLoops() {
    const Flow& flow = p_.flow;
    const bool whole = SeveralTasks();
    for (uint32_t f = 1; f < flow.frames.size(); ++f) {
      const LoopFrame& frame = flow.frames[f];
      bool asks = false;
      for (uint32_t i = frame.begin; i < frame.end; ++i) {
        const bool own = flow.frame_of[i] == f, carries = own && Carries(i);
        asks |= carries && !g_.device(p_.nodes[i]).empty();
        if (whole || !frame.usual || carries || (own && StaysHome(i))) Join(frame.begin, i);
      }
      if (frame.parent && !asks && !options_.spread) Join(frame.begin, flow.frames[frame.parent].begin);
    }
  }

  bool StaysHome(uint32_t i) const {
    return g_.device(p_.nodes[i]).empty() && !options_.spread;
  }

  bool Carries(uint32_t i) const {
    const Flow& flow = p_.flow;
    switch (flow.kind[i]) {
      case FlowKind::kEnter:
      case FlowKind::kExit:
      case FlowKind::kNext:
      case FlowKind::kLoopCond:
        return true;
      case FlowKind::kSwitch:
        return flow.loop_switch[i];
      case FlowKind::kMerge:
        for (uint32_t k = 0; k < g_.num_inputs(p_.nodes[i]); ++k) {
          const uint32_t from = p_.position.Find(Index(g_.node_of(g_.input(p_.nodes[i], k))));
          if (from != UINT32_MAX && flow.kind[from] == FlowKind::kNext) return true;
        }
        return false;
      default:
        return false;
    }
  }

  // Where the loop is that a node's iterations belong to; UINT16_MAX: it is in none, or the loop's home
  // is not known yet.
  uint16_t HomeOf(uint32_t i) {
    const uint32_t f = p_.flow.empty() ? 0 : p_.flow.frame_of[i];
    if (!f || Root(p_.flow.frames[f].begin) == Root(i)) return UINT16_MAX;
    return placed_[Root(p_.flow.frames[f].begin)] ? out_.device[p_.flow.frames[f].begin]
                                                  : UINT16_MAX;
  }
  bool SeveralTasks() const {
    const DeviceName& a = devices_[0].name();
    for (size_t d = 1; d < devices_.size(); ++d) {
      const DeviceName& b = devices_[d].name();
      if (a.job != b.job || a.replica != b.replica || a.task != b.task) return true;
    }
    return false;
  }

  bool TakesRef(NodeId node, uint32_t input) const {
    const OpDef& op = g_.op(node);
    // Reference arguments are single tensors in every op there is, so positions agree up to them.
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

  // The node itself asks for this device.
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
      if (members.size() > 1 && m != members[0] && reason != PlaceReason::kKept &&
          !Asks(m, device)) {
        out_.reason[m] = PlaceReason::kColocated;
        out_.detail[m] = g_.name(p_.nodes[members[0]]);
      }
    }
  }

  Status PlaceGroup(const std::vector<uint32_t>& members) {
    if (options_.kept)
      for (uint32_t m : members)
        if (auto it = options_.kept->find(Index(p_.nodes[m])); it != options_.kept->end()) {
          Assign(members, it->second,
                 AskedText(members).empty() ? PlaceReason::kDefault : PlaceReason::kAsked,
                 AskedText(members));
          return {};
        }
    std::string asked = AskedText(members);
    if (asked.empty()) return PlaceAnywhere(members);
    TENSH_ASSIGN(DeviceName wanted, DeviceName::Parse(asked));
    bool exists = false;
    const uint16_t home = HomeOf(members[0]);
    for (size_t k = 0; k < devices_.size(); ++k) {
      const size_t d = home == UINT16_MAX ? k : k == 0 ? home : k <= home ? k - 1 : k;
      if (!wanted.Matches(devices_[d].name())) continue;
      exists = true;
      if (!AllHaveKernels(members, d)) continue;
      Assign(members, static_cast<uint16_t>(d), PlaceReason::kAsked, asked);
      return {};
    }
    if (!options_.allow_soft_placement) return CannotPlace(members, asked, exists);
    TENSH_RETURN_IF_ERROR(PlaceAnywhere(members));
    for (uint32_t m : members) {
      out_.reason[m] = PlaceReason::kAskedNotGot;
      out_.detail[m] =
          StrCat("asked ", asked, exists ? ": no kernel there" : ": there is no such device");
    }
    return {};
  }

  // The device the group's members ask for, merged: the first that asks.
  std::string AskedText(const std::vector<uint32_t>& members) const {
    for (uint32_t m : members)
      if (!g_.device(p_.nodes[m]).empty()) return std::string(g_.device(p_.nodes[m]));
    return "";
  }

  Status PlaceAnywhere(const std::vector<uint32_t>& members) {
    const uint16_t home = HomeOf(members[0]);
    const size_t first =
        options_.spread ? members[0] % devices_.size() : home == UINT16_MAX ? 0 : home;
    for (size_t k = 0; k < devices_.size(); ++k) {
      const size_t d = (first + k) % devices_.size();
      if (!AllHaveKernels(members, d)) continue;
      Assign(members, static_cast<uint16_t>(d),
             k == 0 ? PlaceReason::kDefault : PlaceReason::kOnlyKernel, "");
      return {};
    }
    NodeId node = p_.nodes[members[0]];
    return InvalidArgument("No OpKernel was registered to support Op '", g_.op(node).name,
                           "' used by node ", g_.name(node),
                           " with these attrs: its types have no kernel on ",
                           AvailableText(devices_))
        .WithNode(g_.name(node));
  }

  // "w asks for /gpu:0; with it have to be w/Assign, w/read": what was asked, and who is bound to it.
  std::string Chain(const std::vector<uint32_t>& members, const std::string& asked) const {
    if (members.size() < 2) return "";
    constexpr size_t kNamed = 4;
    std::string asks, bound;
    size_t n_bound = 0;
    for (uint32_t m : members) {
      const bool speaks = asks.empty() && g_.device(p_.nodes[m]) == asked;
      if (speaks) asks = StrCat(g_.name(p_.nodes[m]), " asks for ", asked);
      if (speaks || ++n_bound > kNamed) continue;
      bound += StrCat(bound.empty() ? "" : ", ", g_.name(p_.nodes[m]));
    }
    return StrCat(asks, "; with it, for a reference or its _class, ", n_bound > 1 ? "have" : "has",
                  " to be ", bound, n_bound > kNamed ? StrCat(" and ", n_bound - kNamed, " more") : "",
                  ". ");
  }

  Status CannotPlace(const std::vector<uint32_t>& members, const std::string& asked,
                     bool exists) const {
    // The one that asks is the one to move.
    uint32_t member = members[0];
    for (size_t i = members.size(); i-- > 0;)
      if (g_.device(p_.nodes[members[i]]) == asked) member = members[i];
    size_t feasible = 0;
    while (feasible + 1 < devices_.size() && !AllHaveKernels(members, feasible)) ++feasible;
    NodeId node = p_.nodes[member];
    Status status =
        exists ? InvalidArgument("Cannot assign a device for operation ", g_.name(node),
                                 ": no kernel of ", g_.op(node).name, " runs on ", asked)
               : InvalidArgument(
                     "Cannot assign a device for operation ", g_.name(node), ": node ",
                     g_.name(node), " (", g_.op(node).name, ") was explicitly assigned to ", asked,
                     " but available devices are [ ", AvailableText(devices_),
                     " ]. Make sure the device specification refers to a valid device.");
    return std::move(status)
        .WithHint(StrCat(Chain(members, asked), "place it where there is one (place ", g_.name(node),
                         " on ", devices_[feasible].name().ShortString(),
                         "), or let it move: tf.ConfigProto(allow_soft_placement=True)"))
        .WithNode(g_.name(node));
  }

  void PlaceFeeds() {
    for (ValueId feed : s_.feeds) {
      NodeId node = g_.node_of(feed);
      uint16_t device = 0;
      if (auto name = DeviceName::Parse(g_.device(node)); name.ok() && !name->empty())
        for (size_t d = devices_.size(); d-- > 0;)
          if (name->Matches(devices_[d].name())) device = static_cast<uint16_t>(d);
      out_.feed_device.push_back(device);
    }
  }

  const Graph& g_;
  const RunSignature& s_;
  const Pruned& p_;
  const DeviceMgr& devices_;
  const PlaceOptions& options_;
  std::vector<uint32_t> parent_, groups_;
  std::vector<bool> placed_;  // by root
  Placement out_;
};

}  // namespace

std::string_view ReasonText(PlaceReason reason) {
  switch (reason) {
    case PlaceReason::kAsked:
      return "asked";
    case PlaceReason::kAskedNotGot:
      return "asked≠got";
    case PlaceReason::kOnlyKernel:
      return "only kernel";
    case PlaceReason::kColocated:
      return "colocated";
    case PlaceReason::kFedHere:
      return "feed arrives here";
    case PlaceReason::kDefault:
      return "default";
    case PlaceReason::kKept:
      return "kept";
  }
  return "";
}

Result<Placement> Place(const Graph& graph, const RunSignature& signature, const Pruned& pruned,
                        const DeviceMgr& devices, const PlaceOptions& options) {
  return Placer(graph, signature, pruned, devices, options).Run();
}

}  // namespace tensh
