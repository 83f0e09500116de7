#pragma once
// Cuts a step that spans several tasks into one graph for each task. A master registers these
// graphs with its workers. The stages are those of a step in one process. An edge between tasks
// becomes a pair of nodes, a _Send and a _Recv with the same key. Feeds and fetches become such
// nodes as well (client_terminated).
#include "runtime/exec/plan.h"

namespace tensh {

// A feed or a fetch of a cut run: number `index` of the signature, in the graph of `part`, under
// `key`.
struct CutEnd {
  size_t part, index;
  std::string key;
};

struct Cut {
  struct Part {
    std::string task;  // /job:worker/replica:0/task:1
    Graph* graph;      // owned by the Cut
  };
  ~Cut() {
    for (Part& part : parts) part.graph->Unref();
  }
  std::vector<Part> parts;
  std::vector<CutEnd> feeds, fetches;
};

// Cuts a run at the borders between tasks. Fails if a graph cannot be built.
Result<std::unique_ptr<Cut>> CutByTask(const Stages& stages, const DeviceMgr& devices);

}  // namespace tensh
