#pragma once
// What the opaque types of tensh.h are, and the guard every entry point goes through: nothing but a
// code escapes.
#include <new>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/tensh_partial.h"
#include "runtime/session/session.h"

struct tsh_status {
  tensh::Status status;
  std::string message, hint, node;  // null-terminated copies
};

// A tsh_tensor* is the header of a tensh::Tensor, which is one pointer to it.
static_assert(sizeof(tensh::Tensor) == sizeof(void*));

struct tsh_session {
  std::unique_ptr<tensh::Session> session;
  std::atomic<int> refs{1};
};

struct tsh_callable {
  tsh_session* session;
  std::shared_ptr<tensh::Plan> plan;
};

struct tsh_partial {
  tsh_session* session;
  std::unique_ptr<tensh::PartialRun> run;
};

namespace tensh::api {

const OpRegistry& Ops();
const DeviceRegistry& Devices();
const SessionFactoryRegistry& SessionFactories();
// GPU devices, by the plug-in (c_cuda.cc).
std::unique_ptr<DeviceFactory> MakeGpuFactory();
// Sessions on grpc:// targets, by the plug-in (c_dist.cc).
std::unique_ptr<SessionFactory> MakeRemoteSessionFactory();

inline Graph& G(const tsh_graph* g) { return *reinterpret_cast<Graph*>(const_cast<tsh_graph*>(g)); }
inline tsh_tensor* Handle(Tensor t) { return static_cast<tsh_tensor*>(t.Release()); }
// A counted copy of a borrowed handle.
inline Tensor FromHandle(const tsh_tensor* t) {
  Tensor borrowed = Tensor::Adopt(const_cast<tsh_tensor*>(t));
  Tensor copy = borrowed;
  (void)borrowed.Release();
  return copy;
}

// Fills the caller's status; true when ok.
int Set(tsh_status* out, Status status);

// Runs body, which returns a Status; a stray bad_alloc becomes ResourceExhausted.
template <class Body>
int Guard(tsh_status* out, Body body) {
  try {
    return Set(out, body());
  } catch (const std::bad_alloc&) {
    return Set(out, ResourceExhausted("out of memory"));
  } catch (const std::exception& e) {
    return Set(out, Internal(e.what()));
  }
}

std::vector<NamedAttr> AttrsIn(const tsh_attr* attrs, size_t n, Status& status);
char* TextOut(std::string_view text);  // for tsh_free; null when there is no memory

// Arrays of ids, converted; a handful stays on the stack.
template <class To, class From, class Convert>
class Ids {
 public:
  Ids(const From* from, size_t n, Convert convert) : n_(n), data_(small_) {
    if (n > kSmall) {
      large_.resize(n);
      data_ = large_.data();
    }
    for (size_t i = 0; i < n; ++i) data_[i] = convert(from[i]);
  }
  std::span<const To> span() const { return {data_, n_}; }

 private:
  static constexpr size_t kSmall = 8;
  size_t n_;
  To small_[kSmall];
  std::vector<To> large_;
  To* data_;
};
inline Output ToOutput(const tsh_output& o) { return {NodeId{o.node}, o.index}; }
inline NodeId ToNode(tsh_node n) { return NodeId{n}; }
struct OutputIds : Ids<Output, tsh_output, Output (*)(const tsh_output&)> {
  OutputIds(const tsh_output* o, size_t n) : Ids(o, n, ToOutput) {}
};
struct NodeIds : Ids<NodeId, tsh_node, NodeId (*)(tsh_node)> {
  NodeIds(const tsh_node* o, size_t n) : Ids(o, n, ToNode) {}
};

// An open session, listed with the others.
tsh_session* NewSession(std::unique_ptr<Session> session);
// Checks the feeds and runs.
Status RunWith(tsh_session* s, const tsh_run& run, tsh_tensor** fetched, const RunControl& control);

Status ParseConfig(std::string_view json,
                   SessionConfig& config);  // in c_report.cc, where JSON lives

}  // namespace tensh::api
