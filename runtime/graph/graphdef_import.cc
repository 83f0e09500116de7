// Import of a GraphDef: reads all nodes, resolves their inputs, sorts them so that inputs precede
// their consumers, and appends them at once.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <unordered_map>

#include "runtime/base/wire.h"
#include "runtime/graph/attr_message.h"
#include "runtime/graph/graphdef.h"
#include "runtime/graph/node_message.h"
#include "runtime/graph/unknown_op.h"

namespace tensh {
namespace {

// The newest graph version whose rules are implemented, which is that of TensorFlow 2.21.
constexpr int64_t kConsumer = 2474;
// The op of a value that cannot be had here (ops/control/unsupported.cc).
constexpr std::string_view kStandIn = "Unsupported";

// The nodes of a message by name: an open hash table of their indices, which fits a large graph's
// lookups into fewer cache lines than a map of texts. A slot also has a part of the hash, so that a
// name is compared only with those that are likely to be the same.
class NodesByName {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  explicit NodesByName(const std::vector<NodeMessage>& nodes) : nodes_(nodes) {}
  // Indexes all nodes. Returns the first one whose name occurs before, or kNone.
  uint32_t Build() {
    slots_.assign(std::bit_ceil(2 * nodes_.size() + 2), {});
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      const uint64_t hash = HashOf(nodes_[i].name());
      Slot& slot = slots_[SlotOf(nodes_[i].name(), hash)];
      if (slot.node != kNone) return i;
      slot = {i, TagOf(hash)};
    }
    return kNone;
  }
  uint32_t Find(std::string_view name) const { return slots_[SlotOf(name, HashOf(name))].node; }
  void Clear() { slots_ = {}; }

 private:
  // Returns the slot that has the name, or the free one in which it would be.
  size_t SlotOf(std::string_view name, uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    for (; slots_[at].node != kNone; at = (at + 1) & mask)
      if (slots_[at].tag == TagOf(hash) && nodes_[slots_[at].node].name() == name) break;
    return at;
  }

  struct Slot {
    uint32_t node = kNone, tag = 0;
  };
  static uint64_t HashOf(std::string_view name) { return std::hash<std::string_view>()(name); }
  static uint32_t TagOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

  const std::vector<NodeMessage>& nodes_;
  std::vector<Slot> slots_;
};

bool IsLoopEdge(const OpRegistry& ops, const NodeMessage& from, const NodeMessage& to) {
  return ops.RoleOf(from.op()) == OpRole::kNextIteration && ops.RoleOf(to.op()) == OpRole::kMerge;
}

class Importer {
 public:
  Importer(Graph& g, const ImportRequest& request) : g_(g), request_(request) {
    if (!request.prefix.empty()) prefix_ = StrCat(request.prefix, "/");
    for (const auto& [name, output] : request.input_map) mapped_[name] = output;
  }

  Status Run() {
    TENSH_RETURN_IF_ERROR(Read());
    TENSH_RETURN_IF_ERROR(CheckNames());
    TENSH_RETURN_IF_ERROR(ResolveEdges());
    by_name_.Clear();
    if (has_unknown_) TENSH_RETURN_IF_ERROR(FindUnknownOutputs());
    TENSH_RETURN_IF_ERROR(Sort());
    return Add();
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const NodeMessage& node : nodes_) names.push_back(NewName(node.name()));
    return names;
  }

 private:
  // The source of an input: a node of the message, or an output of the graph.
  struct Edge {
    static constexpr uint32_t kOfGraph = NodesByName::kNone;
    uint32_t local = kOfGraph;
    Output from;
    bool is_control = false;
  };

  std::span<const Edge> EdgesOf(size_t node) const {
    const size_t end = node + 1 < nodes_.size() ? nodes_[node + 1].first_edge : edges_.size();
    return std::span(edges_).subspan(nodes_[node].first_edge, end - nodes_[node].first_edge);
  }

  Status Read() {
    WireReader in(request_.graph_def);
    while (in.Next()) {
      if (in.field() == 1) {
        TENSH_RETURN_IF_ERROR(CheckStop(nodes_.size()));
        TENSH_ASSIGN(const NodeMessage node, NodeMessage::Read(in.bytes()));
        nodes_.push_back(node);
      } else if (in.field() == 2) {
        TENSH_RETURN_IF_ERROR(g_.functions().AddLibrary(in.bytes(), request_.clear_devices));
      } else if (in.field() == 4) {
        TENSH_RETURN_IF_ERROR(CheckVersions(in.bytes()));
      }
    }
    return in.ok() ? Status() : Unreadable("the message");
  }

  Status CheckVersions(std::string_view message) {
    WireReader in(message);
    while (in.Next()) {
      if (in.field() == 1) producer_ = in.integer();
      if (in.field() == 2 && in.integer() > kConsumer)
        return InvalidArgument("GraphDef min consumer version ", in.integer(),
                               " above current version ", kConsumer,
                               " for tensh.  Please upgrade tensh.");
      if (in.field() == 3 && Has(in, kConsumer))
        return InvalidArgument("GraphDef disallows consumer version ", kConsumer,
                               ".  Please upgrade tensh: this version is likely buggy.");
    }
    return in.ok() ? Status() : Unreadable("the version");
  }

  // Returns true if a field of a repeated integer, packed or not, holds the number.
  static bool Has(const WireReader& in, int64_t number) {
    if (!in.is_bytes()) return in.integer() == number;
    std::string_view rest = in.bytes();
    uint64_t found = 0;
    while (TakeVarint(rest, found))
      if (static_cast<int64_t>(found) == number) return true;
    return false;
  }

  // Returns the name that a node of the message has in the graph.
  std::string NewName(std::string_view name) const {
    if (!renamed_.empty())
      if (auto it = renamed_.find(name); it != renamed_.end()) return it->second;
    return StrCat(prefix_, name);
  }

  // As in TensorFlow, a node whose name is taken in the graph gets the next free one: x_1.
  void Rename(std::string_view name) {
    const std::string full = StrCat(prefix_, name);
    if (g_.Find(full) == kNoNode) return;
    for (int number = 1;; ++number) {
      std::string other = StrCat(full, "_", number);
      if (g_.Find(other) != kNoNode ||
          by_name_.Find(StrCat(name, "_", number)) != NodesByName::kNone)
        continue;
      renamed_[name] = std::move(other);
      return;
    }
  }

  // Asks once per batch of nodes whether the import should end.
  static constexpr size_t kBatch = 4096;
  Status CheckStop(size_t done) const {
    if (done % kBatch == 0 && request_.stop && request_.stop())
      return Cancelled("the import was cancelled");
    return {};
  }

  Status CheckNames() {
    if (nodes_.size() >= NodesByName::kNone) return ResourceExhausted("a graph has too many nodes");
    const uint32_t twice = by_name_.Build();
    if (twice != NodesByName::kNone)
      return InvalidArgument("Node '", nodes_[twice].name(), "' is not unique");
    const bool renames = !request_.extends && !request_.keep_unknown && g_.size() != 0;
    for (const NodeMessage& node : nodes_) {
      if (renames) Rename(node.name());
      if (request_.extends && g_.Find(node.name()) != kNoNode)
        return InvalidArgument("GraphDef argument to Extend includes node '", node.name(),
                               "', which was created by a previous call to Create or Extend in "
                               "this session.");
      if (const OpDef* op = g_.FindOp(node.op()); op && !IsUnknown(*op)) continue;
      if (!request_.keep_unknown) return NoOp(node).WithNode(node.name());
      TENSH_RETURN_IF_ERROR(g_.functions().AddLibrary(UnknownOpLibrary(node.op())));
      has_unknown_ = true;
    }
    return {};
  }

  // Returns TensorFlow's message, for which its clients search.
  static Status NoOp(const NodeMessage& node) {
    char host[256] = "this host";
    (void)gethostname(host, sizeof host - 1);
    return NotFound("Op type not registered '", node.op(), "' in binary running on ", host,
                    ". Make sure the Op and Kernel are registered in the binary running in this "
                    "process.");
  }

  Status ResolveEdges() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      TENSH_RETURN_IF_ERROR(CheckStop(i));
      nodes_[i].first_edge = static_cast<uint32_t>(edges_.size());
      bool in_controls = false;
      WireReader in(nodes_[i].message());
      while (in.Next()) {
        if (in.field() != 3) continue;
        if (edges_.size() >= UINT32_MAX) return ResourceExhausted("a graph has too many edges");
        TENSH_ASSIGN(Edge edge, Resolve(nodes_[i], in.bytes()));
        if (in_controls && !edge.is_control)
          return InvalidArgument("Node '", nodes_[i].name(),
                                 "': Control dependencies must come after ",
                                 "regular dependencies");
        in_controls = edge.is_control;
        edges_.push_back(edge);
      }
    }
    return {};
  }

  Result<Edge> Resolve(const NodeMessage& to, std::string_view text) const {
    InputName name;
    if (!ParseInput(text, &name))
      return InvalidArgument("Node '", to.name(), "': '", text, "' is not an input's name");
    Edge edge;
    edge.is_control = name.is_control;
    edge.from.index = name.index;
    if (!mapped_.empty()) {
      auto mapped = mapped_.find(name.is_control ? StrCat("^", name.node)
                                                 : StrCat(name.node, ":", name.index));
      if (mapped != mapped_.end()) {
        edge.from = mapped->second;
        return edge;
      }
    }
    edge.local = by_name_.Find(name.node);
    if (edge.local != NodesByName::kNone) return edge;
    if (request_.extends) edge.from.node = g_.Find(name.node);
    if (edge.from.node == kNoNode)
      return InvalidArgument("Node '", to.name(), "': Unknown input node '", text, "'");
    return edge;
  }

  // An op that is not known here has the outputs that other nodes use, of the types that they expect.
  Status FindUnknownOutputs() {
    constexpr uint32_t kMostOutputs = 256;
    unknown_outputs_.resize(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const OpDef* to = g_.FindOp(nodes_[i].op());
      size_t k = 0;
      for (const Edge& edge : EdgesOf(i)) {
        if (edge.is_control) break;
        const size_t input = k++;
        if (edge.local == Edge::kOfGraph || !IsUnknown(*g_.FindOp(nodes_[edge.local].op())))
          continue;
        const NodeMessage& from = nodes_[edge.local];
        if (edge.from.index >= kMostOutputs)
          return InvalidArgument("Node '", nodes_[i].name(), "': '", from.name(), ":",
                                 edge.from.index,
                                 "' is an output of an unknown op, which may have ", kMostOutputs);
        AttrValue::Types& types = unknown_outputs_[edge.local];
        while (types.size() <= edge.from.index) types.push_back(GuessedType(from, types.size()));
        const DType wanted = WantedType(*to, nodes_[i], input);
        if (SizeOf(BaseType(wanted)) != 0) types[edge.from.index] = wanted;
      }
    }
    for (size_t i = 0; i < nodes_.size(); ++i)
      if (unknown_outputs_[i].empty() && IsUnknown(*g_.FindOp(nodes_[i].op())))
        unknown_outputs_[i].push_back(GuessedType(nodes_[i], 0));
    return {};
  }

  static AttrValue AttrOf(const OpDef& op, const NodeMessage& node, std::string_view name) {
    const AttrDef* def = op.FindAttr(name);
    AttrValue found;
    bool done = false;
    ForEachAttr(node, [&](std::string_view key, std::string_view message) {
      if (done || key != name) return;
      Result<AttrValue> value = DecodeAttr(message, def);
      if (value.ok()) found = *std::move(value), done = true;
    });
    return done ? found : def && def->default_value ? *def->default_value : found;
  }

  // Returns the type that input k of a node must have, or kInvalid if its attributes do not say.
  static DType WantedType(const OpDef& op, const NodeMessage& node, size_t k) {
    for (const ArgDef& arg : op.inputs) {
      size_t count = 1;
      if (!arg.type_list_attr.empty()) {
        const AttrValue list = AttrOf(op, node, arg.type_list_attr);
        const auto* types = list.Find<AttrValue::Types>();
        if (!types) return DType::kInvalid;
        if (k < types->size()) return (*types)[k];
        count = types->size();
      } else if (!arg.number_attr.empty()) {
        const AttrValue number = AttrOf(op, node, arg.number_attr);
        const int64_t* n = number.Find<int64_t>();
        if (!n || *n < 0) return DType::kInvalid;
        count = static_cast<size_t>(*n);
      }
      if (k < count) {
        const AttrValue attr =
            arg.type_attr.empty() ? AttrValue(arg.type) : AttrOf(op, node, arg.type_attr);
        const DType* type = attr.Find<DType>();
        return !type ? DType::kInvalid : arg.is_ref ? RefType(BaseType(*type)) : *type;
      }
      k -= count;
    }
    return DType::kInvalid;
  }

  // Returns a likely type for an output that no known op uses.
  static DType GuessedType(const NodeMessage& node, size_t index) {
    DType guess = DType::kVariant;
    bool done = false;
    ForEachAttr(node, [&](std::string_view name, std::string_view message) {
      if (done) return;
      const Result<AttrValue> value = DecodeAttr(message, nullptr);
      if (!value.ok()) return;
      const bool is_output = name == "dtype" || name.find("out") != name.npos;
      const DType* type = value->Find<DType>();
      if (const auto* list = value->Find<AttrValue::Types>(); list && index < list->size())
        type = name.find("out") != name.npos ? &(*list)[index] : nullptr;
      if (!type || SizeOf(BaseType(*type)) == 0) return;
      if (is_output || guess == DType::kVariant) guess = *type;
      done = is_output;
    });
    return guess;
  }

  // Sorts the nodes so that inputs precede their consumers, otherwise in the order of the message.
  // Uses an explicit stack, because a graph may be a chain of a million nodes.
  Status Sort() {
    enum : uint8_t { kNew, kOpen, kDone };
    std::vector<uint8_t> state(nodes_.size(), kNew);
    std::vector<std::pair<size_t, size_t>> stack;
    place_.resize(nodes_.size());
    for (size_t root = 0; root < nodes_.size(); ++root) {
      if (state[root] != kNew) continue;
      state[root] = kOpen;
      stack.emplace_back(root, 0);
      while (!stack.empty()) {
        auto& [at, next] = stack.back();
        if (next == EdgesOf(at).size()) {
          state[at] = kDone;
          place_[at] = static_cast<uint32_t>(order_.size());
          order_.push_back(static_cast<uint32_t>(at));
          stack.pop_back();
          continue;
        }
        const uint32_t from = EdgesOf(at)[next++].local;
        if (from == Edge::kOfGraph || IsLoopEdge(g_.ops(), nodes_[from], nodes_[at])) continue;
        if (state[from] == kOpen)
          return InvalidArgument("Graph is invalid, contains a cycle through node '",
                                 nodes_[from].name(), "'");
        if (state[from] == kDone) continue;
        state[from] = kOpen;
        stack.emplace_back(from, 0);
      }
    }
    return {};
  }

  // The data to which the NodeSpecs of one Append refer.
  struct Parts {
    std::string name;
    std::vector<Output> inputs;
    std::vector<NodeId> controls;
    std::vector<NamedAttr> attrs;
  };

  // Appends the nodes in batches, so that a large import can be stopped and needs little memory. The
  // Merge and the NextIteration of a loop must be in the same batch.
  Status Add() {
    const uint32_t base = g_.size();
    size_t begin = 0;
    size_t needed = 0;  // the batch must include the nodes before this one
    for (size_t k = 0; k < order_.size(); ++k) {
      for (const Edge& edge : EdgesOf(order_[k]))
        if (edge.local != Edge::kOfGraph) needed = std::max(needed, size_t{place_[edge.local]} + 1);
      const size_t end = k + 1;
      if (end < order_.size() && (end - begin < kBatch || end < needed)) continue;
      TENSH_RETURN_IF_ERROR(CheckStop(0));
      TENSH_RETURN_IF_ERROR(AddBatch(base, begin, end));
      begin = end;
    }
    for (size_t k = 0; k < order_.size(); ++k)
      SetShapes(nodes_[order_[k]], NodeId{base + static_cast<uint32_t>(k)});
    return {};
  }

  // With keep_unknown, a constant that no tensor here can hold, because of its element type, becomes
  // a node that fails when it is needed. Sets its attributes.
  bool StandIn(size_t index, const Status& why, std::vector<NamedAttr>* attrs) const {
    if (!request_.keep_unknown || why.code() != Code::kUnimplemented || !g_.FindOp(kStandIn))
      return false;
    for (const Edge& edge : EdgesOf(index))
      if (!edge.is_control) return false;
    bool made = false;
    ForEachAttr(nodes_[index], [&](std::string_view name, std::string_view message) {
      if (name != "dtype" || made) return;
      const Result<AttrValue> type = DecodeAttr(message, nullptr);
      if (!type.ok() || type->Find<DType>() == nullptr) return;
      *attrs = {{"dtype", *type}, {"message", std::string(why.message())}};
      made = true;
    });
    return made;
  }

  Status AddBatch(uint32_t base, size_t begin, size_t end) {
    std::deque<Parts> parts(end - begin);
    std::vector<NodeSpec> specs(end - begin);
    for (size_t k = begin; k < end; ++k) {
      const NodeMessage& node = nodes_[order_[k]];
      Parts& part = parts[k - begin];
      part.name = NewName(node.name());
      for (const Edge& edge : EdgesOf(order_[k])) {
        Output from = edge.from;
        if (edge.local != Edge::kOfGraph) from.node = NodeId{base + place_[edge.local]};
        if (edge.is_control)
          part.controls.push_back(from.node);
        else
          part.inputs.push_back(from);
      }
      Status status = DecodeAttrs(node, &part.attrs);
      std::string_view op = node.op();
      if (!status.ok() && StandIn(order_[k], status, &part.attrs))
        op = kStandIn;
      else if (!status.ok())
        return std::move(status).WithNode(node.name());
      if (has_unknown_ && !unknown_outputs_[order_[k]].empty())
        part.attrs.push_back(
            {std::string(kTout), AttrValue(std::move(unknown_outputs_[order_[k]]))});
      specs[k - begin] = {.op = op,
                          .name = part.name,
                          .device = request_.clear_devices ? std::string_view() : node.device(),
                          .inputs = part.inputs,
                          .controls = part.controls,
                          .attrs = part.attrs,
                          .source = request_.source};
    }
    return g_.Append(specs).status();
  }

  // The writer of the message may have known more of the shapes, especially of functions' results.
  void SetShapes(const NodeMessage& node, NodeId id) {
    ForEachAttr(node, [&](std::string_view name, std::string_view message) {
      if (name != "_output_shapes") return;
      Result<AttrValue> decoded = DecodeAttr(message, nullptr);
      const auto* shapes = decoded.ok() ? decoded->Find<AttrValue::Shapes>() : nullptr;
      if (!shapes || shapes->size() != g_.num_outputs(id)) return;
      for (uint32_t i = 0; i < g_.num_outputs(id); ++i) {
        const ValueId v = g_.output(id, i);
        if (!g_.shape(v).IsFullyKnown() && g_.shape(v).IsCompatibleWith((*shapes)[i]))
          (void)g_.SetShape(v, (*shapes)[i]);
      }
    });
  }

  Status DecodeAttrs(const NodeMessage& node, std::vector<NamedAttr>* attrs) const {
    const OpDef& op = *g_.FindOp(node.op());
    Status first;
    ForEachAttr(node, [&](std::string_view name, std::string_view message) {
      if (first.ok()) first = DecodeOne(node, op, name, message, attrs);
    });
    return first;
  }

  Status DecodeOne(const NodeMessage& node, const OpDef& op, std::string_view name,
                   std::string_view message, std::vector<NamedAttr>* attrs) const {
    if (name == "_output_shapes") return {};
    const AttrDef* def = op.FindAttr(name);
    if (IsUnknown(op) && def) return {};  // belongs to our own description of the op
    const bool is_annotation = IsUnknown(op) || (!name.empty() && name[0] == '_');
    Result<AttrValue> decoded = DecodeAttr(message, def);
    if (!decoded.ok() && !def && is_annotation) return {};
    if (!decoded.ok())
      return Status(decoded.status().code(), StrCat("Node '", node.name(), "': attribute ", name,
                                                    ": ", decoded.status().message()));
    if (!def && !is_annotation) {
      if (SaysNothing(*decoded)) return {};
      return InvalidArgument("NodeDef mentions attr '", name, "' not in Op<name=", node.op(),
                             ">; NodeDef: ", node.name());
    }
    if (def && IsUnknownShape(op, *def, *decoded)) *decoded = AttrValue(Shape::Unknown());
    if (name == "_class" && (!prefix_.empty() || !renamed_.empty())) UseNewNames(&*decoded);
    if (name == "shared_name" && request_.keep_unknown && !prefix_.empty()) {
      const std::string* shared = decoded->Find<std::string>();
      if (shared && !shared->empty()) *decoded = AttrValue(StrCat(prefix_, *shared));
    }
    attrs->push_back({std::string(name), *std::move(decoded)});
    return {};
  }

  // Before version 24 of graphs, a placeholder of any shape was written with the shape of a scalar.
  // A placeholder is an op without inputs whose shape is unknown by default.
  bool IsUnknownShape(const OpDef& op, const AttrDef& def, const AttrValue& value) const {
    constexpr int64_t kFirstWithScalars = 24;
    if (producer_ >= kFirstWithScalars || !op.inputs.empty() || !def.default_value) return false;
    const Shape* usual = def.default_value->Find<Shape>();
    const Shape* shape = value.Find<Shape>();
    return usual && !usual->has_rank() && shape && shape->has_rank() && shape->rank() == 0;
  }

  void UseNewNames(AttrValue* value) const {
    const auto* given = value->Find<AttrValue::Strings>();
    if (!given) return;
    AttrValue::Strings moved;
    for (const std::string& s : *given)
      moved.push_back(
          s.rfind("loc:@", 0) == 0 ? StrCat("loc:@", NewName(std::string_view(s).substr(5))) : s);
    *value = std::move(moved);
  }

  Graph& g_;
  const ImportRequest& request_;
  std::string prefix_;
  std::unordered_map<std::string, Output> mapped_;
  std::unordered_map<std::string_view, std::string> renamed_;  // By the name in the message.
  std::vector<NodeMessage> nodes_;
  NodesByName by_name_{nodes_};
  std::vector<Edge> edges_;  // Of all nodes of the message, in order.
  int64_t producer_ = 0;     // The version of the program that wrote the message.
  bool has_unknown_ = false;
  std::vector<AttrValue::Types> unknown_outputs_;  // For each node; empty if its op is known.
  std::vector<uint32_t> order_;  // Nodes of the message in the order in which they are appended,
  std::vector<uint32_t> place_;  // and the position of each in that order.
};

}  // namespace

Result<std::vector<std::string>> ImportGraphDef(Graph& graph, const ImportRequest& request) {
  Importer importer(graph, request);
  // Holds the graph's lock, so that resolved names remain valid until the nodes are appended.
  return graph.AllOrNothing([&]() -> Result<std::vector<std::string>> {
    const size_t functions = graph.functions().Mark();
    Status status = importer.Run();
    if (status.ok()) return request.wants_names ? importer.Names() : std::vector<std::string>();
    graph.functions().DropFrom(functions);
    return status;
  });
}

}  // namespace tensh
