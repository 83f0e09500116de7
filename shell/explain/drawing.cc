#include "shell/explain/drawing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr double kLetter = 7.3, kSmallLetter = 6.2;  // the widths of letters of 12 and 10 pixels
constexpr double kNodeHeight = 38, kTitleHeight = 20, kTransferHeight = 20;
constexpr double kLeast = 64;  // the width of a box
// A letter of the name of a task, and the remark of drawing.js that the task does not answer.
constexpr double kTaskLetter = 8, kTaskRemark = 140;
constexpr size_t kMostLetters = 26, kMostNote = 30, kMostTensors = 4;
constexpr size_t kColours = 7;  // of devices
constexpr size_t kTensorsOfTip = 20, kLettersOfTime = 7;

// Makes one level: its items, and the edges between them.
class LevelMaker {
 public:
  LevelMaker(const GraphParts& parts, const TransferTimes& transfers, size_t level, DrawnLevel* out)
      : parts_(parts), report_(parts.report()), transfers_(transfers), level_(level), out_(*out) {}

  void Make() {
    const GraphPart& around = parts_.parts()[level_];
    out_.layout.lanes = level_ == 0 ? parts_.lanes().size() + 1 : 2;
    for (const size_t part : around.parts) AddPart(part);
    for (const size_t node : parts_.NodesIn(level_))
      for (const size_t wire : parts_.WiresOf(node)) AddWire(wire);
    AddTitles();
    LayOut(&out_.layout);
  }

 private:
  const GraphPart& Part(size_t part) const { return parts_.parts()[part]; }
  size_t AsideLane() const { return out_.layout.lanes - 1 - (HasPruned() ? 1 : 0); }
  bool HasPruned() const { return level_ == 0 && parts_.pruned_lane(); }
  // Auxiliary parts are set aside, unless everything around them is auxiliary.
  bool IsAside(size_t part) const {
    return Part(part).auxiliary && !Part(part).marked && !Part(Part(part).parent).auxiliary;
  }
  std::string TaskOfLane(size_t lane) const {
    return lane < AsideLane() ? TaskOfDevice(parts_.lanes()[lane]) : "";
  }
  bool IsPruned(const GraphPart& part) const {
    return parts_.pruned_lane() && part.lane + 1 == parts_.lanes().size();
  }
  size_t LaneOf(size_t part) const {
    if (HasPruned() && IsPruned(Part(part))) return out_.layout.lanes - 1;
    if (IsAside(part)) return AsideLane();
    return level_ == 0 ? Part(part).lane : 0;
  }

  size_t Add(DrawnItem item, double w, double h, size_t lane, Pin pin) {
    LayoutItem box;
    box.w = std::ceil(w), box.h = h, box.lane = lane, box.pin = pin;
    box.spread = item.kind == DrawnKind::kScope;
    out_.layout.items.push_back(box);
    out_.items.push_back(std::move(item));
    return out_.items.size() - 1;
  }
  static double Width(const DrawnItem& item) {
    return std::max({kLeast, static_cast<double>(TextWidth(item.label)) * kLetter + 18,
                     static_cast<double>(TextWidth(item.note)) * kSmallLetter + 18});
  }

  void AddPart(size_t p) {
    const GraphPart& part = Part(p);
    DrawnItem item;
    item.part = p, item.key = part.key, item.like = part.like;
    item.device = parts_.DeviceOf(part.lane);
    Pin pin = Pin::kNone;
    if (part.node != SIZE_MAX) {
      const ReportNode& node = report_.nodes[part.node];
      item.label = CutTo(Visible(part.label), kMostLetters);
      item.note = CutTo(Visible(node.op) + (node.type.empty() ? "" : " " + node.type), kMostNote);
      item.state = node.state == "runs" && node.op == "Placeholder" ? "input" : node.state;
      item.tip = Visible(node.name) + "\n" + Visible(node.op) + " " + node.type + "\n" +
                 node.state + (node.device.empty() ? "" : " on " + node.device);
      if (item.state == "fed" || item.state == "input") pin = Pin::kFirst;
      if (item.state == "fetch" || item.state == "target") pin = Pin::kLast;
      if (item.state == "fed") item.label = "◆ " + item.label;
      if (item.state == "fetch" || item.state == "target") item.label = "★ " + item.label;
    } else {
      item.kind = DrawnKind::kScope;
      item.label =
          "▸ " + CutTo(Visible(part.label), kMostLetters) + (part.scope.empty() ? "" : "/");
      if (part.marked) item.label += " ★";
      item.note = (part.loop ? "loop of " : "") + Count(static_cast<int64_t>(part.nodes), "node");
      if (level_ == 0 && IsAside(p) && !IsPruned(part) && parts_.lanes().size() > 1)
        item.note += " on " + BriefDevice(parts_.lanes()[part.lane]);
      item.tip = Visible(part.scope.empty() ? part.label : part.scope + "/") + "\n" + item.note +
                 "\nclick to open";
      if (part.like != 0)
        item.tip += std::string("\nall blocks ") + part.like + " have the same ops";
    }
    const double badge = part.like != 0 ? 18 : 0;
    const double width = Width(item) + badge;
    item_of_[p] = Add(std::move(item), width, kNodeHeight, LaneOf(p), pin);
  }

  // The two ends of a wire: the parts that lie directly in the innermost level around both.
  struct Ends {
    size_t from, to, level;
  };
  Ends EndsOf(const GraphWire& wire) const {
    const auto path = [&](size_t part) {
      std::vector<size_t> up;
      for (; part != kNoPart; part = Part(part).parent) up.push_back(part);
      return up;
    };
    const std::vector<size_t> from = path(parts_.PartOf(wire.from));
    const std::vector<size_t> to = path(parts_.PartOf(wire.to));
    size_t i = from.size() - 1, j = to.size() - 1;
    while (i > 0 && j > 0 && from[i - 1] == to[j - 1]) --i, --j;
    return {from[i - 1], to[j - 1], from[i]};
  }

  // Returns true if the wire joins the graph with parts that are set aside, or with nodes that do
  // not run: such wires are not drawn.
  bool IsHidden(const Ends& ends) const {
    return IsAside(ends.from) != IsAside(ends.to) ||
           IsPruned(Part(ends.from)) != IsPruned(Part(ends.to));
  }

  // Send and Recv nodes exist if the graph has been partitioned.
  bool IsSent(const Ends& ends) const {
    return ends.level == 0 && !report_.partitions.empty() &&
           Part(ends.from).lane != Part(ends.to).lane && !IsAside(ends.from);
  }

  void AddWire(size_t index) {
    const GraphWire& wire = parts_.wires()[index];
    if (!wires_.insert(index).second) return;
    const Ends ends = EndsOf(wire);
    if (IsHidden(ends)) return;
    const bool sent = IsSent(ends);
    const std::string device = parts_.lanes()[Part(ends.to).lane];
    const std::string send = sent ? "send " + Part(ends.from).key + " " + device : "";
    const std::string recv = sent ? "recv " + Part(ends.from).key + " " + device : "";
    if (ends.level == level_) {
      if (!sent) return Join(item_of_[ends.from], item_of_[ends.to], wire, IsCut(ends));
      const size_t from = Transfer(DrawnKind::kSend, send, ends, wire);
      const size_t to = Transfer(DrawnKind::kRecv, recv, ends, wire);
      Join(item_of_[ends.from], from, wire, false);
      Join(from, to, wire, true);
      return Join(to, item_of_[ends.to], wire, false);
    }
    const size_t inside_from = parts_.Within(parts_.PartOf(wire.from), level_);
    const size_t inside_to = parts_.Within(parts_.PartOf(wire.to), level_);
    if (inside_from != kNoPart && inside_to != kNoPart) return;  // It lies in a part of this level.
    // Inside of a level, parts that are set aside have no ports to what lies outside.
    if (inside_from != kNoPart) {
      if (!IsAside(inside_from))
        Join(item_of_[inside_from], Port(DrawnKind::kOut, sent ? send : Part(ends.to).key), wire,
             !sent && IsCut(ends));
    } else if (!IsAside(inside_to)) {
      Join(Port(DrawnKind::kIn, sent ? recv : Part(ends.from).key), item_of_[inside_to], wire,
           !sent && IsCut(ends));
    }
  }
  bool IsCut(const Ends& ends) const { return Part(ends.from).lane != Part(ends.to).lane; }

  // Of a Send, the bytes; of a Recv, the time from the Send to its end, if a step was measured.
  struct Sent {
    std::set<std::string> tensors;
    int64_t bytes = 0, ns = -1;
  };

  size_t Transfer(DrawnKind kind, const std::string& key, const Ends& ends, const GraphWire& wire) {
    const bool send = kind == DrawnKind::kSend;
    const std::string tensor = Visible(report_.nodes[wire.from].name);
    const std::string& to = parts_.lanes()[Part(ends.to).lane];
    auto at = others_.find({kind, key});
    if (at == others_.end()) {
      DrawnItem item;
      item.kind = kind, item.key = key;
      item.device = parts_.DeviceOf(Part(send ? ends.from : ends.to).lane);
      item.tip = send ? "Send to " + BriefDevice(to)
                      : "Recv from " + BriefDevice(parts_.lanes()[Part(ends.from).lane]);
      at =
          others_
              .emplace(std::pair{kind, key}, Add(std::move(item), 0, kTransferHeight,
                                                 Part(send ? ends.from : ends.to).lane, Pin::kNone))
              .first;
    }
    DrawnItem& item = out_.items[at->second];
    Sent& sent = sent_[at->second];
    if (!sent.tensors.insert(tensor).second) return at->second;
    sent.bytes += std::max<int64_t>(wire.bytes, 0);
    sent.ns = std::max(sent.ns, transfers_.Time(wire.tensor, to));
    if (sent.tensors.size() < kTensorsOfTip) item.tip += "\n" + tensor;
    const size_t count = sent.tensors.size();
    // The reading of a variable is called like the variable.
    const std::string named =
        tensor.ends_with("/read") ? tensor.substr(0, tensor.size() - 5) : tensor;
    const size_t slash = named.rfind('/');
    item.label = (send ? "Send " : "Recv ") +
                 (count > 1 ? "×" + std::to_string(count)
                            : CutTo(slash == named.npos ? named : named.substr(slash + 1), 14));
    if (send && sent.bytes > 0) item.label += " " + Bytes(sent.bytes);
    // The layout does not depend on how many digits a time has.
    const bool timed = !send && sent.ns >= 0;
    const size_t letters = TextWidth(item.label) + (timed ? 1 + kLettersOfTime : 0);
    if (timed) item.label += " " + Duration(static_cast<double>(sent.ns));
    out_.layout.items[at->second].w = std::ceil(static_cast<double>(letters) * kSmallLetter + 16);
    return at->second;
  }

  size_t Port(DrawnKind kind, const std::string& key) {
    const auto at = others_.find({kind, key});
    if (at != others_.end()) return at->second;
    DrawnItem item;
    item.kind = kind, item.key = key;
    const size_t index =
        Add(std::move(item), 2, 0, 0, kind == DrawnKind::kIn ? Pin::kTop : Pin::kBottom);
    others_[{kind, key}] = index;
    return index;
  }

  // Edges between the same items are one.
  void Join(size_t from, size_t to, const GraphWire& wire, bool cut) {
    if (from == to) return;
    const auto [at, added] = joined_.emplace(std::pair{from, to}, out_.edges.size());
    if (added) {
      LayoutEdge edge;
      edge.from = from, edge.to = to, edge.loop = wire.loop;
      out_.layout.edges.push_back(edge);
      out_.edges.push_back({wire.bytes, 1, wire.control, cut});
      if (!wire.tensor.empty()) out_.edges.back().tensors.push_back(wire.tensor);
      return;
    }
    LayoutEdge& edge = out_.layout.edges[at->second];
    edge.loop = edge.loop && wire.loop;
    edge.weight += 1;
    DrawnEdge& drawn = out_.edges[at->second];
    ++drawn.count;
    drawn.control = drawn.control && wire.control;
    if (!wire.tensor.empty() && drawn.tensors.size() < kMostTensors)
      drawn.tensors.push_back(wire.tensor);
    if (wire.bytes > 0) drawn.bytes = std::max<int64_t>(drawn.bytes, 0) + wire.bytes;
  }

  void AddTitles() {
    std::vector<bool> used(out_.layout.lanes, false);
    for (const LayoutItem& item : out_.layout.items) used[item.lane] = true;
    for (size_t lane = 0; lane < out_.layout.lanes; ++lane) {
      std::string title;
      if (lane == AsideLane())
        title = "set aside";
      else if (level_ != 0 && lane == 0)
        title = "▾ " + CutTo(Visible(Part(level_).label), kMostLetters);
      else if (HasPruned() && lane + 1 == out_.layout.lanes)
        title = "not run";
      else if (level_ == 0 && parts_.lanes().size() > 1)
        title = DeviceInTask(parts_.lanes()[lane]);
      if (title.empty() || (!used[lane] && (level_ == 0 || lane != 0))) continue;
      DrawnItem item;
      item.kind = DrawnKind::kTitle, item.label = title;
      item.key = "title " + std::to_string(lane);
      double width = static_cast<double>(TextWidth(title)) * kLetter + 12;
      const std::string task = level_ == 0 ? TaskOfLane(lane) : "";
      if (!task.empty())
        width = std::max(
            width, static_cast<double>(TextWidth(BriefTask(task))) * kTaskLetter + kTaskRemark);
      Add(std::move(item), width, kTitleHeight, lane, Pin::kHead);
    }
  }

  const GraphParts& parts_;
  const Report& report_;
  const TransferTimes& transfers_;
  const size_t level_;
  DrawnLevel& out_;
  std::map<size_t, size_t> item_of_;  // by part
  std::map<std::pair<DrawnKind, std::string>, size_t> others_;
  std::map<size_t, Sent> sent_;  // by item
  std::map<std::pair<size_t, size_t>, size_t> joined_;
  std::set<size_t> wires_;
};

std::string DeviceClass(size_t device) {
  return device == SIZE_MAX ? "" : "d" + std::to_string(device % kColours);
}

}  // namespace

std::string ClassOf(const DrawnItem& item) {
  constexpr const char* kClasses[] = {"node", "scope", "send", "recv", "", "", ""};
  std::string out = kClasses[static_cast<size_t>(item.kind)];
  if (!item.state.empty()) out += " " + item.state;
  if (item.device != SIZE_MAX) out += " " + DeviceClass(item.device);
  return out;
}

std::string ClassOf(const DrawnEdge& edge, bool up) {
  return up ? " up" : edge.cut ? " cut" : edge.control ? " control" : "";
}

bool IsRound(const DrawnItem& item) {
  return item.state == "fed" || item.state == "input" || item.kind == DrawnKind::kSend ||
         item.kind == DrawnKind::kRecv;
}

std::string TipOf(const DrawnEdge& edge) {
  std::string tip = edge.count > 1 ? std::to_string(edge.count) + " edges" : "";
  if (edge.bytes >= 0) tip += (tip.empty() ? "" : ", ") + Bytes(edge.bytes);
  return tip;
}

double EdgeWidth(const DrawnEdge& edge) {
  if (edge.control || edge.bytes <= 0) return 1;
  return std::min(7.0, 1.2 + std::log10(static_cast<double>(edge.bytes)) * 0.6);
}

Drawing::Drawing(std::shared_ptr<const Report> report)
    : report_(std::move(report)), parts_(*report_), transfers_(*report_) {}

TransferTimes::TransferTimes(const Report& report) {
  std::unordered_map<std::string, int64_t> sent;
  for (const bool receives : {false, true})
    for (const ReportEvent& event : report.events) {
      if (event.kind != (receives ? "recv" : "send")) continue;
      if (!receives) sent.emplace(event.tensor, event.start_ns);
      const auto at = sent.find(event.tensor);
      if (receives && at != sent.end() && event.end_ns >= at->second)
        times_.emplace(event.tensor + " " + event.device, event.end_ns - at->second);
    }
}

int64_t TransferTimes::Time(std::string_view tensor, std::string_view device) const {
  const auto at = times_.find(std::string(tensor) + " " + std::string(device));
  return at == times_.end() ? -1 : at->second;
}

const DrawnLevel& Drawing::Level(size_t part) {
  std::unique_ptr<DrawnLevel>& level = levels_[part];
  if (level == nullptr) {
    level = std::make_unique<DrawnLevel>();
    LevelMaker(parts_, transfers_, part, level.get()).Make();
  }
  return *level;
}

std::string Drawing::LaneClass(size_t part, size_t lane) const {
  const size_t lanes = parts_.lanes().size(), devices = lanes - (parts_.pruned_lane() ? 1 : 0);
  if (part != 0) return lane == 0 ? "" : "aside";
  if (lane >= devices) return "aside";
  if (lanes == 1) return "";
  const size_t device = parts_.DeviceOf(lane);
  return device == SIZE_MAX ? "unplaced" : DeviceClass(device);
}

std::string Drawing::LaneTask(size_t lane) const {
  const bool device = lane < parts_.lanes().size() - (parts_.pruned_lane() ? 1 : 0);
  return device ? TaskOfDevice(parts_.lanes()[lane]) : "";
}

std::vector<size_t> Drawing::PathTo(std::string_view name) const {
  size_t part = kNoPart;
  if (const size_t node = parts_.FindNode(name); node != SIZE_MAX) part = parts_.PartOf(node);
  if (part == kNoPart) part = parts_.Find(name);
  // With several devices, a scope has a part on each.
  const std::vector<size_t> scopes =
      part == kNoPart && !name.empty() ? parts_.ScopesNamed(name) : std::vector<size_t>();
  if (!scopes.empty()) part = scopes.front();
  std::vector<size_t> path;
  for (; part != kNoPart; part = parts_.parts()[part].parent) path.push_back(part);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace tensh::shell
