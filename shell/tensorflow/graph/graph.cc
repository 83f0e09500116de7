#include "shell/tensorflow/graph/graph.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "shell/python/values/error.h"
#include "shell/tensorflow/graph/control_flow.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/gradient_override.h"
#include "shell/tensorflow/graph/op_call.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/text/json.h"

namespace tensh::shell::tf {
namespace {

uint64_t OutputKey(Out o) { return (static_cast<uint64_t>(o.node) << 32) | o.index; }

bool ValidFirst(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
}

bool ValidScopeName(std::string_view name, bool nested) {
  if (!nested && !ValidFirst(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return ValidFirst(c) || c == '_' || c == '\\' || c == '-' || c == '/' || c == '>';
  });
}

std::string_view WithoutSlash(std::string_view name) {
  if (!name.empty() && name.back() == '/') name.remove_suffix(1);
  return name;
}

}  // namespace

// ---- TensorObject, OperationObject ----

bool OpenObject::SetAttribute(const Value& self, StrObject* name, const Value& value) {
  auto* object = static_cast<OpenObject*>(self.object());
  if (value.is_null()) return object->attrs_ && object->attrs_->Erase(Value(name));
  if (TypeObjectOf(self).Lookup(name).is_object()) return false;  // a method
  if (!object->attrs_) object->attrs_ = std::make_unique<Dict>();
  object->attrs_->Set(Value(name), value);
  return true;
}

TensorObject::TensorObject(GraphObject& graph, Out out)
    : OpenObject(kType), graph_(&graph), out_(out), generation_(graph.handle().generation()) {}

TensorObject::~TensorObject() { graph_->Forget(this); }

std::string TensorObject::Name() const {
  graph_->CheckLive(out_.node, generation_, "tensor");
  std::string name = graph_->handle().NodeName(out_.node);
  return name + ":" + std::to_string(out_.index);
}

int TensorObject::DType() const {
  graph_->CheckLive(out_.node, generation_, "tensor");
  return graph_->handle().DType(out_);
}

OperationObject::OperationObject(GraphObject& graph, Node node)
    : TrackedObject(kType), graph_(&graph), node_(node), generation_(graph.handle().generation()) {}

OperationObject::~OperationObject() {
  auto it = graph_->operations_.find(node_);
  if (it != graph_->operations_.end() && it->second == this) graph_->operations_.erase(it);
}

std::string OperationObject::Name() const {
  graph_->CheckLive(node_, generation_, "operation");
  return graph_->handle().NodeName(node_);
}

// ---- GraphObject ----

GraphObject::GraphObject(GraphHandle handle)
    : TrackedObject(kType), handle_(std::move(handle)), synced_generation_(handle_.generation()) {
  State().graphs.push_back(this);
  if (State().in_statement) tsh_graph_begin(raw());  // it fails or is kept with the statement
}

GraphObject::~GraphObject() { std::erase(State().graphs, this); }

void GraphObject::DropRefs() {
  collections.clear();
  variable_store.clear();
  variable_scope = Value();
  devices.clear();
}

void GraphObject::Visit(HeldVisitor& visit) const {
  for (const auto& [name, values] : collections) visit(values);
  visit(variable_store);
  visit(variable_scope);
  for (const DeviceFrame& frame : devices) visit(frame.function);
}

Value GraphObject::Tensor(Out out) {
  Sync();
  if (out.index == 0) {
    if (first_outputs_.size() <= out.node) {
      first_outputs_.resize(std::max<size_t>(out.node + 1, first_outputs_.size() * 2));
    }
    TensorObject*& slot = first_outputs_[out.node];
    if (slot) return Value(slot);
    Ref<TensorObject> made = New<TensorObject>(*this, out);
    slot = made.get();
    return made;
  }
  TensorObject*& slot = other_outputs_[OutputKey(out)];
  if (slot) return Value(slot);
  Ref<TensorObject> made = New<TensorObject>(*this, out);
  slot = made.get();
  return made;
}

void GraphObject::Forget(TensorObject* t) {
  Out out = t->out();
  if (out.index == 0) {
    if (out.node < first_outputs_.size() && first_outputs_[out.node] == t) {
      first_outputs_[out.node] = nullptr;
    }
    return;
  }
  auto it = other_outputs_.find(OutputKey(out));
  if (it != other_outputs_.end() && it->second == t) other_outputs_.erase(it);
}

Value GraphObject::Operation(Node node) {
  Sync();
  OperationObject*& slot = operations_[node];
  if (slot) return Value(slot);
  Ref<OperationObject> made = New<OperationObject>(*this, node);
  slot = made.get();
  return made;
}

std::string GraphObject::UniqueName(std::string_view name, bool mark_as_used) const {
  std::string full = scope;
  full.append(name);
  return handle_.UniqueName(full.c_str(), mark_as_used);
}

bool GraphObject::Live(Node node, uint32_t generation) const {
  if (generation == handle().generation()) return true;
  return node < handle().valid_below(generation);
}

void GraphObject::CheckLive(Node node, uint32_t generation, const char* what) const {
  if (Live(node, generation)) return;
  throw ValueError(std::string("This ") + what +
                   " no longer exists: the command that created it failed and was rolled back.")
      .Hint("Create it again");
}

ListObject& GraphObject::CollectionList(std::string_view name) {
  Sync();
  for (auto& [key, values] : collections) {
    if (key == name) return *values;
  }
  collections.emplace_back(std::string(name), New<ListObject>());
  return *collections.back().second;
}

bool GraphObject::Holds(Node first) const {
  for (size_t n = first; n < first_outputs_.size(); ++n)
    if (first_outputs_[n] != nullptr) return true;
  return std::any_of(other_outputs_.begin(), other_outputs_.end(),
                     [first](const auto& e) { return e.first >> 32 >= first; }) ||
         std::any_of(operations_.begin(), operations_.end(),
                     [first](const auto& e) { return e.first >= first; });
}

void GraphObject::Sync() {
  const uint32_t now = handle().generation();
  if (now == synced_generation_) return;
  synced_generation_ = now;
  const size_t size = handle_.size();
  std::erase_if(device_texts, [&](const auto& e) { return e.first >= size; });
  std::erase_if(flow_of, [&](const auto& e) { return e.first >= size; });
  std::erase_if(captures_, [&](const auto& e) { return e.first >= size; });
  for (auto* nodes : {&not_fetchable, &not_feedable, &constant_enters})
    std::erase_if(*nodes, [&](Node n) { return n >= size; });
  if (first_outputs_.size() > size) first_outputs_.resize(size);
  std::erase_if(other_outputs_, [&](const auto& e) { return (e.first >> 32) >= size; });
  std::erase_if(operations_, [&](const auto& e) { return e.first >= size; });
  for (auto& slot : first_outputs_) {
    if (slot && !Live(slot->out().node, slot->generation())) slot = nullptr;
  }
  auto stale = [](const Value& v) { return !ValueIsLive(v); };
  for (auto& [key, values] : collections) std::erase_if(values->items, stale);
  std::erase_if(variable_store, [&](const auto& e) { return stale(e.second); });
}

std::string GraphObject::DeviceText(Node node) const {
  auto it = device_texts.find(node);
  return it != device_texts.end() ? it->second : handle().Device(node);
}

void GraphObject::RebuildDevice() {
  DeviceSpec merged;
  has_device_functions_ = false;
  for (size_t i = devices.size(); i-- > 0;) {
    if (devices[i].clear) break;
    if (devices[i].function.is_null()) {
      merged.MergeFrom(devices[i].spec);
    } else {
      has_device_functions_ = true;
    }
  }
  device_ = merged.ToString();
}

std::vector<Node> GraphObject::ControlInputs(std::span<const Out> inputs) const {
  std::vector<Node> waits;
  for (const ControlFrame& frame : controls) {
    const bool dominated = std::any_of(inputs.begin(), inputs.end(),
                                       [&](Out o) { return frame.seen.count(o.node) != 0; });
    if (dominated) continue;
    for (Node n : frame.nodes) {
      const bool is_input =
          std::any_of(inputs.begin(), inputs.end(), [n](Out o) { return o.node == n; });
      if (!is_input && std::find(waits.begin(), waits.end(), n) == waits.end()) waits.push_back(n);
    }
  }
  return waits;
}

Node GraphObject::Add(const char* op, std::string_view name, std::span<const Out> inputs,
                      const Attrs& attrs) {
  if (finalized)
    throw RuntimeError("Graph is finalized and cannot be modified.").Explain(kWhyFinalized);
  std::string exact;
  if (!name.empty() && name.back() == '/') {
    exact = WithoutSlash(name);
  } else {
    exact = UniqueName(name.empty() ? std::string_view(op) : name);
  }
  tsh_node_spec spec{};
  spec.op = op;
  spec.name = exact.c_str();
  spec.inputs = inputs.data();
  spec.n_inputs = inputs.size();
  spec.source = State().source;
  std::vector<Node> waits;
  if (!controls.empty()) waits = ControlInputs(inputs);
  const std::shared_ptr<FlowContext> context = flow;
  const auto before = static_cast<Node>(handle_.size());
  std::vector<Out> inside;
  if (context) {
    inside.assign(inputs.begin(), inputs.end());
    context->BeforeNode(op, &inside, &waits);
    spec.inputs = inside.data();
  }
  // the device may have been changed temporarily for the previous node
  spec.device = device_.c_str();
  spec.controls = waits.data();
  spec.n_controls = waits.size();
  spec.attrs = attrs.data();
  spec.n_attrs = attrs.size();
  const bool colocated = !colocations.empty() && !colocations.back().empty();
  const Node node = colocated ? AddColocated(spec, attrs) : Append(spec);
  if (context) context->AfterNode(node);
  if (node != before)
    captures_[node] = before;
  else if (!captures_.empty())
    captures_.erase(node);
  return node;
}

std::vector<Node> GraphObject::InOrderOfCreation() const {
  std::vector<Node> order(handle_.size());
  std::iota(order.begin(), order.end(), Node{0});
  for (const auto& [node, first] : captures_) {
    if (node >= order.size()) break;
    std::rotate(order.begin() + first, order.begin() + node, order.begin() + node + 1);
  }
  return order;
}

std::shared_ptr<FlowContext> GraphObject::FlowOf(FlowContext* context) const {
  return context ? context->shared_from_this() : nullptr;
}

Node GraphObject::AddColocated(tsh_node_spec spec, const Attrs& attrs) {
  std::vector<std::string> classes;
  std::vector<const char*> texts;
  std::vector<size_t> lengths;
  for (const std::string& with : colocations.back()) classes.push_back("loc:@" + with);
  for (const std::string& text : classes) {
    texts.push_back(text.c_str());
    lengths.push_back(text.size());
  }
  tsh_attr attr{};
  attr.name = "_class";
  attr.kind = TSH_ATTR_STRING;
  attr.is_list = 1;
  attr.n = classes.size();
  attr.strings = texts.data();
  attr.lengths = lengths.data();
  Attrs all = attrs;
  all.Add(attr);
  spec.attrs = all.data();
  spec.n_attrs = all.size();
  return Append(spec);
}

namespace {

// Returns the attributes of a node and another one, a string, which replaces one of the same name.
std::vector<tsh_attr> WithString(const tsh_node_spec& spec, const char* name,
                                 std::string_view text) {
  std::vector<tsh_attr> all(spec.attrs, spec.attrs + spec.n_attrs);
  std::erase_if(all, [&](const tsh_attr& attr) { return std::strcmp(attr.name, name) == 0; });
  tsh_attr& attr = all.emplace_back();
  attr = {};
  attr.name = name;
  attr.kind = TSH_ATTR_STRING;
  attr.string = text.data();
  attr.length = text.size();
  return all;
}

Node AddOverridden(const GraphHandle& graph, tsh_node_spec spec, const char* gradient) {
  const std::vector<tsh_attr> all = WithString(spec, "_gradient_op_type", gradient);
  spec.attrs = all.data();
  spec.n_attrs = all.size();
  return graph.Add(spec);
}

// Returns true if a node has the attribute `container`, and does not say one.
bool LacksContainer(const tsh_node_spec& spec) {
  const OpInfo* op = FindOp(spec.op);
  if (!op || std::none_of(op->attrs.begin(), op->attrs.end(), [](const OpAttr& attr) {
        return std::strcmp(attr.name, "container") == 0;
      }))
    return false;
  return std::none_of(spec.attrs, spec.attrs + spec.n_attrs, [](const tsh_attr& attr) {
    return std::strcmp(attr.name, "container") == 0 && attr.length > 0;
  });
}

}  // namespace

Node GraphObject::Append(const tsh_node_spec& given) {
  tsh_node_spec spec = given;
  std::vector<tsh_attr> attrs;
  const std::string* container = ContainerOf(*this);
  if (container && !container->empty() && LacksContainer(spec)) {
    attrs = WithString(spec, "container", *container);
    spec.attrs = attrs.data();
    spec.n_attrs = attrs.size();
  }
  const char* gradient = OverriddenGradient(*this, spec.op);
  const Node node = *gradient == '\0' ? handle_.Add(spec) : AddOverridden(handle_, spec, gradient);
  NoteOverridden(*this, node, gradient);
  for (ControlFrame& frame : controls) frame.seen.insert(node);
  if (has_device_functions_) ApplyDeviceFunctions(*this, node);
  return node;
}

// ---- scopes ----

std::string EnterScope(const GraphObject& graph, std::string_view name) {
  if (name.empty()) return {};
  if (!ValidScopeName(name, !graph.scope.empty())) {
    throw ValueError("'" + std::string(name) + "' is not a valid scope name");
  }
  if (name.back() == '/') return std::string(name);
  return graph.UniqueName(name) + "/";
}

NameScope::NameScope(GraphObject& graph, std::string_view name) : graph_(graph) {
  std::string entered = EnterScope(graph, name);
  old_ = std::exchange(graph.scope, std::move(entered));
}

ControlScope::ControlScope(GraphObject& graph, std::vector<Node> nodes)
    : graph_(graph), cleared_(false) {
  graph_.controls.push_back({std::move(nodes), {}, false});
}

ControlScope::ControlScope(GraphObject& graph) : graph_(graph), cleared_(true) {
  saved_ = std::exchange(graph_.controls, {});
}

ControlScope::~ControlScope() {
  if (cleared_) {
    graph_.controls = std::move(saved_);
  } else {
    graph_.controls.pop_back();
  }
}

namespace {

// Returns the operations whose groups a node belongs to: itself, unless it was colocated with others.
std::vector<std::string> GroupsOf(const GraphHandle& graph, Node node) {
  const Json attrs = Json::Parse(graph.AttrsJson(node));
  const Json& attr = attrs["_class"];
  std::vector<std::string> groups;
  if (!attr.keys().empty()) {
    constexpr std::string_view kMark = "loc:@";
    const Json names = Json::Parse(attr[attr.keys()[0]].as_string());
    for (const Json& name : names.items())
      if (name.as_string().starts_with(kMark))
        groups.push_back(name.as_string().substr(kMark.size()));
  }
  if (groups.empty()) groups.emplace_back(graph.NodeName(node));
  return groups;
}

}  // namespace

ColocateScope::ColocateScope(GraphObject& graph, Node with) : graph_(graph) {
  // The device comes from the other node through colocation, not from the device stack.
  devices_ = std::exchange(graph_.devices, {});
  DeviceFrame frame;
  frame.spec = DeviceSpec::Parse(graph.handle().Device(with));
  graph_.devices.push_back(std::move(frame));
  graph_.RebuildDevice();
  graph_.colocations.push_back(GroupsOf(graph.handle(), with));
}

ColocateScope::~ColocateScope() {
  graph_.colocations.pop_back();
  graph_.devices = std::move(devices_);
  graph_.RebuildDevice();
}

}  // namespace tensh::shell::tf
