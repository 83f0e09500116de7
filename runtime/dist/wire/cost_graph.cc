#include "runtime/dist/wire/cost_graph.h"

#include <map>

#include "runtime/base/wire.h"

namespace tensh::dist {
namespace {

// Field numbers of CostGraphDef.Node and of the messages in it.
enum NodeField {
  kName = 1,
  kDevice = 2,
  kId = 3,
  kInput = 4,
  kOutput = 5,
  kControl = 8,
  kCost = 9,
  kTime = 14
};
enum InputField { kNode = 1, kPort = 2 };
enum OutputField { kSize = 1, kShape = 3, kDtype = 4 };

struct Cost {
  std::string device;
  int64_t id = 0, micros = 0;
};

WireWriter OutputInfo(const tsh_graph* graph, tsh_output output) {
  int64_t dims[TSH_MAX_RANK];
  const int dtype = tsh_output_dtype(graph, output), rank = tsh_output_shape(graph, output, dims);
  int64_t size = rank < 0 ? -1 : static_cast<int64_t>(tsh_dtype_size(dtype));
  WireWriter shape, info;
  shape.Bool(3, rank < 0);
  for (int i = 0; i < rank; ++i) {
    WireWriter dim;
    dim.Int(1, dims[i]);
    shape.AlwaysBytes(2, dim.text());
    if (size >= 0 && (dims[i] < 0 || __builtin_mul_overflow(size, dims[i], &size))) size = -1;
  }
  info.Int(kSize, size);
  info.AlwaysBytes(kShape, shape.text());
  info.Int(kDtype, dtype);
  return info;
}

}  // namespace

std::string EncodeCosts(const tsh_graph* graph, const tensorflow::StepStats& stats) {
  std::map<tsh_node, Cost> costs;
  for (const auto& device : stats.dev_stats())
    for (const auto& event : device.node_stats()) {
      const tsh_node node = tsh_graph_find(graph, event.node_name().c_str());
      if (node == TSH_NO_NODE) continue;  // such as a Send
      Cost& cost = costs[node];
      cost.device = device.device();
      cost.micros += event.op_end_rel_micros();
    }
  int64_t next = 0;
  for (auto& [node, cost] : costs) cost.id = next++;
  WireWriter all;
  for (const auto& [node, cost] : costs) {
    WireWriter out;
    out.Bytes(kName, tsh_node_name(graph, node));
    out.Bytes(kDevice, cost.device);
    out.Int(kId, cost.id);
    for (size_t i = 0; i < tsh_node_num_inputs(graph, node); ++i) {
      const tsh_output in = tsh_node_input(graph, node, i);
      const auto from = costs.find(in.node);
      if (from == costs.end()) continue;
      WireWriter info;
      info.Int(kNode, from->second.id);
      info.Int(kPort, in.index);
      out.AlwaysBytes(kInput, info.text());
    }
    for (uint32_t i = 0; i < tsh_node_num_outputs(graph, node); ++i)
      out.AlwaysBytes(kOutput, OutputInfo(graph, {node, i}).text());
    for (size_t i = 0; i < tsh_node_num_controls(graph, node); ++i)
      if (const auto from = costs.find(tsh_node_control(graph, node, i)); from != costs.end())
        out.AlwaysInt(kControl, from->second.id);
    out.Int(kCost, cost.micros);
    out.Int(kTime, cost.micros);
    all.AlwaysBytes(1, out.text());
  }
  return all.Take();
}

}  // namespace tensh::dist
