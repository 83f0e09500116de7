#include "runtime/core/device/device.h"

#include <algorithm>
#include <charconv>

#include "runtime/base/text.h"

namespace tensh {
namespace {

bool ParseNumber(std::string_view text, int& number) {
  if (text == "*") {
    number = -1;
    return true;
  }
  auto r = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && r.ec == std::errc() && r.ptr == text.data() + text.size() && number >= 0;
}

bool IsTypeName(std::string_view text) {
  if (text.empty() || !(text[0] >= 'A' && text[0] <= 'Z')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Parses "CPU:0", "cpu" or "GPU:*" into type and id.
bool ParseTypeAndId(std::string_view text, DeviceName& name) {
  size_t colon = text.find(':');
  name.type = AsciiUpper(text.substr(0, colon));
  if (name.type == "*")
    name.type.clear();
  else if (!IsTypeName(name.type))
    return false;
  return colon == text.npos || ParseNumber(text.substr(colon + 1), name.id);
}

bool ParsePart(std::string_view part, DeviceName& name) {
  size_t colon = part.find(':');
  std::string_view key = part.substr(0, colon);
  std::string_view value = colon == part.npos ? "" : part.substr(colon + 1);
  if (key == "job") {
    name.job = value == "*" ? "" : value;
    return !value.empty();
  }
  if (key == "replica") return ParseNumber(value, name.replica);
  if (key == "task") return ParseNumber(value, name.task);
  if (key == "device") return ParseTypeAndId(value, name);
  return ParseTypeAndId(part, name);
}

}  // namespace

Result<DeviceName> DeviceName::Parse(std::string_view text) {
  DeviceName name;
  std::string_view rest = text;
  if (!rest.empty() && rest.front() == '/') rest.remove_prefix(1);
  while (!rest.empty()) {
    size_t slash = rest.find('/');
    if (!ParsePart(rest.substr(0, slash), name))
      return InvalidArgument("Malformed device specification '", text, "'")
          .WithHint("write it as /cpu:0 or /job:worker/task:1/device:CPU:0");
    rest = slash == rest.npos ? "" : rest.substr(slash + 1);
  }
  return name;
}

bool DeviceName::Matches(const DeviceName& full) const {
  return (job.empty() || job == full.job) && (replica < 0 || replica == full.replica) &&
         (task < 0 || task == full.task) && (type.empty() || type == full.type) &&
         (id < 0 || id == full.id);
}

std::string DeviceName::ToString() const {
  std::string text;
  if (!job.empty()) text += "/job:" + job;
  if (replica >= 0) text += "/replica:" + std::to_string(replica);
  if (task >= 0) text += "/task:" + std::to_string(task);
  if (!type.empty()) text += "/device:" + type + ":" + (id < 0 ? "*" : std::to_string(id));
  return text;
}

std::string DeviceName::ShortString() const {
  return id < 0 ? AsciiLower(type) : AsciiLower(type) + ":" + std::to_string(id);
}

Result<std::unique_ptr<DeviceMgr>> DeviceMgr::Create(const DeviceRegistry& registry,
                                                     const DeviceOptions& options) {
  auto mgr = std::make_unique<DeviceMgr>();
  for (const auto& factory : registry.factories()) {
    TENSH_ASSIGN(auto devices, factory->Create(options));
    bool is_first = &factory == &registry.factories().front();
    if (is_first && (factory->type() != "CPU" || devices.empty())) break;
    for (auto& device : devices) mgr->devices_.push_back(std::move(device));
  }
  if (mgr->devices_.empty())
    return NotFound(
               "there is no CPU device: the CPU factory must be registered first and create at "
               "least "
               "one device")
        .WithHint("request one: device_count={'CPU': 1}");
  return mgr;
}

}  // namespace tensh
