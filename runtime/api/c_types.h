#pragma once
// The structs behind the opaque types of tensh.h, and the code that every entry point uses: a guard
// that stops exceptions, and checks of the caller's arguments.
#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "runtime/session/session.h"
#include "tensh/tensh.h"

struct tsh_status {
  tensh::Status status;
  std::string message, hint, node;  // Null-terminated copies.
};

// A tsh_tensor* points to the header of a tensh::Tensor, which consists of one pointer to it.
static_assert(sizeof(tensh::Tensor) == sizeof(void*));

struct tsh_session {
  std::unique_ptr<tensh::Session> session;
  std::atomic<int> refs{1};
};

struct tsh_callable {
  tsh_session* session;
  std::shared_ptr<tensh::Plan> plan;
};

struct tsh_cancel {
  tensh::CancelFlag flag;
};

struct tsh_partial {
  tsh_session* session;
  std::unique_ptr<tensh::PartialRun> run;
};

namespace tensh::api {

const OpRegistry& Ops();
const DeviceRegistry& Devices();
const SessionFactoryRegistry& SessionFactories();
// GPU devices, made by the plug-in (c_cuda.cc).
std::unique_ptr<DeviceFactory> MakeGpuFactory();
// Sessions on grpc:// targets, made by the plug-in (c_dist.cc).
std::unique_ptr<SessionFactory> MakeRemoteSessionFactory();

inline Graph& G(const tsh_graph* g) { return *reinterpret_cast<Graph*>(const_cast<tsh_graph*>(g)); }
inline tsh_tensor* Handle(Tensor t) { return static_cast<tsh_tensor*>(t.Release()); }
// Returns a counted copy of a borrowed handle.
inline Tensor FromHandle(const tsh_tensor* t) {
  Tensor borrowed = Tensor::Adopt(const_cast<tsh_tensor*>(t));
  Tensor copy = borrowed;
  (void)borrowed.Release();
  return copy;
}

// Fills the caller's status. Returns true if it is ok.
int Set(tsh_status* out, Status status);

// Runs the body, which returns a Status, and converts exceptions; bad_alloc becomes
// ResourceExhausted.
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

Status NullArgument(const char* name);  // InvalidArgument
// Returns from a function that returns a Status if a pointer is null.
#define TENSH_NEED(argument)                                       \
  do {                                                             \
    if (!(argument)) return ::tensh::api::NullArgument(#argument); \
  } while (false)

// The size of a struct of the ABI rule (tensh.h) in the first version that had it. When a struct
// grows, specialize this with the offset of the first field that is new.
template <class T>
inline constexpr size_t kFirstSize = sizeof(T);

// Copies a caller's struct whose size is not that of this build: fields that the caller lacks
// become zero, and fields that this build lacks must be zero.
Status CopySized(const void* given, size_t given_size, size_t first_size, void* copy,
                 size_t known_size);

// A caller's struct, converted to the version of this build. Nothing is copied if the sizes agree.
template <class T>
class Sized {
 public:
  Status Read(const T* given) {
    if (__builtin_expect(given && given->size == sizeof(T), 1)) {
      known_ = given;
      return {};
    }
    if (!given) return NullArgument("the struct");
    known_ = reinterpret_cast<const T*>(space_);
    return CopySized(given, given->size, kFirstSize<T>, space_, sizeof(T));
  }
  const T& operator*() const { return *known_; }
  const T* operator->() const { return known_; }

 private:
  const T* known_ = nullptr;
  alignas(T) std::byte space_[sizeof(T)];  // written for another size only
};

// Element i of a caller's array, whose elements all have the size that the first one states.
template <class T>
const T* SizedAt(const T* first, size_t i) {
  return reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(first) + i * first->size);
}

// Reads a caller's tsh_run and checks its arrays for nulls.
Status ReadRun(const tsh_run* given, bool with_values, Sized<tsh_run>& run);
std::vector<NamedAttr> AttrsIn(const tsh_attr* attrs, size_t n, Status& status);
// Returns kInvalid if the number is not a dtype.
DType TypeIn(int64_t type);
// Returns the shape given by dims and rank. If fully_known is set, returns an error for an extent
// of -1.
Result<Shape> ShapeIn(const int64_t* dims, int64_t rank, bool fully_known);
inline std::string_view View(const char* text) {
  return text ? std::string_view(text) : std::string_view();
}
char* TextOut(std::string_view text);  // for tsh_free; null if memory is exhausted

// A converted array of ids. Short arrays are on the stack.
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

// Wraps an open session and adds it to the list of sessions.
tsh_session* NewSession(std::unique_ptr<Session> session);
// Checks the arguments and runs a step. Its time limit is that of `control`.
Status RunWith(tsh_session* s, const tsh_run* run, tsh_tensor** fetched, RunControl& control);

Status ParseConfig(std::string_view json,
                   SessionConfig& config);  // in c_report.cc, where JSON lives

}  // namespace tensh::api
