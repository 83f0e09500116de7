#pragma once
// What tf.ConfigProto asks of a session.
#include "runtime/core/device.h"

namespace tensh {

struct SessionConfig {
  std::map<std::string, int> device_count;  // by upper-case device type
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  GpuOptions gpu;
  int intra_op_threads = 0;  // 0: one a core
  int inter_op_threads =
      0;  // accepted: small steps run in the caller's thread, large ones share one pool
  int64_t operation_timeout_ms = 0;
  // For tests; see ApplyTestMode.
  bool reference = false;  // steps go through the reference evaluator
  bool spread = false;     // nodes that ask for no device go round all of them
};

// Tests replay scripts under $TENSH_MODE, which must not change what they print:
//   two-devices  two CPUs where the script did not say how many, and nodes spread over them
//   reference    the reference evaluator in the plan's place
//   fake-gpu     a GPU device without a GPU, on which everything runs that has a kernel there
//                (devices/cuda/fake_driver.h)
void ApplyTestMode(SessionConfig& config);

}  // namespace tensh
