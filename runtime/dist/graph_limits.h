#pragma once
// Limits of the graphs that clients send: the number of nodes of a session, and ops that no graph
// may contain. A message is checked before a graph is built from it.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/status.h"

namespace tensh::dist {

// The nodes that one session has so far. Not thread-safe.
struct GraphCount {
  int64_t nodes = 0;
  int64_t filled = 0;               // FilledBytes of the tensors in attributes.
  std::set<std::string> functions;  // A client may send a function several times.

  void Add(GraphCount added) {
    nodes += added.nodes;
    filled += added.filled;
    functions.merge(added.functions);
  }
};

// Returns the memory, in bytes, of the elements that a TensorProto of strings or variants has but does
// not contain, because its last value stands for them. A few bytes may request a gigabyte. Other
// tensors of equal elements share their pages.
int64_t FilledBytes(std::string_view tensor);
// Returns ResourceExhausted if the tensors of a request, or the constants of a session, would have
// more of such memory than anybody needs.
Status CheckFilled(int64_t bytes);

// The FilledBytes of the tensors of one request.
class FilledOfRequest {
 public:
  Status Add(std::string_view tensor);

 private:
  int64_t bytes_ = 0;
};

struct GraphLimits {
  int64_t nodes = 10'000'000;         // Of one session, with those of its functions.
  std::vector<std::string> deny_ops;  // Patterns of op names; * and ? are wildcards.

  // Returns ResourceExhausted if a session must not have this many nodes.
  Status CheckNodes(int64_t n) const;
  // Checks the nodes and functions of a GraphDef for a session that has those of `count`. Sets
  // `added` to what it adds. A message that is not a GraphDef passes; importing it fails.
  Status Check(std::string_view graph_def, const GraphCount& count, GraphCount* added) const;
};

// Splits a list of patterns at its commas.
std::vector<std::string> SplitPatterns(std::string_view text);

}  // namespace tensh::dist
