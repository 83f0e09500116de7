#include "shell/tensorflow/graph/exchange/graph_def.h"

#include "runtime/base/wire.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/exchange/records.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/io/message_text.h"

namespace tensh::shell::tf {

std::string ExportedGraph(GraphObject& g) {
  size_t size = 0;
  char* text = tsh_graph_export(g.raw(), 0, UINT32_MAX, nullptr, nullptr, &size);
  if (!text) throw MakeError(kMemoryError, "out of memory for the graph's message");
  std::string message(text, size);
  tsh_free(text);
  return message;
}

void ImportGraph(GraphObject& g, std::string_view message, const ImportOptions& options) {
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
  if (tsh_graph_import(g.raw(), message.data(), message.size(), &how, nullptr, status)) return;
  PollInterrupt();
  // An unknown op is tf.errors.NotFoundError; in a gradient, it is Python's LookupError.
  constexpr int kNotFound = 5;
  if (tsh_status_code(status) == kNotFound) ThrowStatus(status);
  ThrowBuildStatus(status);
}

namespace {

// ---- tf.GraphDef ----

GraphDefObject& Self(const Value& v) { return *As<GraphDefObject>(v); }

Value Nodes(const Value& v) {
  std::vector<Value> nodes;
  WireReader in(Self(v).message);
  while (in.Next()) {
    if (in.field() != 1) continue;
    std::string name, op, device;
    std::vector<Value> inputs;
    WireReader node(in.bytes());
    while (node.Next()) {
      if (node.field() == 1) name = node.text();
      if (node.field() == 2) op = node.text();
      if (node.field() == 3) inputs.push_back(MakeStr(node.text()));
      if (node.field() == 4) device = node.text();
    }
    nodes.push_back(MakeRecord("NodeDef", {{"name", MakeStr(name)},
                                           {"op", MakeStr(op)},
                                           {"input", MakeList(std::move(inputs))},
                                           {"device", MakeStr(device)}}));
  }
  return MakeList(std::move(nodes));
}

Value Parse(Args& a) {
  auto* bytes = As<BytesObject>(a[0]);
  if (!bytes) throw TypeError("ParseFromString takes bytes, got " + TypeName(a[0]));
  WireReader in(bytes->data);
  while (in.Next()) {
  }
  if (!in.ok()) throw ValueError("Error parsing message: this is not a GraphDef");
  Self(a.self()).message = bytes->data;
  return Value::Int(static_cast<int64_t>(bytes->data.size()));
}

// text: for google.protobuf.text_format
Value MergeText(Args& a) {
  Self(a.self()).message += ParseMessageText(GraphDefSchema(), ToText(a[0], "text"));
  return Value::None();
}

const FunctionRow kMethods[] = {
    {"_merge_text", "text", MergeText, "Merges a message in text form."},
    {"SerializeToString", "", [](Args& a) { return MakeBytes(Self(a.self()).message); },
     "Returns the message as bytes."},
    {"ParseFromString", "serialized", Parse, "Parses the message from bytes."},
    {"ByteSize", "",
     [](Args& a) { return Value::Int(static_cast<int64_t>(Self(a.self()).message.size())); },
     "Returns the length of the message."},
};
const PropertyRow kProperties[] = {{"node", Nodes}};
const FunctionRow kNewGraphDef = {"GraphDef", "",
                                  [](Args&) -> Value { return New<GraphDefObject>(""); },
                                  "A graph as a message."};

// ---- tf.MetaGraphDef ----

MetaGraphDefObject& Meta(const Value& v) { return *As<MetaGraphDefObject>(v); }

Value GraphInside(const Value& v) {
  WireReader in(Meta(v).message);
  std::string graph;
  while (in.Next()) {
    if (in.field() == 2) graph += in.bytes();
  }
  return New<GraphDefObject>(std::move(graph));
}

const FunctionRow kMetaMethods[] = {
    {"SerializeToString", "", [](Args& a) { return MakeBytes(Meta(a.self()).message); },
     "Returns the message as bytes."},
    {"ByteSize", "",
     [](Args& a) { return Value::Int(static_cast<int64_t>(Meta(a.self()).message.size())); },
     "Returns the length of the message."},
};
const PropertyRow kMetaProperties[] = {{"graph_def", GraphInside}};

}  // namespace

const TypeInfo MetaGraphDefObject::kType = {
    .name = "MetaGraphDef",
    .module = "tensorflow.core.protobuf.meta_graph_pb2",
    .doc = "A graph with the information for its Saver, as a message.",
    .methods = kMetaMethods,
    .properties = kMetaProperties};

const TypeInfo GraphDefObject::kType = {
    .name = "GraphDef",
    .module = "tensorflow.core.framework.graph_pb2",
    .doc = "A graph as a message.",
    .methods = kMethods,
    .properties = kProperties,
    .construct = &kNewGraphDef,
    .repr = [](const Value& v) { return MessageText(GraphDefSchema(), Self(v).message); }};

}  // namespace tensh::shell::tf
