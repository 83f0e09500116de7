// Functions for servers: state shared by their sessions, and steps with parts in other processes.
#include <algorithm>
#include <cstring>

#include "runtime/api/c_report.h"
#include "runtime/api/c_types.h"
#include "runtime/core/memory/host_allocator.h"
#include "runtime/core/memory/limited_allocator.h"
#include "tensh/tensh_plugin.h"

using namespace tensh;
using namespace tensh::api;

struct tsh_home {
  SessionHome home;
  std::atomic<int> refs{1};
};

struct tsh_cancel_watch : CancelFlag::Waiter {
  CancelFlag* cancel = nullptr;
  void (*fn)(void*) = nullptr;
  void* context = nullptr;
  void Wake() override { fn(context); }
};

struct tsh_arrival {
  Exchange::Done done;
};

namespace {

class OutsideExchange : public Exchange {
 public:
  explicit OutsideExchange(const tsh_exchange& outside) : outside_(outside) {}

  Status Send(const std::string& key, const Tensor& value) override {
    tsh_status said;
    tsh_tensor* borrowed = *reinterpret_cast<tsh_tensor* const*>(&value);
    outside_.send(outside_.context, key.c_str(), borrowed, &said);
    return std::move(said.status);
  }
  void Receive(const std::string& key, Done done) override {
    outside_.receive(outside_.context, key.c_str(), new tsh_arrival{std::move(done)});
  }
  void Abort(const Status& why) override {
    tsh_status said;
    Set(&said, why);
    outside_.abort(outside_.context, &said);
  }

 private:
  const tsh_exchange& outside_;
};

tsh_home* NewHome(SessionHome home) {
  auto* made = new tsh_home;
  made->home = std::move(home);
  return made;
}

Result<std::shared_ptr<DeviceMgr>> DevicesOf(const char* job, int task, const char* config) {
  TENSH_NEED(job);
  SessionConfig parsed;
  TENSH_RETURN_IF_ERROR(ParseConfig(config ? config : "", parsed));
  DeviceOptions options{.device_count = parsed.device_count,
                        .intra_op_threads = parsed.intra_op_threads,
                        .job = job,
                        .task = task};
  TENSH_ASSIGN(std::shared_ptr<DeviceMgr> devices, DeviceMgr::Create(Devices(), options));
  return devices;
}

}  // namespace

tsh_home* tsh_home_new(const char* job, int task, const char* config, tsh_status* status) {
  tsh_home* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_ASSIGN(auto devices, DevicesOf(job, task, config));
    made = NewHome({std::move(devices), std::make_shared<ResourceTable>(), nullptr, {}});
    return {};
  });
  return made;
}

tsh_home* tsh_home_renamed(tsh_home* h, const char* job, int task, const char* config,
                           tsh_status* status) {
  tsh_home* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(h);
    SessionHome home = h->home;
    TENSH_ASSIGN(home.devices, DevicesOf(job, task, config));
    made = NewHome(std::move(home));
    return {};
  });
  return made;
}

tsh_home* tsh_home_isolated(tsh_home* h) {
  if (!h) return nullptr;
  return NewHome(
      {h->home.devices, std::make_shared<ResourceTable>(), h->home.allocator, h->home.step_cpu});
}

tsh_home* tsh_home_limited(tsh_home* h, int64_t bytes, int64_t step_cpu_ms, const char* by) {
  if (!h) return nullptr;
  SessionHome home = h->home;
  Allocator* const base = home.allocator ? home.allocator.get() : HostAllocator();
  if (bytes > 0) home.allocator = LimitMemory(base, static_cast<size_t>(bytes));
  if (step_cpu_ms > 0) home.step_cpu = {step_cpu_ms, by ? by : ""};
  return NewHome(std::move(home));
}

void tsh_home_unref(tsh_home* h) {
  if (h && h->refs.fetch_sub(1) == 1) delete h;
}

size_t tsh_release_unused(int64_t unused_ms) {
  return ReleaseUnusedHostMemory(std::chrono::milliseconds(std::max<int64_t>(unused_ms, 0)));
}

char* tsh_home_devices_json(tsh_home* h) {
  if (!h) return nullptr;
  std::vector<DeviceInfo> list;
  for (size_t i = 0; i < h->home.devices->size(); ++i) list.push_back((*h->home.devices)[i].info());
  return TextOut(DevicesText(list));
}

void tsh_home_clear(tsh_home* h, const char* const* containers, size_t n) {
  if (!h || (n > 0 && !containers)) return;
  ResourceTable& table = *h->home.resources;
  if (n == 0) return table.Clear();
  std::vector<std::string> gone;
  table.ForEach([&](const std::string& name, Resource&) {
    for (size_t i = 0; i < n; ++i) {
      const std::string prefix = StrCat(containers[i], "/");
      if (name.rfind(prefix, 0) == 0) gone.push_back(name);
    }
  });
  for (const std::string& name : gone) table.Erase(name);
}

tsh_session* tsh_session_new_in(tsh_home* h, tsh_graph* g, const char* config, tsh_status* status) {
  tsh_session* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(h);
    TENSH_NEED(g);
    SessionConfig parsed;
    TENSH_RETURN_IF_ERROR(ParseConfig(config ? config : "", parsed));
    made = NewSession(MakeSessionIn(h->home, &G(g), parsed));
    return {};
  });
  return made;
}

int tsh_callable_is_steady(const tsh_callable* c) {
  if (!c) return 0;
  const Plan& plan = *c->plan;
  const Program* program = plan.program();
  if (!program || program->parts.size() != 1 || !plan.stages.pruned.flow.empty() ||
      !plan.bindings.keyed.empty())
    return 0;
  for (const NodeId n : plan.stages.pruned.nodes) {
    const OpDef& op = plan.stages.graph.op(n);
    for (const AttrDef& attr : op.attrs)
      if (attr.kind == AttrKind::kFunc) return 0;
    if (op.stateful && !op.never_waits) return 0;
    // A value may decide how large an output is, as that of a Fill.
    const Graph& graph = plan.stages.graph;
    for (uint32_t i = 0; i < graph.num_outputs(n); ++i)
      if (!graph.shape(graph.output(n, i)).IsFullyKnown()) return 0;
  }
  return 1;
}

tsh_cancel_watch* tsh_cancel_watch_new(tsh_cancel* c, void (*fn)(void*), void* context) {
  if (!c || !fn) return nullptr;
  auto* watch = new tsh_cancel_watch;
  watch->cancel = &c->flag;
  watch->fn = fn;
  watch->context = context;
  c->flag.Add(watch);
  if (c->flag.cancelled()) fn(context);
  return watch;
}

void tsh_cancel_watch_free(tsh_cancel_watch* watch) {
  if (!watch) return;
  watch->cancel->Remove(watch);
  delete watch;
}

tsh_cancel* tsh_cancel_new(void) { return new tsh_cancel; }
void tsh_cancel_set(tsh_cancel* c) {
  if (c) c->flag.Set();
}
void tsh_cancel_free(tsh_cancel* c) { delete c; }

void tsh_arrive(tsh_arrival* arrival, tsh_tensor* value, const tsh_status* failed) {
  Tensor tensor = Tensor::Adopt(value);
  const std::unique_ptr<tsh_arrival> owned(arrival);
  if (owned) owned->done(failed ? failed->status : Status(), std::move(tensor));
}

int tsh_session_run_with(tsh_session* s, const tsh_run* run, const tsh_control* control,
                         tsh_tensor** fetched, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(control);
    RunControl how;
    RunTrace trace;
    if (control->report) how.trace = &trace;
    if (control->cancel) how.cancel = &control->cancel->flag;
    static constexpr tsh_exchange kNoExchange{};
    OutsideExchange exchange(control->exchange ? *control->exchange : kNoExchange);
    if (control->exchange) how.exchange = &exchange;
    TENSH_RETURN_IF_ERROR(RunWith(s, run, fetched, how));
    if (control->report) *control->report = TextOut(TraceReport(trace, *s->session));
    return {};
  });
}
