#include "shell/explain/predict.h"

#include <algorithm>
#include <string_view>

#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

// Assumed costs of a transfer between two devices of one process if none was measured.
constexpr int64_t kAssumedSendNs = 300, kAssumedRecvNs = 300;

std::string_view NodeOf(std::string_view input) {
  if (!input.empty() && input[0] == '^') input.remove_prefix(1);
  return input.substr(0, input.rfind(':'));
}

int64_t TotalBytes(const Report& report) {
  int64_t bytes = 0;
  for (const ReportTransfer& transfer : report.transfers)
    bytes += std::max<int64_t>(transfer.bytes, 0);
  return bytes;
}

int64_t Wall(const Report& report) { return report.events.empty() ? 0 : report.wall_ns; }

// Returns the nodes that one report runs and the other does not, at most three by name.
std::string OnlyIn(const Report& one, const Report& other) {
  std::unordered_map<std::string_view, const ReportNode*> runs;
  for (const ReportNode& node : other.nodes) {
    if (node.state != "pruned") runs.emplace(node.name, &node);
  }
  std::vector<std::string> names;
  size_t count = 0;
  for (const ReportNode& node : one.nodes) {
    if (node.state == "pruned" || runs.count(node.name) > 0) continue;
    if (++count <= 3) names.push_back(Visible(node.name));
  }
  if (count == 0) return "";
  return Join(names, ", ") +
         (count > 3 ? ", … " + Digits(static_cast<int64_t>(count - 3)) + " more" : "");
}

}  // namespace

void MeasuredCosts::Learn(const Report& ran) {
  int64_t sends = 0, recvs = 0, send_total = 0, recv_total = 0;
  std::unordered_map<std::string, std::pair<int64_t, int64_t>> by_op;
  for (const ReportEvent& event : ran.events) {
    const int64_t ns = event.end_ns - event.start_ns;
    if (event.kind == "compute" || event.kind == "read") {
      node_ns[event.node] = ns;
      by_op[event.op].first += ns;
      ++by_op[event.op].second;
    }
    if (event.kind == "send") ++sends, send_total += ns;
    if (event.kind == "recv") ++recvs, recv_total += ns;
  }
  // Constants and variable reads are bound before the step and cost nothing.
  for (const ReportNode& node : ran.nodes) {
    if (node.state != "pruned" && node.state != "fed") node_ns.emplace(node.name, 0);
  }
  for (const auto& [op, sum] : by_op) op_ns[op] = sum.first / sum.second;
  if (sends > 0 && recvs > 0) {
    send_ns = send_total / sends;
    recv_ns = recv_total / recvs;
    transfers_measured = true;
  }
  measured = node_ns.size();
}

namespace {

// Simulates a step. Each device runs its nodes in order. A transfer occupies both ends: the sending
// device is busy until the value is sent, and the receiving device waits for it.
class Simulation {
 public:
  Simulation(const MeasuredCosts& costs, Report* plan)
      : costs_(costs),
        plan_(*plan),
        send_ns_(costs.transfers_measured ? costs.send_ns : kAssumedSendNs),
        recv_ns_(costs.transfers_measured ? costs.recv_ns : kAssumedRecvNs) {}

  // Returns the number of nodes whose cost is unknown.
  size_t Run() {
    for (const ReportNode& node : plan_.nodes) {
      nodes_[node.name] = &node;
      if (node.state == "pruned") continue;
      if (node.state == "fed")
        ready_[node.name] = 0;
      else
        Compute(node);
    }
    plan_.wall_ns = end_;
    TraceCriticalPath();
    return unknown_;
  }

 private:
  void Compute(const ReportNode& node) {
    const int64_t start = WaitForInputs(node), ns = CostOf(node);
    const int64_t end = start + ns;
    if (ns > 0)
      plan_.events.push_back({node.device, node.name, node.op, "compute", "", "", start, end});
    device_free_[node.device] = ready_[node.name] = end;
    if (end >= end_) end_ = end, last_ = &node;
  }

  // Returns the time when the node can start.
  int64_t WaitForInputs(const ReportNode& node) {
    int64_t start = device_free_[node.device], latest = -1;
    for (const std::string& input : node.inputs) {
      const std::string_view from = NodeOf(input);
      const auto at = ready_.find(from);
      if (at == ready_.end()) continue;
      const ReportNode& producer = *nodes_[from];
      const bool local = producer.device == node.device;
      const int64_t when = local ? at->second : Transfer(input, producer, node, at->second, &start);
      start = std::max(start, when);
      if (when > latest) latest = when, last_input_[node.name] = &producer;
    }
    return start;
  }

  // Sends a value to another device, once for all nodes there. Returns the time of arrival. *start
  // is the time from which the receiving device is free.
  int64_t Transfer(const std::string& input, const ReportNode& producer, const ReportNode& node,
                   int64_t ready, int64_t* start) {
    const auto [there, first] = arrived_.emplace(node.device + " " + producer.name, 0);
    if (!first) return there->second;
    const std::string tensor = Visible(input);
    const int64_t sent = std::max(ready, device_free_[producer.device]) + send_ns_;
    plan_.events.push_back({producer.device, "", "", "send", tensor, "", sent - send_ns_, sent});
    device_free_[producer.device] = sent;
    if (sent > *start)
      plan_.events.push_back({node.device, "", "", "wait", tensor, "send " + tensor, *start, sent});
    const int64_t got = std::max(*start, sent) + recv_ns_;
    plan_.events.push_back({node.device, "", "", "recv", tensor, "", got - recv_ns_, got});
    return *start = there->second = got;
  }

  int64_t CostOf(const ReportNode& node) {
    const auto known = costs_.node_ns.find(node.name);
    if (known != costs_.node_ns.end()) return known->second;
    const auto like = costs_.op_ns.find(node.op);
    if (like != costs_.op_ns.end()) return like->second;
    ++unknown_;
    return 0;
  }

  // Finds the critical path: starts at the node that ended last and follows the inputs that arrived
  // last.
  void TraceCriticalPath() {
    plan_.critical_path.clear();
    const ReportNode* node = last_;
    while (node != nullptr && plan_.critical_path.size() <= plan_.nodes.size()) {
      plan_.critical_path.push_back(node->name);
      const auto at = last_input_.find(node->name);
      node = at == last_input_.end() ? nullptr : at->second;
    }
    std::reverse(plan_.critical_path.begin(), plan_.critical_path.end());
  }

  const MeasuredCosts& costs_;
  Report& plan_;
  const int64_t send_ns_, recv_ns_;
  std::unordered_map<std::string, int64_t> device_free_;
  std::unordered_map<std::string_view, int64_t> ready_;  // When a node's value is available.
  std::unordered_map<std::string, int64_t> arrived_;     // The same by "device name", after Recv.
  std::unordered_map<std::string_view, const ReportNode*> nodes_, last_input_;
  size_t unknown_ = 0;
  const ReportNode* last_ = nullptr;
  int64_t end_ = 0;
};

}  // namespace

size_t PredictStep(const MeasuredCosts& costs, Report* plan) {
  return Simulation(costs, plan).Run();
}

std::string CompareReports(const Report& before, const Report& after, bool predicted) {
  std::string out;
  std::unordered_map<std::string_view, const ReportNode*> nodes;
  for (const ReportNode& node : before.nodes) nodes.emplace(node.name, &node);
  size_t moved = 0;
  for (const ReportNode& node : after.nodes) {
    const auto at = nodes.find(node.name);
    if (at == nodes.end() || at->second->device == node.device || node.state == "pruned" ||
        at->second->state == "pruned")
      continue;
    if (++moved > 10) continue;
    out += "   " + Visible(node.name) + "  " + at->second->device + " → " + node.device + "  (" +
           node.reason + ")\n";
  }
  if (moved > 10)
    out += "   … " + Count(static_cast<int64_t>(moved - 10), "more node") + " moved\n";
  const std::string more = OnlyIn(after, before), less = OnlyIn(before, after);
  if (!more.empty()) out += "   + runs: " + more + "\n";
  if (!less.empty()) out += "   − no longer runs: " + less + "\n";
  out += "   partitions " + std::to_string(before.partitions.size()) + " → " +
         std::to_string(after.partitions.size()) + " · Send/Recv pairs " +
         std::to_string(before.transfers.size()) + " → " + std::to_string(after.transfers.size()) +
         " · " + Bytes(TotalBytes(before)) + " → " + Bytes(TotalBytes(after));
  if (Wall(before) > 0 && Wall(after) > 0) {
    out += std::string(" · ") + (predicted ? "predicted " : "") +
           Duration(static_cast<double>(Wall(before))) + " → " +
           Duration(static_cast<double>(Wall(after)));
  }
  return out + "\n";
}

}  // namespace tensh::shell
