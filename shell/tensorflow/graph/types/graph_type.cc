// The Python classes tf.Graph and tf.Operation.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/exchange/graph_def.h"
#include "shell/tensorflow/graph/exchange/records.h"
#include "shell/tensorflow/graph/gradient_override.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/types/context.h"
#include "shell/tensorflow/graph/types/scopes.h"
#include "shell/text/layout.h"

namespace tensh::shell::tf {
namespace {

// ---- Graph ----

GraphObject& Graph(const Value& v) { return *As<GraphObject>(v); }
GraphObject& Graph(Args& a) { return Graph(a.self()); }

Value NewGraph(Args&) { return New<GraphObject>(GraphHandle::Make()); }

Value AsDefault(Args& a) {
  Ref<GraphObject> g(&Graph(a));
  return New<ContextObject>(
      [g] {
        PushGraph(g);
        return Value(g);
      },
      [] { PopGraph(); });
}

Value GetOperations(Args& a) {
  std::vector<Value> ops;
  for (const Node node : Graph(a).InOrderOfCreation()) ops.push_back(Graph(a).Operation(node));
  return MakeList(std::move(ops));
}

Value ByName(GraphObject& g, const Value& name, bool tensor) {
  if (!IsStr(name)) {
    throw TypeError(std::string(tensor ? "Tensor" : "Operation") +
                    " names are strings (or similar), not " + TypeName(name) + ".");
  }
  const std::string text(StrView(name));
  const bool has_colon = text.find(':') != std::string::npos;
  if (tensor && !has_colon) {
    const bool exists = g.handle().Find(text) != TSH_NO_NODE;
    throw ValueError("The name " + Repr(name) +
                     (exists ? " refers to an Operation, not a Tensor. Tensor names must be of the "
                               "form \"<op_name>:<output_index>\"."
                             : " looks like an (invalid) Operation name, not a Tensor. Tensor "
                               "names must be of the form "
                               "\"<op_name>:<output_index>\"."));
  }
  if (!tensor && has_colon) {
    throw ValueError("Name " + Repr(name) + " appears to refer to a Tensor, not a Operation.");
  }
  const Element e = ToElement(g, name, "name");
  return Exists(e.out) ? g.Tensor(e.out) : g.Operation(e.node);
}

Value GetTensorByName(Args& a) { return ByName(Graph(a), a[0], true); }
Value GetOperationByName(Args& a) { return ByName(Graph(a), a[0], false); }

Value AsGraphElement(Args& a) {
  const Element e = ToElement(Graph(a), a[0], "element");
  return Exists(e.out) ? Graph(a).Tensor(e.out) : Graph(a).Operation(e.node);
}

Value Finalize(Args& a) {
  Graph(a).finalized = true;
  tsh_graph_finalize(Graph(a).raw());
  return Value::None();
}

// Finalizes the graph temporarily, as a MonitoredSession does. The runtime is not informed.
Value Seal(Args& a) {
  Graph(a).finalized = a.row().data != nullptr;
  return Value::None();
}

Value CollectionNames(const Value& v) {
  std::vector<Value> names;
  Graph(v).Sync();
  for (auto& [name, items] : Graph(v).collections) {
    const bool hidden = name.rfind("__", 0) == 0;  // private data of a library
    if (!hidden && !items->items.empty()) names.push_back(MakeStr(name));
  }
  return MakeList(std::move(names));
}

Value UniqueName(Args& a) {
  return MakeStr(Graph(a).UniqueName(ToText(a[0], "name"), Truth(a[1])));
}

Value AddToCollection(Args& a) {
  Graph(a).Collection(ToText(a[0], "name")).push_back(a[1]);
  return Value::None();
}

const FunctionRow kGraphMethods[] = {
    {"as_default", "", AsDefault, "`with g.as_default():` adds new nodes to g."},
    {"gradient_override_map", "op_type_map", GradientOverrideMap,
     "Assigns user-defined gradients to the nodes created inside: {op: registered name}."},
    {"_override_gradients", "op_type_map, /", SetGradientOverrides},
    {"as_graph_def", "from_version=None, add_shapes=False",
     [](Args& a) { return MakeMessage(GraphDefSchema(), ExportedGraph(Graph(a))); },
     "Returns the graph as a message."},
    {"finalize", "", Finalize, "Makes the graph read-only."},
    {"_hide", "",
     [](Args& a) {
       Graph(a).hidden = true;
       return a.self();
     },
     "Marks a graph of the library, and returns it."},
    {"_seal", "", Seal, "Makes the graph read-only temporarily.", "on"},
    {"_unseal", "", Seal, "Reverses _seal()."},
    {"get_operations", "", GetOperations, "Returns all operations in the order of their creation."},
    {"get_tensor_by_name", "name", GetTensorByName, "Returns the tensor with a name like 'add:0'."},
    {"get_operation_by_name", "name", GetOperationByName, "Returns the operation with a name."},
    {"as_graph_element", "obj, allow_tensor=True, allow_operation=True", AsGraphElement,
     "Returns the tensor or operation that obj represents in this graph."},
    {"name_scope", "name",
     [](Args& a) {
       return NameScopeContext(Graph(a), std::string(a[0].is_none() ? "" : ToText(a[0], "name")));
     },
     "Adds a prefix to the names of nodes created inside."},
    {"device", "device_name_or_function", [](Args& a) { return DeviceContext(Graph(a), a[0]); },
     "Requests a device for nodes created inside."},
    {"container", "container_name",
     [](Args& a) { return ContainerContext(Graph(a), ToText(a[0], "container_name")); },
     "Sets the container of the variables, queues and tables created inside."},
    {"control_dependencies", "control_inputs",
     [](Args& a) { return ControlContext(Graph(a), a[0]); },
     "Makes nodes created inside wait for these operations."},
    {"get_collection", "name, scope=None",
     [](Args& a) { return CollectionOf(Graph(a), a[0], a[1]); },
     "Returns the values of a collection."},
    {"get_collection_ref", "name",
     [](Args& a) -> Value { return Value(&Graph(a).CollectionList(ToText(a[0], "name"))); },
     "Returns the collection itself, a mutable list."},
    {"clear_collection", "name",
     [](Args& a) -> Value {
       Graph(a).CollectionList(ToText(a[0], "name")).items.clear();
       return Value::None();
     },
     "Empties a collection."},
    {"add_to_collections", "names, value",
     [](Args& a) -> Value {
       for (const Value& name : IsStr(a[0]) ? std::vector<Value>{a[0]} : ToVector(a[0])) {
         Graph(a).Collection(ToText(name, "name")).push_back(a[1]);
       }
       return Value::None();
     },
     "Adds a value to several collections."},
    {"add_to_collection", "name, value", AddToCollection, "Adds a value to a collection."},
    {"get_all_collection_keys", "", [](Args& a) { return CollectionNames(a.self()); },
     "Returns the names of the collections."},
    {"get_name_scope", "",
     [](Args& a) -> Value {
       std::string scope = Graph(a).scope;
       if (!scope.empty()) scope.pop_back();
       return MakeStr(scope);
     },
     "Returns the current name scope."},
    {"unique_name", "name, mark_as_used=True", UniqueName, "Returns a name that is not used yet."},
    {"is_feedable", "tensor",
     [](Args& a) { return Value::Bool(Graph(a).not_feedable.count(NodeOf(a[0])) == 0); },
     "Returns true if the tensor may be fed."},
    {"is_fetchable", "tensor_or_op",
     [](Args& a) { return Value::Bool(Graph(a).not_fetchable.count(NodeOf(a[0])) == 0); },
     "Returns true if it may be fetched."},
};

const PropertyRow kGraphProperties[] = {
    {"finalized", [](const Value& v) { return Value::Bool(Graph(v).finalized); }},
    {"version",
     [](const Value& v) { return Value::Int(static_cast<int64_t>(Graph(v).handle().size())); }},
    {"_last_id",
     [](const Value& v) { return Value::Int(static_cast<int64_t>(Graph(v).handle().size())); }},
    {"collections", CollectionNames},
    {"seed",
     [](const Value& v) { return Graph(v).seed ? Value::Int(*Graph(v).seed) : Value::None(); }},
};

const FunctionRow kNewGraph = {"Graph", "", NewGraph, "A new, empty graph."};

// ---- Operation ----

OperationObject& Operation(const Value& v) { return *As<OperationObject>(v); }
GraphObject& GraphOfOp(const Value& v) { return Operation(v).graph(); }
const GraphHandle& Handle(const Value& v) { return GraphOfOp(v).handle(); }
Node NodeIn(const Value& v) {
  GraphOfOp(v).CheckLive(Operation(v).node(), Operation(v).generation(), "operation");
  return Operation(v).node();
}

std::string OperationRepr(const Value& v) {
  return "<tf.Operation '" + Operation(v).Name() + "' type=" + Handle(v).NodeOp(NodeIn(v)) + ">";
}

std::string OperationStr(const Value& v) { return Str(NodeDefOf(GraphOfOp(v), NodeIn(v))); }

Value Outputs(const Value& v) {
  std::vector<Value> out;
  const Node node = NodeIn(v);
  const size_t n = Handle(v).NumOutputs(node);
  for (uint32_t i = 0; i < n; ++i) out.push_back(GraphOfOp(v).Tensor({node, i}));
  return MakeList(std::move(out));
}

Value Inputs(const Value& v) {
  std::vector<Value> in;
  const Node node = NodeIn(v);
  for (const tsh_output input : Handle(v).Inputs(node)) {
    in.push_back(GraphOfOp(v).Tensor(input));
  }
  return MakeList(std::move(in));
}

Value ControlInputs(const Value& v) {
  std::vector<Value> in;
  const Node node = NodeIn(v);
  for (const tsh_node control : Handle(v).Controls(node)) {
    in.push_back(GraphOfOp(v).Operation(control));
  }
  return MakeList(std::move(in));
}

Value RunOperation(Args& a) {
  SessionObject& session = SessionFor(
      a[1], GraphOfOp(a.self()),
      "Cannot execute operation using `run()`: No default session is registered. Use `with "
      "sess.as_default():` or pass an explicit session to `run(session=sess)`");
  session.Run(a.self(), a[0]);
  return Value::None();
}

Value ColocationGroups(Args& a) {
  try {
    return AttrOf(GraphOfOp(a.self()), NodeIn(a.self()), "_class");
  } catch (const PyError&) {
    return MakeList({MakeBytes("loc:@" + std::string(Operation(a.self()).Name()))});
  }
}

const FunctionRow kOperationMethods[] = {
    {"run", "feed_dict=None, session=None", RunOperation, "Runs the operation in a session."},
    {"get_attr", "name",
     [](Args& a) { return AttrOf(GraphOfOp(a.self()), NodeIn(a.self()), ToText(a[0], "name")); },
     "Returns an attribute of the node."},
    {"colocation_groups", "", ColocationGroups,
     "Returns the groups of nodes that share a device with this one."},
    {"values", "", [](Args& a) -> Value { return MakeTuple(ToVector(Outputs(a.self()))); },
     "Returns the outputs."},
};
const PropertyRow kOperationProperties[] = {
    {"name", [](const Value& v) { return MakeStr(Operation(v).Name()); }},
    {"type", [](const Value& v) { return MakeStr(Handle(v).NodeOp(NodeIn(v))); }},
    {"device", [](const Value& v) { return MakeStr(GraphOfOp(v).DeviceText(NodeIn(v))); }},
    {"graph", [](const Value& v) { return Value(&GraphOfOp(v)); }},
    {"node_def", [](const Value& v) { return NodeDefOf(GraphOfOp(v), NodeIn(v)); }},
    {"outputs", Outputs},
    {"inputs", Inputs},
    {"control_inputs", ControlInputs},
    {"_id", [](const Value& v) { return Value::Int(NodeIn(v)); }},
};

}  // namespace

const TypeInfo GraphObject::kType = {.name = "Graph",
                                     .module = "tensorflow.python.framework.ops",
                                     .doc = "A graph of nodes and edges.",
                                     .methods = kGraphMethods,
                                     .properties = kGraphProperties,
                                     .construct = &kNewGraph};

const TypeInfo OperationObject::kType = {.name = "Operation",
                                         .module = "tensorflow.python.framework.ops",
                                         .doc = "A node of a graph.",
                                         .methods = kOperationMethods,
                                         .properties = kOperationProperties,
                                         .repr = OperationRepr,
                                         .str = OperationStr};

// ---- the default graph ----

GraphObject& DefaultGraph() {
  LayerState& state = State();
  if (!state.graph_stack.empty()) return *state.graph_stack.back();
  if (!state.global_graph) state.global_graph = New<GraphObject>(GraphHandle::Make());
  return *state.global_graph;
}

void PushGraph(const Ref<GraphObject>& graph) { State().graph_stack.push_back(graph); }

void PopGraph() {
  if (!State().graph_stack.empty()) State().graph_stack.pop_back();
}

void ResetDefaultGraph() {
  LayerState& state = State();
  if (!state.graph_stack.empty()) {
    throw MakeError(kAssertionError,
                    "Do not use tf.reset_default_graph() to clear nested graphs. If you "
                    "need a cleared graph, exit the nesting and create a new graph.");
  }
  state.shell_sessions.clear();
  state.global_graph = New<GraphObject>(GraphHandle::Make());
}

std::vector<GraphObject*> LiveGraphs() { return State().graphs; }

}  // namespace tensh::shell::tf
