// tf.name_scope, tf.device, tf.control_dependencies, tf.colocate_with, default graphs, collections.
#include <memory>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/gradient_override.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/types/context.h"
#include "shell/tensorflow/graph/types/scopes.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

ContextObject& Self(const Value& v) { return *As<ContextObject>(v); }

Value Enter(const Value& v) { return Self(v).on_enter(); }

bool Exit(const Value& v, const Value&) {
  if (Self(v).on_exit) Self(v).on_exit();
  return false;
}

Value Context(std::function<Value()> enter, std::function<void()> exit) {
  return New<ContextObject>(std::move(enter), std::move(exit));
}

// Saves a member of the graph when a block begins and restores it when the block ends.
template <class T>
Value Swapping(GraphObject& graph, T GraphObject::*member,
               const std::function<Value(GraphObject&)>& change) {
  Ref<GraphObject> g(&graph);
  auto saved = std::make_shared<T>();
  return Context(
      [g, member, saved, change] {
        *saved = (*g).*member;
        return change(*g);
      },
      [g, member, saved] { (*g).*member = std::move(*saved); });
}

}  // namespace

const TypeInfo ContextObject::kType = {
    .name = "_GeneratorContextManager", .module = "contextlib", .enter = Enter, .exit = Exit};

Value NameScopeContext(GraphObject& g, const std::string& name) {
  return Swapping<std::string>(g, &GraphObject::scope, [name](GraphObject& graph) {
    graph.scope = EnterScope(graph, name);
    return MakeStr(graph.scope);
  });
}

namespace {

Value NameScopeFn(Args& a) {
  if (a[0].is_none() && !a[2].is_none() && a[1].is_none()) {
    throw ValueError("At least one of name (None) and default_name (None) must be provided.");
  }
  const Value& name = a[0].is_none() ? a[1] : a[0];
  if (!name.is_none() && !IsStr(name)) {
    throw TypeError("name for name_scope must be a string.");
  }
  GraphObject* g = a[2].is_none() ? nullptr : FindGraphOf(a[2]);
  return NameScopeContext(g ? *g : DefaultGraph(), std::string(NameText(name)));
}

}  // namespace

Value DeviceContext(GraphObject& graph, const Value& device) {
  DeviceFrame frame;
  if (device.is_none()) {
    frame.clear = true;
  } else if (IsStr(device)) {
    frame.spec = DeviceSpec::Parse(StrView(device));
  } else if (IsCallable(device)) {
    frame.function = device;
  } else {
    frame.spec = DeviceSpec::Parse(Str(device));
  }
  Ref<GraphObject> g(&graph);
  return Context(
      [g, frame] {
        g->devices.push_back(frame);
        g->RebuildDevice();
        return Value::None();
      },
      [g] {
        if (!g->devices.empty()) g->devices.pop_back();
        g->RebuildDevice();
      });
}

void ApplyDeviceFunctions(GraphObject& g, Node node) {
  DeviceSpec merged = DeviceSpec::Parse(g.handle().Device(node));
  for (size_t i = g.devices.size(); i-- > 0;) {
    if (g.devices[i].clear) break;
    if (g.devices[i].function.is_null()) {
      merged.MergeFrom(g.devices[i].spec);
      continue;
    }
    const Value answer = Call(g.devices[i].function, {g.Operation(node)});
    if (answer.is_none()) continue;
    merged.MergeFrom(DeviceSpec::Parse(Str(answer)));
    g.device_texts[node] = i == 0 ? Str(answer) : merged.ToString();
  }
  g.handle().SetDevice(node, merged.ToString());
}

Value ControlContext(GraphObject& graph, const Value& inputs) {
  if (inputs.is_none()) {
    return Swapping<std::vector<ControlFrame>>(graph, &GraphObject::controls, [](GraphObject& g) {
      g.controls.clear();
      return Value::None();
    });
  }
  std::vector<Node> nodes;
  for (const Value& v : ToVector(inputs)) {
    Node node = NodeOf(v);
    if (node == TSH_NO_NODE) {  // a name, or an error
      const Element element = ToElement(graph, v, "element");
      node = Exists(element.out) ? element.out.node : element.node;
    }
    nodes.push_back(node);
  }
  Ref<GraphObject> g(&graph);
  return Context(
      [g, nodes] {
        g->controls.push_back({nodes, {}, false});
        return Value::None();
      },
      [g] {
        if (!g->controls.empty()) g->controls.pop_back();
      });
}

Value ContainerContext(GraphObject& graph, const std::string& name) {
  Ref<GraphObject> g(&graph);
  return Context(
      [g, name] {
        EnterContainer(*g, name);
        return MakeStr(name);
      },
      [g] { LeaveContainer(*g); });
}

namespace {

Value ControlFn(Args& a) {
  GraphObject* g = a[0].is_none() ? nullptr : FindGraphOf(a[0]);
  return ControlContext(g ? *g : DefaultGraph(), a[0]);
}

Value DeviceFn(Args& a) { return DeviceContext(DefaultGraph(), a[0]); }

Value ColocateFn(Args& a) {
  GraphObject* found = FindGraphOf(a[0]);
  if (!found) throw TypeError("colocate_with takes a Tensor or an Operation, got " + Repr(a[0]));
  Ref<GraphObject> g(found);
  const Node node = NodeOf(a[0]);
  auto scope = std::make_shared<std::unique_ptr<ColocateScope>>();
  return Context(
      [g, node, scope] {
        *scope = std::make_unique<ColocateScope>(*g, node);
        return Value::None();
      },
      [scope] { scope->reset(); });
}

// ---- collections ----

std::string_view CollectionName(const Value& v) {
  if (!IsStr(v)) throw TypeError("A collection is named by a string, got " + Repr(v));
  return StrView(v);
}

std::string NameOfItem(const Value& v) {
  const Value name = FindAttr(v, Intern("name"));
  return name.is_null() || !IsStr(name) ? "" : std::string(StrView(name));
}

}  // namespace

// scope= is a pattern for re.match. For a plain name, this means a prefix.
Value CollectionOf(GraphObject& g, const Value& key, const Value& scope) {
  std::vector<Value> items = g.Collection(CollectionName(key));
  if (scope.is_none()) return MakeList(std::move(items));
  const std::string pattern = ToText(scope, "scope");
  if (pattern.find_first_of(".^$*+?{}[]\\|()") == pattern.npos) {
    std::erase_if(items, [&](const Value& v) { return NameOfItem(v).rfind(pattern, 0) != 0; });
  } else {
    const Value match = FromLibrary("re", Intern("match"));
    std::erase_if(items, [&](const Value& v) {
      return Call(match, {scope, MakeStr(NameOfItem(v))}).is_none();
    });
  }
  return MakeList(std::move(items));
}

namespace {

Value GetCollection(Args& a) { return CollectionOf(DefaultGraph(), a[0], a[1]); }

Value AddToCollection(Args& a) {
  DefaultGraph().Collection(CollectionName(a[0])).push_back(a[1]);
  return Value::None();
}

Value AddToCollections(Args& a) {
  if (IsStr(a[0])) {
    DefaultGraph().Collection(StrView(a[0])).push_back(a[1]);
    return Value::None();
  }
  for (const Value& name : ToVector(a[0]))
    DefaultGraph().Collection(CollectionName(name)).push_back(a[1]);
  return Value::None();
}

// ---- groups ----

Value GroupFn(Args& a) {
  std::vector<Node> nodes;
  std::vector<Value> pending(As<TupleObject>(a[0])->items);
  GraphObject* g = nullptr;
  for (size_t i = 0; i < pending.size(); ++i) {
    const Value v = pending[i];
    if (const auto* items = Sequence(v); items && pending.size() < 1000000) {
      pending.insert(pending.begin() + static_cast<std::ptrdiff_t>(i) + 1, items->begin(),
                     items->end());
      continue;
    }
    const Node node = NodeOf(v);
    if (node == TSH_NO_NODE) {
      throw TypeError("Expected tf.group() expected Tensor objects not None, got " + Repr(v) +
                      " with type " + Repr(TypeValue(TypeOf(v))));
    }
    if (!g) g = FindGraphOf(v);
    nodes.push_back(node);
  }
  const Value* name = As<DictObject>(a[1])->dict.Find("name");
  GraphObject& graph = g ? *g : DefaultGraph();
  return graph.Operation(Group(graph, nodes, name ? NameText(*name) : std::string_view()));
}

Value NoOpFn(Args& a) {
  GraphObject& g = DefaultGraph();
  return g.Operation(NoOp(g, NameText(a[0])));
}

// tf.tuple: returns tensors that become available only when all of them are computed.
Value TupleFn(Args& a) {
  const std::vector<Value> tensors = ToVector(a[0]);
  GraphObject* found = FindGraphOf(a[0]);
  GraphObject& g = found ? *found : DefaultGraph();
  NameScope scope(g, NameOr(a[1], "tuple"));
  std::vector<Node> nodes;
  for (const Value& v : tensors) {
    if (!v.is_none()) nodes.push_back(NodeOf(v));
  }
  if (!a[2].is_none()) {
    for (const Value& v : ToVector(a[2])) nodes.push_back(NodeOf(v));
  }
  std::erase(nodes, TSH_NO_NODE);
  if (nodes.empty()) throw ValueError("Must have at least one Tensor: " + Repr(a[0]));
  const Node gate = Group(g, nodes, {});
  std::vector<Value> out;
  ControlScope wait(g, {gate});
  for (const Value& v : tensors) {
    const Out o = AsOut(g, v);
    out.push_back(Exists(o)     ? g.Tensor(Op(g, "Identity", {o}, "control_dependency"))
                  : v.is_none() ? v
                                : g.Operation(gate));
  }
  return MakeList(std::move(out));
}

const FunctionRow kRows[] = {
    {"name_scope", "name, default_name=None, values=None", NameScopeFn,
     "Adds a prefix to the names of nodes created inside."},
    {"op_scope", "values, name=None, default_name=None",
     [](Args& a) -> Value {
       return NameScopeContext(DefaultGraph(), std::string(NameText(a[1].is_none() ? a[2] : a[1])));
     },
     "Adds a prefix to the names of nodes created inside."},
    {"device", "device_name_or_function", DeviceFn, "Requests a device for nodes created inside."},
    {"container", "container_name",
     [](Args& a) { return ContainerContext(DefaultGraph(), ToText(a[0], "container_name")); },
     "Sets the container of the variables, queues and tables created inside, which Session.reset "
     "can clear."},
    {"control_dependencies", "control_inputs", ControlFn,
     "Makes nodes created inside wait for these operations."},
    {"colocate_with", "op, ignore_existing=False", ColocateFn,
     "Places nodes created inside on the device of op."},
    {"get_collection", "key, scope=None", GetCollection, "Returns the values of a collection."},
    {"get_collection_ref", "key",
     [](Args& a) -> Value { return Value(&DefaultGraph().CollectionList(CollectionName(a[0]))); },
     "Returns the collection itself, a mutable list."},
    {"add_to_collection", "name, value", AddToCollection, "Adds a value to a collection."},
    {"add_to_collections", "names, value", AddToCollections,
     "Adds a value to several collections."},
    {"get_default_graph", "", [](Args&) -> Value { return Value(&DefaultGraph()); },
     "Returns the graph to which new nodes are added."},
    {"get_default_session", "",
     [](Args&) -> Value {
       auto& stack = State().session_stack;
       return stack.empty() ? Value::None() : Value(stack.back());
     },
     "The session that eval() and run() use, or None."},
    {"reset_default_graph", "", [](Args&) -> Value { return ResetDefaultGraph(), Value::None(); },
     "Replaces the default graph by an empty one."},
    {"group", "*inputs, **kwargs", GroupFn, "Returns one operation that runs all inputs."},
    {"no_op", "name=None", NoOpFn, "An operation that does nothing."},
    {"tuple", "tensors, name=None, control_inputs=None", TupleFn,
     "Returns tensors that become available together."},
};

}  // namespace

std::span<const FunctionRow> ScopeRows() { return kRows; }

}  // namespace tensh::shell::tf
