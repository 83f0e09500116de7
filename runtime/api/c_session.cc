#include <map>

#include "runtime/api/c_report.h"
#include "runtime/api/tensh_trace.h"
#include "runtime/session/default_stack.h"

using namespace tensh;
using namespace tensh::api;

namespace {

struct Request {
  explicit Request(const tsh_run& run)
      : feeds(run.feeds, run.n_feeds),
        fetches(run.fetches, run.n_fetches),
        targets(run.targets, run.n_targets) {}
  RunRequest view() const { return {feeds.span(), fetches.span(), targets.span()}; }
  OutputIds feeds, fetches;
  NodeIds targets;
};

// Handles are the tensors' own headers (see c_types.h): an array of them is an array of Tensors.
std::span<const Tensor> Values(tsh_tensor* const* values, size_t n) {
  return {reinterpret_cast<const Tensor*>(values), n};
}

std::span<Tensor> Fetched(tsh_tensor** fetched, size_t n) {
  for (size_t i = 0; i < n; ++i) fetched[i] = nullptr;
  return {reinterpret_cast<Tensor*>(fetched), n};
}

Status CheckNoNull(tsh_tensor* const* values, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (!values[i]) return InvalidArgument("feed ", i, " has no value");
  return {};
}

// Open sessions, for tsh_sessions_json.
struct OpenSessions {
  std::mutex mu;
  std::map<uint64_t, tsh_session*> sessions;
};
OpenSessions& Open() {
  static OpenSessions* open = new OpenSessions;
  return *open;
}

void Ref(tsh_session* s) { s->refs.fetch_add(1); }

// Does every step leave a timeline?
bool Collects() { return __builtin_expect(tsh_trace_is_on(), 0) != 0; }

// A callable's step, asked for by its signature so that it leaves a timeline.
Status RunCollected(const tsh_callable& c, tsh_tensor* const* values, tsh_tensor** fetched) {
  const Plan& plan = *c.plan;
  const auto output = [&](ValueId v) {
    const NodeId node = plan.graph.node_of(v);
    return Output{node, static_cast<uint32_t>(Index(v) - Index(plan.graph.output(node, 0)))};
  };
  std::vector<Output> feeds, fetches;
  for (const ValueId v : plan.signature.feeds) feeds.push_back(output(v));
  for (const ValueId v : plan.signature.fetches) fetches.push_back(output(v));
  RunTrace trace;
  const int64_t begin = SteadyNs();
  TENSH_RETURN_IF_ERROR(c.session->session->Run({feeds, fetches, plan.signature.targets},
                                                Values(values, feeds.size()),
                                                Fetched(fetched, fetches.size()), 0, &trace));
  CollectTrace(*c.session, trace, begin);
  return {};
}

}  // namespace

namespace tensh::api {

void ForEachSession(const std::function<void(Session&)>& fn) {
  std::lock_guard lock(Open().mu);
  for (auto& [id, s] : Open().sessions) fn(*s->session);
}

Result<RunTrace> RunTraced(tsh_session* s, const tsh_run& run, tsh_tensor** fetched,
                           bool keep_values) {
  TENSH_RETURN_IF_ERROR(CheckNoNull(run.values, run.n_feeds));
  RunTrace trace;
  trace.step.keep_values = keep_values;
  Request request(run);
  const int64_t begin = SteadyNs();
  TENSH_RETURN_IF_ERROR(s->session->Run(request.view(), Values(run.values, run.n_feeds),
                                        Fetched(fetched, run.n_fetches), run.timeout_ms, &trace));
  CollectTrace(*s, trace, begin);
  return trace;
}

tsh_session* NewSession(std::unique_ptr<Session> session) {
  auto* made = new tsh_session;
  made->session = std::move(session);
  std::lock_guard lock(Open().mu);
  Open().sessions[made->session->id()] = made;
  return made;
}

Status RunWith(tsh_session* s, const tsh_run& run, tsh_tensor** fetched,
               const RunControl& control) {
  TENSH_RETURN_IF_ERROR(CheckNoNull(run.values, run.n_feeds));
  Request request(run);
  return s->session->RunWith(request.view(), Values(run.values, run.n_feeds),
                             Fetched(fetched, run.n_fetches), control);
}

Result<std::shared_ptr<Plan>> PlanOf(tsh_session* s, const tsh_run& run) {
  return s->session->GetPlan(Request(run).view());
}

}  // namespace tensh::api

tsh_session* tsh_session_new(tsh_graph* g, const char* target, const char* config,
                             tsh_status* status) {
  tsh_session* made = nullptr;
  Guard(status, [&]() -> Status {
    SessionConfig parsed;
    TENSH_RETURN_IF_ERROR(ParseConfig(config ? config : "", parsed));
    ApplyTestMode(parsed);
    TENSH_ASSIGN(auto session, SessionFactories().Create(&G(g), target ? target : "", parsed));
    made = NewSession(std::move(session));
    return {};
  });
  return made;
}

int tsh_session_close(tsh_session* s, tsh_status* status) {
  return Guard(status, [&] { return s->session->Close(); });
}

void tsh_session_unref(tsh_session* s) {
  if (!s || s->refs.fetch_sub(1) != 1) return;
  {
    std::lock_guard lock(Open().mu);
    Open().sessions.erase(s->session->id());
  }
  Guard(nullptr, [&] { return s->session->Close(); });
  delete s;
}

uint64_t tsh_session_id(const tsh_session* s) { return s->session->id(); }
int tsh_session_closed(const tsh_session* s) { return s->session->closed(); }
tsh_graph* tsh_session_graph(const tsh_session* s) {
  return reinterpret_cast<tsh_graph*>(s->session->graph());
}
void tsh_session_cancel(tsh_session* s) {
  Guard(nullptr, [&]() -> Status {
    s->session->CancelSteps();
    return {};
  });
}

int tsh_session_run(tsh_session* s, const tsh_run* run, tsh_tensor** fetched, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    if (Collects()) return RunTraced(s, *run, fetched).status();
    TENSH_RETURN_IF_ERROR(CheckNoNull(run->values, run->n_feeds));
    Request request(*run);
    return s->session->Run(request.view(), Values(run->values, run->n_feeds),
                           Fetched(fetched, run->n_fetches), run->timeout_ms, nullptr);
  });
}

tsh_callable* tsh_callable_new(tsh_session* s, const tsh_run* run, tsh_status* status) {
  tsh_callable* made = nullptr;
  Guard(status, [&]() -> Status {
    if (!s->session->target().empty()) return Unimplemented("a callable runs in process only");
    TENSH_ASSIGN(auto plan, PlanOf(s, *run));
    made = new tsh_callable{s, std::move(plan)};
    Ref(s);
    return {};
  });
  return made;
}

int tsh_callable_run(tsh_callable* c, tsh_tensor* const* values, tsh_tensor** fetched,
                     tsh_status* status) {
  return Guard(status, [&]() -> Status {
    size_t n = c->plan->signature.feeds.size();
    TENSH_RETURN_IF_ERROR(CheckNoNull(values, n));
    if (Collects()) return RunCollected(*c, values, fetched);
    return c->session->session->RunPlan(c->plan, Values(values, n),
                                        Fetched(fetched, c->plan->signature.fetches.size()), 0);
  });
}

void tsh_callable_unref(tsh_callable* c) {
  if (!c) return;
  tsh_session* s = c->session;
  delete c;
  tsh_session_unref(s);
}

tsh_partial* tsh_partial_new(tsh_session* s, const tsh_run* run, tsh_status* status) {
  tsh_partial* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_ASSIGN(auto partial, s->session->SetUpPartial(Request(*run).view()));
    made = new tsh_partial{s, std::move(partial)};
    Ref(s);
    return {};
  });
  return made;
}

int tsh_partial_run(tsh_partial* p, const tsh_run* run, tsh_tensor** fetched, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_RETURN_IF_ERROR(CheckNoNull(run->values, run->n_feeds));
    Request request(*run);
    return p->run->Run(request.feeds.span(), Values(run->values, run->n_feeds),
                       request.fetches.span(), Fetched(fetched, run->n_fetches), run->timeout_ms);
  });
}

int tsh_partial_done(const tsh_partial* p) { return p->run->done(); }

void tsh_partial_unref(tsh_partial* p) {
  if (!p) return;
  tsh_session* s = p->session;
  delete p;  // before its session
  tsh_session_unref(s);
}

void tsh_default_session_push(tsh_session* s) {
  Ref(s);
  PushDefaultSession(s);
}

int tsh_default_session_pop(tsh_session* s) {
  if (!PopDefaultSession(s)) return 0;
  tsh_session_unref(s);
  return 1;
}

tsh_session* tsh_default_session(void) { return static_cast<tsh_session*>(DefaultSession()); }
