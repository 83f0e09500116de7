// Export of a graph as a GraphDef.
#include "runtime/base/wire.h"
#include "runtime/graph/attr_message.h"
#include "runtime/graph/graphdef.h"
#include "runtime/graph/unknown_op.h"

namespace tensh {
namespace {

// The graph version that TensorFlow 1.15 writes.
constexpr int64_t kProducer = 134;

std::string NodeMessage(const Graph& g, NodeId n, const ExportRequest& request) {
  const auto name_of = [&](NodeId node) {
    return request.name ? request.name(node) : std::string(g.name(node));
  };
  WireWriter out;
  out.Bytes(1, name_of(n));
  out.Bytes(2, g.op(n).name);
  for (uint32_t i = 0; i < g.num_inputs(n); ++i) {
    const ValueId v = g.input(n, i);
    const uint32_t index = g.index_of(v);
    std::string name = name_of(g.node_of(v));
    out.Bytes(3, index ? StrCat(name, ":", index) : name);
  }
  for (uint32_t i = 0; i < g.num_controls(n); ++i)
    out.Bytes(3, StrCat("^", name_of(g.control(n, i))));
  out.Bytes(4, g.device(n));
  for (const NamedAttr& attr : g.attrs(n).all()) {
    if (IsUnknown(g.op(n)) && g.op(n).FindAttr(attr.name)) continue;
    WireWriter entry;
    entry.Bytes(1, attr.name);
    entry.AlwaysBytes(2, EncodeAttr(attr.value));
    out.AlwaysBytes(5, entry.text());
  }
  return out.Take();
}

}  // namespace

std::string ExportGraphDef(const Graph& graph, const ExportRequest& request) {
  WireWriter out, versions;
  const uint32_t end = std::min(request.end, graph.size());
  for (uint32_t i = request.first; i < end; ++i)
    out.AlwaysBytes(1, NodeMessage(graph, NodeId{i}, request));
  out.Bytes(2, graph.functions().Message());
  versions.Int(1, kProducer);
  out.AlwaysBytes(4, versions.text());
  return out.Take();
}

}  // namespace tensh
