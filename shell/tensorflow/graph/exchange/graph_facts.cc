// The module `_graphs`: what the library files written in Python need of graphs and of their
// messages beyond the public functions.
#include <map>
#include <set>

#include "runtime/base/wire.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/tensorflow/graph/exchange/graph_def.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/io/message_text.h"

namespace tensh::shell::tf {
namespace {

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
  if (!graph) throw TypeError("ends takes a graph, got " + TypeName(a[0]));
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
  if (!graph) throw TypeError("of_types takes a graph, got " + TypeName(a[0]));
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
  if (!graph) throw TypeError("size takes a graph, got " + TypeName(a[0]));
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

const FunctionRow kGraphsRows[] = {
    {"ends", "graph, first", EndsOf, "Finds the inputs and outputs of a graph."},
    {"facts", "message", FactsOf, "Counts ops, calls and devices."},
    {"from_file", "kind, path", FromFile, "Returns the message of a file."},
    {"from_text", "kind, text", FromText, "Returns the message of a text."},
    {"inline", "op, prefix", InlineFn, "Copies the body of a called function into the graph."},
    {"of_types", "graph, first, types", OfTypes, "Returns the operations of some types."},
    {"size", "graph", SizeOfGraph, "Returns the number of nodes."},
    {"to_text", "message", ToSavedModelText, "Returns the text of a SavedModel."},
};

}  // namespace

const ModuleDef kGraphsModule = {.name = "_graphs", .functions = kGraphsRows};

}  // namespace tensh::shell::tf
