#pragma once
// What tf.ConfigProto asks of a session.
#include "runtime/core/device.h"
#include "runtime/exec/evaluator.h"

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
  // For tests.
  Evaluator evaluator = nullptr;  // runs steps in place of compiled programs
  bool spread = false;            // nodes that request no device go round all devices
};

// Called with the configuration of every session that the C API opens. Set by test executables
// only, before they open a session (tests/modes/test_modes.cc).
extern void (*adjust_session_config)(SessionConfig& config);

}  // namespace tensh
