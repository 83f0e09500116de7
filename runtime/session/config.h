#pragma once
// The options of a session, as given by tf.ConfigProto.
#include "runtime/core/device/device.h"
#include "runtime/exec/evaluator.h"

namespace tensh {

struct SessionConfig {
  std::map<std::string, int> device_count;  // by upper-case device type
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  GpuOptions gpu;
  int intra_op_threads = 0;  // 0: one for each core
  // Accepted but unused: small steps run in the caller's thread, large ones share one pool.
  int inter_op_threads = 0;
  int64_t operation_timeout_ms = 0;  // of each step; 0: no limit
  // On a server, the session does not share variables and queues with other sessions. A session in
  // process never does.
  bool isolated = false;
  std::vector<std::string>
      device_filters;    // the tasks that a session in a cluster uses; empty: all
  bool optimize = true;  // false: each node runs its own kernel; see OptimizesPlans
  // For tests.
  Evaluator evaluator = nullptr;  // runs steps in place of compiled programs
  bool spread = false;            // nodes that request no device are spread over all devices
};

// Chooses whether sessions optimize the plans that they make from now on, if their configuration
// allows it. True at first. Thread-safe.
void OptimizePlans(bool on);
bool OptimizesPlans();

// Called with the configuration of every session that the C API opens. Set by test executables
// only, before they open a session (tests/modes/test_modes.cc).
extern void (*adjust_session_config)(SessionConfig& config);

}  // namespace tensh
