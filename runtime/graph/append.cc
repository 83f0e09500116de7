// Graph::Append: checks a node, resolves its attributes and output types, infers its shapes and
// appends it.
#include "runtime/core/device/device.h"
#include "runtime/core/external_op.h"
#include "runtime/core/run_kernel.h"
#include "runtime/graph/graph.h"

namespace tensh {
namespace {

bool IsNameChar(char c, bool first) {
  bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alnum || c == '.' || (!first && (c == '_' || c == '-' || c == '/' || c == '\\'));
}

// TensorFlow's rule: [A-Za-z0-9.][A-Za-z0-9_.\-/]*; within a scope, any part may start with "_".
// Names of a master's internal nodes start with it.
Status CheckName(std::string_view name, bool internal) {
  bool ok = !name.empty() && name.size() < (1u << 16);
  for (size_t i = 0; ok && i < name.size(); ++i)
    ok = IsNameChar(name[i], i == 0 && !internal) && name[i] != '\\';
  if (ok) return {};
  return InvalidArgument("'", name.substr(0, 80), "' is not a valid node name")
      .WithHint("a name starts with a letter, digit or '.', then letters, digits and _ . - /");
}

void AppendKey(std::string& key, const AttrValue& value) {
  std::visit(
      [&](const auto& v) {
        using V = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<V, int64_t> || std::is_same_v<V, float> ||
                      std::is_same_v<V, bool> || std::is_same_v<V, DType>)
          key.append(reinterpret_cast<const char*>(&v), sizeof v);
        else
          key += value.ToString();
      },
      value.value);
  key += static_cast<char>(value.value.index());
}

}  // namespace

class Appender : public ShapeCtx {
 public:
  Appender(Graph& graph, std::span<const NodeSpec> specs)
      : g_(graph), specs_(specs), first_(g_.op_.size()) {}

  Status Add(const NodeSpec& spec) {
    TENSH_RETURN_IF_ERROR(FindOp(spec.op));
    TENSH_RETURN_IF_ERROR(ResolveInputs(spec));
    TENSH_RETURN_IF_ERROR(ResolveAttrSet(spec));
    TENSH_RETURN_IF_ERROR(ResolveName(spec.name));
    TENSH_ASSIGN(uint32_t device, ResolveDevice(spec.device));
    out_shapes_.assign(out_dtypes_->size(), Shape::Unknown());
    attrs_view_ = g_.attr_sets_.Get(attr_set_);
    TENSH_RETURN_IF_ERROR(CheckContract());
    if (op_->shape) TENSH_RETURN_IF_ERROR(op_->shape(*this));
    if (const ExternalOp* external = FindExternal(*op_))
      TENSH_RETURN_IF_ERROR(external->InferShapes(*this));
    // The value of a later iteration may have another shape than the first one.
    if (!back_edges_.empty() && Index(back_edges_.back().merge) == g_.op_.size())
      out_shapes_[0] = Shape::Unknown();
    Push(spec, device);
    return {};
  }

  Status CloseLoops() {
    for (const BackEdge& b : back_edges_)
      TENSH_RETURN_IF_ERROR(g_.SetInput(b.merge, b.input, b.from));
    return {};
  }

  int num_inputs() const override { return static_cast<int>(inputs_.size()); }
  int num_outputs() const override { return static_cast<int>(out_dtypes_->size()); }
  const Shape& in(int i) const override { return g_.shape(inputs_[i]); }
  DType in_dtype(int i) const override { return BaseType(g_.dtype(inputs_[i])); }
  const Tensor* constant(int i) override {
    constants_.push_back(std::make_unique<Tensor>(g_.Constant(inputs_[i])));
    return *constants_.back() ? constants_.back().get() : nullptr;
  }
  Shape ConstantAsShape(int i) override { return g_.ConstantAsShape(inputs_[i]); }
  Attrs attrs() const override { return attrs_view_; }
  void Set(int output, const Shape& shape) override { out_shapes_[output] = shape; }

 private:
  Status FindOp(std::string_view name) {
    op_ = g_.FindOp(name);
    if (op_) return {};
    return NotFound("there is no op '", name.substr(0, 80), "'")
        .WithHint("`ops` lists the registered ops");
  }

  Status CheckContract() {
    if (op_->contract.empty()) return {};
    Contract placed;
    return CheckAtBuild(PlaceContract(*op_, attrs_view_, &placed) ? placed : op_->contract, *this);
  }

  Status ResolveInputs(const NodeSpec& spec) {
    inputs_.clear();
    in_dtypes_.clear();
    constants_.clear();
    for (const Output& input : spec.inputs) {
      if (IsBackEdge(input)) {  // complete when both ends are appended
        const uint32_t i = static_cast<uint32_t>(inputs_.size());
        back_edges_.push_back({NodeId{g_.op_.size()}, i, input});
        inputs_.push_back(inputs_[0]);
        in_dtypes_.push_back(in_dtypes_[0]);
        continue;
      }
      if (Index(input.node) >= g_.op_.size())
        return InvalidArgument("an input of ", spec.op, " is not in this graph (node ",
                               Index(input.node), ")");
      if (input.index >= g_.num_outputs(input.node))
        return OutOfRange("Node '", g_.name(input.node), "' (type: '", g_.op(input.node).name,
                          "', num of outputs: ", g_.num_outputs(input.node),
                          ") does not have output ", input.index);
      inputs_.push_back(g_.output(input.node, input.index));
      in_dtypes_.push_back(g_.dtype(inputs_.back()));
    }
    for (NodeId control : spec.controls)
      if (Index(control) >= g_.op_.size())
        return InvalidArgument("a control input of ", spec.op, " is not in this graph (node ",
                               Index(control), ")");
    return {};
  }

  // An input of a Merge, not the first, from a later NextIteration of this call.
  bool IsBackEdge(const Output& input) const {
    const uint32_t node = Index(input.node);
    return node >= g_.op_.size() && node - first_ < specs_.size() && !inputs_.empty() &&
           op_->role == OpRole::kMerge &&
           g_.ops().RoleOf(specs_[node - first_].op) == OpRole::kNextIteration;
  }

  // Equal ops with equal input types and attributes share one resolved set.
  Status ResolveAttrSet(const NodeSpec& spec) {
    bool sharable = true;
    key_.assign(reinterpret_cast<const char*>(&op_->id), sizeof op_->id);
    for (DType t : in_dtypes_) key_ += static_cast<char>(t);
    for (const NamedAttr& a : spec.attrs) {
      sharable &= !a.value.Find<Tensor>();
      if (!sharable) break;
      key_ += '\0';
      key_ += a.name;
      AppendKey(key_, a.value);
    }
    if (sharable) {
      if (const AttrSets::Resolved* seen = g_.attr_sets_.Find(key_)) {
        attr_set_ = seen->set;
        out_dtypes_ = &seen->outputs;
        return {};
      }
    }
    TENSH_ASSIGN(std::vector<NamedAttr> attrs, ResolveAttrs(*op_, in_dtypes_, spec.attrs));
    own_dtypes_ = OutputTypes(*op_, Attrs(attrs));
    out_dtypes_ = &own_dtypes_;
    attr_set_ = g_.attr_sets_.Add(std::move(attrs));
    if (sharable) g_.attr_sets_.Remember(key_, {attr_set_, own_dtypes_});
    return {};
  }

  Status ResolveName(std::string_view name) {
    if (name.empty()) {
      name_ = g_.names_.Unique(op_->name, true);
      return {};
    }
    // Internal nodes are added by masters: the ends of edges, and the control loops of tasks that
    // run a part of a loop.
    bool internal = op_->name[0] == '_';
    for (std::string_view own : {"_recv_", "_send_", "_cloop"})
      internal |= name.substr(0, own.size()) == own;
    TENSH_RETURN_IF_ERROR(CheckName(name, internal));
    if (g_.names_.Find(name) != UINT32_MAX)
      return AlreadyExists("there is a node '", name, "' already");
    name_ = name;
    return {};
  }

  Result<uint32_t> ResolveDevice(std::string_view device) {
    if (device.empty()) return uint32_t{0};
    TENSH_ASSIGN(DeviceName parsed, DeviceName::Parse(device));
    return g_.devices_.Intern(parsed.ToString());
  }

  void Push(const NodeSpec& spec, uint32_t device) {
    uint32_t node = g_.op_.size();
    g_.names_.Add(name_);
    g_.device_.push_back(device);
    g_.attrs_.push_back(attr_set_);
    g_.source_.push_back(spec.source);
    g_.in_begin_.push_back(g_.edges_.size());
    g_.n_inputs_.push_back(static_cast<uint32_t>(inputs_.size()));
    g_.out_begin_.push_back(g_.dtype_.size());
    g_.n_controls_.push_back(static_cast<uint32_t>(AddEdges(spec)));
    g_.n_outputs_.push_back(static_cast<uint32_t>(out_dtypes_->size()));
    for (size_t i = 0; i < out_dtypes_->size(); ++i) {
      g_.value_node_.push_back(node);
      g_.shape_.push_back(g_.shapes_.Intern(out_shapes_[i]));
      g_.dtype_.push_back((*out_dtypes_)[i]);
    }
    g_.op_.push_back(op_->id);
  }

  // Adds the inputs, then the controls, each control once. Returns the number of controls.
  size_t AddEdges(const NodeSpec& spec) {
    for (ValueId input : inputs_) g_.edges_.push_back(Index(input));
    uint32_t first = g_.edges_.size();
    for (NodeId control : spec.controls) {
      bool seen = false;
      for (uint32_t e = first; e < g_.edges_.size(); ++e) seen |= g_.edges_[e] == Index(control);
      if (!seen) g_.edges_.push_back(Index(control));
    }
    return g_.edges_.size() - first;
  }

  Graph& g_;
  std::span<const NodeSpec> specs_;
  const uint32_t first_;
  struct BackEdge {
    NodeId merge;
    uint32_t input;
    Output from;
  };
  std::vector<BackEdge> back_edges_;
  const OpDef* op_ = nullptr;
  std::vector<ValueId> inputs_;
  std::vector<DType> in_dtypes_, own_dtypes_;
  const std::vector<DType>* out_dtypes_ = nullptr;
  std::vector<Shape> out_shapes_;
  // Addresses are stable while the shape function runs.
  std::vector<std::unique_ptr<Tensor>> constants_;
  uint32_t attr_set_ = 0;
  Attrs attrs_view_;
  std::string key_, name_;
};

Result<NodeId> Graph::Append(std::span<const NodeSpec> specs) {
  std::lock_guard lock(mu_);
  // The message is TensorFlow's, for which its Python layer raises RuntimeError.
  if (finalized_) return FailedPrecondition("Graph is finalized and cannot be modified.");
  Mark before = Here();
  Appender appender(*this, specs);
  for (const NodeSpec& spec : specs) {
    Status status = appender.Add(spec);
    if (status.ok()) continue;
    Truncate(before);
    return std::move(status).WithNode(spec.name.empty() ? spec.op : spec.name);
  }
  if (Status status = appender.CloseLoops(); !status.ok()) {
    Truncate(before);
    return status;
  }
  size_.store(op_.size(), std::memory_order_release);
  if (!in_command_ && !specs.empty()) version_.fetch_add(1, std::memory_order_release);
  return NodeId{before.nodes};
}

}  // namespace tensh
