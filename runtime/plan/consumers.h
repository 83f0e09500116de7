#pragma once
// The devices that the consumers of each node without inputs request.
//
// The graph stores inputs only, so the consumers of a node cannot be found without a walk over the
// whole graph. Placement needs them for nodes without inputs: such a node moves to its consumers if
// all of them are on one device, and consumers that do not run count as well. The index makes that
// walk once. It grows with the graph, and Update visits only nodes that it has not seen.
//
// Owned by a session, next to the placements that it keeps. Not thread-safe.
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh {

class ConsumerIndex {
 public:
  struct Request {
    std::string_view device;  // as the consumers request it; empty if they request none
    uint32_t edges;           // to such consumers, control edges included
  };

  // Visits the nodes that were added to the graph since the last call. O(new nodes and edges).
  void Update(const Graph& graph);
  // Forgets the nodes from `first` on, which a rollback removes. O(removed nodes).
  void DropFrom(uint32_t first);
  // The requests of all consumers of a node without inputs, or none if nothing consumes it.
  std::span<const Request> Of(NodeId node) const;
  // The number of nodes that Update has visited so far.
  uint64_t visited() const { return visited_; }

 private:
  struct Edge {
    uint32_t from, to;
    std::string_view device;  // interned in the graph, which never frees it
  };
  void Add(const Edge& edge);

  std::vector<Edge> edges_;  // in the order of `to`
  std::unordered_map<uint32_t, std::vector<Request>> requests_;
  uint32_t end_ = 0;  // the first node that was not visited yet
  uint64_t visited_ = 0;
};

}  // namespace tensh
