// GraphDef messages in and out.
#include <cstdlib>
#include <cstring>

#include "runtime/api/c_types.h"
#include "runtime/graph/graphdef.h"

using namespace tensh;
using namespace tensh::api;

char* tsh_graph_export(const tsh_graph* g, size_t* size) {
  char* text = nullptr;
  Guard(nullptr, [&]() -> Status {
    const std::string message = ExportGraphDef(G(g));
    text = static_cast<char*>(std::malloc(message.size() + 1));
    if (!text) return ResourceExhausted("out of memory");
    std::memcpy(text, message.c_str(), message.size() + 1);
    *size = message.size();
    return {};
  });
  return text;
}

int tsh_graph_import(tsh_graph* g, const char* graph_def, size_t size, const char* prefix,
                     int clear_devices, const char* const* map_names,
                     const tsh_output* map_outputs, size_t n_map, uint32_t source, char** names,
                     tsh_status* status) {
  return Guard(status, [&]() -> Status {
    ImportRequest request{.graph_def = {graph_def, size},
                          .prefix = prefix ? prefix : "",
                          .clear_devices = clear_devices != 0,
                          .source = source};
    for (size_t i = 0; i < n_map; ++i)
      request.input_map.emplace_back(map_names[i], ToOutput(map_outputs[i]));
    TENSH_ASSIGN(std::vector<std::string> made, ImportGraphDef(G(g), request));
    std::string text;
    for (const std::string& name : made) text += name + "\n";
    *names = TextOut(text);
    return {};
  });
}
