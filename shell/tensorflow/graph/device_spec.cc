#include "shell/tensorflow/graph/device_spec.h"

#include <cctype>

#include "runtime/base/text.h"
#include "shell/python/values/error.h"

namespace tensh::shell::tf {
namespace {

PyError Bad(std::string_view text) {
  return ValueError("Unknown attribute: '" + std::string(text) + "'")
      .Hint("A device is written /cpu:0, /device:GPU:1 or /job:worker/task:0/cpu:0");
}

int ParseNumber(std::string_view text, std::string_view whole) {
  if (text.empty() || text.size() > 6) throw Bad(whole);
  int n = 0;
  for (char c : text) {
    if (c < '0' || c > '9') throw Bad(whole);
    n = n * 10 + (c - '0');
  }
  return n;
}

void ParsePart(std::string_view part, std::string_view whole, DeviceSpec* spec) {
  size_t colon = part.find(':');
  std::string_view key = part.substr(0, colon);
  std::string_view rest = colon == part.npos ? std::string_view() : part.substr(colon + 1);
  if (key == "job" && !rest.empty()) {
    spec->job = rest;
  } else if (key == "replica") {
    spec->replica = ParseNumber(rest, whole);
  } else if (key == "task") {
    spec->task = ParseNumber(rest, whole);
  } else if (key == "device" && !rest.empty()) {
    size_t next = rest.find(':');
    spec->type = AsciiUpper(rest.substr(0, next));
    if (next == rest.npos || rest.substr(next + 1) == "*") return;
    spec->index = ParseNumber(rest.substr(next + 1), whole);
  } else if (AsciiUpper(key) == "CPU" || AsciiUpper(key) == "GPU") {
    spec->type = AsciiUpper(key);
    if (!rest.empty() && rest != "*") spec->index = ParseNumber(rest, whole);
  } else {
    throw Bad(part);
  }
}

}  // namespace

DeviceSpec DeviceSpec::Parse(std::string_view text) {
  DeviceSpec spec;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find('/', at);
    if (end == text.npos) end = text.size();
    if (end > at) ParsePart(text.substr(at, end - at), text, &spec);
    at = end + 1;
  }
  return spec;
}

void DeviceSpec::MergeFrom(const DeviceSpec& outer) {
  if (job.empty()) job = outer.job;
  if (replica < 0) replica = outer.replica;
  if (task < 0) task = outer.task;
  if (type.empty()) {
    type = outer.type;
    if (index < 0) index = outer.index;
  } else if (type == outer.type && index < 0) {
    index = outer.index;
  }
}

std::string DeviceSpec::ToString() const {
  std::string out;
  if (!job.empty()) out += "/job:" + job;
  if (replica >= 0) out += "/replica:" + std::to_string(replica);
  if (task >= 0) out += "/task:" + std::to_string(task);
  if (!type.empty()) {
    out += "/device:" + type + ":" + (index < 0 ? "*" : std::to_string(index));
  }
  return out;
}

}  // namespace tensh::shell::tf
