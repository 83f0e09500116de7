#include <algorithm>

#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

std::string Reason(const ReportNode& node) {
  if (node.state == "pruned") return node.pruned_why;
  if (node.reason == "asked≠got" && !node.asked.empty()) return "asked≠got: " + node.asked;
  return node.reason;
}

// A folded scope: one device, or how many nodes each has.
std::string Devices(const ViewRow& row) {
  std::vector<std::pair<std::string, int64_t>> counts;
  for (const ReportNode* node : row.nodes) {
    if (node->device.empty()) continue;
    const auto at = std::find_if(counts.begin(), counts.end(),
                                 [node](const auto& each) { return each.first == node->device; });
    if (at == counts.end()) {
      counts.emplace_back(node->device, 1);
    } else {
      ++at->second;
    }
  }
  if (counts.empty()) return "–";
  if (counts.size() == 1) return counts[0].first;
  std::vector<std::string> parts;
  for (const auto& [device, count] : counts) parts.push_back(device + "×" + std::to_string(count));
  return Join(parts, " ");
}

const ReportTransfer* TransferInto(const Report& report, const ReportNode& node) {
  for (const ReportTransfer& transfer : report.transfers) {
    const auto& to = transfer.consumers;
    if (std::find(to.begin(), to.end(), node.name) != to.end()) return &transfer;
  }
  return nullptr;
}

struct ReasonRow {
  const char* reason;
  const char* sentence;
};
constexpr ReasonRow kReasons[] = {
    {"asked", "you asked for it"},
    {"only kernel", "it is the only device with a kernel for this op and type"},
    {"follows input", "its input is there"},
    {"kept", "an earlier run put it there, and its state does not move"},
    {"host memory", "it works on values that live in host memory"},
    {"feed arrives here", "what is fed arrives there"},
    {"default", "nothing was asked for, and it is the first device that can"},
};

std::string ReasonSentence(const ReportNode& node) {
  for (const ReasonRow& row : kReasons) {
    if (node.reason == row.reason) return row.sentence;
  }
  if (node.reason.rfind("asked≠got", 0) == 0) {
    const size_t colon = node.reason.find(": ");
    return "you asked for " + node.asked + ", which it cannot have" +
           (colon == std::string::npos ? "" : " (" + node.reason.substr(colon + 2) + ")");
  }
  return node.reason.empty() ? "no reason was recorded" : node.reason;
}

std::string Described(const ReportNode& node) {
  return Visible(node.name) + " (" + Visible(node.op) +
         (node.type.empty() ? "" : ", " + node.type) + ")";
}

// A device of the run that is not this node's, for the command to try.
std::string OtherDevice(const Report& report, const ReportNode& node) {
  for (const ReportPartition& partition : report.partitions) {
    if (partition.device != node.device) return "/" + partition.device;
  }
  return node.device == "cpu:0" ? "/cpu:1" : "/cpu:0";
}

std::string Waited(const Report& report, const ReportNode& node) {
  for (const ReportEvent& event : report.events) {
    if (event.kind != "wait" || report.Subject(event) != node.name || event.waits_for.empty())
      continue;
    return " In the last run it waited " +
           Duration(static_cast<double>(event.end_ns - event.start_ns)) + " for " +
           event.waits_for + ".";
  }
  return "";
}

}  // namespace

void FillPlaced(std::vector<ViewRow>* rows) {
  for (ViewRow& row : *rows) {
    row.device = Devices(row);
    row.why = row.nodes.size() == 1 ? Visible(Reason(*row.nodes[0])) : "";
  }
}

std::string ExplainWhy(const Report& report, const std::string& name) {
  const ReportNode* node = report.Find(name);
  if (node == nullptr || node->state == "pruned") return ExplainWhyNot(report, name, "");
  std::string out =
      Described(*node) + " is on " + node->device + ": " + ReasonSentence(*node) + ".";
  if (node->state == "fed") out = Described(*node) + " is fed: its kernel does not run.";
  if (const ReportTransfer* transfer = TransferInto(report, *node)) {
    out += " It takes " + Visible(transfer->tensor) + " from " + transfer->from +
           " through a Send/Recv pair (" + Bytes(transfer->bytes) + ").";
  }
  out += Waited(report, *node);
  return out + " Move it: place " + Visible(name) + " on " + OtherDevice(report, *node) + "\n";
}

std::string ExplainWhyNot(const Report& report, const std::string& name,
                          const std::string& target) {
  const ReportNode* node = report.Find(name);
  if (node != nullptr && node->state == "fed") {
    return Described(*node) + " did not run: its value was fed. Run it: leave out its feed\n";
  }
  if (node != nullptr && node->state != "pruned") {
    return Described(*node) + " does run, on " + node->device + ". More: why " + Visible(name) +
           "\n";
  }
  const std::string what =
      node == nullptr ? Visible(name) : Visible(node->name) + " (" + Visible(node->op) + ")";
  std::string why =
      target.empty() ? "no fetch depends on it" : "the fetch " + target + " does not depend on it";
  return what + " did not run: " + why + ". Run it: run " + Visible(name) + "\n";
}

}  // namespace tensh::shell
