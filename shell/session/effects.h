// Nodes with side effects that the user may have forgotten to run. For example, a tf.Print whose
// result is not fetched prints nothing, and no error says so.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shell/client/client.h"

namespace tensh::shell {

class Effects {
 public:
  // Returns the nodes with side effects that the run did not need although it computed some of
  // their inputs. Each node is returned at most once in the life of this object. Takes time
  // proportional to the graph.
  std::vector<tsh_node> NotRun(const GraphHandle& graph, const tsh_run& run);

 private:
  // By the number of the graph: the nodes that have run or were returned.
  std::unordered_map<uint64_t, std::vector<bool>> settled_;
};

}  // namespace tensh::shell
