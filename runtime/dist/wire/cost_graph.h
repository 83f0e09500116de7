#pragma once
// The costs of the nodes of a step, as in RunMetadata.cost_graph.
#include <string>

#include "runtime/dist/wire/handles.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// Returns a CostGraphDef message with the nodes that the statistics of a step mention: their devices,
// times, inputs and the inferred sizes of their outputs.
std::string EncodeCosts(const tsh_graph* graph, const tensorflow::StepStats& stats);

}  // namespace tensh::dist
