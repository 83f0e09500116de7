// The parts of a device name, like TensorFlow's DeviceSpec. Names are parsed, merged, and printed
// in the canonical form ("/job:worker/task:0/device:CPU:1"). Plain data.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell::tf {

struct DeviceSpec {
  std::string job;
  int replica = -1;
  int task = -1;
  std::string type;  // "CPU", "GPU", "*" for any
  int index = -1;

  // Throws ValueError if the text is not a device name.
  static DeviceSpec Parse(std::string_view text);
  // Takes unspecified fields from `outer`.
  void MergeFrom(const DeviceSpec& outer);
  std::string ToString() const;
};

}  // namespace tensh::shell::tf
