// A device name in parts, as TensorFlow's DeviceSpec: parsed, merged and printed in the canonical
// form
// ("/job:worker/task:0/device:CPU:1"). Plain data.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell::tf {

struct DeviceSpec {
  std::string job;
  int replica = -1;
  int task = -1;
  std::string type;  // "CPU", "GPU", "*" for any
  int index = -1;    // -1: not said, also for "*"

  // Throws ValueError on text that is no device name.
  static DeviceSpec Parse(std::string_view text);
  // Fields that this leaves open are taken from `outer`.
  void MergeFrom(const DeviceSpec& outer);
  std::string ToString() const;
};

}  // namespace tensh::shell::tf
