#include "runtime/dist/graph_codec.h"

#include <unistd.h>

#include <memory>
#include <unordered_map>

#include "runtime/dist/attr_codec.h"

namespace tensh::dist {
namespace {

using tensorflow::GraphDef;
using tensorflow::NodeDef;

bool IsLoopEdge(const NodeDef& from, const NodeDef& to) {
  const auto is = [](const std::string& op, std::string_view name) {
    return op == name || op == "Ref" + std::string(name);
  };
  return is(from.op(), "NextIteration") && is(to.op(), "Merge");
}

// An input as the message spells it.
struct Edge {
  TensorName name;
  bool control = false;
  int local = -1;               // index in the message, or
  tsh_node node = TSH_NO_NODE;  // a node of the graph
};

class Importer {
 public:
  Importer(const GraphDef& def, tsh_graph* graph) : def_(def), graph_(graph) {}

  Status Run() {
    TENSH_RETURN_IF_ERROR(CheckHeader());
    TENSH_RETURN_IF_ERROR(CheckNames());
    TENSH_RETURN_IF_ERROR(ResolveEdges());
    TENSH_RETURN_IF_ERROR(Sort());
    return Add();
  }

 private:
  int size() const { return def_.node_size(); }
  const NodeDef& node(int i) const { return def_.node(i); }

  Status CheckHeader() const {
    if (def_.versions().min_consumer() > kGraphVersion)
      return InvalidArgument("GraphDef min consumer version ", def_.versions().min_consumer(),
                             " above current version ", kGraphVersion, " for tensh ", tsh_version(),
                             ".  Please upgrade tensh.");
    return {};
  }

  Status CheckNames() {
    for (int i = 0; i < size(); ++i) {
      const std::string& name = node(i).name();
      if (!by_name_.emplace(name, i).second)
        return InvalidArgument("Node '", name, "' is not unique");
      if (tsh_graph_find(graph_, name.c_str()) != TSH_NO_NODE)
        return InvalidArgument("GraphDef argument to Extend includes node '", name,
                               "', which was created by a previous call to Create or Extend in "
                               "this session.");
      if (!tsh_op_exists(node(i).op().c_str())) return NoOp(node(i));
    }
    return {};
  }

  Status NoOp(const NodeDef& n) const {
    char host[256] = "this host";
    (void)gethostname(host, sizeof host - 1);
    const std::string why =
        def_.library().function_size() ? " Functions are not possible here." : "";
    return NotFound("Op type not registered '", n.op(), "' in binary running on ", host,
                    ". Make sure the Op and Kernel are registered in the binary running in this "
                    "process.",
                    why, "\n\t [[{{node ", n.name(), "}}]]");
  }

  Status ResolveEdges() {
    edges_.resize(static_cast<size_t>(size()));
    for (int i = 0; i < size(); ++i) {
      bool controls = false;
      for (const std::string& text : node(i).input()) {
        Edge edge;
        edge.control = !text.empty() && text[0] == '^';
        if (controls && !edge.control)
          return InvalidArgument("Node '", node(i).name(),
                                 "': Control dependencies must come after "
                                 "regular dependencies");
        controls = edge.control;
        TENSH_RETURN_IF_ERROR(Resolve(node(i), text, &edge));
        edges_[static_cast<size_t>(i)].push_back(std::move(edge));
      }
    }
    return {};
  }

  Status Resolve(const NodeDef& to, const std::string& text, Edge* edge) const {
    const bool ok = ParseTensorName(std::string_view(text).substr(edge->control), &edge->name) &&
                    !(edge->control && edge->name.has_port);
    if (!ok) return InvalidArgument("Node '", to.name(), "': '", text, "' is not an input's name");
    auto local = by_name_.find(edge->name.node);
    if (local != by_name_.end()) {
      edge->local = local->second;
      return {};
    }
    edge->node = tsh_graph_find(graph_, edge->name.node.c_str());
    if (edge->node == TSH_NO_NODE)
      return InvalidArgument("Node '", to.name(), "': Unknown input node '", text, "'");
    return {};
  }

  // Inputs before their consumers, else in the message's order: a walk in depth without recursion.
  Status Sort() {
    enum : uint8_t { kNew, kOpen, kDone };
    std::vector<uint8_t> state(static_cast<size_t>(size()), kNew);
    std::vector<std::pair<int, size_t>> stack;
    place_.resize(static_cast<size_t>(size()));
    for (int root = 0; root < size(); ++root) {
      if (state[static_cast<size_t>(root)] != kNew) continue;
      stack.push_back({root, 0});
      state[static_cast<size_t>(root)] = kOpen;
      while (!stack.empty()) {
        auto& [at, next] = stack.back();
        const auto& edges = edges_[static_cast<size_t>(at)];
        if (next == edges.size()) {
          state[static_cast<size_t>(at)] = kDone;
          place_[static_cast<size_t>(at)] = static_cast<tsh_node>(order_.size());
          order_.push_back(at);
          stack.pop_back();
          continue;
        }
        const Edge& edge = edges[next++];
        if (edge.local < 0 || IsLoopEdge(node(edge.local), node(at))) continue;
        uint8_t& seen = state[static_cast<size_t>(edge.local)];
        if (seen == kOpen)
          return InvalidArgument("Graph is invalid, contains a cycle through node '",
                                 node(edge.local).name(), "'");
        if (seen == kDone) continue;
        seen = kOpen;
        stack.push_back({edge.local, 0});
      }
    }
    return {};
  }

  // The arrays of one spec.
  struct Parts {
    std::vector<tsh_output> inputs;
    std::vector<tsh_node> controls;
    std::vector<tsh_attr> attrs;
  };

  const OpAttrs& AttrsOf(const std::string& op) {
    auto& found = op_attrs_[op];
    if (!found) found = std::make_unique<OpAttrs>(op.c_str());
    return *found;
  }

  Status Add() {
    const auto base = static_cast<tsh_node>(tsh_graph_size(graph_));
    std::vector<Parts> parts(order_.size());
    std::vector<tsh_node_spec> specs(order_.size());
    AttrStore store;
    for (size_t k = 0; k < order_.size(); ++k) {
      const NodeDef& n = node(order_[k]);
      for (const Edge& e : edges_[static_cast<size_t>(order_[k])]) {
        const tsh_node id = e.local < 0 ? e.node : base + place_[static_cast<size_t>(e.local)];
        if (e.control) parts[k].controls.push_back(id);
        if (!e.control) parts[k].inputs.push_back({id, e.name.port});
      }
      const OpAttrs& op = AttrsOf(n.op());
      for (const auto& [name, value] : n.attr()) {
        Status status = DecodeAttr(op, name, value, &store, &parts[k].attrs);
        if (!status.ok())
          return Status(status.code(), StrCat("Node '", n.name(), "': ", status.message()));
      }
      tsh_node_spec& spec = specs[k];
      spec.op = n.op().c_str();
      spec.name = n.name().c_str();
      spec.device = n.device().c_str();
      spec.inputs = parts[k].inputs.data();
      spec.n_inputs = parts[k].inputs.size();
      spec.controls = parts[k].controls.data();
      spec.n_controls = parts[k].controls.size();
      spec.attrs = parts[k].attrs.data();
      spec.n_attrs = parts[k].attrs.size();
    }
    if (specs.empty()) return {};
    Said said;
    tsh_node first = 0;
    tsh_graph_add(graph_, specs.data(), specs.size(), &first, said);
    return said.Take();
  }

  const GraphDef& def_;
  tsh_graph* const graph_;
  std::unordered_map<std::string, int> by_name_;
  std::vector<std::vector<Edge>> edges_;  // one list a node of the message
  std::vector<int> order_;
  std::vector<tsh_node> place_;  // in order_, by index in the message
  std::unordered_map<std::string, std::unique_ptr<OpAttrs>> op_attrs_;
};

void ExportNode(const tsh_graph* graph, tsh_node n, const NodeNamer& name_of, NodeDef* def) {
  def->set_name(name_of(n));
  def->set_op(tsh_node_op(graph, n));
  def->set_device(tsh_node_device(graph, n));
  for (size_t i = 0; i < tsh_node_num_inputs(graph, n); ++i) {
    const tsh_output in = tsh_node_input(graph, n, i);
    std::string name = name_of(in.node);
    if (in.index) name += ":" + std::to_string(in.index);
    def->add_input(std::move(name));
  }
  for (size_t i = 0; i < tsh_node_num_controls(graph, n); ++i)
    def->add_input("^" + name_of(tsh_node_control(graph, n, i)));
  const AttrsPtr attrs(tsh_node_attrs(graph, n));
  for (size_t i = 0; i < tsh_attrs_size(attrs.get()); ++i) {
    const tsh_attr& a = tsh_attrs_data(attrs.get())[i];
    EncodeAttr(a, &(*def->mutable_attr())[a.name]);
  }
}

}  // namespace

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

Status ImportGraph(const GraphDef& def, tsh_graph* graph) { return Importer(def, graph).Run(); }

void ExportGraph(const tsh_graph* graph, tsh_node first, tsh_node end, const NodeNamer& name,
                 GraphDef* def) {
  def->mutable_versions()->set_producer(kGraphVersion);
  for (tsh_node n = first; n < end; ++n) ExportNode(graph, n, name, def->add_node());
}

}  // namespace tensh::dist
