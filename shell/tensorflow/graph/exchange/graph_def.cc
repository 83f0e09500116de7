#include "shell/tensorflow/graph/exchange/graph_def.h"

#include <map>
#include <set>

#include "runtime/base/wire.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/library.h"
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

// ---- facts about a graph, for the verb open ----

// The nodes of a graph or of one of its functions.
struct Facts {
  std::map<std::string, int64_t> ops, devices;  // numbers of nodes
  std::set<std::string> calls;                  // the functions in the attributes of its nodes

  void AddNode(std::string_view message) {
    WireReader node(message);
    while (node.Next()) {
      if (node.field() == 2) ++ops[node.text()];
      if (node.field() == 4 && !node.bytes().empty()) ++devices[node.text()];
      if (node.field() != 5) continue;
      WireReader entry(node.bytes());
      while (entry.Next())
        if (entry.field() == 2) AddCalls(entry.bytes());
    }
  }

  void AddCalls(std::string_view attr) {
    constexpr int kList = 1, kListFunc = 9, kFunc = 10;
    WireReader value(attr);
    while (value.Next()) {
      if (value.field() == kFunc) AddCall(value.bytes());
      if (value.field() != kList) continue;
      WireReader items(value.bytes());
      while (items.Next())
        if (items.field() == kListFunc) AddCall(items.bytes());
    }
  }

  void AddCall(std::string_view func) {
    WireReader in(func);
    while (in.Next())
      if (in.field() == 1) calls.insert(in.text());
  }

  Value ToValue() const {
    std::vector<Value> names;
    for (const std::string& name : calls) names.push_back(MakeStr(name));
    return MakeTuple({Counts(ops), MakeList(std::move(names)), Counts(devices)});
  }

  static Value Counts(const std::map<std::string, int64_t>& counts) {
    Value made = MakeDict();
    for (const auto& [name, n] : counts) SetItem(made, MakeStr(name), Value::Int(n));
    return made;
  }
};

std::string FunctionName(std::string_view signature) {
  WireReader in(signature);
  while (in.Next())
    if (in.field() == 1) return in.text();
  return {};
}

// Returns the graph in a MetaGraphDef, without a copy: it may have a million nodes.
std::string_view GraphIn(std::string_view meta) {
  std::string_view graph;
  WireReader in(meta);
  while (in.Next())
    if (in.field() == 2) graph = in.bytes();
  return graph;
}

// message: a MetaGraphDef. Returns {"": facts of its graph, name: facts of the function, …} as
// tuples of the ops, the functions and the devices.
Value FactsOf(Args& a) {
  const auto* message = As<BytesObject>(a[0]);
  if (!message) throw TypeError("a message is bytes, got " + TypeName(a[0]));
  Value made = MakeDict();
  Facts graph;
  WireReader in(GraphIn(message->data));
  while (in.Next()) {
    if (in.field() == 1) graph.AddNode(in.bytes());
    if (in.field() != 2) continue;
    WireReader library(in.bytes());
    while (library.Next()) {
      if (library.field() != 1) continue;
      Facts facts;
      std::string name;
      WireReader function(library.bytes());
      while (function.Next()) {
        if (function.field() == 1) name = FunctionName(function.bytes());
        if (function.field() == 3) facts.AddNode(function.bytes());
      }
      SetItem(made, MakeStr(name), facts.ToValue());
    }
  }
  SetItem(made, MakeStr(""), graph.ToValue());
  return made;
}

// kind, text: returns the message of a GraphDef, MetaGraphDef or SavedModel in text form.
Value FromText(Args& a) {
  const std::string kind = ToText(a[0], "kind");
  const MessageSchema& schema = kind == "graph"  ? GraphDefSchema()
                                : kind == "meta" ? MetaGraphDefSchema()
                                                 : SavedModelSchema();
  return MakeBytes(ParseMessageText(schema, ToText(a[1], "text")));
}

// kind, path: returns the message of a file. Large values stay in the file until the graph is
// imported, and a GraphDef becomes a MetaGraphDef.
Value FromFile(Args& a) {
  const std::string kind = ToText(a[0], "kind"), path = ToText(a[1], "path");
  CheckPathToRead(path);
  return MakeBytes(ReadMessageFile(path, kind == "graph"  ? TSH_MESSAGE_GRAPH
                                         : kind == "meta" ? TSH_MESSAGE_META_GRAPH
                                                          : TSH_MESSAGE_SAVED_MODEL));
}

// graph, first: of the nodes from this index on, returns the placeholders and the nodes whose
// outputs no node uses, a thousand of each at most.
Value EndsOf(Args& a) {
  constexpr size_t kMost = 1000;
  auto* graph = As<GraphObject>(a[0]);
  if (!graph) throw TypeError("_ends takes a graph, got " + TypeName(a[0]));
  const GraphHandle& handle = graph->handle();
  const auto first = static_cast<size_t>(ToIndex(a[1]));
  std::vector<bool> used(handle.size(), false);
  for (size_t n = first; n < handle.size(); ++n)
    for (const tsh_output input : handle.Inputs(static_cast<tsh_node>(n))) used[input.node] = true;
  std::vector<Value> placeholders, ends;
  for (size_t n = first; n < handle.size(); ++n) {
    const auto node = static_cast<tsh_node>(n);
    const bool is_placeholder = handle.NodeOp(node) == std::string_view("Placeholder");
    if (!is_placeholder && (used[n] || handle.NumOutputs(node) == 0)) continue;
    std::vector<Value>& list = is_placeholder ? placeholders : ends;
    if (list.size() < kMost) list.push_back(graph->Operation(node));
  }
  return MakeTuple({MakeList(std::move(placeholders)), MakeList(std::move(ends))});
}

// graph, first, types: returns the operations of these types from this index on. A graph may have a
// million others, for which no objects are made.
Value OfTypes(Args& a) {
  auto* graph = As<GraphObject>(a[0]);
  if (!graph) throw TypeError("_of_types takes a graph, got " + TypeName(a[0]));
  const GraphHandle& handle = graph->handle();
  std::set<std::string, std::less<>> types;
  for (const Value& type : ToVector(a[2])) types.insert(ToText(type, "types"));
  std::vector<Value> found;
  for (auto n = static_cast<size_t>(ToIndex(a[1])); n < handle.size(); ++n)
    if (types.contains(std::string_view(handle.NodeOp(static_cast<tsh_node>(n)))))
      found.push_back(graph->Operation(static_cast<tsh_node>(n)));
  return MakeList(std::move(found));
}

// graph: returns the number of its nodes.
Value SizeOfGraph(Args& a) {
  auto* graph = As<GraphObject>(a[0]);
  if (!graph) throw TypeError("_size takes a graph, got " + TypeName(a[0]));
  return Value::Int(static_cast<int64_t>(graph->handle().size()));
}

// op, prefix: copies the body of the function that the operation calls into its graph. Returns the
// tensors that are its results.
Value InlineFn(Args& a) {
  const auto* op = As<OperationObject>(a[0]);
  if (!op) throw TypeError("only an operation can be inlined, got " + TypeName(a[0]));
  tsh_status* status = ScratchStatus();
  const ExtendTimer timer;
  std::vector<tsh_output> results(op->graph().handle().NumOutputs(op->node()));
  if (!tsh_graph_inline_results(op->graph().raw(), op->node(), ToText(a[1], "prefix").c_str(),
                                State().source, results.data(), status))
    ThrowStatus(status);
  std::vector<Value> tensors;
  for (const tsh_output& result : results) tensors.push_back(op->graph().Tensor(result));
  return MakeList(std::move(tensors));
}

// message: returns a SavedModel in text form.
Value ToSavedModelText(Args& a) {
  const auto* message = As<BytesObject>(a[0]);
  if (!message) throw TypeError("a message is bytes, got " + TypeName(a[0]));
  return MakeStr(MessageText(SavedModelSchema(), message->data));
}

const FunctionRow kMethods[] = {
    {"_to_text", "message", ToSavedModelText, "Returns the text of a SavedModel."},
    {"_ends", "graph, first", EndsOf, "Finds the inputs and outputs of a graph."},
    {"_of_types", "graph, first, types", OfTypes, "Returns the operations of some types."},
    {"_size", "graph", SizeOfGraph, "Returns the number of nodes."},
    {"_facts", "message", FactsOf, "Counts ops, calls and devices."},
    {"_inline", "op, prefix", InlineFn, "Copies the body of a called function into the graph."},
    {"_from_file", "kind, path", FromFile, "Returns the message of a file."},
    {"_from_text", "kind, text", FromText, "Returns the message of a text."},
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

Value SaverInside(const Value& v) {
  WireReader in(Meta(v).message);
  const Value made = Call(FromLibrary("messages", Intern("SaverDef")), CallArgs{});
  while (in.Next())
    if (in.field() == 3) CallMethod(made, "ParseFromString", {MakeBytes(std::string(in.bytes()))});
  return made;
}

const FunctionRow kMetaMethods[] = {
    {"SerializeToString", "", [](Args& a) { return MakeBytes(Meta(a.self()).message); },
     "Returns the message as bytes."},
    {"ByteSize", "",
     [](Args& a) { return Value::Int(static_cast<int64_t>(Meta(a.self()).message.size())); },
     "Returns the length of the message."},
};
const PropertyRow kMetaProperties[] = {{"graph_def", GraphInside}, {"saver_def", SaverInside}};

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
