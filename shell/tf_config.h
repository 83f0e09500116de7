#pragma once
// The environment variable TF_CONFIG, in which schedulers such as Kubeflow's training operator tell each process of a
// TensorFlow cluster the addresses of all tasks and which task it is:
//   {"cluster": {"ps": ["host0:2222"], "worker": ["host1:2222"]}, "task": {"type": "worker", "index": 0}}
#include <string>
#include <string_view>

namespace tensh::shell {

struct TfConfig {
  std::string cluster;  // JSON: the addresses of each job; empty if there is no cluster
  std::string job;
  int task = 0;
};

// Parses the value of the variable; "" is one without a cluster. Returns false, and sets `error` to a sentence without a
// period, if it is invalid or if its task is not in its cluster.
bool ParseTfConfig(std::string_view text, TfConfig* config, std::string* error);

std::string_view TfConfigOfEnvironment();  // "" if the variable is not set

}  // namespace tensh::shell
