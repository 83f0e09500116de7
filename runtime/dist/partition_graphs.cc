#include "runtime/dist/partition_graphs.h"

#include <map>
#include <vector>

#include "runtime/dist/wire/messages.h"

namespace tensh::dist {

Result<CutterPtr> MakeCutter(
    tsh_graph* graph,
    const google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes>& devices,
    const std::string& config) {
  std::vector<tsh_device> rows;
  for (const auto& d : devices)
    rows.push_back({d.name().c_str(), d.device_type().c_str(), d.memory_limit(), d.incarnation()});
  Said said;
  CutterPtr cutter(tsh_cutter_new(graph, rows.data(), rows.size(), config.c_str(), said));
  if (!cutter) return said.Take();
  return cutter;
}

Status TellPartitions(tsh_cutter* cutter, const tsh_run& run, tensorflow::RunMetadata* to) {
  Said said;
  const CutPtr cut(tsh_cutter_cut(cutter, &run, said));
  if (!cut) return said.Take();
  for (size_t p = 0; p < tsh_cut_size(cut.get()); ++p) {
    tsh_graph* graph = tsh_cut_graph(cut.get(), p);
    std::string bytes;
    TENSH_RETURN_IF_ERROR(ExportGraph(
        graph, 0, static_cast<tsh_node>(tsh_graph_size(graph)),
        [graph](tsh_node n) { return tsh_node_name(graph, n); }, &bytes));
    tensorflow::GraphDef all;
    if (!all.ParseFromString(bytes)) return Internal("a partition's graph cannot be read");
    google::protobuf::RepeatedPtrField<tensorflow::NodeDef> nodes;
    nodes.Swap(all.mutable_node());
    // Each part also gets everything but the nodes, such as functions.
    std::map<std::string, tensorflow::GraphDef> parts;
    for (auto& node : nodes)
      *parts.try_emplace(node.device(), all).first->second.add_node() = std::move(node);
    for (const auto& [device, part] : parts) part.SerializeToString(to->add_partition_graphs());
  }
  return {};
}

}  // namespace tensh::dist
