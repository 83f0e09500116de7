// Stage 4 of `explain`: the partitions and the Send/Recv pairs between them.
#include <algorithm>
#include <map>
#include <span>

#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxListed = 20;
constexpr size_t kWideNeeds = 70;
constexpr size_t kLongestName = 24, kShortestName = 8;

// A Send/Recv pair between the devices `left` and `right`, drawn in its direction.
struct Wire {
  std::string left_node, right_node, label;
  bool forward = true;
};

std::string Producer(const std::string& tensor) { return tensor.substr(0, tensor.rfind(':')); }

// Returns the pairs between two devices. Their names are shortened to `longest` columns.
std::vector<Wire> MakeWires(const std::vector<const ReportTransfer*>& transfers,
                            const std::string& left, size_t longest) {
  std::vector<std::string> from, to, tensors;
  for (const ReportTransfer* transfer : transfers) {
    from.push_back(Visible(Producer(transfer->tensor)));
    to.push_back(Visible(Join(transfer->consumers, ", ")));
    tensors.push_back(Visible(transfer->tensor));
  }
  ShortenNames(longest, &from);
  ShortenNames(longest, &to);
  ShortenNames(longest, &tensors);
  size_t tensor_width = 6;
  for (const std::string& tensor : tensors)
    tensor_width = std::max(tensor_width, TextWidth(tensor));
  std::vector<Wire> wires;
  for (size_t i = 0; i < transfers.size(); ++i) {
    Wire wire;
    wire.forward = transfers[i]->from == left;
    wire.left_node = wire.forward ? from[i] : to[i];
    wire.right_node = wire.forward ? to[i] : from[i];
    wire.label = PadTo(tensors[i], tensor_width) + " " + PadLeft(Bytes(transfers[i]->bytes), 5);
    wires.push_back(std::move(wire));
  }
  return wires;
}

std::string PaintDevice(const std::string& device, const Palette& palette) {
  return palette.Paint(DeviceRole(device), device);
}

// Draws all pairs between two devices, aligned. The first row begins and ends with the names of the
// devices.
std::string DrawWires(const std::vector<Wire>& wires, const std::string& left,
                      const std::string& right, const Palette& palette) {
  size_t left_width = 0, label_width = 0, right_width = 0;
  for (const Wire& wire : wires) {
    left_width = std::max(left_width, TextWidth(wire.left_node));
    label_width = std::max(label_width, TextWidth(wire.label));
    right_width = std::max(right_width, TextWidth(wire.right_node));
  }
  std::string out;
  for (const Wire& wire : wires) {
    const bool first = &wire == wires.data();
    const std::string label = PadTo(wire.label, label_width);
    std::string line = "   " + PadTo(first ? PaintDevice(left, palette) : "", TextWidth(left)) +
                       "  " + PadLeft(wire.left_node, left_width);
    const auto cut = [&](const char* text) { return palette.Paint(Role::kCut, text); };
    line += wire.forward
                ? " ──▶ Send " + cut("═══") + " " + label + " " + cut("══▶") + " Recv ──▶ "
                : " ◀── Recv " + cut("◀══") + " " + label + " " + cut("═══") + " Send ◀── ";
    line += first ? PadTo(wire.right_node, right_width) + "  " + PaintDevice(right, palette)
                  : wire.right_node;
    out += line + "\n";
  }
  return out;
}

std::string DrawNarrow(const std::vector<const ReportTransfer*>& transfers,
                       const Palette& palette) {
  std::string out;
  for (const ReportTransfer* transfer : transfers) {
    out += "   " + PaintDevice(transfer->from, palette) + " " + palette.Paint(Role::kCut, "→") +
           " " + PaintDevice(transfer->to, palette) + "  " + Visible(transfer->tensor) + "  " +
           Bytes(transfer->bytes) + "  → " + Visible(Join(transfer->consumers, ", ")) + "\n";
  }
  return out;
}

std::string DrawByPair(std::vector<const ReportTransfer*> transfers, const ViewOptions& options) {
  std::string out;
  while (!transfers.empty()) {
    const std::string left = std::min(transfers[0]->from, transfers[0]->to);
    const std::string right = std::max(transfers[0]->from, transfers[0]->to);
    std::vector<const ReportTransfer*> pair, rest;
    for (const ReportTransfer* transfer : transfers) {
      const bool here = std::min(transfer->from, transfer->to) == left &&
                        std::max(transfer->from, transfer->to) == right;
      (here ? pair : rest).push_back(transfer);
    }
    std::string wires;
    for (size_t longest = kLongestName; longest >= kShortestName; --longest) {
      wires = DrawWires(MakeWires(pair, left, longest), left, right, options.palette);
      if (options.width == 0 || TextWidth(wires.substr(0, wires.find('\n'))) <= options.width)
        break;
    }
    out += wires;
    transfers = std::move(rest);
  }
  return out;
}

// Returns "mul, add and tanh". Of more than `most` names, leaves out some.
constexpr size_t kMostNames = 6;
std::string NamesText(std::span<const std::string> nodes, size_t most = kMostNames) {
  std::string out;
  const size_t n = nodes.size();
  for (size_t i = 0; i < n; ++i) {
    if (n > most && i == most - 2) {
      out += ", … (" + Digits(static_cast<int64_t>(n - most + 1)) + " more) and " +
             Visible(nodes.back());
      break;
    }
    out += (i == 0 ? "" : i + 1 < n ? ", " : " and ") + Visible(nodes[i]);
  }
  return out;
}

// Returns "mul, add and tanh in one pass over their elements", or "bias and relu with each part of
// conv".
std::string FusedText(const ReportFused& fused) {
  const std::span<const std::string> nodes = fused.nodes;
  std::string out = fused.in_parts && !nodes.empty()
                        ? NamesText(nodes.subspan(1)) + " with each part of " + Visible(nodes[0])
                        : NamesText(nodes) + " in one pass over their elements";
  if (fused.from_elements) out += ", from " + Count(fused.from_elements, "element") + " on";
  return out;
}

// Returns "runs 3 branches at once: p and q; r; s".
std::string BranchesText(const ReportBranches& branches, bool all) {
  constexpr size_t kMostBranches = 8, kMostOfBranch = 3;
  const size_t n = branches.nodes.size();
  const std::string count = Digits(static_cast<int64_t>(n)) + " branches";
  std::string out = branches.way == "at once"   ? "runs " + count + " at once: "
                    : branches.way == "in turn" ? "runs " + count + " in turn, which was faster: "
                                                : "measures " + count + " in turn and at once: ";
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) out += "; ";
    if (!all && i == kMostBranches && n > kMostBranches + 1)
      return out + "… (" + Digits(static_cast<int64_t>(n - i)) + " more)";
    out += NamesText(branches.nodes[i], all ? SIZE_MAX : kMostOfBranch);
  }
  return out;
}

// Returns "takes mul for mul_1: the same op, attributes and inputs".
std::string MergedText(const ReportMerged& merged) {
  const std::string first = ":0";
  std::string with = merged.with;
  if (with.ends_with(first)) with.resize(with.size() - first.size());
  if (merged.why == "flag")
    return "leaves out " + Visible(merged.node) + ": " + Visible(with) + " transposes its input";
  return "takes " + Visible(with) + " for " + Visible(merged.node) +
         (merged.why == "same"     ? ": the same op, attributes and inputs"
          : merged.why == "passes" ? ", which passes it on"
                                   : ", which is its transpose and back");
}

// Returns what the optimizer did in one partition, one line for each kernel that makes several nodes and for
// each node that is merged with another one. Nodes that pass on their input are one line unless
// `all` is set, because a graph with gradients has many of them.
std::vector<std::string> OptimizedLines(const ReportPartition& part, bool all) {
  std::vector<std::string> lines, passed;
  for (const ReportFused& fused : part.fused) lines.push_back("makes " + FusedText(fused));
  for (const ReportJoined& joined : part.joined)
    lines.push_back("makes " + NamesText(joined.nodes) + " with the kernel of " +
                    Visible(joined.node));
  for (const ReportBranches& branches : part.branches) lines.push_back(BranchesText(branches, all));
  if (!part.once.empty())
    lines.push_back("computes " + NamesText(part.once, all ? SIZE_MAX : kMostNames) +
                    " once, and again only if a shape changes");
  for (const ReportMerged& merged : part.merged) {
    if (merged.why == "passes" && !all)
      passed.push_back(merged.node);
    else
      lines.push_back(MergedText(merged));
  }
  if (!passed.empty())
    lines.push_back("passes on " +
                    std::string(passed.size() == 1 ? "the input of " : "the inputs of ") +
                    NamesText(passed));
  return lines;
}

// Returns "4 nodes in 2 passes, 5 nodes joined, 3 branches, 2 nodes computed once, 3 nodes merged", or "" if there are none.
std::string OptimizedCounts(const Report& report) {
  int64_t passes = 0, nodes = 0, joined = 0, branches = 0, once = 0, merged = 0;
  for (const ReportPartition& part : report.partitions) {
    passes += static_cast<int64_t>(part.fused.size());
    for (const ReportFused& fused : part.fused) nodes += static_cast<int64_t>(fused.nodes.size());
    for (const ReportJoined& each : part.joined) joined += static_cast<int64_t>(each.nodes.size());
    for (const ReportBranches& each : part.branches)
      branches += static_cast<int64_t>(each.nodes.size());
    once += static_cast<int64_t>(part.once.size());
    merged += static_cast<int64_t>(part.merged.size());
  }
  std::vector<std::string> counts;
  if (passes)
    counts.push_back(Count(nodes, "node") + " in " + Digits(passes) +
                     (passes == 1 ? " pass" : " passes"));
  if (joined) counts.push_back(Count(joined, "node") + " joined");
  if (branches) counts.push_back(Digits(branches) + " branches");
  if (once) counts.push_back(Count(once, "node") + " computed once");
  if (merged) counts.push_back(Count(merged, "node") + " merged");
  return Join(counts, ", ");
}

// Describes what the optimizer did.
std::string DrawOptimized(const Report& report, const ViewOptions& options) {
  const std::string counts = OptimizedCounts(report);
  if (counts.empty()) return "";
  std::string out = " " + options.palette.Paint(Role::kHeading, "④ optimized") + "    " + counts +
                    "; each by itself: " + options.palette.Paint(Role::kNote, "set optimize off") +
                    "\n";
  for (const ReportPartition& part : report.partitions) {
    const std::vector<std::string> lines = OptimizedLines(part, options.max_rows == 0);
    const size_t most = options.max_rows == 0 ? lines.size() : kMaxListed;
    for (size_t i = 0; i < lines.size() && i < most; ++i)
      out += "   " + PaintDevice(part.device, options.palette) + " " + lines[i] + "\n";
    if (lines.size() > most)
      out += "   " + Digits(static_cast<int64_t>(lines.size() - most)) +
             " more; see all: explain " + options.request + " --all\n";
  }
  return out;
}

// Describes the part of a partition that a GPU replays.
std::string DrawRecorded(const Report& report, const ViewOptions& options) {
  std::string out;
  for (const ReportPartition& part : report.partitions)
    if (part.recorded)
      out += "   " + PaintDevice(part.device, options.palette) + " records " +
             Count(part.recorded, "node") + " in the third step and replays them from then on\n";
  return out;
}

// Names the nodes of functions that do not run on the device of their caller.
std::string DrawElsewhere(const Report& report, const Palette& palette) {
  std::map<std::pair<std::string, std::string>, int64_t> elsewhere;  // by caller and device
  for (const ReportCall& call : report.calls) {
    const ReportNode* caller = report.Find(call.caller);
    for (const ReportNode& node : report.called)
      if (caller != nullptr && node.within == call.prefix && node.device != caller->device)
        ++elsewhere[{call.caller, node.device}];
  }
  std::string out;
  for (const auto& [where, count] : elsewhere)
    out += "   inside of " + Visible(where.first) + ", " + Count(count, "node") + " on " +
           PaintDevice(where.second, palette) + "\n";
  return out;
}

}  // namespace

std::string RenderPartitions(const Report& report, const ViewOptions& options) {
  const Palette& palette = options.palette;
  if (report.partitions.size() == 1 && report.transfers.empty()) {
    const auto& only = report.partitions[0];
    return " " + palette.Paint(Role::kHeading, "④ partitions") +
           "   one: " + Count(static_cast<int64_t>(only.nodes.size()), "node") + " on " +
           PaintDevice(only.device, palette) + ", nothing to send\n" +
           DrawRecorded(report, options) + DrawElsewhere(report, palette) +
           DrawOptimized(report, options);
  }
  if (report.partitions.empty())
    return " " + palette.Paint(Role::kHeading, "④ partitions") + "   none: nothing runs\n";
  int64_t edges = 0, bytes = 0;
  bool all_known = true;
  std::vector<const ReportTransfer*> listed;
  for (const ReportTransfer& transfer : report.transfers) {
    edges += static_cast<int64_t>(std::max<size_t>(transfer.consumers.size(), 1));
    bytes += std::max<int64_t>(transfer.bytes, 0);
    all_known = all_known && transfer.bytes >= 0;
    if (options.max_rows == 0 || listed.size() < kMaxListed) listed.push_back(&transfer);
  }
  const std::string rails = palette.Paint(Role::kCut, "═ ║");
  std::string out = " " + palette.Paint(Role::kHeading, "④ partitions") + "   " +
                    Count(edges, "cut edge") + " (" + rails + ") → " +
                    Count(static_cast<int64_t>(report.transfers.size()), "Send/Recv pair") + ", " +
                    (all_known ? "" : "≥ ") + Bytes(bytes) + "\n";
  const bool wide = options.width == 0 || options.width >= kWideNeeds;
  out += wide ? DrawByPair(listed, options) : DrawNarrow(listed, palette);
  out += DrawRecorded(report, options) + DrawElsewhere(report, palette);
  if (listed.size() < report.transfers.size()) {
    out += "   … " +
           Count(static_cast<int64_t>(report.transfers.size() - listed.size()), "more pair") +
           "; see all: explain " + options.request + " --all\n";
  }
  return out + DrawOptimized(report, options);
}

}  // namespace tensh::shell
