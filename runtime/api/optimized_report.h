#pragma once
// The part of a report that tells what the optimizer did with the nodes of some partitions.
#include <vector>

#include "runtime/api/json_writer.h"
#include "runtime/exec/plan.h"

namespace tensh::api {

// Returns the state of a node that needs no kernel: "unused", or "merged" if its values are those of
// another node, or are computed by the kernel of another one. Returns null for other nodes. `joined` is
// JoinedNodes(stages).
const char* StateOfSkipped(const Stages& stages, const std::vector<NodeId>& joined,
                           uint32_t position);

// Returns the nodes that the kernels of other nodes compute as well, in the order of their ids.
std::vector<NodeId> JoinedNodes(const Stages& stages);

// Returns the nodes of a program that run again only if a shape has changed, in the order of their
// ids. `program` may be null.
std::vector<NodeId> OnceNodes(const Program* program);

// Writes the keys `fused`, `branches`, `joined`, `once` and `merged` of the partitions with these numbers, without those
// that would be empty.
void WriteOptimized(const Stages& stages, const Program& program, const std::vector<size_t>& parts,
                    JsonWriter& json);

}  // namespace tensh::api
