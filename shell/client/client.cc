#include "shell/client/client.h"

#include <cstring>
#include <memory>
#include <mutex>

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

ClientHooks client_hooks;

void Status::Check() const {
  if (code() != 0) ThrowStatus(status_.get());
}

namespace {

[[noreturn]] void Throw(void (*fail)(const ClientError&), const tsh_status* status) {
  ClientError error(status);
  if (fail) fail(error);
  throw v0::Error(std::move(error));
}

}  // namespace

void ThrowStatus(const tsh_status* status) { Throw(client_hooks.fail, status); }
void ThrowBuildStatus(const tsh_status* status) { Throw(client_hooks.fail_build, status); }

// ---- tensors ----

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

void TensorHandle::SetString(int64_t i, std::string_view v) const {
  tsh_tensor_set_string(get(), i, v.data(), v.size());
}

TensorHandle TensorHandle::Reshape(Dims dims) const {
  tsh_status* status = ScratchStatus();
  tsh_tensor* t = tsh_tensor_reshape(get(), dims.data(), static_cast<int>(dims.size()), status);
  if (!t) ThrowStatus(status);
  return Adopt(t);
}

// ---- attributes ----

tsh_attr& Attrs::Next(const char* name, tsh_attr_kind kind) {
  // An op with more attributes would be a bug in the shell. In that case the last attribute is
  // overwritten, but never the stack.
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

tsh_node GraphHandle::Add(const tsh_node_spec& spec) const {
  tsh_status* status = ScratchStatus();
  tsh_node node = TSH_NO_NODE;
  const ExtendTimer timer;
  if (!tsh_graph_add(get(), &spec, 1, &node, status)) ThrowBuildStatus(status);
  return node;
}

std::string GraphHandle::UniqueName(const char* name, bool mark_as_used) const {
  return TakeText(tsh_graph_unique_name(get(), name, mark_as_used ? 1 : 0));
}

ShapeInfo GraphHandle::Shape(tsh_output v) const {
  int64_t dims[TSH_MAX_RANK];
  ShapeInfo info;
  info.rank = tsh_output_shape(get(), v, dims);
  if (info.rank > 0) info.extents.assign(dims, dims + info.rank);
  return info;
}

void GraphHandle::SetShape(tsh_output v, Dims dims) const {
  tsh_status* status = ScratchStatus();
  if (!tsh_output_set_shape(get(), v, dims.data(), static_cast<int>(dims.size()), status))
    ThrowBuildStatus(status);
}

void GraphHandle::NarrowShape(tsh_output v, Dims dims) const {
  tsh_output_set_shape(get(), v, dims.data(), static_cast<int>(dims.size()), ScratchStatus());
}

void GraphHandle::SetDevice(tsh_node n, const std::string& device) const {
  tsh_status* status = ScratchStatus();
  if (!tsh_node_set_device(get(), n, device.c_str(), status)) ThrowStatus(status);
}

// ---- sessions ----

namespace {

// The open sessions, for the thread that cancels them. No session is destroyed while the mutex is
// held.
std::mutex g_sessions_mutex;
std::vector<tsh_session*> g_sessions;

// Runs a step of the C API through the hook. Returns true if it succeeded.
template <class Step>
bool Unlocked(const Step& step) {
  struct Call {
    const Step& step;
    int result;
  } call{step, 0};
  const auto run = [](void* context) {
    auto& c = *static_cast<Call*>(context);
    c.result = c.step();
  };
  client_hooks.run_step ? client_hooks.run_step(run, &call) : run(&call);
  return call.result != 0;
}

}  // namespace

SessionHandle::~SessionHandle() {
  if (s_ == nullptr) return;
  {
    const std::lock_guard<std::mutex> lock(g_sessions_mutex);
    std::erase(g_sessions, get());
  }
}

void CancelAllSessions() {
  const std::lock_guard<std::mutex> lock(g_sessions_mutex);
  for (tsh_session* session : g_sessions) tsh_session_cancel(session);
}

SessionHandle SessionHandle::Make(const GraphHandle& g, const std::string& target,
                                  const std::string& config_json) {
  tsh_status* status = ScratchStatus();
  SessionHandle h;
  h.s_.reset(tsh_session_new(g.get(), target.c_str(), config_json.c_str(), status));
  if (!h.s_) ThrowStatus(status);
  const std::lock_guard<std::mutex> lock(g_sessions_mutex);
  g_sessions.push_back(h.get());
  return h;
}

void SessionHandle::Close() const {
  tsh_status* status = ScratchStatus();
  if (!tsh_session_close(get(), status)) ThrowStatus(status);
}

std::vector<TensorHandle> SessionHandle::Run(const tsh_run& run) const {
  tsh_status* status = ScratchStatus();
  std::vector<tsh_tensor*> raw(run.n_fetches, nullptr);
  const bool ok = Unlocked([&] { return tsh_session_run(get(), &run, raw.data(), status); });
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
  const bool ok =
      Unlocked([&] { return tsh_session_run_traced(get(), &run, raw.data(), &report, status); });
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
