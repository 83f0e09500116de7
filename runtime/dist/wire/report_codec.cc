#include "runtime/dist/wire/report_codec.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

namespace tensh::dist {
namespace {

using Json = nlohmann::json;

Json ParseAndFree(char* text) {
  Json json = Json::parse(text ? text : "", nullptr, false);
  tsh_free(text);
  return json;
}

// Return a member of the expected type, or the type's initial value. The reports come from tensh
// itself, but reading them must not fail.
int64_t Int(const Json& json, const char* key) {
  auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<int64_t>() : 0;
}
uint64_t Unsigned(const Json& json, const char* key) {
  auto found = json.find(key);
  return found != json.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}
std::string Text(const Json& json, const char* key) {
  auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// Returns the full name of a device. Events have only short names; partitions have both.
std::string FullName(const Json& report, const std::string& device) {
  const auto partitions = report.find("partitions");
  if (partitions == report.end() || !partitions->is_array()) return device;
  for (const Json& part : *partitions)
    if (part.is_object() && Text(part, "short_device") == device) return Text(part, "device");
  return device;
}

int64_t NowNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void EncodeEvent(const Json& step, int64_t start, tensorflow::NodeExecStats* stats) {
  const std::string kind = Text(step, "kind");
  const bool moves = kind == "send" || kind == "recv";
  const int64_t begin = Int(step, "start_ns"), end = std::max(Int(step, "end_ns"), begin);
  const int64_t micros = std::max<int64_t>((end - begin + 999) / 1000, 1);
  stats->set_node_name(moves ? kind + " " + Text(step, "tensor") : Text(step, "node"));
  stats->set_timeline_label(moves ? "[" + std::to_string(Int(step, "bytes")) + "B] " +
                                        stats->node_name()
                                  : Text(step, "node") + " = " + Text(step, "op") + "()");
  stats->set_all_start_micros((start + begin) / 1000);
  stats->set_scheduled_micros((start + begin) / 1000);
  stats->set_op_end_rel_micros(micros);
  stats->set_all_end_rel_micros(micros);
  stats->set_all_start_nanos(start + begin);
  stats->set_scheduled_nanos(start + begin);
  stats->set_op_end_rel_nanos(end - begin);
  stats->set_all_end_rel_nanos(end - begin);
  // The event of a whole loop has no bytes, and tells its iterations in their place.
  if (const int64_t bytes = Int(step, "bytes") + Int(step, "iterations")) {
    auto* allocation =
        stats->add_output()->mutable_tensor_description()->mutable_allocation_description();
    allocation->set_requested_bytes(bytes);
    allocation->set_allocated_bytes(bytes);
  }
}

}  // namespace

void EncodeDevices(char* json,
                   google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes>* to) {
  const Json list = ParseAndFree(json);
  if (!list.is_array()) return;
  for (const Json& each : list) {
    tensorflow::DeviceAttributes* device = to->Add();
    device->set_name(Text(each, "name"));
    device->set_device_type(Text(each, "type"));
    device->set_memory_limit(Int(each, "memory_limit"));
    device->set_incarnation(Unsigned(each, "incarnation"));
  }
}

// Times in the report count from the begin of the step. TensorFlow's clients expect absolute times,
// so the begin is reconstructed from the current time and the duration of the step.
void EncodeTrace(const char* report, tensorflow::StepStats* to) {
  const Json json = Json::parse(report ? report : "", nullptr, false);
  if (!json.is_object() || !json.contains("steps")) return;
  const int64_t start = NowNanos() - Int(json, "wall_ns");
  std::map<std::string, tensorflow::DeviceStepStats*> devices;
  // Like TensorFlow's, the statistics contain each execution of a node in a loop.
  for (const char* list : {"steps", "in_loops"}) {
    const auto events = json.find(list);
    if (events == json.end() || !events->is_array()) continue;
    for (const Json& step : *events) {
      if (!step.is_object() || Text(step, "kind") == "wait") continue;
      auto& device = devices[Text(step, "device")];
      if (!device) {
        device = to->add_dev_stats();
        device->set_device(FullName(json, Text(step, "device")));
      }
      EncodeEvent(step, start, device->add_node_stats());
    }
  }
}

}  // namespace tensh::dist
