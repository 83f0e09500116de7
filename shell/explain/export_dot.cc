// The drawing as Graphviz text.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "shell/explain/export.h"

namespace tensh::shell {
namespace {

std::string DotQuote(std::string_view text) {
  std::string out = "\"";
  for (const char c : Visible(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

struct StateStyle {
  const char* state;
  const char* style;
};
constexpr StateStyle kStyles[] = {
    {"pruned", "style=dashed, color=gray60, fontcolor=gray50"},
    {"fed", "shape=diamond"},
    {"fetch", "penwidth=2"},
    {"target", "penwidth=2"},
    {"unused", "style=dotted"},
};

std::string NodeLine(const ViewRow& row, size_t index) {
  std::string label = row.name + "\\n" + row.op + (row.type.empty() ? "" : " " + row.type);
  std::string quoted = DotQuote(label);
  // Unescapes only the line break added here; the names stay escaped.
  const size_t at = quoted.find("\\\\n");
  if (at != std::string::npos) quoted.replace(at, 3, "\\n");
  std::string out = "n" + std::to_string(index) + " [label=" + quoted;
  const std::string& state = row.nodes[0]->state;
  for (const StateStyle& style : kStyles) {
    if (row.nodes.size() == 1 && state == style.state) out += std::string(", ") + style.style;
  }
  if (row.nodes.size() > 1) out += ", shape=box3d";
  return out + "];\n";
}

// Returns the transfer that carries a value from a node of one row to the device of the other, or
// null.
const ReportTransfer* Carries(
    const std::unordered_map<std::string, std::vector<const ReportTransfer*>>& by_consumer,
    const ViewRow& from, const ViewRow& to) {
  for (const ReportNode* node : to.nodes) {
    const auto at = by_consumer.find(node->name);
    if (at == by_consumer.end()) continue;
    for (const ReportTransfer* transfer : at->second) {
      std::string producer = transfer->tensor.substr(0, transfer->tensor.rfind(':'));
      if (!producer.empty() && producer[0] == '^') producer.erase(0, 1);
      for (const ReportNode* each : from.nodes) {
        if (each->name == producer) return transfer;
      }
    }
  }
  return nullptr;
}

}  // namespace

std::string RenderDot(const Report& report, const ViewOptions& options) {
  std::vector<ViewRow> rows = MakeRows(report, options);
  FillPruned(&rows);
  FillPlaced(&rows);
  std::map<std::string, std::string> clusters;
  for (size_t i = 0; i < rows.size(); ++i) {
    clusters[rows[i].pruned ? "" : rows[i].device] += "    " + NodeLine(rows[i], i);
  }
  std::unordered_map<std::string, std::vector<const ReportTransfer*>> by_consumer;
  for (const ReportTransfer& transfer : report.transfers) {
    for (const std::string& consumer : transfer.consumers)
      by_consumer[consumer].push_back(&transfer);
  }
  std::string out = "digraph tensh {\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\"];\n";
  size_t cluster = 0;
  for (const auto& [device, nodes] : clusters) {
    if (device.empty()) {
      out += nodes;
      continue;
    }
    out += "  subgraph cluster_" + std::to_string(cluster++) + " {\n    label=" + DotQuote(device) +
           ";\n" + nodes + "  }\n";
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const size_t from : rows[i].inputs) {
      out += "  n" + std::to_string(from) + " -> n" + std::to_string(i);
      const ReportTransfer* transfer = Carries(by_consumer, rows[from], rows[i]);
      if (transfer != nullptr) {
        out += " [style=bold, color=firebrick, label=" +
               DotQuote("Send/Recv " + transfer->tensor + " " + Bytes(transfer->bytes)) + "]";
      }
      out += ";\n";
    }
  }
  return out + "}\n";
}

}  // namespace tensh::shell
