// The shell's interface to the runtime: the handles of tensh.hpp with the shell's errors, its lock
// and its clock. client.h and client.cc are the only files of the shell that include tensh.h.
//
// A handle owns one reference and releases it in its destructor; copying a TensorHandle or
// GraphHandle adds a reference. A failed call throws (see ThrowStatus); no function returns a status
// code. The thread rules are those of the C API: any thread may call, and a graph has one writer.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensh/tensh.hpp"

namespace tensh::shell {

// The error of a failed call of the C API.
using ClientError = v0::Status;

// Hooks through which the layers above complete calls of the runtime, which knows neither the
// language nor TensorFlow's Python errors. Set once, before the first call. Until then a failed
// call throws tensh::Error, and nothing surrounds a step.
struct ClientHooks {
  // Throws the exception for a failed call, and for a failed call that builds the graph.
  void (*fail)(const ClientError& error) = nullptr;
  void (*fail_build)(const ClientError& error) = nullptr;
  // Calls step(context) while other threads of the program may run.
  void (*run_step)(void (*step)(void* context), void* context) = nullptr;
};
extern ClientHooks client_hooks;

// A status for a call of the C API. Check() throws if the call failed.
class Status {
 public:
  Status() : status_(tsh_status_new()) {}
  operator tsh_status*() { return status_.get(); }  // NOLINT: made to be passed on
  int code() const { return tsh_status_code(status_.get()); }
  std::string message() const { return tsh_status_message(status_.get()); }
  void Check() const;

 private:
  Owned<tsh_status> status_;
};

inline ClientError DescribeStatus(const tsh_status* status) { return ClientError(status); }
// Throws the exception class of tf.errors for the code.
[[noreturn]] void ThrowStatus(const tsh_status* status);
// For calls that build the graph. Like TensorFlow's Python layer, throws ValueError or a similar
// class instead.
[[noreturn]] void ThrowBuildStatus(const tsh_status* status);

using Dims = std::span<const int64_t>;

class TensorHandle : public v0::Tensor {
 public:
  TensorHandle() = default;
  TensorHandle(v0::Tensor t) : v0::Tensor(std::move(t)) {}  // NOLINT: the same handle

  static TensorHandle Adopt(tsh_tensor* t) { return v0::Tensor::Adopt(t); }
  static TensorHandle Share(tsh_tensor* t) { return v0::Tensor::Share(t); }
  static TensorHandle Make(int dtype, Dims dims);  // the elements are uninitialized
  static TensorHandle Bool(bool v);
  static TensorHandle Int32(int32_t v);
  static TensorHandle Int64(int64_t v);
  static TensorHandle Float(float v);
  static TensorHandle Double(double v);
  static TensorHandle String(std::string_view v);
  static TensorHandle Int32s(std::span<const int64_t> v);  // an int32 vector
  static TensorHandle Int64s(std::span<const int64_t> v);
  static TensorHandle Strings(std::span<const std::string> v);

  Dims dims() const { return {tsh_tensor_dims(get()), static_cast<size_t>(rank())}; }
  // Returns the elements as T, without a check of the type. They may be written only if the tensor
  // is not shared.
  template <class T>
  T* data() const {
    return static_cast<T*>(raw());
  }
  void* raw() const { return tsh_tensor_data(get()); }
  std::string_view string_at(int64_t i) const { return text(i); }
  void SetString(int64_t i, std::string_view v) const;
  TensorHandle Reshape(Dims dims) const;  // shares the elements
};

// The attributes of one node or op, to be passed in one call. Names, strings, dims, lists and
// tensors are not copied, so they must live until the call. Holds at most kMax attributes.
class Attrs {
 public:
  static constexpr size_t kMax = 16;
  Attrs& Int(const char* name, int64_t v) { return Single(name, TSH_ATTR_INT, v); }
  Attrs& Bool(const char* name, bool v) { return Single(name, TSH_ATTR_BOOL, v ? 1 : 0); }
  Attrs& Type(const char* name, int dtype) { return Single(name, TSH_ATTR_TYPE, dtype); }
  Attrs& Float(const char* name, double v);
  Attrs& String(const char* name, std::string_view v);
  Attrs& Shape(const char* name, Dims dims);
  Attrs& UnknownShape(const char* name);
  Attrs& Tensor(const char* name, const TensorHandle& t);
  Attrs& Ints(const char* name, std::span<const int64_t> v) { return List(name, TSH_ATTR_INT, v); }
  Attrs& Types(const char* name, std::span<const int64_t> v) {
    return List(name, TSH_ATTR_TYPE, v);
  }
  Attrs& Add(const tsh_attr& attr);

  const tsh_attr* data() const { return attrs_.data(); }
  size_t size() const { return size_; }

 private:
  tsh_attr& Next(const char* name, tsh_attr_kind kind);
  Attrs& Single(const char* name, tsh_attr_kind kind, int64_t v);
  Attrs& List(const char* name, tsh_attr_kind kind, std::span<const int64_t> v);

  std::array<tsh_attr, kMax> attrs_;
  size_t size_ = 0;
};

// The statically known shape of a value. A rank of -1 and an extent of -1 mean unknown.
struct ShapeInfo {
  int rank = -1;
  std::vector<int64_t> extents;  // as many as the rank
  Dims dims() const { return extents; }
};

// The time spent on adding nodes, which the prompt shows after a command. Nothing is measured while
// `on` is false.
struct ExtendClock {
  bool on = false;
  int64_t ns = 0;
};
inline ExtendClock extend_clock;

// Adds its lifetime to the clock.
class ExtendTimer {
 public:
  ExtendTimer() : start_(extend_clock.on ? std::chrono::steady_clock::now() : Time()) {}
  ~ExtendTimer() {
    if (extend_clock.on)
      extend_clock.ns +=
          std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count();
  }
  ExtendTimer(const ExtendTimer&) = delete;

 private:
  using Time = std::chrono::steady_clock::time_point;
  Time start_;
};

// The inputs or controls of a node. Borrows the graph.
template <class T>
struct Edges {
  const tsh_graph* graph;
  tsh_node node;
  size_t count;

  struct Iterator {
    const Edges* edges;
    size_t i;
    T operator*() const { return (*edges)[i]; }
    Iterator& operator++() { return ++i, *this; }
    bool operator!=(const Iterator& o) const { return i != o.i; }
  };
  T operator[](size_t i) const {
    if constexpr (std::is_same_v<T, tsh_node>)
      return tsh_node_control(graph, node, i);
    else
      return tsh_node_input(graph, node, i);
  }
  size_t size() const { return count; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, count}; }
};

class GraphHandle : public v0::Graph {
 public:
  GraphHandle() : v0::Graph(None()) {}

  static GraphHandle Make() { return GraphHandle(v0::Graph()); }
  static GraphHandle Share(tsh_graph* g) { return GraphHandle(v0::Graph::Share(g)); }

  tsh_node Add(const tsh_node_spec& spec) const;  // adds one node; throws
  std::string UniqueName(const char* name, bool mark_as_used) const;
  ShapeInfo Shape(tsh_output v) const;
  // Narrows the inferred shape. SetShape throws ValueError if the shapes contradict each other;
  // NarrowShape then changes nothing.
  void SetShape(tsh_output v, Dims dims) const;
  void NarrowShape(tsh_output v, Dims dims) const;
  void NarrowShape(tsh_output v, const ShapeInfo& shape) const {
    if (shape.rank >= 0) NarrowShape(v, shape.dims());
  }
  // Empty if the value is unknown before a run.
  TensorHandle Constant(tsh_output v) const { return v0::Graph::Constant(v); }

  // The graph and its nodes as data. A node that does not exist has no inputs and empty texts.
  uint64_t id() const { return tsh_graph_id(get()); }
  int64_t version() const { return static_cast<int64_t>(tsh_graph_version(get())); }
  uint32_t generation() const { return tsh_graph_generation(get()); }
  uint32_t valid_below(uint32_t at) const { return tsh_graph_valid_below(get(), at); }
  uint32_t NumOutputs(tsh_node n) const {
    return static_cast<uint32_t>(tsh_node_num_outputs(get(), n));
  }
  tsh_output Input(tsh_node n, size_t i) const { return tsh_node_input(get(), n, i); }
  // The inputs, and the nodes that run before it: for (tsh_output input : graph.Inputs(node)).
  auto Inputs(tsh_node n) const {
    return Edges<tsh_output>{get(), n, tsh_node_num_inputs(get(), n)};
  }
  auto Controls(tsh_node n) const {
    return Edges<tsh_node>{get(), n, tsh_node_num_controls(get(), n)};
  }
  uint32_t Source(tsh_node n) const { return tsh_node_source(get(), n); }
  const char* Device(tsh_node n) const { return tsh_node_device(get(), n); }
  void SetDevice(tsh_node n, const std::string& device) const;  // throws
  // Reads attribute i of a node; false if it has fewer. The texts in it live as long as the node.
  bool ReadAttr(tsh_node n, size_t i, tsh_attr* attr) const {
    *attr = TSH_ATTR_INIT;
    return tsh_node_attr(get(), n, i, attr) != 0;
  }
  std::string AttrsJson(tsh_node n) const { return TakeText(tsh_node_attrs_json(get(), n)); }

 private:
  explicit GraphHandle(v0::Graph g) : v0::Graph(std::move(g)) {}
};

class SessionHandle {
 public:
  SessionHandle() = default;
  SessionHandle(SessionHandle&&) = default;
  SessionHandle& operator=(SessionHandle&& o) noexcept {
    std::swap(s_, o.s_);
    return *this;
  }
  ~SessionHandle();

  static SessionHandle Make(const GraphHandle& g, const std::string& target,
                            const std::string& config_json);

  explicit operator bool() const { return s_ != nullptr; }
  tsh_session* get() const { return s_.get(); }
  bool closed() const { return tsh_session_closed(s_.get()) != 0; }
  void Close() const;
  // Runs one step and returns the fetched tensors in order.
  std::vector<TensorHandle> Run(const tsh_run& run) const;
  std::string RunTraced(const tsh_run& run, std::vector<TensorHandle>* fetched) const;

 private:
  Owned<tsh_session> s_;
};

// Cancels the steps in flight of every session (Ctrl-C). May be called from any thread, but not
// from a signal handler.
void CancelAllSessions();

// Runs one stateless op on tensors without a graph.
std::vector<TensorHandle> RunOp(const char* op, std::span<const TensorHandle> inputs,
                                const Attrs& attrs);

}  // namespace tensh::shell
