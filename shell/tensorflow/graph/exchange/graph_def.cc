#include "shell/tensorflow/graph/exchange/graph_def.h"

#include "runtime/base/wire.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/state.h"

namespace tensh::shell::tf {

std::string ExportedGraph(GraphObject& g) {
  size_t size = 0;
  char* text = tsh_graph_export(g.raw(), 0, UINT32_MAX, nullptr, nullptr, &size);
  if (!text) throw MakeError(kMemoryError, "out of memory for the graph's message");
  std::string message(text, size);
  tsh_free(text);
  if (!g.has_captures()) return message;
  std::vector<std::string_view> nodes;
  WireWriter out, rest;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 1)
      nodes.push_back(in.bytes());
    else
      rest.AlwaysBytes(in.field(), in.bytes());
  }
  const std::vector<Node> order = g.InOrderOfCreation();
  if (nodes.size() != order.size()) return message;
  for (const Node node : order) out.AlwaysBytes(1, nodes[node]);
  return out.text() + rest.text();
}

void ImportGraph(GraphObject& g, std::string_view message, const ImportOptions& options,
                 std::string* new_names) {
  std::vector<const char*> names;
  std::vector<tsh_output> outputs;
  for (const auto& [name, out] : options.input_map) {
    names.push_back(name.c_str());
    outputs.push_back(out);
  }
  tsh_import how{};
  how.prefix = options.prefix.c_str();
  how.clear_devices = options.clear_devices;
  how.map_names = names.data();
  how.map_outputs = outputs.data();
  how.n_map = names.size();
  how.source = State().source;
  how.stop = [](void*) { return Interrupted() ? 1 : 0; };
  tsh_status* status = ScratchStatus();
  const ExtendTimer timer;
  const auto import = options.keep_unknown ? tsh_graph_import_known : tsh_graph_import;
  char* names_made = nullptr;
  char** wanted = new_names != nullptr ? &names_made : nullptr;
  if (import(g.raw(), message.data(), message.size(), &how, wanted, status)) {
    if (new_names != nullptr) new_names->assign(names_made);
    tsh_free(names_made);
    return;
  }
  PollInterrupt();
  // An unknown op is tf.errors.NotFoundError; in a gradient, it is Python's LookupError.
  constexpr int kNotFound = 5;
  if (tsh_status_code(status) == kNotFound) ThrowStatus(status);
  ThrowBuildStatus(status);
}

std::string ReadMessageFile(const std::string& path, tsh_message_kind kind) {
  size_t size = 0;
  tsh_status* status = ScratchStatus();
  char* bytes = tsh_message_read(path.c_str(), kind, &size, status);
  if (!bytes) ThrowBuildStatus(status);
  std::string message(bytes, size);
  tsh_free(bytes);
  return message;
}

Value NodeDefOf(GraphObject& g, Node node) {
  size_t size = 0;
  char* text = tsh_graph_export(g.raw(), node, node + 1, nullptr, nullptr, &size);
  if (!text) throw MakeError(kMemoryError, "out of memory for the node's message");
  const Encoded graph(std::string(text, size));
  tsh_free(text);
  WireReader in(graph.bytes);
  while (in.Next())
    if (in.field() == 1) return New<ProtoMessage>(NodeDefSchema(), graph.Part(in.bytes()));
  return MakeMessage(NodeDefSchema());
}

}  // namespace tensh::shell::tf
