#include "shell/client.h"

#include <cstring>
#include <memory>
#include <mutex>

#include "shell/lang/threads.h"
#include "shell/tf/errors.h"

namespace tensh::shell {
namespace {

template <class T>
TensorHandle MakeScalar(int dtype, T v) {
  TensorHandle t = TensorHandle::Make(dtype, {});
  *t.data<T>() = v;
  return t;
}

template <class T>
TensorHandle MakeVector(int dtype, std::span<const int64_t> v) {
  const int64_t n = static_cast<int64_t>(v.size());
  TensorHandle t = TensorHandle::Make(dtype, {&n, 1});
  for (size_t i = 0; i < v.size(); ++i) t.data<T>()[i] = static_cast<T>(v[i]);
  return t;
}

}  // namespace

void Status::Check() const {
  if (code() != 0) ThrowStatus(status_);
}

tsh_status* ScratchStatus() {
  static thread_local std::unique_ptr<tsh_status, void (*)(tsh_status*)> status(tsh_status_new(),
                                                                                tsh_status_free);
  return status.get();
}

ClientError DescribeStatus(const tsh_status* status) {
  return {tsh_status_code(status), tsh_status_message(status), tsh_status_hint(status),
          tsh_status_node(status)};
}

void ThrowStatus(const tsh_status* status) { throw tf::ErrorFromStatus(DescribeStatus(status)); }

void ThrowBuildStatus(const tsh_status* status) {
  throw tf::BuildErrorFromStatus(DescribeStatus(status));
}

std::string TakeText(char* text) {
  std::unique_ptr<char, void (*)(char*)> owner(text, tsh_free);
  return text ? std::string(text) : std::string();
}

// ---- tensors ----

TensorHandle TensorHandle::Adopt(tsh_tensor* t) {
  TensorHandle h;
  h.t_ = t;
  return h;
}

TensorHandle TensorHandle::Share(tsh_tensor* t) { return Adopt(t ? tsh_tensor_ref(t) : nullptr); }

TensorHandle TensorHandle::Make(int dtype, Dims dims) {
  tsh_status* status = ScratchStatus();
  tsh_tensor* t = tsh_tensor_new(dtype, dims.data(), static_cast<int>(dims.size()), status);
  if (!t) ThrowStatus(status);
  return Adopt(t);
}

TensorHandle TensorHandle::Bool(bool v) { return MakeScalar<uint8_t>(TSH_BOOL, v ? 1 : 0); }
TensorHandle TensorHandle::Int32(int32_t v) { return MakeScalar(TSH_INT32, v); }
TensorHandle TensorHandle::Int64(int64_t v) { return MakeScalar(TSH_INT64, v); }
TensorHandle TensorHandle::Float(float v) { return MakeScalar(TSH_FLOAT, v); }
TensorHandle TensorHandle::Double(double v) { return MakeScalar(TSH_DOUBLE, v); }

TensorHandle TensorHandle::String(std::string_view v) {
  TensorHandle t = Make(TSH_STRING, {});
  t.SetString(0, v);
  return t;
}

TensorHandle TensorHandle::Int32s(std::span<const int64_t> v) {
  return MakeVector<int32_t>(TSH_INT32, v);
}

TensorHandle TensorHandle::Int64s(std::span<const int64_t> v) {
  return MakeVector<int64_t>(TSH_INT64, v);
}

TensorHandle TensorHandle::Strings(std::span<const std::string> v) {
  const int64_t n = static_cast<int64_t>(v.size());
  TensorHandle t = Make(TSH_STRING, {&n, 1});
  for (int64_t i = 0; i < n; ++i) t.SetString(i, v[static_cast<size_t>(i)]);
  return t;
}

std::string_view TensorHandle::string_at(int64_t i) const {
  size_t length = 0;
  const char* text = tsh_tensor_string(t_, i, &length);
  return {text, length};
}

void TensorHandle::SetString(int64_t i, std::string_view v) const {
  tsh_tensor_set_string(t_, i, v.data(), v.size());
}

TensorHandle TensorHandle::Reshape(Dims dims) const {
  tsh_status* status = ScratchStatus();
  tsh_tensor* t = tsh_tensor_reshape(t_, dims.data(), static_cast<int>(dims.size()), status);
  if (!t) ThrowStatus(status);
  return Adopt(t);
}

// ---- attributes ----

tsh_attr& Attrs::Next(const char* name, tsh_attr_kind kind) {
  // More attributes than any op has: a mistake of ours; the last one is overwritten, never the
  // stack.
  tsh_attr& a = attrs_[size_ < kMax ? size_++ : kMax - 1];
  a = tsh_attr{};
  a.name = name;
  a.kind = kind;
  return a;
}

Attrs& Attrs::Single(const char* name, tsh_attr_kind kind, int64_t v) {
  Next(name, kind).i = v;
  return *this;
}

Attrs& Attrs::Float(const char* name, double v) {
  Next(name, TSH_ATTR_FLOAT).f = v;
  return *this;
}

Attrs& Attrs::String(const char* name, std::string_view v) {
  tsh_attr& a = Next(name, TSH_ATTR_STRING);
  a.string = v.data();
  a.length = v.size();
  return *this;
}

Attrs& Attrs::Shape(const char* name, Dims dims) {
  tsh_attr& a = Next(name, TSH_ATTR_SHAPE);
  a.dims = dims.data();
  a.rank = static_cast<int>(dims.size());
  return *this;
}

Attrs& Attrs::UnknownShape(const char* name) {
  Next(name, TSH_ATTR_SHAPE).rank = -1;
  return *this;
}

Attrs& Attrs::Tensor(const char* name, const TensorHandle& t) {
  Next(name, TSH_ATTR_TENSOR).tensor = t.get();
  return *this;
}

Attrs& Attrs::List(const char* name, tsh_attr_kind kind, std::span<const int64_t> v) {
  tsh_attr& a = Next(name, kind);
  a.is_list = 1;
  a.n = v.size();
  a.ints = v.data();
  return *this;
}

Attrs& Attrs::Add(const tsh_attr& attr) {
  Next(attr.name, attr.kind) = attr;
  return *this;
}

// ---- graphs ----

GraphHandle GraphHandle::Make() {
  GraphHandle h;
  h.g_ = tsh_graph_new();
  return h;
}

GraphHandle GraphHandle::Share(tsh_graph* g) {
  GraphHandle h;
  if (g) tsh_graph_ref(g);
  h.g_ = g;
  return h;
}

tsh_node GraphHandle::Add(const tsh_node_spec& spec) const {
  tsh_status* status = ScratchStatus();
  tsh_node node = TSH_NO_NODE;
  const ExtendTimer timer;
  if (!tsh_graph_add(g_, &spec, 1, &node, status)) ThrowBuildStatus(status);
  return node;
}

std::string GraphHandle::UniqueName(const char* name, bool mark_as_used) const {
  return TakeText(tsh_graph_unique_name(g_, name, mark_as_used ? 1 : 0));
}

ShapeInfo GraphHandle::Shape(tsh_output v) const {
  ShapeInfo info;
  info.rank = tsh_output_shape(g_, v, info.extents.data());
  return info;
}

TensorHandle GraphHandle::Constant(tsh_output v) const {
  return TensorHandle::Adopt(tsh_output_constant(g_, v));
}

// ---- sessions ----

namespace {

// The open sessions, for the thread that cancels: under the lock none of them goes away.
std::mutex g_sessions_mutex;
std::vector<tsh_session*> g_sessions;

}  // namespace

SessionHandle::~SessionHandle() {
  if (s_ == nullptr) return;
  {
    const std::lock_guard<std::mutex> lock(g_sessions_mutex);
    std::erase(g_sessions, s_);
  }
  tsh_session_unref(s_);
}

void CancelAllSessions() {
  const std::lock_guard<std::mutex> lock(g_sessions_mutex);
  for (tsh_session* session : g_sessions) tsh_session_cancel(session);
}

SessionHandle SessionHandle::Make(const GraphHandle& g, const std::string& target,
                                  const std::string& config_json) {
  tsh_status* status = ScratchStatus();
  SessionHandle h;
  h.s_ = tsh_session_new(g.get(), target.c_str(), config_json.c_str(), status);
  if (!h.s_) ThrowStatus(status);
  const std::lock_guard<std::mutex> lock(g_sessions_mutex);
  g_sessions.push_back(h.s_);
  return h;
}

void SessionHandle::Close() const {
  tsh_status* status = ScratchStatus();
  if (!tsh_session_close(s_, status)) ThrowStatus(status);
}

std::vector<TensorHandle> SessionHandle::Run(const tsh_run& run) const {
  tsh_status* status = ScratchStatus();
  std::vector<tsh_tensor*> raw(run.n_fetches, nullptr);
  bool ok = false;
  {
    const threads::Unlocked unlocked;
    ok = tsh_session_run(s_, &run, raw.data(), status) != 0;
  }
  if (!ok) ThrowStatus(status);
  std::vector<TensorHandle> fetched;
  fetched.reserve(raw.size());
  for (tsh_tensor* t : raw) fetched.push_back(TensorHandle::Adopt(t));
  return fetched;
}

std::string SessionHandle::RunTraced(const tsh_run& run, std::vector<TensorHandle>* fetched) const {
  tsh_status* status = ScratchStatus();
  std::vector<tsh_tensor*> raw(run.n_fetches, nullptr);
  char* report = nullptr;
  bool ok = false;
  {
    const threads::Unlocked unlocked;
    ok = tsh_session_run_traced(s_, &run, raw.data(), &report, status) != 0;
  }
  if (!ok) ThrowStatus(status);
  fetched->clear();
  for (tsh_tensor* t : raw) fetched->push_back(TensorHandle::Adopt(t));
  return TakeText(report);
}

std::vector<TensorHandle> RunOp(const char* op, std::span<const TensorHandle> inputs,
                                const Attrs& attrs) {
  constexpr size_t kMaxOutputs = 64;
  tsh_status* status = ScratchStatus();
  std::vector<tsh_tensor*> in;
  in.reserve(inputs.size());
  for (const TensorHandle& t : inputs) in.push_back(t.get());
  std::array<tsh_tensor*, kMaxOutputs> out{};
  size_t n = 0;
  if (!tsh_op_run(op, in.data(), in.size(), attrs.data(), attrs.size(), out.data(), kMaxOutputs, &n,
                  status)) {
    ThrowStatus(status);
  }
  std::vector<TensorHandle> outputs;
  outputs.reserve(n);
  for (size_t i = 0; i < n; ++i) outputs.push_back(TensorHandle::Adopt(out[i]));
  return outputs;
}

}  // namespace tensh::shell
