#pragma once
// A step over the devices of several tasks, cut into one graph a task: what a master registers with
// its workers. The phases are those of a step in process; where an edge crosses devices both ends
// become nodes, a _Send and a _Recv under one key, and what is fed and fetched becomes such nodes
// too (client_terminated).
#include "runtime/exec/plan.h"

namespace tensh {

// Where a value enters or leaves: feed or fetch `index` of the signature, in the graph of `part`.
struct CutEnd {
  size_t part, index;
  std::string key;
};

struct Cut {
  struct Part {
    std::string task;  // /job:worker/replica:0/task:1
    Graph* graph;
  };
  ~Cut() {
    for (Part& part : parts) part.graph->Unref();
  }
  std::vector<Part> parts;
  std::vector<CutEnd> feeds, fetches;
};

// Cuts a run at the borders of tasks.
Result<std::unique_ptr<Cut>> CutByTask(const Stages& stages, const DeviceMgr& devices);

}  // namespace tensh
