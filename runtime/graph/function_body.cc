// Makes a graph from a function: substitutes attribute values, resolves inputs, sorts nodes so that
// inputs precede their consumers, and appends all of them at once. function_gradient.cc makes
// gradients.
#include "runtime/graph/function_body.h"

#include <charconv>

#include "runtime/core/run_kernel.h"
#include "runtime/graph/attr_message.h"
#include "runtime/graph/function_gradient.h"
#include "runtime/graph/unknown_op.h"

namespace tensh {
namespace {

bool IsLoopEdge(const OpRegistry& ops, const Function::Node& from, const Function::Node& to) {
  return ops.RoleOf(from.op) == OpRole::kNextIteration && ops.RoleOf(to.op) == OpRole::kMerge;
}

class BodyMaker {
 public:
  BodyMaker(const OpRegistry& ops, const std::shared_ptr<FunctionLibrary>& functions,
            const Function& f)
      : ops_(ops), functions_(functions), f_(f) {}

  Result<FunctionBody> Run(const FuncAttr& call) {
    TENSH_ASSIGN(values_, BindAttrs(f_.op, call.attrs.get()));
    TENSH_RETURN_IF_ERROR(AddArgs());
    TENSH_RETURN_IF_ERROR(NameNodes());
    TENSH_RETURN_IF_ERROR(ResolveEdges());
    TENSH_RETURN_IF_ERROR(Sort());
    TENSH_RETURN_IF_ERROR(Append());
    TENSH_RETURN_IF_ERROR(FindResults());
    FindEffects();
    return std::move(body_);
  }

 private:
  // The outputs [first, first + count) of a node to which a name refers. Arguments precede the
  // nodes, one for each tensor.
  struct Item {
    size_t node;  // the first placeholder of an argument, or n_args_ + the index of a node
    uint32_t first, count;
    bool is_arg;
  };
  struct Parts {
    std::vector<NamedAttr> attrs;
    std::vector<std::pair<size_t, uint32_t>> inputs;  // Pairs of a node as in Item and an output.
    std::vector<size_t> controls;
    std::vector<Output> in;
    std::vector<NodeId> control_ids;
  };

  Status Bad(const Function::Node& node, const Status& status) const {
    return Status(status.code(),
                  StrCat("Node '", node.name, "' of function ", f_.op.name, ": ", status.message()))
        .WithNode(node.name);
  }

  Status AddArgs() {
    body_.graph = std::make_unique<Graph>(ops_, functions_);
    for (const ArgDef& arg : f_.op.inputs) {
      const ArgTypes types = TypesOf(arg, Attrs(values_));
      const bool is_list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
      if (!items_.emplace(arg.name, Item{n_args_, 0, static_cast<uint32_t>(types.count), true})
               .second)
        return InvalidArgument("function ", f_.op.name, " has two arguments '", arg.name, "'");
      for (int64_t i = 0; i < types.count; ++i) {
        const DType type = types.list ? (*types.list)[static_cast<size_t>(i)] : types.dtype;
        arg_names_.push_back(is_list ? StrCat(arg.name, "_", i) : arg.name);
        arg_attrs_.push_back({{"dtype", BaseType(type)}});
        ++n_args_;
      }
    }
    return {};
  }

  Status NameNodes() {
    parts_.resize(f_.nodes.size());
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      const Function::Node& node = f_.nodes[i];
      if (!nodes_.emplace(node.name, i).second)
        return InvalidArgument("Node '", node.name, "' of function ", f_.op.name, " is not unique");
      const OpDef* op = ops_.Find(node.op);
      if (const Function* function = op ? nullptr : functions_->Find(node.op)) op = &function->op;
      if (!op || IsUnknown(*op))
        return NotFound("Op type not registered '", node.op, "' (node '", node.name,
                        "' of function ", f_.op.name, ")")
            .WithNode(node.name);
      if (Status status = DecodeAttrs(node, *op, &parts_[i].attrs); !status.ok())
        return Bad(node, status);
      uint32_t next = 0;
      for (const ArgDef& out : op->outputs) {
        const auto count = static_cast<uint32_t>(TypesOf(out, Attrs(parts_[i].attrs)).count);
        items_.emplace(StrCat(node.name, ":", out.name), Item{n_args_ + i, next, count, false});
        next += count;
      }
    }
    return {};
  }

  Status DecodeAttrs(const Function::Node& node, const OpDef& op,
                     std::vector<NamedAttr>* attrs) const {
    std::vector<NamedAttr> given;
    for (const auto& [name, message] : node.attrs) {
      if (name == "_output_shapes") continue;
      const bool is_annotation = !name.empty() && name[0] == '_';
      const AttrDef* def = op.FindAttr(name);
      Result<AttrValue> value = DecodeAttr(message, def, &values_);
      if (!value.ok() && !def && is_annotation) continue;
      if (!value.ok()) return std::move(value).status();
      if (!def && !is_annotation) {
        if (SaysNothing(*value)) continue;  // An attribute of a later version that has no effect.
        return InvalidArgument("NodeDef mentions attr '", name, "' not in Op<name=", node.op, ">");
      }
      given.push_back({name, *std::move(value)});
    }
    TENSH_ASSIGN(*attrs, BindAttrs(op, &given));
    return {};
  }

  // Resolves "x", "x:1", "node:output" or "node:output:1".
  const Item* Look(const std::string& text, uint32_t* index) const {
    *index = 0;
    if (auto it = items_.find(text); it != items_.end()) return &it->second;
    const size_t colon = text.rfind(':');
    if (colon == text.npos) return nullptr;
    auto it = items_.find(text.substr(0, colon));
    if (it == items_.end()) return nullptr;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + colon + 1, end, *index);
    return error == std::errc() && at == end && *index < it->second.count ? &it->second : nullptr;
  }
  std::pair<size_t, uint32_t> Locate(const Item& item, uint32_t index) const {
    if (item.is_arg) return {item.node + index, 0};
    return {item.node, item.first + index};
  }

  Status ResolveEdges() {
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      for (const std::string& text : f_.nodes[i].inputs) {
        if (!text.empty() && text[0] == '^') {
          TENSH_ASSIGN(const size_t from, ControlSource(text.substr(1), f_.nodes[i]));
          parts_[i].controls.push_back(from);
          continue;
        }
        uint32_t index;
        const Item* item = Look(text, &index);
        if (!item || item->count == 0)
          return InvalidArgument("Node '", f_.nodes[i].name, "' of function ", f_.op.name,
                                 ": there is no '", text, "' for an input")
              .WithNode(f_.nodes[i].name);
        parts_[i].inputs.push_back(Locate(*item, index));
      }
    }
    return {};
  }

  Result<size_t> ControlSource(const std::string& name, const Function::Node& node) const {
    if (auto it = nodes_.find(name); it != nodes_.end()) return n_args_ + it->second;
    if (auto it = items_.find(name); it != items_.end() && it->second.is_arg && it->second.count)
      return it->second.node;
    return InvalidArgument("Node '", node.name, "' of function ", f_.op.name,
                           ": there is no node '", name, "' to wait for")
        .WithNode(node.name);
  }

  // Sorts the nodes so that inputs precede their consumers, otherwise in the order of the message.
  // Uses an explicit stack, because a body may be a long chain.
  Status Sort() {
    enum : uint8_t { kNew, kOpen, kDone };
    std::vector<uint8_t> state(f_.nodes.size(), kNew);
    std::vector<std::pair<size_t, size_t>> stack;
    place_.resize(f_.nodes.size());
    for (size_t root = 0; root < f_.nodes.size(); ++root) {
      if (state[root] != kNew) continue;
      state[root] = kOpen;
      stack.emplace_back(root, 0);
      while (!stack.empty()) {
        auto& [at, next] = stack.back();
        const Parts& p = parts_[at];
        if (next == p.inputs.size() + p.controls.size()) {
          state[at] = kDone;
          place_[at] = static_cast<uint32_t>(n_args_ + order_.size());
          order_.push_back(at);
          stack.pop_back();
          continue;
        }
        const size_t edge = next++;
        const size_t source =
            edge < p.inputs.size() ? p.inputs[edge].first : p.controls[edge - p.inputs.size()];
        if (source < n_args_) continue;
        const size_t from = source - n_args_;
        if (IsLoopEdge(ops_, f_.nodes[from], f_.nodes[at]) || state[from] == kDone) continue;
        if (state[from] == kOpen)
          return InvalidArgument("function ", f_.op.name, " has a cycle through node '",
                                 f_.nodes[from].name, "'");
        state[from] = kOpen;
        stack.emplace_back(from, 0);
      }
    }
    return {};
  }

  NodeId IdOf(size_t source) const {
    return NodeId{source < n_args_ ? static_cast<uint32_t>(source) : place_[source - n_args_]};
  }

  Status Append() {
    std::vector<NodeSpec> specs;
    for (size_t i = 0; i < n_args_; ++i) {
      // An argument from a list may have the same name as a node.
      while (nodes_.contains(arg_names_[i])) arg_names_[i] += "_";
      specs.push_back({.op = "Placeholder",
                       .name = arg_names_[i],
                       .device = {},
                       .inputs = {},
                       .controls = {},
                       .attrs = arg_attrs_[i]});
      body_.args.push_back({NodeId{static_cast<uint32_t>(i)}, 0});
    }
    for (size_t at : order_) {
      Parts& p = parts_[at];
      for (const auto& [source, index] : p.inputs) p.in.push_back({IdOf(source), index});
      for (size_t source : p.controls) p.control_ids.push_back(IdOf(source));
      const Function::Node& node = f_.nodes[at];
      specs.push_back({.op = node.op,
                       .name = node.name,
                       .device = node.device,
                       .inputs = p.in,
                       .controls = p.control_ids,
                       .attrs = p.attrs});
    }
    return body_.graph->Append(specs).status();
  }

  // Resolves the results and checks their number and types against the signature.
  Status FindResults() {
    for (const ArgDef& ret : f_.op.outputs) {
      const ArgTypes types = TypesOf(ret, Attrs(values_));
      auto from = f_.rets.find(ret.name);
      uint32_t index = 0;
      const Item* item = from == f_.rets.end() ? nullptr : Look(from->second, &index);
      if (!item)
        return InvalidArgument("Return '", ret.name, "' of function ", f_.op.name,
                               " is missing or is not an output of a node");
      const bool is_list = !ret.number_attr.empty() || !ret.type_list_attr.empty();
      if (is_list && item->count != types.count)
        return InvalidArgument("Return '", ret.name, "' of function ", f_.op.name, " has ",
                               item->count, " values, expected ", types.count);
      for (int64_t i = 0; i < types.count; ++i) {
        const auto [source, output] = Locate(*item, is_list ? static_cast<uint32_t>(i) : index);
        const Output value{IdOf(source), output};
        const DType wanted = types.list ? (*types.list)[static_cast<size_t>(i)] : types.dtype;
        const DType type = body_.graph->dtype(body_.graph->output(value.node, value.index));
        if (BaseType(type) != BaseType(wanted))
          return InvalidArgument("Return '", ret.name, "' of function ", f_.op.name, " is ",
                                 Name(BaseType(type)), ", expected ", Name(BaseType(wanted)));
        body_.rets.push_back(value);
      }
    }
    return {};
  }

  void FindEffects() {
    std::vector<bool> wanted(f_.nodes.size());
    for (const auto& [name, node] : f_.control_rets)
      if (auto it = nodes_.find(node); it != nodes_.end()) wanted[it->second] = true;
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      const NodeId id = IdOf(n_args_ + i);
      if (wanted[i] || body_.graph->op(id).stateful) body_.effects.push_back(id);
    }
  }

  const OpRegistry& ops_;
  const std::shared_ptr<FunctionLibrary>& functions_;
  const Function& f_;
  FunctionBody body_;
  std::vector<NamedAttr> values_;
  size_t n_args_ = 0;
  std::vector<std::string> arg_names_;
  std::vector<std::vector<NamedAttr>> arg_attrs_;
  std::unordered_map<std::string, Item> items_;
  std::unordered_map<std::string, size_t> nodes_;
  std::vector<Parts> parts_;
  std::vector<size_t> order_;    // Nodes in the order in which they are appended,
  std::vector<uint32_t> place_;  // and the id of each node.
};

}  // namespace

Result<FunctionBody> MakeFunctionBody(const OpRegistry& ops,
                                      const std::shared_ptr<FunctionLibrary>& functions,
                                      const FuncAttr& function) {
  if (function.name == kGradientFunction) return MakeGradientBody(ops, functions, function);
  const Function* f = functions->Find(function.name);
  if (!f || IsUnknown(f->op)) return NotFound("Function ", function.name, " is not defined.");
  return BodyMaker(ops, functions, *f).Run(function);
}

}  // namespace tensh
