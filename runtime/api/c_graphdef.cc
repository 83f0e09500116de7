// Import and export of GraphDef messages.
#include "runtime/api/c_types.h"
#include "runtime/core/files/message_file.h"
#include "runtime/core/tensor_message.h"
#include "runtime/graph/graphdef.h"
#include "runtime/graph/inline_call.h"
#include "tensh/tensh_import.h"

using namespace tensh;
using namespace tensh::api;

char* tsh_graph_export(const tsh_graph* g, tsh_node first, tsh_node end,
                       const char* (*name)(void* context, tsh_node), void* context, size_t* size) {
  char* text = nullptr;
  Guard(nullptr, [&]() -> Status {
    TENSH_NEED(g);
    TENSH_NEED(size);
    if (first > end) return InvalidArgument("the nodes do not exist");
    ExportRequest request{.first = first, .end = end};
    if (name) request.name = [&](NodeId n) { return std::string(View(name(context, Index(n)))); };
    const std::string message = ExportGraphDef(G(g), request);
    text = TextOut(message);
    if (!text) return ResourceExhausted("out of memory");
    *size = message.size();
    return {};
  });
  return text;
}

namespace {

int Import(tsh_graph* g, const char* graph_def, size_t size, const tsh_import* given,
           bool keep_unknown, char** names, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(g);
    TENSH_NEED(graph_def || size == 0);
    constexpr tsh_import kDefaults{};
    Sized<tsh_import> how;
    TENSH_RETURN_IF_ERROR(how.Read(given ? given : &kDefaults));
    TENSH_NEED(how->n_map == 0 || (how->map_names && how->map_outputs));
    ImportRequest request{.graph_def = {graph_def, size},
                          .prefix = how->prefix ? how->prefix : "",
                          .clear_devices = how->clear_devices != 0,
                          .extends = how->extends != 0,
                          .keep_unknown = keep_unknown,
                          .wants_names = names != nullptr,
                          .source = how->source};
    if (how->stop)
      request.stop = [stop = how->stop, context = how->stop_context] { return stop(context) != 0; };
    for (size_t i = 0; i < how->n_map; ++i) TENSH_NEED(how->map_names[i]);
    for (size_t i = 0; i < how->n_map; ++i)
      request.input_map.emplace_back(how->map_names[i], ToOutput(how->map_outputs[i]));
    TENSH_ASSIGN(std::vector<std::string> made, ImportGraphDef(G(g), request));
    if (!names) return {};
    std::string text;
    for (const std::string& made_name : made) text += made_name + "\n";
    *names = TextOut(text);
    return *names ? Status() : ResourceExhausted("out of memory");
  });
}

}  // namespace

int tsh_graph_import(tsh_graph* g, const char* graph_def, size_t size, const tsh_import* given,
                     char** names, tsh_status* status) {
  return Import(g, graph_def, size, given, false, names, status);
}

int tsh_graph_import_known(tsh_graph* g, const char* graph_def, size_t size,
                           const tsh_import* given, char** names, tsh_status* status) {
  return Import(g, graph_def, size, given, true, names, status);
}

int tsh_graph_inline(tsh_graph* g, tsh_node call, const char* prefix, uint32_t source,
                     tsh_status* status) {
  return tsh_graph_inline_results(g, call, prefix, source, nullptr, status);
}

int tsh_graph_inline_results(tsh_graph* g, tsh_node call, const char* prefix, uint32_t source,
                             tsh_output* results, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(g);
    TENSH_NEED(prefix);
    if (call >= G(g).size()) return NotFound("there is no node ", call);
    TENSH_ASSIGN(const std::vector<Output> made, InlineCall(G(g), NodeId{call}, prefix, source));
    for (size_t i = 0; results && i < made.size(); ++i)
      results[i] = {Index(made[i].node), made[i].index};
    return {};
  });
}

static_assert(kReferenceField == TSH_REFERENCE_FIELD);

char* tsh_message_read(const char* path, int kind, size_t* size, tsh_status* status) {
  char* bytes = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(path);
    TENSH_NEED(size);
    TENSH_NEED(kind >= TSH_MESSAGE_GRAPH && kind <= TSH_MESSAGE_ONNX);
    TENSH_ASSIGN(const std::string message, ReadMessageFile(path, static_cast<MessageKind>(kind)));
    bytes = TextOut(message);
    if (!bytes) return ResourceExhausted("out of memory");
    *size = message.size();
    return {};
  });
  return bytes;
}

int64_t tsh_reference_size(const char* reference, size_t size) {
  return reference ? ReferencedSize({reference, size}) : -1;
}

int tsh_reference_read(const char* reference, size_t size, void* to, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(reference);
    TENSH_NEED(to);
    return ReadReferenced({reference, size}, to);
  });
}
