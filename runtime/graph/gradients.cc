// tf.gradients: walks back from the ys through the nodes that depend on an x, calls the gradient
// function of each op, and sums gradients that meet. The order and the names of nodes follow
// TensorFlow 1.x.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "runtime/graph/flow_gradients.h"
#include "runtime/graph/scope_builder.h"

namespace tensh {
namespace {

class Backprop {
 public:
  Backprop(Graph& graph, const GradientRequest& request) : g_(graph), r_(request) {}

  Result<std::vector<Output>> Run() {
    FindBetween();
    TENSH_RETURN_IF_ERROR(SeedYs());
    if (FlowGradients::Needed(g_, ancestors_)) {
      flow_.emplace(g_, r_);
      TENSH_RETURN_IF_ERROR(flow_->Start(&between_));
    }
    CountPending();
    if (flow_) TENSH_RETURN_IF_ERROR(QueueUnusedExits());
    while (!ready_.empty()) {
      NodeId node = ready_.front();
      ready_.pop_front();
      TENSH_RETURN_IF_ERROR(Visit(node));
    }
    std::vector<Output> dxs;
    if (r_.rows) r_.rows->assign(r_.xs.size(), {});
    for (const Output& x : r_.xs) {
      auto it = grads_.find(Index(g_.output(x.node, x.index)));
      if (it == grads_.end() || it->second.empty()) {
        dxs.push_back({});
        continue;
      }
      TENSH_ASSIGN(Out sum, Sum(it->second, x.node));
      TENSH_RETURN_IF_ERROR(AddResult(sum, x.node, &dxs));
    }
    if (flow_) TENSH_RETURN_IF_ERROR(flow_->Finish());
    return dxs;
  }

 private:
  Output OutputOf(Out t) const { return {g_.node_of(ValueId{t.id}), g_.index_of(ValueId{t.id})}; }

  Status AddResult(Out sum, NodeId x, std::vector<Output>* dxs) {
    if (RowGradients::Is(sum) && !r_.rows) {
      TENSH_ASSIGN(sum, Dense(sum, x));
    }
    if (RowGradients::Is(sum)) {
      const RowGradients::Entry& rows = rows_.Get(sum);
      (*r_.rows)[dxs->size()] = {OutputOf(rows.indices), OutputOf(rows.dense_shape)};
      sum = rows.values;
    }
    dxs->push_back(OutputOf(sum));
    return {};
  }

  // Computes between_: the nodes on a path of trainable values from an x to a y. Ids are in
  // topological order, so one forward pass finds the nodes that the xs reach; a walk back from the
  // ys through these finds the result.
  void FindBetween() {
    std::set<uint32_t> reached;
    for (const Output& x : r_.xs) reached.insert(Index(x.node));
    ancestors_ = AncestorsOfYs();
    const bool loops = std::any_of(ancestors_.begin(), ancestors_.end(), [&](uint32_t n) {
      return g_.op(NodeId{n}).role == OpRole::kNextIteration;
    });
    // The back edge of a loop may reach earlier nodes.
    for (bool grew = true; grew; grew &= loops) {
      grew = false;
      for (uint32_t n : ancestors_)
        for (uint32_t i = 0; i < g_.num_inputs(NodeId{n}); ++i) {
          ValueId in = g_.input(NodeId{n}, i);
          // The gradient also flows through the handle of a variable.
          const bool carries = IsTrainable(g_.dtype(in)) || g_.dtype(in) == DType::kResource ||
                               g_.dtype(in) == DType::kVariant;
          if (carries && reached.contains(Index(g_.node_of(in)))) grew |= reached.insert(n).second;
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
    ScopeBuilder b(g_, r_.ys[0].node, r_.scope, r_);
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
    for (const Output& stop : r_.stops) stop_.insert(Index(stop.node));
  }

  // Returns the sum of the gradients of an output of `node`.
  Result<Out> Sum(std::vector<Out>& parts, NodeId node) {
    if (parts.size() > 1) {
      ScopeBuilder b = SumBuilder(node);
      // If rows and dense tensors are mixed, AddN makes the rows dense.
      const bool rows = std::all_of(parts.begin(), parts.end(), RowGradients::Is);
      if (!RowGradients::Is(parts[0])) b.set_grouped_with(g_.node_of(ValueId{parts[0].id}));
      Out sum = rows ? Joined(b, parts) : b.OpN("AddN", parts, {}, "AddN");
      if (!b.status().ok()) return std::move(b.status());
      parts = {sum};
    }
    return parts[0];
  }

  // Returns a builder for nodes outside the scope of any gradient.
  ScopeBuilder SumBuilder(NodeId node) {
    ScopeBuilder b(g_, node, r_.scope, r_);
    if (flow_) b.set_placer(&*flow_, flow_->SumFrame(node));
    b.set_rows(&rows_);
    return b;
  }

  Result<Out> Dense(Out rows, NodeId node) {
    ScopeBuilder b = SumBuilder(node);
    const Out sum = b.SumRows(rows_.Get(rows), r_.scope, "UnsortedSegmentSum");
    if (!b.status().ok()) return std::move(b.status());
    return sum;
  }

  // Joins gradients that are rows by concatenating the rows.
  Out Joined(ScopeBuilder& b, const std::vector<Out>& parts) {
    std::vector<Out> values, indices;
    Out shape;
    bool wide = false;
    for (Out part : parts) {
      const RowGradients::Entry& rows = rows_.Get(part);
      values.push_back(rows.values);
      indices.push_back(rows.indices);
      if (!shape) shape = rows.dense_shape;
      wide |= b.dtype(rows.indices) == DType::kInt64;
    }
    for (Out& i : indices)
      if (wide && b.dtype(i) != DType::kInt64)
        i = b.Op("Cast", {i}, {{"DstT", DType::kInt64}}, "Cast");
    const Out all = Concat(b, std::move(values)), at = Concat(b, std::move(indices));
    return b.status().ok() ? rows_.Add({all, at, shape}) : Out();
  }

  Out Concat(ScopeBuilder& b, std::vector<Out> parts) {
    const std::string name = g_.UniqueName(r_.scope + "/concat", true);
    b.set_scope(name);
    parts.push_back(b.Const(Tensor::Scalar<int32_t>(0), "axis"));
    b.set_scope(r_.scope);
    const int64_t n = static_cast<int64_t>(parts.size()) - 1;
    return b.AddNamed("ConcatV2", parts, {}, {{"N", n}}, name);
  }

  // Returns the gradients of a node's outputs; empty if none arrived.
  Result<std::vector<Out>> OutputGradients(NodeId node, bool& any) {
    std::vector<Out> dys(g_.num_outputs(node));
    for (uint32_t i = 0; i < dys.size(); ++i) {
      auto it = grads_.find(Index(g_.output(node, i)));
      if (it == grads_.end() || it->second.empty()) continue;
      TENSH_ASSIGN(dys[i], Sum(it->second, node));
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
      if (!op.grad && !(flow_ && flow_->IsFlow(node)))
        return Status(Code::kNotFound, StrCat("No gradient defined for operation '", g_.name(node),
                                              "' (op type: ", op.name, ")"))
            .WithNode(g_.name(node))
            .WithHint(StrCat("to treat its result as a constant, add stop_gradients=['",
                             g_.name(node), ":0']"));
      if (flow_ && flow_->IsFlow(node)) {
        TENSH_ASSIGN(dxs, CallFlowGradient(node, std::move(dys)));
      } else {
        TENSH_ASSIGN(dxs, CallGradient(node, std::move(dys)));
      }
    }
    for (uint32_t i = 0; i < dxs.size(); ++i) {
      ValueId in = g_.input(node, i);
      if (dxs[i]) {
        // The gradient of a handle is that of the value it refers to.
        if (!RowGradients::Is(dxs[i]) && g_.dtype(in) != DType::kResource &&
            g_.shape(ValueId{dxs[i].id}).IsCompatibleWith(g_.shape(in)))
          TENSH_RETURN_IF_ERROR(g_.SetShape(ValueId{dxs[i].id}, g_.shape(in)));
        grads_[Index(in)].push_back(dxs[i]);
      }
      NodeId input_node = g_.node_of(in);
      if (!between_.contains(Index(input_node))) continue;
      const int left = --pending_[Index(input_node)];
      if (left == 0 || (left > 0 && flow_ && flow_->IsLoopSwitch(input_node)))
        TENSH_RETURN_IF_ERROR(Queue(input_node));
    }
    return {};
  }

  bool HasGradient(NodeId node) const {
    for (uint32_t i = 0; i < g_.num_outputs(node); ++i) {
      auto it = grads_.find(Index(g_.output(node, i)));
      if (it != grads_.end() && !it->second.empty()) return true;
    }
    return false;
  }

  // The Exits of a loop are processed together, when the last of them is ready.
  Status Queue(NodeId node) {
    FlowGradients::Exits* exits = flow_ && flow_->IsExit(node) ? flow_->ExitsOf(node) : nullptr;
    if (!exits) {
      ready_.push_back(node);
      return {};
    }
    exits->deferred.push_back(node);
    if (--exits->pending != 0) return {};
    bool any = false;
    for (NodeId exit : exits->deferred) {
      if (HasGradient(exit)) {
        any = true;
        ready_.push_back(exit);
      } else {
        exits->unused.push_back(exit);
      }
    }
    for (NodeId exit : exits->unused) {
      if (any) TENSH_RETURN_IF_ERROR(ZeroExit(exit));
      ready_.push_back(exit);
    }
    return {};
  }

  Status ZeroExit(NodeId exit) {
    const ValueId v = g_.output(exit, 0);
    if (!IsTrainable(g_.dtype(v))) return {};
    TENSH_ASSIGN(Out zeros, flow_->ZerosForExit(exit));
    grads_[Index(v)].push_back(zeros);
    return {};
  }

  // Treats Exits that do not lead to a y as ready.
  Status QueueUnusedExits() {
    for (NodeId exit : flow_->AllExits()) {
      if (pending_[Index(exit)]) continue;
      FlowGradients::Exits* exits = flow_->ExitsOf(exit);
      --exits->pending;
      const bool is_y =
          std::any_of(r_.ys.begin(), r_.ys.end(), [&](const Output& y) { return y.node == exit; });
      if (!is_y) exits->unused.push_back(exit);
      if (exits->pending) continue;
      for (NodeId unused : exits->unused) {
        if (!IsTrainable(g_.dtype(g_.output(unused, 0)))) continue;
        TENSH_RETURN_IF_ERROR(ZeroExit(unused));
        ready_.push_back(unused);
      }
    }
    return {};
  }

  Result<std::vector<Out>> CallFlowGradient(NodeId node, std::vector<Out> dys) {
    const bool branches = g_.op(node).role == OpRole::kSwitch && !flow_->IsLoopSwitch(node);
    for (uint32_t i = 0; branches && i < dys.size(); ++i) {
      const DType type = g_.dtype(g_.output(node, i));
      if (dys[i] || !(IsTrainable(type) || type == DType::kResource)) continue;
      // The gradient of a handle is that of its variable.
      const Out other = Values(dys[1 - i]);
      TENSH_ASSIGN(dys[i], flow_->ZerosFor(node, i, r_.scope, g_.dtype(ValueId{other.id})));
    }
    for (Out& dy : dys) {
      if (!RowGradients::Is(dy)) continue;
      TENSH_ASSIGN(dy, Dense(dy, node));
    }
    std::string scope = g_.UniqueName(StrCat(r_.scope, "/", g_.name(node), "_grad"), true);
    TENSH_ASSIGN(std::vector<Out> dxs, flow_->Gradient(node, scope, std::move(dys)));
    dxs.resize(g_.num_inputs(node));
    return dxs;
  }

  // Calls the op's gradient function. Outputs without a gradient get zeros first. Inside loops,
  // gradients must be dense, because a stack cannot hold rows.
  Result<std::vector<Out>> CallGradient(NodeId node, std::vector<Out> dys) {
    std::string scope = g_.UniqueName(StrCat(r_.scope, "/", g_.name(node), "_grad"), true);
    ScopeBuilder b(g_, node, scope, r_);
    if (flow_) b.set_placer(&*flow_, flow_->GradientFrame(node));
    const bool loops = flow_ && flow_->GradientFrame(node) != 0;
    if (!loops) b.set_rows(&rows_);
    for (uint32_t i = 0; i < dys.size(); ++i) {
      Out y{Index(g_.output(node, i))};
      if (loops && RowGradients::Is(dys[i])) {
        TENSH_ASSIGN(dys[i], Dense(dys[i], node));
      }
      const DType type = g_.dtype(ValueId{y.id});
      if (dys[i] || !(IsTrainable(type) || type == DType::kVariant)) continue;
      if (loops) {
        TENSH_ASSIGN(dys[i], flow_->ZerosFor(node, i, r_.scope, DType::kInvalid));
      } else {
        dys[i] = b.Op("ZerosLike", {y}, {}, "zeros_like");
      }
    }
    b.set_dys(std::move(dys));
    Status status = g_.op(node).grad(b);
    if (!status.ok()) return std::move(status).WithNode(g_.name(node));
    std::vector<Out> dxs = std::move(b.results);
    dxs.resize(g_.num_inputs(node));
    if (r_.gate_ops) TENSH_RETURN_IF_ERROR(Gate(b, scope, dxs));
    return dxs;
  }

  Out Values(Out d) const { return RowGradients::Is(d) ? rows_.Get(d).values : d; }

  // Like tf.tuple: each gradient of one op waits for all of them.
  Status Gate(ScopeBuilder& b, const std::string& scope, std::vector<Out>& dxs) {
    std::vector<NodeId> nodes;
    for (Out d : dxs)
      if (d) nodes.push_back(g_.node_of(ValueId{Values(d).id}));
    if (nodes.size() < 2) return {};
    b.set_scope(g_.UniqueName(scope + "/tuple", true));
    b.Add("NoOp", {}, nodes, {}, "group_deps");
    if (!b.status().ok()) return std::move(b.status());
    NodeId group = b.last_node;
    for (Out& d : dxs) {
      if (!d) continue;
      const Out values = Values(d);
      const Out after = b.Add("Identity", {&values, 1}, {&group, 1}, {}, "control_dependency");
      if (!b.status().ok()) return std::move(b.status());
      const bool rows = RowGradients::Is(d);
      d = rows ? rows_.Add({after, rows_.Get(d).indices, rows_.Get(d).dense_shape}) : after;
    }
    return {};
  }

  Graph& g_;
  const GradientRequest& r_;
  std::optional<FlowGradients> flow_;  // Set if there is control flow among the ancestors.
  std::set<uint32_t> ancestors_, between_, stop_;
  std::map<uint32_t, int> pending_;
  std::map<uint32_t, std::vector<Out>> grads_;  // By value.
  RowGradients rows_;
  std::deque<NodeId> ready_;
};

}  // namespace

Result<std::vector<Output>> AddGradients(Graph& graph, const GradientRequest& request) {
  if (request.ys.empty()) return InvalidArgument("gradients needs at least one y");
  for (auto list : {request.ys, request.xs, request.stops})
    for (const Output& t : list)
      if (Index(t.node) >= graph.size() || t.index >= graph.num_outputs(t.node))
        return InvalidArgument("gradients: a tensor is not in this graph");
  return graph.AllOrNothing([&] { return Backprop(graph, request).Run(); });
}

}  // namespace tensh
