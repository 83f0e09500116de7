#include "runtime/dist/wire/metadata.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "runtime/dist/wire/messages.h"

namespace tensh::dist {
namespace {

constexpr tsh_output kNoValue{TSH_NO_NODE, 0};
constexpr size_t kMaxEvents = 200'000;

// A _Send or _Recv in the server's graphs.
struct Move {
  bool sends;
  tsh_output value;
  std::string to;
};

std::string TextAttr(const tensorflow::NodeDef& node, const char* name) {
  const auto found = node.attr().find(name);
  tensorflow::AttrText text;
  if (found == node.attr().end() || !text.ParseFromString(found->second)) return "";
  return text.s();
}

class Reader {
 public:
  Reader(const NodeFinder& find, const tensh_dist_trace& trace) : find_(find), trace_(trace) {}

  void ReadGraphs(const tensorflow::RunMetadata& metadata) {
    std::vector<tensorflow::GraphDef> graphs;
    for (const std::string& bytes : metadata.partition_graphs()) {
      tensorflow::GraphDef graph;
      if (graph.ParseFromString(bytes)) graphs.push_back(std::move(graph));
    }
    for (const auto& graph : graphs) ReadSends(graph);
    for (const auto& graph : graphs)
      for (const auto& node : graph.node()) ReadNode(node);
  }

  void ReadTimes(const tensorflow::StepStats& stats) {
    for (const auto& device : stats.dev_stats())
      for (const auto& node : device.node_stats()) ReadTime(device.device(), node);
    int64_t origin = INT64_MAX;
    for (const auto& e : events_) origin = std::min(origin, e.start);
    for (auto& e : events_) {
      const tensh_dist_event event{e.kind,           e.value,        e.device.c_str(), e.to.c_str(),
                                   e.start - origin, e.end - origin, e.bytes};
      trace_.event(trace_.context, &event);
    }
  }

 private:
  struct Event {
    tensh_dist_kind kind;
    tsh_output value;
    std::string device, to;
    int64_t start, end, bytes;
  };

  // Returns the value that a _Send takes: a value of the client, or the stand-in of a control edge
  // from a node of the client.
  tsh_output ValueOf(
      const std::string& input,
      const std::unordered_map<std::string, const tensorflow::NodeDef*>& nodes) const {
    TensorName name;
    if (!ParseTensorName(input, &name)) return kNoValue;
    if (const tsh_node node = find_(name.node); node != TSH_NO_NODE) return {node, name.port};
    const auto stand_in = nodes.find(name.node);
    if (stand_in == nodes.end()) return kNoValue;
    for (const std::string& control : stand_in->second->input()) {
      if (control.empty() || control[0] != '^') continue;
      if (const tsh_node node = find_(control.substr(1)); node != TSH_NO_NODE)
        return {node, TSH_NO_NODE};
    }
    return kNoValue;
  }

  void ReadSends(const tensorflow::GraphDef& graph) {
    std::unordered_map<std::string, const tensorflow::NodeDef*> nodes;
    for (const auto& node : graph.node()) nodes.emplace(node.name(), &node);
    for (const auto& node : graph.node()) {
      if (node.op() != "_Send" && node.op() != "_HostSend") continue;
      const tsh_output value = node.input_size() ? ValueOf(node.input(0), nodes) : kNoValue;
      if (value.node != TSH_NO_NODE) values_[EdgeOf(node)] = value;
    }
  }

  static std::string EdgeOf(const tensorflow::NodeDef& node) {
    return TextAttr(node, "tensor_name") + ";" + TextAttr(node, "recv_device");
  }

  void ReadNode(const tensorflow::NodeDef& node) {
    const bool sends = node.op() == "_Send" || node.op() == "_HostSend";
    if (sends || node.op() == "_Recv" || node.op() == "_HostRecv") {
      const auto value = values_.find(EdgeOf(node));
      if (value != values_.end())
        moves_.insert_or_assign(node.name(),
                                Move{sends, value->second, TextAttr(node, "recv_device")});
      return;
    }
    const tsh_node known = find_(node.name());
    if (known != TSH_NO_NODE && !node.device().empty())
      trace_.place(trace_.context, known, node.device().c_str());
  }

  void ReadTime(const std::string& device, const tensorflow::NodeExecStats& stats) {
    if (events_.size() >= kMaxEvents) return;
    Event event{TENSH_COMPUTE, kNoValue, device, "", 0, 0, 0};
    const bool known = stats.node_name() == "RecvTensor"
                           ? IdentifyTransfer(stats.timeline_label(), &event)
                           : Identify(stats.node_name(), device, &event);
    if (!known) return;
    const bool nanos = stats.all_start_nanos() != 0;
    const int64_t all = nanos ? stats.all_start_nanos() : Saturated(stats.all_start_micros());
    event.start =
        all + Bounded(nanos ? stats.op_start_rel_nanos() : Saturated(stats.op_start_rel_micros()));
    event.end = std::max(event.start, all + Bounded(nanos ? stats.op_end_rel_nanos()
                                                          : Saturated(stats.op_end_rel_micros())));
    for (const auto& output : stats.output())
      event.bytes +=
          Bounded(output.tensor_description().allocation_description().requested_bytes());
    if (all > 0 && all < INT64_MAX / 2) events_.push_back(std::move(event));
  }

  // TensorFlow reports a transfer between tasks only by a label: "[8B] EDGE from DEVICE to DEVICE".
  bool IdentifyTransfer(const std::string& label, Event* event) const {
    const size_t begin = label.find("] "), from = label.find(" from /"), to = label.find(" to /");
    if (begin == label.npos || from == label.npos || to == label.npos || begin > from || from > to)
      return false;
    event->to = label.substr(to + 4, label.find_first_of(" \n", to + 4) - (to + 4));
    const auto value = values_.find(label.substr(begin + 2, from - begin - 2) + ";" + event->to);
    if (value == values_.end()) return false;
    event->kind = TENSH_RECV;
    event->value = value->second;
    if (label.starts_with('[')) event->bytes = std::max(0LL, std::atoll(label.c_str() + 1));
    return true;
  }

  bool Identify(const std::string& name, const std::string& device, Event* event) const {
    if (const auto move = moves_.find(name); move != moves_.end()) {
      event->kind = move->second.sends ? TENSH_SEND : TENSH_RECV;
      event->value = move->second.value;
      event->to = move->second.to;
      return true;
    }
    // tensh's servers report an edge between devices of one task as "send a:0".
    const bool sends = name.starts_with("send ");
    if (sends || name.starts_with("recv ")) {
      const bool control = name[5] == '^';
      TensorName tensor;
      if (!ParseTensorName(std::string_view(name).substr(control ? 6 : 5), &tensor)) return false;
      event->kind = sends ? TENSH_SEND : TENSH_RECV;
      event->value = {find_(tensor.node), control ? TSH_NO_NODE : tensor.port};
      event->to = sends ? "" : device;
      return event->value.node != TSH_NO_NODE;
    }
    event->value = {find_(name), 0};
    return event->value.node != TSH_NO_NODE;
  }

  static int64_t Bounded(int64_t n) { return std::clamp<int64_t>(n, 0, INT64_MAX / 8); }
  static int64_t Saturated(int64_t micros) {
    return std::clamp<int64_t>(micros, 0, INT64_MAX / 8000) * 1000;
  }

  const NodeFinder& find_;
  const tensh_dist_trace& trace_;
  std::unordered_map<std::string, tsh_output> values_;  // By edge.
  std::unordered_map<std::string, Move> moves_;         // By node.
  std::vector<Event> events_;
};

}  // namespace

void TellTrace(const tensorflow::RunMetadata& metadata, const NodeFinder& find,
               const tensh_dist_trace& trace) {
  Reader reader(find, trace);
  reader.ReadGraphs(metadata);
  reader.ReadTimes(metadata.step_stats());
}

}  // namespace tensh::dist
