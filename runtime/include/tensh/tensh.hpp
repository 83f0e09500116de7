// The C++17 API of the tensh runtime, header-only over the C API of tensh.h.
//
//   tensh::Graph graph;
//   auto x = graph.Placeholder<float>("x");
//   auto y = graph.Op("AddV2", {x, graph.Const({1.f, 2.f})}).Name("y").Build();
//   tensh::Session session(graph);
//   for (float v : session.Run<float>(y, {{x, {3.f, 4.f}}})) std::printf("%g\n", v);
//
// Errors. A function with a parameter `Status* status` stores its outcome there. If the parameter
// is left out, a failure is thrown as tensh::Error. In a build without exceptions (or with
// TENSH_NO_EXCEPTIONS defined) such a failure is printed and ends the program, so code that can
// continue after a failure passes a Status.
//
// Ownership. Tensor, Graph and Callable are counted handles: copies are cheap and share the object.
// A Session is movable and is closed by its destructor. A default-constructed Tensor is empty. A
// function that stored a failure in a Status returns an empty result.
//
// Threads: the rules of tensh.h. Two threads must not change the same handle at the same time.
//
// Everything lives in an inline namespace, so that programs may link code that was compiled against
// different versions of this header.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensh/tensh_tensor.hpp"

namespace tensh {
inline namespace v0 {

// ---- graphs ----

using Node = tsh_node;
using Output = tsh_output;

// A shape as the value of an attribute: Shape{2, -1}, or Shape::Unknown(). -1 is unknown.
struct Shape {
  Shape(std::initializer_list<int64_t> extents) : dims(extents) {}
  explicit Shape(std::vector<int64_t> extents) : dims(std::move(extents)) {}
  static Shape Unknown() {
    Shape shape{};
    shape.has_rank = false;
    return shape;
  }
  std::vector<int64_t> dims;
  bool has_rank = true;
};

// An element type as the value of an attribute: Type{TSH_FLOAT}.
struct Type {
  int dtype;
};

// A builder of a node, which Build() adds to the graph. It keeps copies of its arguments.
class NodeBuilder {
 public:
  NodeBuilder(tsh_graph* graph, std::string_view op) : graph_(graph), op_(op) {}

  // Appends an input; a list argument of the op takes several in a row.
  NodeBuilder& Input(Output input) { return inputs_.push_back(input), *this; }
  NodeBuilder& Inputs(Span<const Output> inputs) {
    return inputs_.insert(inputs_.end(), inputs.begin(), inputs.end()), *this;
  }
  // Makes the node run after another one.
  NodeBuilder& Control(Node node) { return controls_.push_back(node), *this; }
  // Sets the name. The default is the name of the op. A name that is taken gets a suffix.
  NodeBuilder& Name(std::string_view name) { return name_ = name, *this; }
  NodeBuilder& Device(std::string_view device) { return device_ = device, *this; }
  // Sets an attribute: a bool, a number, a string, a Type, a Shape or a Tensor.
  template <class T>
  NodeBuilder& Attr(const char* name, const T& value) {
    Value& a = Next(name);
    if constexpr (std::is_same_v<T, bool>) {
      a.raw.kind = TSH_ATTR_BOOL, a.raw.i = value;
    } else if constexpr (std::is_integral_v<T>) {
      a.raw.kind = TSH_ATTR_INT, a.raw.i = static_cast<int64_t>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      a.raw.kind = TSH_ATTR_FLOAT, a.raw.f = value;
    } else if constexpr (std::is_same_v<T, Type>) {
      a.raw.kind = TSH_ATTR_TYPE, a.raw.i = value.dtype;
    } else if constexpr (std::is_same_v<T, Shape>) {
      a.raw.kind = TSH_ATTR_SHAPE, a.ints = value.dims;
      a.raw.rank = value.has_rank ? static_cast<int>(value.dims.size()) : -1;
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      a.raw.kind = TSH_ATTR_STRING, a.texts.emplace_back(std::string_view(value));
    } else {
      static_assert(std::is_convertible_v<const T&, Tensor>, "no attribute can have this type");
      a.raw.kind = TSH_ATTR_TENSOR, a.tensor = value;
    }
    return *this;
  }
  // Sets an attribute that is a list.
  NodeBuilder& Attr(const char* name, std::initializer_list<int64_t> values) {
    return Ints(name, values);
  }
  NodeBuilder& Ints(const char* name, Span<const int64_t> values) {
    return IntList(name, TSH_ATTR_INT, values);
  }
  NodeBuilder& Types(const char* name, Span<const int64_t> dtypes) {
    return IntList(name, TSH_ATTR_TYPE, dtypes);
  }
  NodeBuilder& Floats(const char* name, Span<const double> values) {
    Value& a = Next(name);
    a.raw.kind = TSH_ATTR_FLOAT, a.raw.is_list = 1;
    a.floats.assign(values.begin(), values.end());
    return *this;
  }
  NodeBuilder& Strings(const char* name, Span<const std::string> values) {
    Value& a = Next(name);
    a.raw.kind = TSH_ATTR_STRING, a.raw.is_list = 1;
    a.texts.assign(values.begin(), values.end());
    return *this;
  }

  // Adds the node and returns its first output; output i is {y.node, i}. Returns {TSH_NO_NODE, 0}
  // if it fails.
  Output Build(Status* status = nullptr) {
    std::vector<tsh_attr> attrs;
    for (Value& value : values_) attrs.push_back(value.View());
    tsh_node_spec spec{};
    spec.op = op_.c_str();
    spec.name = name_.c_str();
    spec.device = device_.c_str();
    spec.inputs = inputs_.data();
    spec.n_inputs = inputs_.size();
    spec.controls = controls_.data();
    spec.n_controls = controls_.size();
    spec.attrs = attrs.data();
    spec.n_attrs = attrs.size();
    const internal::Call call(status);
    Output made{TSH_NO_NODE, 0};
    call.Check(tsh_graph_add(graph_, &spec, 1, &made.node, call) != 0);
    return made;
  }

 private:
  struct Value {
    std::string name;
    tsh_attr raw{};
    std::vector<int64_t> ints;
    std::vector<double> floats;
    std::vector<std::string> texts;
    Tensor tensor;
    std::vector<const char*> starts;
    std::vector<size_t> lengths;

    // Returns the attribute for the C API. It points into this object.
    tsh_attr View() {
      raw.name = name.c_str();
      raw.tensor = tensor.get();
      raw.ints = raw.dims = ints.data();
      raw.floats = floats.data();
      starts.clear(), lengths.clear();
      for (const std::string& text : texts)
        starts.push_back(text.data()), lengths.push_back(text.size());
      raw.strings = starts.data();
      raw.lengths = lengths.data();
      if (raw.is_list)
        raw.n = ints.size() + floats.size() + texts.size();  // at most one of these is not empty
      else if (raw.kind == TSH_ATTR_STRING)
        raw.string = starts[0], raw.length = lengths[0];
      return raw;
    }
  };
  Value& Next(const char* name) {
    values_.emplace_back();
    values_.back().name = name;
    return values_.back();
  }
  NodeBuilder& IntList(const char* name, tsh_attr_kind kind, Span<const int64_t> values) {
    Value& a = Next(name);
    a.raw.kind = kind, a.raw.is_list = 1;
    a.ints.assign(values.begin(), values.end());
    return *this;
  }

  tsh_graph* graph_;
  std::string op_, name_, device_;
  std::vector<Output> inputs_;
  std::vector<Node> controls_;
  std::vector<Value> values_;
};

// A reference-counted handle to a graph.
class Graph {
 public:
  Graph() : g_(tsh_graph_new()) {}
  static Graph Share(tsh_graph* g) {
    tsh_graph_ref(g);
    return Graph(g);
  }
  Graph(const Graph& o) : g_(o.g_) { tsh_graph_ref(g_); }
  Graph(Graph&& o) noexcept : g_(std::exchange(o.g_, nullptr)) {}
  Graph& operator=(Graph o) noexcept {
    std::swap(g_, o.g_);
    return *this;
  }
  ~Graph() {
    if (g_) tsh_graph_unref(g_);
  }
  // Returns an empty handle. It has no nodes, and none can be added.
  static Graph None() { return Graph(nullptr); }

  explicit operator bool() const { return g_ != nullptr; }
  bool operator==(const Graph& o) const { return g_ == o.g_; }
  tsh_graph* get() const { return g_; }
  size_t size() const { return tsh_graph_size(g_); }

  // Starts a node: Op("MatMul", {a, b}).Attr("transpose_b", true).Name("y").Build().
  NodeBuilder Op(std::string_view op, Span<const Output> inputs = {}) const {
    NodeBuilder builder(g_, op);
    return builder.Inputs(inputs), builder;
  }
  Output Const(const Tensor& value, std::string_view name = "", Status* status = nullptr) const {
    return Op("Const")
        .Attr("value", value)
        .Attr("dtype", Type{value.dtype()})
        .Name(name)
        .Build(status);
  }
  template <class T>
  Output Placeholder(std::string_view name = "", const Shape& shape = Shape::Unknown(),
                     Status* status = nullptr) const {
    return Op("Placeholder")
        .Attr("dtype", Type{kDType<T>})
        .Attr("shape", shape)
        .Name(name)
        .Build(status);
  }
  // Adds the dense gradients of the sum of ys with respect to each of xs. A gradient's node is
  // TSH_NO_NODE if x does not influence any y.
  std::vector<Output> Gradients(Span<const Output> ys, Span<const Output> xs,
                                Status* status = nullptr) const {
    tsh_gradients request{};
    request.ys = ys.data();
    request.n_ys = ys.size();
    request.xs = xs.data();
    request.n_xs = xs.size();
    const internal::Call call(status);
    std::vector<tsh_gradient> found(xs.size());
    std::vector<Output> dxs;
    if (!call.Check(tsh_graph_gradients(g_, &request, found.data(), call) != 0)) return dxs;
    for (const tsh_gradient& each : found) dxs.push_back(each.value);
    return dxs;
  }
  // Adds the nodes of a GraphDef message under a prefix ("" for none). If one is invalid, none is
  // added.
  bool Import(std::string_view graph_def, const std::string& prefix = "",
              Status* status = nullptr) const {
    tsh_import how{};
    how.prefix = prefix.c_str();
    const internal::Call call(status);
    return call.Check(
        tsh_graph_import(g_, graph_def.data(), graph_def.size(), &how, nullptr, call) != 0);
  }
  // Returns the whole graph as a GraphDef message.
  std::string Export() const {
    size_t size = 0;
    const Owned<char> message(
        tsh_graph_export(g_, 0, static_cast<Node>(this->size()), nullptr, nullptr, &size));
    return message ? std::string(message.get(), size) : std::string();
  }

  // Returns TSH_NO_NODE if there is no such node.
  Node Find(const std::string& name) const { return tsh_graph_find(g_, name.c_str()); }
  const char* NodeName(Node n) const { return tsh_node_name(g_, n); }
  const char* NodeOp(Node n) const { return tsh_node_op(g_, n); }
  int DType(Output v) const { return tsh_output_dtype(g_, v); }
  // Returns the value of an output if it is known before any step; otherwise an empty tensor.
  Tensor Constant(Output v) const { return Tensor::Adopt(tsh_output_constant(g_, v)); }

 private:
  explicit Graph(tsh_graph* g) : g_(g) {}
  tsh_graph* g_;
};

// ---- sessions ----

// An output of a graph or the name of one: y, "y", "y:1". A bare name is output 0.
class Port {
 public:
  Port(Output output) : output_(output) {}
  Port(const char* name) : name_(name) {}
  Port(std::string name) : name_(std::move(name)) {}

  // Returns the output in this graph. If the name is unknown, its node is TSH_NO_NODE.
  Output In(const tsh_graph* graph) const {
    if (name_.empty()) return output_;
    const size_t colon = name_.rfind(':');
    const bool numbered = colon != std::string::npos && colon + 1 < name_.size() &&
                          name_.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    const uint32_t index =
        numbered ? static_cast<uint32_t>(std::strtoul(name_.c_str() + colon + 1, nullptr, 10)) : 0;
    return {tsh_graph_find(graph, name_.substr(0, numbered ? colon : name_.size()).c_str()), index};
  }
  const std::string& name() const { return name_; }

 private:
  Output output_{TSH_NO_NODE, 0};
  std::string name_;
};

// A value for an output of the graph, for one step.
struct Feed {
  Port port;
  Tensor value;
};

// The signature and values of a step, resolved in a graph.
class Step {
 public:
  Step(const tsh_graph* graph, Span<const Port> fetches, Span<const Feed> feeds,
       Span<const Port> targets) {
    for (const Port& port : fetches) fetches_.push_back(Resolve(port, graph));
    for (const Port& port : targets) targets_.push_back(Resolve(port, graph).node);
    for (const Feed& feed : feeds) {
      feeds_.push_back(Resolve(feed.port, graph));
      values_.push_back(feed.value.get());
    }
    run_.feeds = feeds_.data();
    run_.values = values_.data();
    run_.n_feeds = feeds_.size();
    run_.fetches = fetches_.data();
    run_.n_fetches = fetches_.size();
    run_.targets = targets_.data();
    run_.n_targets = targets_.size();
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  const tsh_run* operator&() const { return &run_; }
  // Returns false and sets *failure if a name is not in the graph.
  bool Check(Status* status) const {
    if (unknown_.empty()) return true;
    internal::Fail({TSH_NOT_FOUND, "there is no node '" + unknown_ + "'"}, status);
    return false;
  }

 private:
  Output Resolve(const Port& port, const tsh_graph* graph) {
    const Output found = port.In(graph);
    if (found.node == TSH_NO_NODE && unknown_.empty()) unknown_ = port.name();
    return found;
  }

  tsh_run run_{};
  std::vector<Output> feeds_, fetches_;
  std::vector<tsh_tensor*> values_;
  std::vector<Node> targets_;
  std::string unknown_;
};

// A session on a graph. The destructor closes it and frees its variables.
class Session {
 public:
  // The target "" is this process. `config` is JSON (tsh_session_new). If opening the session
  // failed and the failure went into *status, every step fails.
  explicit Session(const Graph& graph, const std::string& target = "",
                   const std::string& config = "", Status* status = nullptr) {
    const internal::Call call(status);
    s_.reset(tsh_session_new(graph.get(), target.c_str(), config.c_str(), call));
    call.Check(s_ != nullptr);
  }
  tsh_session* get() const { return s_.get(); }

  // Runs one step and returns the fetched tensors in order; empty on failure. Targets run without
  // being fetched.
  std::vector<Tensor> Run(Span<const Port> fetches, Span<const Feed> feeds = {},
                          Span<const Port> targets = {}, Status* status = nullptr) const {
    const internal::Call call(status);
    const Step step(tsh_session_graph(s_.get()), fetches, feeds, targets);
    std::vector<Tensor> fetched;
    if (!step.Check(status)) return fetched;
    std::vector<tsh_tensor*> raw(fetches.size());
    if (!call.Check(tsh_session_run(s_.get(), &step, raw.data(), call) != 0)) return fetched;
    for (tsh_tensor* t : raw) fetched.push_back(Tensor::Adopt(t));
    return fetched;
  }
  // Runs one step for one fetch, whose element type is T.
  template <class T>
  TensorOf<T> Run(const Port& fetch, Span<const Feed> feeds = {}, Status* status = nullptr) const {
    std::vector<Tensor> fetched = Run(Span<const Port>(&fetch, 1), feeds, {}, status);
    return fetched.empty() ? TensorOf<T>() : TensorOf<T>(std::move(fetched[0]), status);
  }
  // Runs nodes for their effect, such as the initializers of variables.
  bool RunTargets(Span<const Port> targets, Span<const Feed> feeds = {},
                  Status* status = nullptr) const {
    const internal::Call call(status);
    const Step step(tsh_session_graph(s_.get()), {}, feeds, targets);
    return step.Check(status) && call.Check(tsh_session_run(s_.get(), &step, nullptr, call) != 0);
  }
  // Returns the plan of a step as JSON ("explain" in docs/json.md), without running it.
  std::string Explain(Span<const Port> fetches, Span<const Feed> feeds = {},
                      Status* status = nullptr) const {
    const internal::Call call(status);
    const Step step(tsh_session_graph(s_.get()), fetches, feeds, {});
    if (!step.Check(status)) return {};
    char* text = tsh_session_explain(s_.get(), &step, 1000, call);
    call.Check(text != nullptr);
    return TakeText(text);
  }
  // Cancels the steps in flight.
  void Cancel() const { tsh_session_cancel(s_.get()); }
  bool Close(Status* status = nullptr) const {
    const internal::Call call(status);
    return call.Check(tsh_session_close(s_.get(), call) != 0);
  }
  bool closed() const { return tsh_session_closed(s_.get()) != 0; }

 private:
  friend class Callable;
  Owned<tsh_session> s_;
};

// A compiled step, for loops in which the time to look up the signature matters.
class Callable {
 public:
  Callable(const Session& session, Span<const Port> feeds, Span<const Port> fetches,
           Span<const Port> targets = {}, Status* status = nullptr)
      : n_feeds_(feeds.size()), n_fetches_(fetches.size()) {
    const internal::Call call(status);
    std::vector<Feed> unfed;
    for (const Port& port : feeds) unfed.push_back({port, {}});
    const Step step(tsh_session_graph(session.get()), fetches, unfed, targets);
    if (!step.Check(status)) return;
    c_.reset(tsh_callable_new(session.get(), &step, call));
    call.Check(c_ != nullptr);
  }
  // Runs the step on one value for each feed, in their order.
  std::vector<Tensor> operator()(Span<const Tensor> values, Status* status = nullptr) const {
    const internal::Call call(status);
    std::vector<Tensor> fetched;
    if (values.size() != n_feeds_) {
      internal::Fail({TSH_INVALID_ARGUMENT, std::to_string(values.size()) + " values for " +
                                                std::to_string(n_feeds_) + " feeds"},
                     status);
      return fetched;
    }
    std::vector<tsh_tensor*> in, out(n_fetches_);
    for (const Tensor& value : values) in.push_back(value.get());
    if (!call.Check(tsh_callable_run(c_.get(), in.data(), out.data(), call) != 0)) return fetched;
    for (tsh_tensor* t : out) fetched.push_back(Tensor::Adopt(t));
    return fetched;
  }

 private:
  Owned<tsh_callable> c_;
  size_t n_feeds_, n_fetches_;
};

// Runs one stateless op on tensors, without a graph.
inline std::vector<Tensor> RunOp(const std::string& op, Span<const Tensor> inputs,
                                 Span<const tsh_attr> attrs = {}, Status* status = nullptr) {
  constexpr size_t kMaxOutputs = 64;
  const internal::Call call(status);
  std::vector<tsh_tensor*> in;
  for (const Tensor& each : inputs) in.push_back(each.get());
  tsh_tensor* out[kMaxOutputs];
  size_t n = 0;
  std::vector<Tensor> outputs;
  if (!call.Check(tsh_op_run(op.c_str(), in.data(), in.size(), attrs.data(), attrs.size(), out,
                             kMaxOutputs, &n, call) != 0))
    return outputs;
  for (size_t i = 0; i < n; ++i) outputs.push_back(Tensor::Adopt(out[i]));
  return outputs;
}

}  // namespace v0
}  // namespace tensh
