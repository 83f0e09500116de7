// tf.gradients: walks back from the ys through the nodes that depend on an x, asks each op's
// gradient function for its nodes, and sums where several gradients meet. Order and names follow
// TensorFlow 1.x.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "runtime/graph/graph.h"

namespace tensh {
namespace {

bool IsTrainable(DType t) { return IsFloating(t) || IsComplex(t); }

// Builds nodes under one name scope on behalf of one forward node.
class ScopeBuilder : public GradScope {
 public:
  ScopeBuilder(Graph& graph, NodeId forward, std::string scope, uint32_t source)
      : g_(graph), forward_(forward), scope_(std::move(scope)), source_(source) {}

  int num_inputs() const override { return static_cast<int>(g_.num_inputs(forward_)); }
  int num_outputs() const override { return static_cast<int>(g_.num_outputs(forward_)); }
  Out x(int i) const override { return {Index(g_.input(forward_, i))}; }
  Out y(int i) const override { return {Index(g_.output(forward_, i))}; }
  Out dy(int i) override { return dys_[i]; }
  Attrs attrs() const override { return g_.attrs(forward_); }
  DType dtype(Out t) const override {
    return t ? BaseType(g_.dtype(ValueId{t.id})) : DType::kFloat;
  }
  Shape shape(Out t) const override { return t ? g_.shape(ValueId{t.id}) : Shape::Unknown(); }
  const Tensor* constant(Out t) const override {
    if (!t) return nullptr;
    constants_.push_back(std::make_unique<Tensor>(g_.Constant(ValueId{t.id})));
    return *constants_.back() ? constants_.back().get() : nullptr;
  }

  Out Op(std::string_view op, std::initializer_list<Out> inputs, std::vector<NamedAttr> attrs,
         std::string_view name) override {
    return OpN(op, {inputs.begin(), inputs.size()}, std::move(attrs), name);
  }
  Out OpN(std::string_view op, std::span<const Out> inputs, std::vector<NamedAttr> attrs,
          std::string_view name) override {
    // A static shape needs no node to compute it: TensorFlow's Python makes a Const named Shape.
    if (op == "Shape" && inputs.size() == 1 && inputs[0] && shape(inputs[0]).IsFullyKnown())
      return ShapeConst(inputs[0], attrs, name);
    return Add(op, inputs, {}, std::move(attrs), name.empty() ? op : name);
  }
  Out Output(Out first, int i) const override {
    return first ? Out{first.id + static_cast<uint32_t>(i)} : Out();
  }
  Out Const(Tensor value, std::string_view name) override {
    DType type = value.dtype();
    return Add("Const", {}, {}, {{"dtype", type}, {"value", std::move(value)}}, name);
  }
  Status Return(std::vector<Out> gradients) override {
    results = std::move(gradients);
    return std::move(status_);
  }

  Out Add(std::string_view op, std::span<const Out> inputs, std::span<const NodeId> controls,
          std::vector<NamedAttr> attrs, std::string_view name) {
    if (!status_.ok()) return {};
    std::vector<tensh::Output> in;
    for (Out t : inputs) {
      if (!t) {
        status_ = Internal("the gradient of ", g_.op(forward_).name,
                           " uses a gradient that does not exist");
        return {};
      }
      in.push_back({g_.node_of(ValueId{t.id}), g_.index_of(ValueId{t.id})});
    }
    std::string full = g_.UniqueName(scope_ + "/" + std::string(name), true);
    NodeSpec spec{.op = op,
                  .name = full,
                  .device = {},
                  .inputs = in,
                  .controls = controls,
                  .attrs = attrs,
                  .source = source_};
    Result<NodeId> node = g_.Append({&spec, 1});
    if (!node.ok()) {
      status_ = std::move(node).status();
      return {};
    }
    last_node = *node;
    return g_.num_outputs(*node) ? Out{Index(g_.output(*node, 0))} : Out();
  }

  std::vector<Out> results;
  NodeId last_node = kNoNode;
  void set_dys(std::vector<Out> dys) { dys_ = std::move(dys); }
  Status& status() { return status_; }
  void set_scope(std::string scope) { scope_ = std::move(scope); }

 private:
  Out ShapeConst(Out t, const std::vector<NamedAttr>& attrs, std::string_view name) {
    Shape s = shape(t);
    bool wide = false;
    for (const NamedAttr& a : attrs)
      wide |= a.name == "out_type" && *a.value.Find<DType>() == DType::kInt64;
    std::vector<int32_t> narrow(s.dims().begin(), s.dims().end());
    Tensor value = wide ? Tensor::Vector<int64_t>(s.dims()) : Tensor::Vector<int32_t>(narrow);
    return Const(value, name.empty() ? "Shape" : name);
  }

  Graph& g_;
  NodeId forward_;
  std::string scope_;
  uint32_t source_;
  std::vector<Out> dys_;
  mutable std::vector<std::unique_ptr<Tensor>> constants_;
  Status status_;
};

class Backprop {
 public:
  Backprop(Graph& graph, const GradientRequest& request) : g_(graph), r_(request) {}

  Result<std::vector<Output>> Run() {
    FindBetween();
    TENSH_RETURN_IF_ERROR(SeedYs());
    CountPending();
    while (!ready_.empty()) {
      NodeId node = ready_.front();
      ready_.pop_front();
      TENSH_RETURN_IF_ERROR(Visit(node));
    }
    std::vector<Output> dxs;
    for (const Output& x : r_.xs) {
      auto it = grads_.find(Index(g_.output(x.node, x.index)));
      if (it == grads_.end() || it->second.empty()) {
        dxs.push_back({});
        continue;
      }
      TENSH_ASSIGN(Out sum, Sum(it->second));
      dxs.push_back({g_.node_of(ValueId{sum.id}), g_.index_of(ValueId{sum.id})});
    }
    return dxs;
  }

 private:
  // between_: nodes on a path of trainable values from an x to a y. Ids are in topological order,
  // so one pass forward finds what the xs reach, and a walk back from the ys through those alone
  // finds what leads there.
  void FindBetween() {
    std::set<uint32_t> reached;
    for (const Output& x : r_.xs) reached.insert(Index(x.node));
    for (uint32_t n : AncestorsOfYs()) {
      for (uint32_t i = 0; i < g_.num_inputs(NodeId{n}); ++i) {
        ValueId in = g_.input(NodeId{n}, i);
        if (IsTrainable(g_.dtype(in)) && reached.contains(Index(g_.node_of(in)))) reached.insert(n);
      }
    }
    std::vector<uint32_t> stack;
    for (const Output& y : r_.ys) stack.push_back(Index(y.node));
    while (!stack.empty()) {
      uint32_t n = stack.back();
      stack.pop_back();
      if (!reached.contains(n) || !between_.insert(n).second) continue;
      PushInputs(n, stack);
    }
  }

  std::set<uint32_t> AncestorsOfYs() const {
    std::set<uint32_t> ancestors;
    std::vector<uint32_t> stack;
    for (const Output& y : r_.ys) stack.push_back(Index(y.node));
    while (!stack.empty()) {
      uint32_t n = stack.back();
      stack.pop_back();
      if (ancestors.insert(n).second) PushInputs(n, stack);
    }
    return ancestors;
  }

  void PushInputs(uint32_t n, std::vector<uint32_t>& stack) const {
    for (uint32_t i = 0; i < g_.num_inputs(NodeId{n}); ++i)
      stack.push_back(Index(g_.node_of(g_.input(NodeId{n}, i))));
  }

  Status SeedYs() {
    ScopeBuilder b(g_, r_.ys[0].node, r_.scope, r_.source);
    for (size_t i = 0; i < r_.ys.size(); ++i) {
      ValueId y = g_.output(r_.ys[i].node, r_.ys[i].index);
      Out seed;
      if (!r_.grad_ys.empty() && r_.grad_ys[i].node != kNoNode) {
        seed = {Index(g_.output(r_.grad_ys[i].node, r_.grad_ys[i].index))};
      } else {
        Out shape = b.Op("Shape", {Out{Index(y)}}, {}, "Shape");
        Out one = b.Like(1, Out{Index(y)}, StrCat("grad_ys_", i));
        seed = b.Op("Fill", {shape, one}, {}, "Fill");
      }
      if (!b.status().ok()) return std::move(b.status());
      grads_[Index(y)].push_back(seed);
    }
    return {};
  }

  void CountPending() {
    for (uint32_t n : between_)
      for (uint32_t i = 0; i < g_.num_inputs(NodeId{n}); ++i) {
        uint32_t in = Index(g_.node_of(g_.input(NodeId{n}, i)));
        if (between_.contains(in)) ++pending_[in];
      }
    std::set<uint32_t> queued;
    for (const Output& y : r_.ys)
      if (between_.contains(Index(y.node)) && !pending_[Index(y.node)] &&
          queued.insert(Index(y.node)).second)
        ready_.push_back(y.node);
    for (const Output& x : r_.xs) {
      bool stops = true;
      for (uint32_t i = 0; i < g_.num_inputs(x.node); ++i)
        stops &= !between_.contains(Index(g_.node_of(g_.input(x.node, i))));
      if (stops) stop_.insert(Index(x.node));
    }
  }

  Result<Out> Sum(std::vector<Out>& parts) {
    if (parts.size() > 1) {
      ScopeBuilder b(g_, g_.node_of(ValueId{parts[0].id}), r_.scope, r_.source);
      Out sum = b.OpN("AddN", parts, {}, "AddN");
      if (!b.status().ok()) return std::move(b.status());
      parts = {sum};
    }
    return parts[0];
  }

  // The gradients of a node's outputs; empty where none arrived.
  Result<std::vector<Out>> OutputGradients(NodeId node, bool& any) {
    std::vector<Out> dys(g_.num_outputs(node));
    for (uint32_t i = 0; i < dys.size(); ++i) {
      auto it = grads_.find(Index(g_.output(node, i)));
      if (it == grads_.end() || it->second.empty()) continue;
      TENSH_ASSIGN(dys[i], Sum(it->second));
      any = true;
    }
    return dys;
  }

  Status Visit(NodeId node) {
    bool any = false;
    TENSH_ASSIGN(std::vector<Out> dys, OutputGradients(node, any));
    std::vector<Out> dxs(g_.num_inputs(node));
    const OpDef& op = g_.op(node);
    if (any && !stop_.contains(Index(node)) && !op.no_gradient) {
      if (!op.grad)
        return Status(Code::kNotFound, StrCat("No gradient defined for operation '", g_.name(node),
                                              "' (op type: ", op.name, ")"))
            .WithNode(g_.name(node));
      TENSH_ASSIGN(dxs, CallGradient(node, std::move(dys)));
    }
    for (uint32_t i = 0; i < dxs.size(); ++i) {
      ValueId in = g_.input(node, i);
      if (dxs[i]) {
        if (g_.shape(ValueId{dxs[i].id}).IsCompatibleWith(g_.shape(in)))
          TENSH_RETURN_IF_ERROR(g_.SetShape(ValueId{dxs[i].id}, g_.shape(in)));
        grads_[Index(in)].push_back(dxs[i]);
      }
      NodeId input_node = g_.node_of(in);
      if (between_.contains(Index(input_node)) && --pending_[Index(input_node)] == 0)
        ready_.push_back(input_node);
    }
    return {};
  }

  Result<std::vector<Out>> CallGradient(NodeId node, std::vector<Out> dys) {
    std::string scope = g_.UniqueName(StrCat(r_.scope, "/", g_.name(node), "_grad"), true);
    ScopeBuilder b(g_, node, scope, r_.source);
    for (uint32_t i = 0; i < dys.size(); ++i) {
      Out y{Index(g_.output(node, i))};
      if (!dys[i] && IsTrainable(g_.dtype(ValueId{y.id})))
        dys[i] = b.Op("ZerosLike", {y}, {}, "zeros_like");
    }
    b.set_dys(std::move(dys));
    Status status = g_.op(node).grad(b);
    if (!status.ok()) return std::move(status).WithNode(g_.name(node));
    std::vector<Out> dxs = std::move(b.results);
    dxs.resize(g_.num_inputs(node));
    if (r_.gate_ops) TENSH_RETURN_IF_ERROR(Gate(b, scope, dxs));
    return dxs;
  }

  // tf.tuple: each gradient of one op waits for all of them.
  Status Gate(ScopeBuilder& b, const std::string& scope, std::vector<Out>& dxs) {
    std::vector<NodeId> nodes;
    for (Out d : dxs)
      if (d) nodes.push_back(g_.node_of(ValueId{d.id}));
    if (nodes.size() < 2) return {};
    b.set_scope(g_.UniqueName(scope + "/tuple", true));
    b.Add("NoOp", {}, nodes, {}, "group_deps");
    if (!b.status().ok()) return std::move(b.status());
    NodeId group = b.last_node;
    for (Out& d : dxs) {
      if (!d) continue;
      d = b.Add("Identity", {&d, 1}, {&group, 1}, {}, "control_dependency");
      if (!b.status().ok()) return std::move(b.status());
    }
    return {};
  }

  Graph& g_;
  const GradientRequest& r_;
  std::set<uint32_t> between_, stop_;
  std::map<uint32_t, int> pending_;
  std::map<uint32_t, std::vector<Out>> grads_;  // by value
  std::deque<NodeId> ready_;
};

}  // namespace

Result<std::vector<Output>> AddGradients(Graph& graph, const GradientRequest& request) {
  if (request.ys.empty()) return InvalidArgument("gradients needs at least one y");
  for (auto list : {request.ys, request.xs})
    for (const Output& t : list)
      if (Index(t.node) >= graph.size() || t.index >= graph.num_outputs(t.node))
        return InvalidArgument("gradients: a tensor is not in this graph");
  return graph.AllOrNothing([&] { return Backprop(graph, request).Run(); });
}

}  // namespace tensh
