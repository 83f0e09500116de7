#include "shell/explain/report.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "runtime/base/text.h"
#include "shell/text/json_reader.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

std::vector<std::string> Strings(JsonReader& json) {
  std::vector<std::string> out;
  for (json.Array(); json.Next();) out.push_back(json.String());
  return out;
}

// Reads a shape: a list of extents (-1 or null if unknown), a text, or null if the rank is unknown.
std::string ShapeText(JsonReader& json) {
  if (json.AtString()) return json.String();
  if (!json.AtArray()) {
    json.Skip();
    return "[…]";
  }
  std::string out = "[";
  for (json.Array(); json.Next();) {
    const int64_t extent = json.Int(-1);
    out += (out.size() > 1 ? "," : "") + (extent < 0 ? std::string("?") : std::to_string(extent));
  }
  return out + "]";
}

template <class T>
struct TextField {
  std::string_view key;
  std::string T::*field;
};

// Reads a text into the field with this key. Returns false if there is no such field.
template <class T, size_t n>
bool ReadText(JsonReader& json, const std::string& key, const TextField<T> (&fields)[n], T* to) {
  for (const TextField<T>& each : fields) {
    if (key == each.key) return to->*each.field = json.String(), true;
  }
  return false;
}

constexpr TextField<ReportNode> kNodeTexts[] = {
    {"name", &ReportNode::name},
    {"op", &ReportNode::op},
    {"state", &ReportNode::state},
    {"short_device", &ReportNode::device},
    {"asked", &ReportNode::asked},
    {"reason", &ReportNode::reason},
    {"reason_detail", &ReportNode::reason_detail},
    {"colocated_with", &ReportNode::colocated_with},
    {"pruned_why", &ReportNode::pruned_why},
    {"pruned_by", &ReportNode::pruned_by},
    {"loop", &ReportNode::loop},
    {"within", &ReportNode::within},
};

ReportNode ParseNode(JsonReader& json) {
  ReportNode node;
  std::string key, dtype, shape, device;
  for (json.Object(); json.Next(&key);) {
    if (ReadText(json, key, kNodeTexts, &node)) continue;
    if (key == "id") {
      node.id = json.Int(-1);
    } else if (key == "not_taken") {
      node.not_taken = json.Int() != 0;
    } else if (key == "once") {
      node.once = json.Int() != 0;
    } else if (key == "dtype") {
      dtype = json.String();
    } else if (key == "shape") {
      shape = ShapeText(json);
    } else if (key == "device") {
      device = json.String();
    } else if (key == "inputs") {
      node.inputs = Strings(json);
    } else {
      json.Skip();
    }
  }
  if (!dtype.empty()) node.type = ShortType(dtype) + shape;
  if (node.device.empty()) node.device = ShortDevice(device);
  return node;
}

// The result of a Python function, and the nodes that run before the step for its inputs.
struct PythonNode {
  std::string node;
  std::vector<std::string> needs;
};

PythonNode ParsePython(JsonReader& json) {
  PythonNode python;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (key == "node")
      python.node = json.String();
    else if (key == "needs")
      python.needs = Strings(json);
    else
      json.Skip();
  }
  return python;
}

// To the runtime, the result of a Python function is a placeholder that is fed.
void NotePython(const std::vector<PythonNode>& python, Report* report) {
  if (python.empty()) return;
  std::unordered_map<std::string_view, std::string_view> for_node;
  for (const PythonNode& each : python) {
    report->python.push_back(each.node);
    for (const std::string& need : each.needs) for_node.emplace(need, each.node);
  }
  for (ReportNode& node : report->nodes) {
    if (report->IsPython(node.name)) node.op = "PyFunc", node.reason = "result of Python";
    const auto at = for_node.find(node.name);
    const bool fed = node.state == "fed" && node.op != "Placeholder";
    if (at == for_node.end() || report->IsPython(node.name) || (node.state != "pruned" && !fed))
      continue;
    node.runs_for = at->second;
    node.pruned_why = node.reason = "runs before, for " + std::string(at->second);
    node.pruned_by.clear();
  }
}

constexpr TextField<ReportCall> kCallTexts[] = {{"prefix", &ReportCall::prefix},
                                                {"caller", &ReportCall::caller},
                                                {"role", &ReportCall::role},
                                                {"function", &ReportCall::function},
                                                {"decided_by", &ReportCall::decided_by}};

ReportCall ParseCall(JsonReader& json) {
  ReportCall call;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (ReadText(json, key, kCallTexts, &call)) continue;
    if (key == "results") {
      call.results = Strings(json);
    } else if (key == "times") {
      call.times = json.Int();
    } else if (key == "repeats") {
      call.repeats = json.Int() != 0;
    } else {
      json.Skip();
    }
  }
  return call;
}

constexpr TextField<ReportTransfer> kTransferTexts[] = {{"tensor", &ReportTransfer::tensor},
                                                        {"from", &ReportTransfer::from},
                                                        {"to", &ReportTransfer::to}};

ReportTransfer ParseTransfer(JsonReader& json) {
  ReportTransfer transfer;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (ReadText(json, key, kTransferTexts, &transfer)) continue;
    if (key == "bytes") {
      transfer.bytes = json.Int(-1);
    } else if (key == "consumers") {
      transfer.consumers = Strings(json);
    } else {
      json.Skip();
    }
  }
  transfer.from = ShortDevice(transfer.from);
  transfer.to = ShortDevice(transfer.to);
  return transfer;
}

constexpr TextField<ReportEvent> kEventTexts[] = {
    {"device", &ReportEvent::device}, {"node", &ReportEvent::node},
    {"op", &ReportEvent::op},         {"kind", &ReportEvent::kind},
    {"tensor", &ReportEvent::tensor}, {"waits_for", &ReportEvent::waits_for},
    {"value", &ReportEvent::value},   {"with", &ReportEvent::with}};

ReportLoopTime ParseLoopTime(JsonReader& json) {
  ReportLoopTime time;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (key == "node")
      time.node = json.String();
    else if (key == "calls")
      time.calls = json.Int();
    else if (key == "ns")
      time.ns = json.Int();
    else
      json.Skip();
  }
  return time;
}

ReportOnce ParseOnce(JsonReader& json) {
  ReportOnce work;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (key == "what")
      work.what = json.String();
    else if (key == "ns")
      work.ns = json.Int();
    else
      json.Skip();
  }
  return work;
}

ReportEvent ParseEvent(JsonReader& json) {
  ReportEvent event;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (ReadText(json, key, kEventTexts, &event)) continue;
    if (key == "start_ns") {
      event.start_ns = json.Int();
    } else if (key == "end_ns") {
      event.end_ns = json.Int();
    } else if (key == "bytes") {
      event.bytes = json.Int();
    } else if (key == "iterations") {
      event.iterations = json.Int();
    } else if (key == "iteration") {
      event.iteration = json.Int();
    } else if (key == "inner") {
      event.inner = json.Int();
    } else {
      json.Skip();
    }
  }
  event.device = ShortDevice(event.device);
  return event;
}

ReportFused ParseFused(JsonReader& json) {
  ReportFused fused;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (key == "nodes")
      fused.nodes = Strings(json);
    else if (key == "in_parts")
      fused.in_parts = json.Int() != 0;
    else if (key == "from_elements")
      fused.from_elements = json.Int();
    else
      json.Skip();
  }
  return fused;
}

ReportBranches ParseBranches(JsonReader& json) {
  ReportBranches branches;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (key == "way")
      branches.way = json.String();
    else if (key == "branches")
      for (json.Array(); json.Next();) branches.nodes.push_back(Strings(json));
    else
      json.Skip();
  }
  return branches;
}

ReportJoined ParseJoined(JsonReader& json) {
  ReportJoined joined;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (key == "node")
      joined.node = json.String();
    else if (key == "nodes")
      joined.nodes = Strings(json);
    else
      json.Skip();
  }
  return joined;
}

ReportMerged ParseMerged(JsonReader& json) {
  ReportMerged merged;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (key == "node")
      merged.node = json.String();
    else if (key == "with")
      merged.with = json.String();
    else if (key == "why")
      merged.why = json.String();
    else
      json.Skip();
  }
  return merged;
}

ReportPartition ParsePartition(JsonReader& json) {
  ReportPartition partition;
  std::string key;
  for (json.Object(); json.Next(&key);) {
    if (key == "device") {
      if (const std::string full = json.String(); partition.device.empty())
        partition.device = ShortDevice(full);
    } else if (key == "short_device") {
      partition.device = json.String();
    } else if (key == "nodes") {
      partition.nodes = Strings(json);
    } else if (key == "recorded") {
      partition.recorded = json.Int();
    } else if (key == "fused") {
      for (json.Array(); json.Next();) partition.fused.push_back(ParseFused(json));
    } else if (key == "branches") {
      for (json.Array(); json.Next();) partition.branches.push_back(ParseBranches(json));
    } else if (key == "joined") {
      for (json.Array(); json.Next();) partition.joined.push_back(ParseJoined(json));
    } else if (key == "once") {
      partition.once = Strings(json);
    } else if (key == "merged") {
      for (json.Array(); json.Next();) partition.merged.push_back(ParseMerged(json));
    } else {
      json.Skip();
    }
  }
  return partition;
}

// Partitions that share a thread run in turns. A device that is idle until one of its Recvs can be
// served has waited for that Send, although no thread blocked. Such gaps are turned into waits, as
// they appear with separate threads.
void AddWaits(Report* report) {
  if (report->events.empty()) return;
  std::vector<const ReportEvent*> events;
  for (const ReportEvent& event : report->events) events.push_back(&event);
  std::stable_sort(events.begin(), events.end(), [](const ReportEvent* a, const ReportEvent* b) {
    return a->start_ns < b->start_ns;
  });
  std::unordered_map<std::string, int64_t> idle_since;
  std::vector<ReportEvent> waits;
  for (const ReportEvent* event : events) {
    int64_t& since = idle_since.emplace(event->device, events[0]->start_ns).first->second;
    if (event->kind == "recv" && event->start_ns > since) {
      ReportEvent& wait = waits.emplace_back();
      wait.device = event->device;
      wait.kind = "wait";
      wait.tensor = event->tensor;
      wait.waits_for = "send " + event->tensor;
      wait.start_ns = since;
      wait.end_ns = event->start_ns;
    }
    since = std::max(since, event->end_ns);
  }
  for (ReportEvent& wait : waits) report->events.push_back(std::move(wait));
}

struct TypeAbbreviation {
  const char* name;
  const char* short_name;
};
constexpr TypeAbbreviation kTypes[] = {
    {"float32", "f32"},   {"float", "f32"},       {"float64", "f64"}, {"double", "f64"},
    {"int32", "i32"},     {"int64", "i64"},       {"int16", "i16"},   {"int8", "i8"},
    {"uint8", "u8"},      {"uint16", "u16"},      {"uint32", "u32"},  {"uint64", "u64"},
    {"string", "str"},    {"float16", "f16"},     {"half", "f16"},    {"bfloat16", "bf16"},
    {"complex64", "c64"}, {"complex128", "c128"},
};

// No node takes fewer bytes of the document. Nodes are large, so moving them while their vector grows
// takes longer than reading them.
constexpr size_t kNodeBytes = 128;

template <class T>
void ParseList(JsonReader& json, T (*parse)(JsonReader&), std::vector<T>* list,
               size_t expected = 0) {
  list->reserve(expected);
  for (json.Array(); json.Next();) list->push_back(parse(json));
}

}  // namespace

bool IsLoop(const ReportEvent& event) {
  constexpr std::string_view kLoops[] = {"LoopCond", "While", "StatelessWhile", "For"};
  return event.kind == "compute" && event.iteration == 0 &&
         std::find(std::begin(kLoops), std::end(kLoops), event.op) != std::end(kLoops);
}

const ReportNode* Report::Find(std::string_view name) const {
  for (const auto* list : {&nodes, &called}) {
    for (const ReportNode& node : *list) {
      if (node.name == name) return &node;
    }
  }
  return nullptr;
}

const ReportCall* Report::FindCall(std::string_view prefix) const {
  for (const ReportCall& call : calls) {
    if (call.prefix == prefix) return &call;
  }
  return nullptr;
}

bool Report::Calls(std::string_view node) const {
  return std::any_of(calls.begin(), calls.end(),
                     [node](const ReportCall& call) { return call.caller == node; });
}

const ReportEvent* Report::LoopEvent(std::string_view loop) const {
  for (const auto* list : {&events, &in_loops}) {
    for (const ReportEvent& event : *list) {
      if (!IsLoop(event)) continue;
      if (event.op != "LoopCond" && event.node == loop) return &event;
      const ReportNode* node = event.op == "LoopCond" ? Find(event.node) : nullptr;
      if (node != nullptr && node->loop == loop) return &event;
    }
  }
  return nullptr;
}

std::string_view Report::ForwardLoop(std::string_view loop) const {
  for (const ReportNode& node : nodes) {
    const std::string_view other = node.loop;
    if (!other.empty() && other.size() < loop.size() && loop.ends_with(other) &&
        loop[loop.size() - other.size() - 1] == '/')
      return other;
  }
  return {};
}

std::string Report::LoopText(std::string_view loop) const {
  const std::string_view forward = ForwardLoop(loop);
  return forward.empty() ? "the loop " + Visible(loop)
                         : "the backward loop " + Visible(loop) + " of " + Visible(forward);
}

std::unordered_map<std::string_view, int64_t> Report::ComputeTimes() const {
  std::unordered_map<std::string_view, int64_t> times;
  std::unordered_map<std::string_view, std::string_view> control;  // by loop: the node of its event
  for (const ReportEvent& event : events) {
    if (event.kind != "compute") continue;
    times[event.node] += event.end_ns - event.start_ns;
    if (!IsLoop(event) || event.op != "LoopCond") continue;
    if (const ReportNode* node = Find(event.node)) control.emplace(node->loop, event.node);
  }
  if (loop_times.empty()) return times;
  std::unordered_map<std::string_view, const ReportNode*> by_name;
  for (const auto* list : {&nodes, &called})
    for (const ReportNode& node : *list) by_name.emplace(node.name, &node);
  for (const ReportLoopTime& part : loop_times) times[part.node] += part.ns;
  for (const ReportLoopTime& part : loop_times) {
    const auto at = by_name.find(part.node);
    if (at == by_name.end()) continue;
    // The time of a node is a part of that of its caller or of its loop.
    const ReportCall* call = at->second->within.empty() ? nullptr : FindCall(at->second->within);
    const auto loop = control.find(at->second->loop);
    std::string_view whole;
    if (call != nullptr) {
      whole = call->caller;
    } else if (loop != control.end()) {
      whole = loop->second;
    }
    if (whole.empty()) continue;
    int64_t& rest = times[whole];
    rest = std::max<int64_t>(rest - part.ns, 0);
  }
  return times;
}

bool Report::Assumes(std::string_view name) const {
  return std::find(assumed.begin(), assumed.end(), name) != assumed.end();
}

bool Report::IsPython(std::string_view name) const {
  return std::find(python.begin(), python.end(), name) != python.end();
}

std::string Report::Subject(const ReportEvent& event) const {
  for (const ReportTransfer& transfer : transfers) {
    if (event.kind != "wait" || transfer.tensor != event.tensor || transfer.consumers.empty())
      continue;
    if (transfer.to == event.device) return transfer.consumers[0];
  }
  return event.node.empty() ? event.tensor : event.node;
}

bool ParseReport(std::string_view text, Report* report, ReportParts parts) {
  if (text.find_first_not_of(" \n") == std::string_view::npos ||
      text[text.find_first_not_of(" \n")] != '{')
    return false;
  JsonReader json(text);
  std::string key;
  std::vector<PythonNode> python;
  for (json.Object(); json.Next(&key);) {
    if (key == "version") {
      report->version = json.Int();
    } else if (key == "graph_nodes") {
      report->graph_nodes = json.Int();
    } else if (key == "pruned_total") {
      report->pruned_total = json.Int();
    } else if (key == "wall_ns") {
      report->wall_ns = json.Int();
    } else if (key == "once") {
      ParseList(json, ParseOnce, &report->once);
    } else if (key == "critical_path") {
      report->critical_path = Strings(json);
    } else if (key == "assumed") {
      report->assumed = Strings(json);
    } else if (key == "nodes" && parts == ReportParts::kAll) {
      ParseList(json, ParseNode, &report->nodes,
                std::min(static_cast<size_t>(std::max<int64_t>(report->graph_nodes, 0)),
                         text.size() / kNodeBytes));
    } else if (key == "partitions" && parts == ReportParts::kAll) {
      ParseList(json, ParsePartition, &report->partitions);
    } else if (key == "transfers") {
      ParseList(json, ParseTransfer, &report->transfers);
    } else if (key == "steps") {
      ParseList(json, ParseEvent, &report->events);
    } else if (key == "in_loops") {
      ParseList(json, ParseEvent, &report->in_loops);
    } else if (key == "python") {
      ParseList(json, ParsePython, &python);
    } else if (key == "devices") {
      report->devices = Strings(json);
    } else if (key == "calls") {
      ParseList(json, ParseCall, &report->calls);
    } else if (key == "called" && parts == ReportParts::kAll) {
      ParseList(json, ParseNode, &report->called);
    } else if (key == "loop_times") {
      ParseList(json, ParseLoopTime, &report->loop_times);
    } else {
      json.Skip();
    }
  }
  if (!json.at_end()) return false;
  NotePython(python, report);
  AddWaits(report);
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
  return AsciiLower(last);
}

std::string ShortType(std::string_view dtype) {
  std::string suffix;
  if (dtype.size() > 4 && dtype.substr(dtype.size() - 4) == "_ref") {
    dtype.remove_suffix(4);
    suffix = "&";
  }
  for (const TypeAbbreviation& type : kTypes) {
    if (dtype == type.name) return type.short_name + suffix;
  }
  return std::string(dtype) + suffix;
}

}  // namespace tensh::shell
