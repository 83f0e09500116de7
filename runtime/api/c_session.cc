// The functions of tensh.h on sessions: opening, running, callables, partial runs.
#include <map>
#include <unordered_set>

#include "runtime/api/c_report.h"
#include "tensh/tensh_optimize.h"
#include "tensh/tensh_plugin.h"
#include "tensh/tensh_trace.h"

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

// A handle is a pointer to the tensor's header (see c_types.h), so an array of handles is an array
// of Tensors.
std::span<const Tensor> Values(tsh_tensor* const* values, size_t n) {
  return {reinterpret_cast<const Tensor*>(values), n};
}

std::span<Tensor> Fetched(tsh_tensor** fetched, size_t n) {
  for (size_t i = 0; i < n; ++i) fetched[i] = nullptr;
  return {reinterpret_cast<Tensor*>(fetched), n};
}

Status CheckNoNull(tsh_tensor* const* values, size_t n) {
  TENSH_NEED(values || n == 0);
  for (size_t i = 0; i < n; ++i)
    if (!values[i]) return InvalidArgument("feed ", i, " has no value");
  return {};
}

// All sessions with references, for tsh_sessions_json, and to ignore a handle that was released too
// often.
struct OpenSessions {
  std::mutex mu;
  std::map<uint64_t, tsh_session*> sessions;
  std::unordered_set<const tsh_session*> handles;
};
OpenSessions& Open() {
  static OpenSessions* open = new OpenSessions;
  return *open;
}

void Ref(tsh_session* s) { s->refs.fetch_add(1); }

// Returns true if every step records a timeline.
bool Collects() { return __builtin_expect(tsh_trace_is_on(), 0) != 0; }

// Runs a callable by its signature instead of its plan, so that the step records a timeline.
Status RunCollected(const tsh_callable& c, tsh_tensor* const* values, tsh_tensor** fetched) {
  const Stages& stages = c.plan->stages;
  const auto output = [&](ValueId v) {
    const NodeId node = stages.graph.node_of(v);
    return Output{node, static_cast<uint32_t>(Index(v) - Index(stages.graph.output(node, 0)))};
  };
  std::vector<Output> feeds, fetches;
  for (const ValueId v : stages.signature.feeds) feeds.push_back(output(v));
  for (const ValueId v : stages.signature.fetches) fetches.push_back(output(v));
  RunTrace trace;
  const int64_t begin = SteadyNs();
  TENSH_RETURN_IF_ERROR(c.session->session->Run({feeds, fetches, stages.signature.targets},
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

Status ReadRun(const tsh_run* given, bool with_values, Sized<tsh_run>& run) {
  TENSH_RETURN_IF_ERROR(run.Read(given));
  TENSH_NEED(run->feeds || run->n_feeds == 0);
  TENSH_NEED(run->fetches || run->n_fetches == 0);
  TENSH_NEED(run->targets || run->n_targets == 0);
  return with_values ? CheckNoNull(run->values, run->n_feeds) : Status();
}

Result<RunTrace> RunTraced(tsh_session* s, const tsh_run* given, tsh_tensor** fetched,
                           bool keep_values) {
  TENSH_NEED(s);
  Sized<tsh_run> read;
  TENSH_RETURN_IF_ERROR(ReadRun(given, true, read));
  const tsh_run& run = *read;
  TENSH_NEED(fetched || run.n_fetches == 0);
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
  Open().handles.insert(made);
  return made;
}

Status RunWith(tsh_session* s, const tsh_run* given, tsh_tensor** fetched, RunControl& control) {
  TENSH_NEED(s);
  Sized<tsh_run> run;
  TENSH_RETURN_IF_ERROR(ReadRun(given, true, run));
  TENSH_NEED(fetched || run->n_fetches == 0);
  control.timeout_ms = run->timeout_ms;
  Request request(*run);
  return s->session->RunWith(request.view(), Values(run->values, run->n_feeds),
                             Fetched(fetched, run->n_fetches), control);
}

Result<Explained> ExplainedOf(tsh_session* s, const tsh_run* given) {
  TENSH_NEED(s);
  Sized<tsh_run> run;
  TENSH_RETURN_IF_ERROR(ReadRun(given, false, run));
  return s->session->Explain(Request(*run).view());
}

}  // namespace tensh::api

tsh_session* tsh_session_new(tsh_graph* g, const char* target, const char* config,
                             tsh_status* status) {
  tsh_session* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(g);
    SessionConfig parsed;
    TENSH_RETURN_IF_ERROR(ParseConfig(config ? config : "", parsed));
    if (adjust_session_config) adjust_session_config(parsed);
    TENSH_ASSIGN(auto session, SessionFactories().Create(&G(g), target ? target : "", parsed));
    made = NewSession(std::move(session));
    return {};
  });
  return made;
}

int tsh_session_close(tsh_session* s, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(s);
    return s->session->Close();
  });
}

void tsh_session_unref(tsh_session* s) {
  if (!s) return;
  {
    std::lock_guard lock(Open().mu);
    if (Open().handles.count(s) == 0 || s->refs.fetch_sub(1) != 1) return;
    Open().handles.erase(s);
    Open().sessions.erase(s->session->id());
  }
  Guard(nullptr, [&] { return s->session->Close(); });
  delete s;
}

uint64_t tsh_session_id(const tsh_session* s) { return s ? s->session->id() : 0; }
int tsh_session_closed(const tsh_session* s) { return !s || s->session->closed(); }
tsh_graph* tsh_session_graph(const tsh_session* s) {
  return s ? reinterpret_cast<tsh_graph*>(s->session->graph()) : nullptr;
}
void tsh_optimize(int on) { OptimizePlans(on != 0); }
int tsh_optimizes(void) { return OptimizesPlans() ? 1 : 0; }

void tsh_session_cancel(tsh_session* s) {
  Guard(nullptr, [&]() -> Status {
    TENSH_NEED(s);
    s->session->CancelSteps();
    return {};
  });
}

int tsh_session_run(tsh_session* s, const tsh_run* given, tsh_tensor** fetched,
                    tsh_status* status) {
  return Guard(status, [&]() -> Status {
    if (Collects()) return RunTraced(s, given, fetched).status();
    TENSH_NEED(s);
    Sized<tsh_run> run;
    TENSH_RETURN_IF_ERROR(ReadRun(given, true, run));
    TENSH_NEED(fetched || run->n_fetches == 0);
    Request request(*run);
    return s->session->Run(request.view(), Values(run->values, run->n_feeds),
                           Fetched(fetched, run->n_fetches), run->timeout_ms, nullptr);
  });
}

tsh_callable* tsh_callable_new(tsh_session* s, const tsh_run* run, tsh_status* status) {
  tsh_callable* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(s);
    if (!s->session->target().empty()) return Unimplemented("a callable runs in process only");
    Sized<tsh_run> checked;
    TENSH_RETURN_IF_ERROR(ReadRun(run, false, checked));
    TENSH_ASSIGN(auto plan, s->session->GetPlan(Request(*checked).view()));
    made = new tsh_callable{s, std::move(plan)};
    Ref(s);
    return {};
  });
  return made;
}

int tsh_callable_run(tsh_callable* c, tsh_tensor* const* values, tsh_tensor** fetched,
                     tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(c);
    const size_t n = c->plan->stages.signature.feeds.size();
    TENSH_RETURN_IF_ERROR(CheckNoNull(values, n));
    TENSH_NEED(fetched || c->plan->stages.signature.fetches.empty());
    if (Collects()) return RunCollected(*c, values, fetched);
    return c->session->session->RunPlan(
        c->plan, Values(values, n), Fetched(fetched, c->plan->stages.signature.fetches.size()), 0);
  });
}

void tsh_callable_unref(tsh_callable* c) {
  if (!c) return;
  tsh_session* s = c->session;
  delete c;
  tsh_session_unref(s);
}

tsh_partial* tsh_partial_new(tsh_session* s, const tsh_run* given, tsh_status* status) {
  tsh_partial* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(s);
    Sized<tsh_run> run;
    TENSH_RETURN_IF_ERROR(ReadRun(given, false, run));
    TENSH_ASSIGN(auto partial, s->session->SetUpPartial(Request(*run).view()));
    made = new tsh_partial{s, std::move(partial)};
    Ref(s);
    return {};
  });
  return made;
}

int tsh_partial_run(tsh_partial* p, const tsh_run* given, tsh_tensor** fetched,
                    tsh_status* status) {
  return tsh_partial_run_with(p, given, nullptr, fetched, status);
}

int tsh_partial_run_with(tsh_partial* p, const tsh_run* given, tsh_cancel* cancel,
                         tsh_tensor** fetched, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(p);
    Sized<tsh_run> run;
    TENSH_RETURN_IF_ERROR(ReadRun(given, true, run));
    TENSH_NEED(fetched || run->n_fetches == 0);
    Request request(*run);
    return p->run->Run(request.feeds.span(), Values(run->values, run->n_feeds),
                       request.fetches.span(), Fetched(fetched, run->n_fetches), run->timeout_ms,
                       cancel ? &cancel->flag : nullptr);
  });
}

int tsh_partial_done(const tsh_partial* p) { return !p || p->run->done(); }

void tsh_partial_unref(tsh_partial* p) {
  if (!p) return;
  tsh_session* s = p->session;
  delete p;  // Must be deleted before its session.
  tsh_session_unref(s);
}
