// The shell's door to the runtime: counted handles over the C API (tensh.h), the only header of
// shell/ that includes it. A handle owns one reference and gives it back when it dies; copies of
// TensorHandle and GraphHandle count. Calls that fail throw the one error of the shell (see
// ThrowStatus); nothing here returns a code. The C API's own thread rules hold: any thread may
// call, a graph has one writer.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/api/tensh.h"

namespace tensh::shell {

// What a failed call of the C API said.
struct ClientError {
  int code = 0;         // TensorFlow's 1-16
  std::string message;  // one line or more, without the class name
  std::string hint;     // what to type next, or ""
  std::string node;     // the node it is about, or ""
};

// A status to pass to a call of the C API. Check() throws when the call failed.
class Status {
 public:
  Status() : status_(tsh_status_new()) {}
  ~Status() { tsh_status_free(status_); }
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;

  operator tsh_status*() { return status_; }  // NOLINT: made to be passed on
  int code() const { return tsh_status_code(status_); }
  std::string message() const { return tsh_status_message(status_); }
  void Check() const;

 private:
  tsh_status* status_;
};

// The calling thread's spare status, for calls too frequent to allocate one.
tsh_status* ScratchStatus();
ClientError DescribeStatus(const tsh_status* status);
// Throws the tf.errors class of the code.
[[noreturn]] void ThrowStatus(const tsh_status* status);
// Of a call that builds the graph: TensorFlow's Python layer makes these ValueErrors and the like.
[[noreturn]] void ThrowBuildStatus(const tsh_status* status);

// Text handed over by the C API: copied, then freed.
std::string TakeText(char* text);

using Dims = std::span<const int64_t>;

class TensorHandle {
 public:
  TensorHandle() = default;
  TensorHandle(const TensorHandle& o) : t_(o.t_ ? tsh_tensor_ref(o.t_) : nullptr) {}
  TensorHandle(TensorHandle&& o) noexcept : t_(std::exchange(o.t_, nullptr)) {}
  TensorHandle& operator=(TensorHandle o) noexcept {
    std::swap(t_, o.t_);
    return *this;
  }
  ~TensorHandle() {
    if (t_) tsh_tensor_unref(t_);
  }

  static TensorHandle Adopt(tsh_tensor* t);        // takes over one reference
  static TensorHandle Share(tsh_tensor* t);        // adds one
  static TensorHandle Make(int dtype, Dims dims);  // elements not initialised
  static TensorHandle Bool(bool v);
  static TensorHandle Int32(int32_t v);
  static TensorHandle Int64(int64_t v);
  static TensorHandle Float(float v);
  static TensorHandle Double(double v);
  static TensorHandle String(std::string_view v);
  static TensorHandle Int32s(std::span<const int64_t> v);  // a vector of int32
  static TensorHandle Int64s(std::span<const int64_t> v);
  static TensorHandle Strings(std::span<const std::string> v);

  explicit operator bool() const { return t_ != nullptr; }
  tsh_tensor* get() const { return t_; }
  tsh_tensor* Release() { return std::exchange(t_, nullptr); }
  int dtype() const { return tsh_tensor_dtype(t_); }
  int rank() const { return tsh_tensor_rank(t_); }
  Dims dims() const { return {tsh_tensor_dims(t_), static_cast<size_t>(tsh_tensor_rank(t_))}; }
  int64_t elements() const { return tsh_tensor_elements(t_); }
  bool unique() const { return tsh_tensor_unique(t_) != 0; }
  template <class T>
  T* data() const {
    return static_cast<T*>(tsh_tensor_data(t_));
  }
  void* raw() const { return tsh_tensor_data(t_); }
  std::string_view string_at(int64_t i) const;
  void SetString(int64_t i, std::string_view v) const;
  TensorHandle Reshape(Dims dims) const;  // shares the elements

 private:
  tsh_tensor* t_ = nullptr;
};

// The attributes of one node or op, to be handed over in one call. It views what it is given:
// names, strings, dims, lists and tensors must live until then. At most kMax.
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

// What is known of a value's shape: rank -1 means nothing; an extent of -1 is unknown.
struct ShapeInfo {
  int rank = -1;
  std::array<int64_t, TSH_MAX_RANK> extents{};
  Dims dims() const { return {extents.data(), static_cast<size_t>(rank < 0 ? 0 : rank)}; }
};

// The time spent adding nodes, for the echo. Off: nothing is measured.
struct ExtendClock {
  bool on = false;
  int64_t ns = 0;
};
inline ExtendClock extend_clock;

// Adds its own lifetime to the clock.
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

class GraphHandle {
 public:
  GraphHandle() = default;
  GraphHandle(const GraphHandle& o) : g_(o.g_) {
    if (g_) tsh_graph_ref(g_);
  }
  GraphHandle(GraphHandle&& o) noexcept : g_(std::exchange(o.g_, nullptr)) {}
  GraphHandle& operator=(GraphHandle o) noexcept {
    std::swap(g_, o.g_);
    return *this;
  }
  ~GraphHandle() {
    if (g_) tsh_graph_unref(g_);
  }

  static GraphHandle Make();
  static GraphHandle Share(tsh_graph* g);

  explicit operator bool() const { return g_ != nullptr; }
  bool operator==(const GraphHandle& o) const { return g_ == o.g_; }
  tsh_graph* get() const { return g_; }
  size_t size() const { return tsh_graph_size(g_); }
  tsh_node Add(const tsh_node_spec& spec) const;  // one node; throws
  std::string UniqueName(const char* name, bool mark_as_used) const;
  const char* NodeName(tsh_node n) const { return tsh_node_name(g_, n); }
  const char* NodeOp(tsh_node n) const { return tsh_node_op(g_, n); }
  int DType(tsh_output v) const { return tsh_output_dtype(g_, v); }
  ShapeInfo Shape(tsh_output v) const;
  TensorHandle Constant(tsh_output v) const;  // empty: not known before a run

 private:
  tsh_graph* g_ = nullptr;
};

class SessionHandle {
 public:
  SessionHandle() = default;
  SessionHandle(SessionHandle&& o) noexcept : s_(std::exchange(o.s_, nullptr)) {}
  SessionHandle& operator=(SessionHandle&& o) noexcept {
    std::swap(s_, o.s_);
    return *this;
  }
  ~SessionHandle();

  static SessionHandle Make(const GraphHandle& g, const std::string& target,
                            const std::string& config_json);

  explicit operator bool() const { return s_ != nullptr; }
  tsh_session* get() const { return s_; }
  bool closed() const { return tsh_session_closed(s_) != 0; }
  void Close() const;
  // One step; the fetched tensors, in order.
  std::vector<TensorHandle> Run(const tsh_run& run) const;
  std::string RunTraced(const tsh_run& run, std::vector<TensorHandle>* fetched) const;

 private:
  tsh_session* s_ = nullptr;
};

// Ctrl-C: cancels the steps in flight in every session. From any thread; not from a signal handler.
void CancelAllSessions();

// Runs one stateless op on tensors, without a graph.
std::vector<TensorHandle> RunOp(const char* op, std::span<const TensorHandle> inputs,
                                const Attrs& attrs);

}  // namespace tensh::shell
