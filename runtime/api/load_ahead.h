#pragma once
// Loads libraries in the background for the nodes that are added to graphs (tensh_load.h).
#include <atomic>

#include "runtime/graph/graph.h"

namespace tensh::api {

// True from tsh_load_ahead(1) until a library is being loaded.
extern std::atomic<bool> g_load_ahead;

void LoadAheadForNodes(const Graph& graph, uint32_t first);

// Looks at the nodes of a graph from index `first` on. Any thread that may add nodes to the graph.
inline void LoadAheadFor(const Graph& graph, uint32_t first) {
  if (g_load_ahead.load(std::memory_order_relaxed)) LoadAheadForNodes(graph, first);
}

}  // namespace tensh::api
