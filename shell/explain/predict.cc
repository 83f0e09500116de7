#include "shell/explain/predict.h"

#include <algorithm>
#include <string_view>

#include "shell/explain/layout.h"

namespace tensh::shell {
namespace {

// A hand-over between two devices of one process, where none has been measured yet.
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

// The nodes that one report runs and the other does not; at most three by name.
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
  return Join(names, ", ") + (count > 3 ? ", … " + std::to_string(count - 3) + " more" : "");
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
  // Constants and reads are bound before the step: nothing to wait for.
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

size_t PredictStep(const MeasuredCosts& costs, Report* plan) {
  const int64_t send_ns = costs.transfers_measured ? costs.send_ns : kAssumedSendNs;
  const int64_t recv_ns = costs.transfers_measured ? costs.recv_ns : kAssumedRecvNs;
  std::unordered_map<std::string, int64_t> device_free;
  std::unordered_map<std::string_view, int64_t> ready;  // when a node's value is there
  std::unordered_map<std::string, int64_t> arrived;     // "device name": after its Recv
  std::unordered_map<std::string_view, const ReportNode*> nodes, last_input;
  size_t unknown = 0;
  const ReportNode* last = nullptr;
  int64_t end = 0;
  for (const ReportNode& node : plan->nodes) {
    nodes[node.name] = &node;
    if (node.state == "pruned") continue;
    if (node.state == "fed") {
      ready[node.name] = 0;
      continue;
    }
    int64_t start = device_free[node.device], latest = -1;
    for (const std::string& input : node.inputs) {
      const std::string_view from = NodeOf(input);
      const auto at = ready.find(from);
      if (at == ready.end()) continue;
      const ReportNode& producer = *nodes[from];
      int64_t when = at->second;
      if (producer.device != node.device) {
        const auto [there, first] = arrived.emplace(node.device + " " + producer.name, 0);
        if (first) {
          const std::string tensor = Visible(input);
          const int64_t sent = std::max(when, device_free[producer.device]) + send_ns;
          plan->events.push_back(
              {producer.device, "", "", "send", tensor, "", sent - send_ns, sent});
          device_free[producer.device] = sent;
          if (sent > start)
            plan->events.push_back(
                {node.device, "", "", "wait", tensor, "send " + tensor, start, sent});
          const int64_t got = std::max(start, sent) + recv_ns;
          plan->events.push_back({node.device, "", "", "recv", tensor, "", got - recv_ns, got});
          there->second = got;
          start = got;
        }
        when = there->second;
      }
      start = std::max(start, when);
      if (when > latest) latest = when, last_input[node.name] = &producer;
    }
    const auto known = costs.node_ns.find(node.name);
    const auto like = costs.op_ns.find(node.op);
    int64_t ns = 0;
    if (known != costs.node_ns.end()) {
      ns = known->second;
    } else if (like != costs.op_ns.end()) {
      ns = like->second;
    } else {
      ++unknown;
    }
    if (ns > 0)
      plan->events.push_back(
          {node.device, node.name, node.op, "compute", "", "", start, start + ns});
    device_free[node.device] = ready[node.name] = start + ns;
    if (start + ns >= end) end = start + ns, last = &node;
  }
  plan->wall_ns = end;
  plan->critical_path.clear();
  while (last != nullptr && plan->critical_path.size() <= plan->nodes.size()) {
    plan->critical_path.push_back(last->name);
    const auto at = last_input.find(last->name);
    last = at == last_input.end() ? nullptr : at->second;
  }
  std::reverse(plan->critical_path.begin(), plan->critical_path.end());
  return unknown;
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
  if (!less.empty()) out += "   − runs no more: " + less + "\n";
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
