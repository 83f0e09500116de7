#include "shell/explain/report.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "shell/print/json.h"

namespace tensh::shell {
namespace {

std::vector<std::string> Strings(const Json& json) {
  std::vector<std::string> out;
  for (const Json& item : json.items()) out.push_back(item.as_string());
  return out;
}

// A shape is a list of extents (-1 or null: not known), a text, or null when not even the rank is
// known.
std::string ShapeText(const Json& shape) {
  if (shape.is_string()) return shape.as_string();
  if (!shape.is_array()) return "[…]";
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t extent = shape.items()[i].as_int(-1);
    out += (i > 0 ? "," : "") + (extent < 0 ? std::string("?") : std::to_string(extent));
  }
  return out + "]";
}

std::string TypeText(const Json& node) {
  const std::string& dtype = node["dtype"].as_string();
  return dtype.empty() ? "" : ShortType(dtype) + ShapeText(node["shape"]);
}

ReportNode ParseNode(const Json& json) {
  ReportNode node;
  node.name = json["name"].as_string();
  node.op = json["op"].as_string();
  node.type = TypeText(json);
  node.inputs = Strings(json["inputs"]);
  node.state = json["state"].as_string();
  node.device = json["short_device"].as_string();
  if (node.device.empty()) node.device = ShortDevice(json["device"].as_string());
  node.asked = json["asked"].as_string();
  node.reason = json["reason"].as_string();
  node.pruned_why = json["pruned_why"].as_string();
  return node;
}

ReportTransfer ParseTransfer(const Json& json) {
  ReportTransfer transfer;
  transfer.tensor = json["tensor"].as_string();
  transfer.from = ShortDevice(json["from"].as_string());
  transfer.to = ShortDevice(json["to"].as_string());
  transfer.bytes = json["bytes"].as_int(-1);
  transfer.consumers = Strings(json["consumers"]);
  return transfer;
}

ReportEvent ParseEvent(const Json& json) {
  ReportEvent event;
  event.device = ShortDevice(json["device"].as_string());
  event.node = json["node"].as_string();
  event.op = json["op"].as_string();
  event.kind = json["kind"].as_string();
  event.tensor = json["tensor"].as_string();
  event.waits_for = json["waits_for"].as_string();
  event.start_ns = json["start_ns"].as_int();
  event.end_ns = json["end_ns"].as_int();
  return event;
}

// Partitions that share a thread take turns: a device that stands still until one of its Recvs is
// served has waited for that Send, though nothing blocked. Such gaps become waits, as they are when
// threads differ.
void AddWaits(Report* report) {
  if (report->events.empty()) return;
  std::vector<ReportEvent> events = report->events;
  std::stable_sort(events.begin(), events.end(), [](const ReportEvent& a, const ReportEvent& b) {
    return a.start_ns < b.start_ns;
  });
  std::unordered_map<std::string, int64_t> idle_since;
  for (const ReportEvent& event : events) {
    int64_t& since = idle_since.emplace(event.device, events[0].start_ns).first->second;
    if (event.kind == "recv" && event.start_ns > since) {
      ReportEvent wait;
      wait.device = event.device;
      wait.kind = "wait";
      wait.tensor = event.tensor;
      wait.waits_for = "send " + event.tensor;
      wait.start_ns = since;
      wait.end_ns = event.start_ns;
      report->events.push_back(std::move(wait));
    }
    since = std::max(since, event.end_ns);
  }
}

struct TypeName {
  const char* name;
  const char* short_name;
};
constexpr TypeName kTypes[] = {
    {"float32", "f32"},   {"float", "f32"},       {"float64", "f64"}, {"double", "f64"},
    {"int32", "i32"},     {"int64", "i64"},       {"int16", "i16"},   {"int8", "i8"},
    {"uint8", "u8"},      {"uint16", "u16"},      {"uint32", "u32"},  {"uint64", "u64"},
    {"string", "str"},    {"float16", "f16"},     {"half", "f16"},    {"bfloat16", "bf16"},
    {"complex64", "c64"}, {"complex128", "c128"},
};

}  // namespace

const ReportNode* Report::Find(std::string_view name) const {
  for (const ReportNode& node : nodes) {
    if (node.name == name) return &node;
  }
  return nullptr;
}

std::string Report::Subject(const ReportEvent& event) const {
  for (const ReportTransfer& transfer : transfers) {
    if (event.kind != "wait" || transfer.tensor != event.tensor || transfer.consumers.empty()) continue;
    if (transfer.to == event.device) return transfer.consumers[0];
  }
  return event.node.empty() ? event.tensor : event.node;
}

bool ParseReport(std::string_view text, Report* report) {
  bool ok = false;
  const Json json = Json::Parse(text, &ok);
  if (!ok || json.kind() != Json::Kind::kObject) return false;
  report->version = json["version"].as_int();
  report->graph_nodes = json["graph_nodes"].as_int();
  for (const Json& node : json["nodes"].items()) report->nodes.push_back(ParseNode(node));
  report->pruned_total = json["pruned_total"].as_int();
  for (const Json& partition : json["partitions"].items()) {
    report->partitions.push_back(
        {ShortDevice(partition["device"].as_string()), Strings(partition["nodes"])});
  }
  for (const Json& transfer : json["transfers"].items()) {
    report->transfers.push_back(ParseTransfer(transfer));
  }
  for (const Json& event : json["steps"].items()) report->events.push_back(ParseEvent(event));
  AddWaits(report);
  report->wall_ns = json["wall_ns"].as_int();
  report->critical_path = Strings(json["critical_path"]);
  return true;
}

std::string ShortDevice(std::string_view device) {
  const size_t slash = device.rfind('/');
  std::string_view last = slash == std::string_view::npos ? device : device.substr(slash + 1);
  if (last.substr(0, 7) == "device:") last.remove_prefix(7);
  const size_t colon = last.find(':');
  if (colon == std::string_view::npos || colon + 1 >= last.size()) return std::string(device);
  for (char c : last.substr(colon + 1)) {
    if (c < '0' || c > '9') return std::string(device);
  }
  const std::string_view job = slash == std::string_view::npos ? "" : device.substr(0, slash);
  if (!job.empty() && job != "/job:localhost/replica:0/task:0") return std::string(device);
  std::string out(last);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string ShortType(std::string_view dtype) {
  std::string suffix;
  if (dtype.size() > 4 && dtype.substr(dtype.size() - 4) == "_ref") {
    dtype.remove_suffix(4);
    suffix = "&";
  }
  for (const TypeName& type : kTypes) {
    if (dtype == type.name) return type.short_name + suffix;
  }
  return std::string(dtype) + suffix;
}

}  // namespace tensh::shell
