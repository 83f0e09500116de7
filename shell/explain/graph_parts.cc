#include "shell/explain/graph_parts.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "runtime/base/text.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kSmallestScope = 3;  // Smaller scopes are replaced by their nodes.
constexpr size_t kMostParts = 48;     // of a level; more are grouped
constexpr size_t kSeries = 6;         // Similar names from this number on become a group.
constexpr size_t kFewNodes = 12;      // In a smaller graph nothing is set aside.
constexpr int kDeepest = 32;
constexpr std::string_view kUnplaced = "no device requested";
constexpr char kLikes[] = "ABCDEFGHIJKLMNOP";

std::string_view ScopeOf(std::string_view name) {
  size_t end = 0;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const size_t slash = name.find('/', end == 0 ? 0 : end + 1);
    if (slash == name.npos) break;
    end = slash;
  }
  return name.substr(0, end);
}

// Returns "add" for "add_12" and "layer" for "layer3".
std::string_view Stem(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

std::string_view NodeOfInput(std::string_view input) {
  if (!input.empty() && input[0] == '^') input.remove_prefix(1);
  return input.substr(0, input.rfind(':'));
}

bool IsAuxiliary(const ReportNode& node) {
  const std::string_view name = node.name, op = node.op;
  const std::string_view first = name.substr(0, name.find('/'));
  if (Stem(first) == "gradients" || Stem(first) == "save") return true;
  for (const char* part : {"/Initializer/", "/IsInitialized/", "/initial_value"})
    if (name.find(part) != name.npos) return true;
  for (const char* begin : {"Apply", "ResourceApply", "SparseApply", "Save", "Restore"})
    if (op.starts_with(begin)) return true;
  return op.ends_with("Summary") || op.ends_with("SummaryV2") ||
         (op.starts_with("Assign") && Stem(name).ends_with("/Assign"));
}

}  // namespace

std::string TaskOfDevice(std::string_view device) {
  const size_t job = device.find('/', 1), task = device.find("/task:");
  if (!device.starts_with("/job:") || job == device.npos || task == device.npos) return "";
  const size_t end = device.find('/', task + 1);
  return std::string(device.substr(0, job)) + std::string(device.substr(task, end - task));
}

std::string DeviceInTask(std::string_view device) {
  if (TaskOfDevice(device).empty()) return std::string(device);
  const size_t end = device.find('/', device.find("/task:") + 1);
  if (end == device.npos) return "any device";
  constexpr std::string_view kDevice = "device:";
  std::string_view rest = device.substr(end + 1);
  if (rest.starts_with(kDevice)) rest.remove_prefix(kDevice.size());
  return AsciiLower(rest);
}

std::string BriefTask(std::string task) {
  constexpr std::string_view kJob = "/job:", kTask = "/task:";
  if (const size_t at = task.find(kTask); at != task.npos) task.replace(at, kTask.size(), ":");
  return task.starts_with(kJob) ? task.substr(kJob.size()) : task;
}

std::string BriefDevice(std::string_view device) {
  const std::string task = TaskOfDevice(device);
  return task.empty() ? std::string(device) : BriefTask(task) + " " + DeviceInTask(device);
}

int64_t TypeBytes(std::string_view type) {
  struct Size {
    const char* name;
    int64_t bytes;
  };
  constexpr Size kSizes[] = {{"f32", 4}, {"f64", 8},  {"i32", 4},  {"i64", 8}, {"f16", 2},
                             {"u8", 1},  {"bool", 1}, {"bf16", 2}, {"i8", 1},  {"i16", 2},
                             {"u16", 2}, {"u32", 4},  {"u64", 8},  {"c64", 8}, {"c128", 16}};
  const size_t open = type.find('[');
  if (open == type.npos) return -1;
  std::string_view dtype = type.substr(0, open);
  if (dtype.ends_with('&')) dtype.remove_suffix(1);
  int64_t bytes = -1;
  for (const Size& size : kSizes)
    if (dtype == size.name) bytes = size.bytes;
  for (size_t at = open; bytes > 0 && at != type.npos; at = type.find(',', at + 1)) {
    int64_t extent = 1;
    const auto [end, error] =
        std::from_chars(type.data() + at + 1, type.data() + type.size(), extent);
    if (error == std::errc() && extent >= 0 && __builtin_mul_overflow(bytes, extent, &bytes))
      bytes = INT64_MAX;
  }
  return bytes;
}

GraphParts::GraphParts(const Report& report) : report_(report) {
  for (size_t n = 0; n < report.nodes.size(); ++n) by_name_.emplace(report.nodes[n].name, n);
  MakeLanes();
  MakeWires();
  MarkAuxiliary();
  MakeTree();
  Finish();
  FindLikes();
}

void GraphParts::MakeLanes() {
  for (const ReportPartition& partition : report_.partitions) lanes_.push_back(partition.device);
  bool pruned = false;
  for (const ReportNode& node : report_.nodes) {
    if (node.state == "pruned")
      pruned = true;
    else if (std::find(lanes_.begin(), lanes_.end(), node.device) == lanes_.end())
      lanes_.push_back(node.device);
  }
  // The devices of a task are neighbours.
  const auto order = [](const std::string& device) {
    const std::string task = TaskOfDevice(device), rest = DeviceInTask(device);
    return std::tuple(task.size(), task, rest.size(), rest);
  };
  std::sort(lanes_.begin(), lanes_.end(),
            [&](const std::string& a, const std::string& b) { return order(a) < order(b); });
  const auto unplaced = std::find(lanes_.begin(), lanes_.end(), kUnplaced);
  if (unplaced != lanes_.end()) std::rotate(lanes_.begin(), unplaced, unplaced + 1);
  if (pruned) lanes_.push_back("not run");
  pruned_lane_ = pruned;
  if (lanes_.empty()) lanes_.emplace_back();
  std::unordered_map<std::string_view, size_t> index;
  for (size_t lane = 0; lane < lanes_.size(); ++lane) index.emplace(lanes_[lane], lane);
  for (const ReportNode& node : report_.nodes)
    lane_of_.push_back(node.state == "pruned" ? lanes_.size() - 1 : index[node.device]);
}

size_t GraphParts::DeviceOf(size_t lane) const {
  const bool unplaced = lanes_[0] == kUnplaced;
  if (lane >= lanes_.size() - (pruned_lane_ ? 1 : 0) || (unplaced && lane == 0)) return SIZE_MAX;
  return lane - (unplaced ? 1 : 0);
}

void GraphParts::MakeWires() {
  wires_of_.resize(report_.nodes.size());
  std::unordered_map<std::string_view, int64_t> moved;
  for (const ReportTransfer& transfer : report_.transfers)
    moved.emplace(transfer.tensor, transfer.bytes);
  for (size_t n = 0; n < report_.nodes.size(); ++n) {
    const ReportNode& node = report_.nodes[n];
    if (node.state == "fed") continue;
    for (const std::string& input : node.inputs) {
      const auto from = by_name_.find(NodeOfInput(input));
      if (from == by_name_.end() || from->second == n) continue;
      const ReportNode& source = report_.nodes[from->second];
      GraphWire wire{.from = from->second, .to = n, .control = input[0] == '^'};
      const auto bytes = moved.find(input);
      if (!wire.control) {
        wire.bytes = bytes != moved.end() ? bytes->second : TypeBytes(source.type);
        wire.tensor = input;
      }
      wire.loop = source.op == "NextIteration";
      wires_.push_back(wire);
    }
  }
  for (size_t w = 0; w < wires_.size(); ++w) {
    wires_of_[wires_[w].from].push_back(w);
    wires_of_[wires_[w].to].push_back(w);
  }
}

// Nodes that only such nodes use, and that use only such nodes, are auxiliary as well: the constants
// of an optimizer, the node that groups the initialisers.
void GraphParts::MarkAuxiliary() {
  const size_t n = report_.nodes.size();
  auxiliary_.assign(n, false);
  if (n <= kFewNodes) return;
  const auto kept = [&](size_t i) {
    const ReportNode& node = report_.nodes[i];
    return node.state == "fed" || node.state == "fetch" || node.state == "target" ||
           node.op == "Placeholder";
  };
  for (size_t i = 0; i < n; ++i) auxiliary_[i] = !kept(i) && IsAuxiliary(report_.nodes[i]);
  const std::vector<bool> computed = FromInputs(kept);
  for (int round = 0; round < 4; ++round) {
    for (size_t k = 0; k < n; ++k) {
      const size_t i = round % 2 == 0 ? n - 1 - k : k;
      if (!auxiliary_[i] && !kept(i)) auxiliary_[i] = ServesAuxiliary(i, computed);
    }
  }
}

// Returns for each node whether it depends on a kept node, such as a placeholder. Returns nothing if
// there is no kept node, because a graph without inputs is not about its inputs.
std::vector<bool> GraphParts::FromInputs(const std::function<bool(size_t)>& kept) const {
  std::vector<bool> from(report_.nodes.size(), false);
  std::vector<size_t> next;
  for (size_t i = 0; i < from.size(); ++i)
    if (kept(i)) next.push_back(i);
  if (next.empty()) return {};
  for (const size_t i : next) from[i] = true;
  while (!next.empty()) {
    const size_t i = next.back();
    next.pop_back();
    for (const size_t w : wires_of_[i]) {
      const size_t to = wires_[w].to;
      if (wires_[w].from != i || wires_[w].control || from[to]) continue;
      from[to] = true;
      next.push_back(to);
    }
  }
  return from;
}

// Returns true if only auxiliary nodes use the node, and it uses only auxiliary nodes or, as the
// variables of an optimizer, does not depend on the inputs of the graph.
bool GraphParts::ServesAuxiliary(size_t node, const std::vector<bool>& computed) const {
  bool inputs = true, users = true, any = false, has_users = false;
  for (const size_t w : wires_of_[node]) {
    const bool leaves = wires_[w].from == node;
    const size_t other = leaves ? wires_[w].to : wires_[w].from;
    // The reading of a variable that nobody uses says nothing.
    if (leaves && !auxiliary_[other] && report_.nodes[other].name.ends_with("/read") &&
        wires_of_[other].size() == 1)
      continue;
    (leaves ? users : inputs) &= auxiliary_[other];
    any = true;
    has_users |= leaves;
  }
  const bool apart = has_users && !computed.empty() && !computed[node];
  return any && users && (inputs || apart);
}

std::string GraphParts::LaneKey(size_t lane) const {
  return lanes_.size() == 1 ? "" : lanes_[lane] + "|";
}

size_t GraphParts::ScopePart(size_t lane, std::string_view scope) {
  if (scope.empty()) return 0;
  const std::string key = LaneKey(lane) + std::string(scope) + "/";
  const auto at = by_key_.find(key);
  if (at != by_key_.end()) return at->second;
  const size_t slash = scope.rfind('/');
  const size_t parent =
      ScopePart(lane, slash == scope.npos ? std::string_view() : scope.substr(0, slash));
  const size_t id = parts_.size();
  by_key_.emplace(key, id);
  GraphPart part;
  part.key = key, part.scope = scope, part.parent = parent, part.lane = lane;
  part.label = slash == scope.npos ? scope : scope.substr(slash + 1);
  parts_.push_back(std::move(part));
  parts_[parent].parts.push_back(id);
  return id;
}

void GraphParts::MakeTree() {
  parts_.emplace_back();
  part_of_.resize(report_.nodes.size());
  for (size_t n = 0; n < report_.nodes.size(); ++n) {
    const std::string_view name = report_.nodes[n].name;
    const std::string_view scope = ScopeOf(name);
    const size_t parent = ScopePart(lane_of_[n], scope);
    part_of_[n] = parts_.size();
    GraphPart part;
    part.key = LaneKey(lane_of_[n]) + std::string(name);
    part.label = name.substr(scope.empty() ? 0 : scope.size() + 1);
    part.parent = parent, part.node = n, part.lane = lane_of_[n], part.nodes = 1;
    by_key_.emplace(part.key, parts_.size());
    parts_[parent].parts.push_back(parts_.size());
    parts_.push_back(std::move(part));
  }
  // A node with the name of a scope lies in the scope.
  for (size_t n = 0; n < report_.nodes.size(); ++n) {
    const size_t part = part_of_[n];
    const auto scope = by_key_.find(parts_[part].key + "/");
    if (scope == by_key_.end()) continue;
    std::erase(parts_[parts_[part].parent].parts, part);
    parts_[part].parent = scope->second;
    auto& parts = parts_[scope->second].parts;
    parts.insert(parts.begin(), part);
  }
  for (size_t p = parts_.size(); p-- > 1;)
    if (parts_[p].node == SIZE_MAX)
      for (const size_t inner : parts_[p].parts) parts_[p].nodes += parts_[inner].nodes;
  Tidy(0);
  Group(0);
}

// Replaces small scopes by their nodes, and a scope that contains only a scope by that one.
void GraphParts::Tidy(size_t part) {
  std::vector<size_t> kept;
  const std::vector<size_t> before = parts_[part].parts;
  for (size_t inner : before) {
    std::string label = parts_[inner].label;
    while (parts_[inner].node == SIZE_MAX && parts_[inner].parts.size() == 1 &&
           parts_[parts_[inner].parts[0]].node == SIZE_MAX) {
      inner = parts_[inner].parts[0];
      label += "/" + parts_[inner].label;
    }
    parts_[inner].label = label;
    parts_[inner].parent = part;
    if (parts_[inner].node != SIZE_MAX) {
      kept.push_back(inner);
      continue;
    }
    Tidy(inner);
    if (parts_[inner].nodes >= kSmallestScope) {
      kept.push_back(inner);
      continue;
    }
    for (const size_t each : parts_[inner].parts) {
      const bool own = report_.nodes[parts_[each].node].name == parts_[inner].scope;
      if (own)
        parts_[each].label = parts_[inner].label;
      else
        parts_[each].label = parts_[inner].label + "/" + parts_[each].label;
      parts_[each].parent = part;
      kept.push_back(each);
    }
  }
  parts_[part].parts = std::move(kept);
}

// Returns the beginning of the key of a group: the key of a part of a device names the device.
std::string GraphParts::GroupKey(size_t parent, size_t inner) const {
  return parent == 0 ? LaneKey(parts_[inner].lane) : parts_[parent].key;
}

size_t GraphParts::AddGroup(size_t parent, std::string key, std::string label,
                            std::vector<size_t> parts) {
  const size_t id = parts_.size();
  GraphPart group;
  group.key = std::move(key), group.label = std::move(label), group.parent = parent;
  group.lane = parts_[parts[0]].lane;
  for (const size_t part : parts) {
    parts_[part].parent = id;
    group.nodes += parts_[part].nodes;
  }
  group.parts = std::move(parts);
  by_key_.emplace(group.key, id);
  parts_.push_back(std::move(group));
  return id;
}

// Makes groups of a level with too many parts: first series of similar names, then stretches.
void GraphParts::Group(size_t part) {
  if (parts_[part].parts.size() > kMostParts) {
    std::map<std::pair<size_t, std::string>, std::vector<size_t>> series;
    for (const size_t inner : parts_[part].parts)
      series[{parts_[inner].lane, std::string(Stem(parts_[inner].label))}].push_back(inner);
    std::vector<size_t> kept;
    const std::vector<size_t> all = parts_[part].parts;
    for (const size_t inner : all) {
      const std::string stem(Stem(parts_[inner].label));
      const std::vector<size_t>& same = series[{parts_[inner].lane, stem}];
      if (same.size() < kSeries || same.size() == all.size())
        kept.push_back(inner);
      else if (same[0] == inner)
        kept.push_back(AddGroup(part, GroupKey(part, inner) + stem + "*",
                                stem + " ×" + std::to_string(same.size()), same));
    }
    parts_[part].parts = std::move(kept);
  }
  Chunk(part);
  const std::vector<size_t> inner = parts_[part].parts;
  for (const size_t each : inner)
    if (parts_[each].node == SIZE_MAX) Group(each);
}

void GraphParts::Chunk(size_t part) {
  if (parts_[part].parts.size() <= kMostParts + kMostParts / 2) return;
  std::vector<size_t> kept;
  std::map<size_t, std::vector<size_t>> by_lane;
  for (const size_t inner : parts_[part].parts) by_lane[parts_[inner].lane].push_back(inner);
  for (const auto& each : by_lane) {
    const std::vector<size_t>& parts = each.second;
    size_t size = kMostParts;
    while (parts.size() / size > kMostParts) size *= kMostParts;
    for (size_t begin = 0; begin < parts.size(); begin += size) {
      const size_t end = std::min(parts.size(), begin + size);
      const std::string first = parts_[parts[begin]].label, last = parts_[parts[end - 1]].label;
      kept.push_back(AddGroup(part, GroupKey(part, parts[begin]) + "#" + std::to_string(begin),
                              first + " … " + last,
                              {parts.begin() + static_cast<std::ptrdiff_t>(begin),
                               parts.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
  }
  parts_[part].parts = std::move(kept);
}

// Fills what follows from the nodes of each part.
void GraphParts::Finish() {
  const std::function<void(size_t)> visit = [&](size_t p) {
    GraphPart& part = parts_[p];
    part.shown = true;
    if (part.node != SIZE_MAX) {
      const ReportNode& node = report_.nodes[part.node];
      part.auxiliary = auxiliary_[part.node];
      part.marked = node.state == "fetch" || node.state == "target";
      return;
    }
    part.auxiliary = !part.parts.empty();
    part.nodes = 0;
    for (const size_t inner : part.parts) {
      visit(inner);
      part.auxiliary &= parts_[inner].auxiliary;
      part.marked |= parts_[inner].marked;
      part.nodes += parts_[inner].nodes;
    }
  };
  visit(0);
  parts_[0].auxiliary = false;
  for (size_t n = 0; n < report_.nodes.size(); ++n) {
    const std::string& loop = report_.nodes[n].loop;
    if (loop.empty()) continue;
    const auto at = by_key_.find(LaneKey(lane_of_[n]) + loop + "/");
    if (at != by_key_.end()) parts_[at->second].loop = true;
  }
}

// Scopes are alike if their nodes have the same names, but for numbers, and the same ops.
void GraphParts::FindLikes() {
  std::map<std::pair<size_t, size_t>, std::vector<size_t>> alike;
  std::vector<size_t> hashes(parts_.size(), 0);
  const std::function<void(size_t)> visit = [&](size_t p) {
    const GraphPart& part = parts_[p];
    if (part.node != SIZE_MAX) {
      hashes[p] = std::hash<std::string_view>()(report_.nodes[part.node].op) * 31 + 7;
      return;
    }
    for (const size_t inner : part.parts) {
      visit(inner);
      hashes[p] += hashes[inner] * 0x9E3779B97F4A7C15u + (hashes[inner] >> 29);
    }
    if (p != 0 && !part.scope.empty() && !part.auxiliary && part.nodes > kSmallestScope)
      alike[{part.nodes, hashes[p]}].push_back(p);
  };
  visit(0);
  size_t letter = 0;
  for (auto at = alike.rbegin(); at != alike.rend() && letter + 1 < sizeof(kLikes); ++at) {
    if (at->second.size() < 2) continue;
    for (const size_t part : at->second) parts_[part].like = kLikes[letter];
    ++letter;
  }
}

size_t GraphParts::Find(std::string_view key) const {
  if (key.empty()) return 0;
  const auto at = by_key_.find(std::string(key));
  return at == by_key_.end() || !parts_[at->second].shown ? kNoPart : at->second;
}

std::vector<size_t> GraphParts::ScopesNamed(std::string_view scope) const {
  const auto within = [](std::string_view name, std::string_view around) {
    return name == around ||
           (name.size() > around.size() && name.starts_with(around) && name[around.size()] == '/');
  };
  std::vector<size_t> found;
  for (size_t p = 1; p < parts_.size(); ++p) {
    const GraphPart& part = parts_[p];
    // A scope that contains only another one is shown as that one.
    if (part.shown && !part.scope.empty() && within(part.scope, scope) &&
        !within(parts_[part.parent].scope, scope))
      found.push_back(p);
  }
  return found;
}

size_t GraphParts::FindNode(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? SIZE_MAX : at->second;
}

size_t GraphParts::Within(size_t part, size_t level) const {
  while (part != kNoPart && parts_[part].parent != level) part = parts_[part].parent;
  return part;
}

std::vector<size_t> GraphParts::NodesIn(size_t part) const {
  std::vector<size_t> nodes, stack{part};
  while (!stack.empty()) {
    const GraphPart& at = parts_[stack.back()];
    stack.pop_back();
    if (at.node != SIZE_MAX) nodes.push_back(at.node);
    stack.insert(stack.end(), at.parts.begin(), at.parts.end());
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<size_t> GraphParts::OpenAtFirst(size_t budget) const {
  std::vector<size_t> open, level{0}, next;
  size_t boxes = parts_[0].parts.size();
  for (; !level.empty(); level = std::move(next)) {
    next.clear();
    for (const size_t p : level) {
      for (const size_t inner : parts_[p].parts) {
        const GraphPart& part = parts_[inner];
        if (part.node != SIZE_MAX || (part.auxiliary && !part.marked)) continue;
        if (pruned_lane_ && part.lane + 1 == lanes_.size()) continue;
        if (boxes + part.parts.size() > budget) continue;
        boxes += part.parts.size();
        open.push_back(inner);
        next.push_back(inner);
      }
    }
  }
  return open;
}

}  // namespace tensh::shell
