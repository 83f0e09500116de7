#pragma once
// The options of `tensh serve`: a table, from which the help, the manual and the completions follow.
#include <cstdint>
#include <string>
#include <vector>

#include "shell/tls.h"

namespace tensh::shell {

struct ServeLine {
  std::string host = "127.0.0.1";
  int port = 2222;
  bool has_port = false, insecure = false;
  std::string cluster, job, deny_ops;
  // 0: the default of the server.
  int task = 0, cpus = 0, max_sessions = 0, max_steps = 0, max_step_seconds = 0, idle_seconds = 0;
  int64_t session_memory = 0, memory = 0, max_nodes = 0;
  double task_timeout_seconds = 0, step_cpu_seconds = 0;
  TlsPaths tls = TlsOfEnvironment();
  std::vector<std::string> file_roots;
};

// Parses the arguments. Returns the exit code if the process should end, after it printed help or an
// error; otherwise -1.
int ParseServe(int argc, char** argv, ServeLine* line);

}  // namespace tensh::shell
