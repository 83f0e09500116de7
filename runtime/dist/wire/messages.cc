#include "runtime/dist/wire/messages.h"

namespace tensh::dist {

Status ImportGraph(const std::string& graph_def, tsh_graph* graph) {
  Said said;
  tsh_import how{};
  how.extends = 1;
  tsh_graph_import(graph, graph_def.data(), graph_def.size(), &how, nullptr, said);
  return said.Take();
}

Status ExportGraph(const tsh_graph* graph, tsh_node first, tsh_node end, const NodeNamer& name,
                   std::string* graph_def) {
  struct Context {
    const NodeNamer& name;
    std::string said;
  } context{name, {}};
  const auto name_of = [](void* opaque, tsh_node n) {
    auto* c = static_cast<Context*>(opaque);
    c->said = c->name(n);
    return c->said.c_str();
  };
  size_t size = 0;
  const TextPtr bytes(tsh_graph_export(graph, first, end, name_of, &context, &size));
  if (!bytes) return ResourceExhausted("out of memory for the message of the graph");
  graph_def->assign(bytes.get(), size);
  return {};
}

Status CheckMessageSize(uint64_t bytes) {
  // Leaves space for the rest of the message.
  constexpr uint64_t kMost = (uint64_t{1} << 31) - (1 << 20);
  if (bytes <= kMost) return {};
  return ResourceExhausted("a message of ", bytes,
                           " bytes is too large for the wire, which carries ", kMost)
      .WithHint("send it in parts");
}

Result<TensorPtr> DecodeTensor(const std::string& message) {
  Said said;
  TensorPtr tensor(tsh_tensor_decode(message.data(), message.size(), said));
  if (!tensor) return said.Take();
  return tensor;
}

Status EncodeTensor(tsh_tensor* tensor, std::string* message) {
  Said said;
  size_t head_size = 0, content_size = 0;
  const TextPtr head(tsh_tensor_encode(tensor, &head_size, &content_size, said));
  if (!head) return said.Take();
  TENSH_RETURN_IF_ERROR(CheckMessageSize(uint64_t{head_size} + content_size));
  message->reserve(head_size + content_size);
  message->assign(head.get(), head_size);
  if (content_size)
    message->append(static_cast<const char*>(tsh_tensor_data(tensor)), content_size);
  return {};
}

bool ParseTensorName(std::string_view text, TensorName* out) {
  const size_t colon = text.rfind(':');
  out->has_port = colon != text.npos;
  out->node = text.substr(0, colon);
  out->port = 0;
  if (!out->has_port) return !text.empty();
  const std::string_view digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 6) return false;
  for (char c : digits) {
    if (c < '0' || c > '9') return false;
    out->port = out->port * 10 + static_cast<uint32_t>(c - '0');
  }
  return !out->node.empty();
}

}  // namespace tensh::dist
