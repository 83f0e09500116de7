// The timelines of steps, recorded while tracing is on, as Chrome's trace events and as a profile.
// Only the events of a step and the names from its plan are kept, because the session and the graph
// may be gone when the timeline is requested.
#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

#include "runtime/api/c_report.h"
#include "runtime/api/json_writer.h"
#include "runtime/api/machine_peak.h"
#include "tensh/tensh_trace.h"

using namespace tensh;
using namespace tensh::api;

namespace tensh::api {
namespace {

constexpr size_t kMaxEvents = 1'000'000;
constexpr size_t kPlansRemembered = 256;

// The names to which the events of a plan's steps refer.
struct TracedPlan {
  struct Wire {
    std::string tensor, to;
  };
  std::weak_ptr<const Stages> stages;
  uint64_t graph_id = 0;
  IdMap position;  // node → index in names and ops
  std::vector<std::string> names, ops;
  std::vector<bool> loops;  // true for a LoopCond
  std::vector<std::string> devices;
  std::vector<Wire> wires;
  std::string fetches;

  TracedPlan(const std::shared_ptr<const Stages>& p, const DeviceMgr& mgr)
      : stages(p), graph_id(p->graph.id()), position(p->pruned.position) {
    const Graph* graph = &p->graph;
    for (const NodeId n : p->pruned.nodes) {
      names.emplace_back(graph->name(n));
      ops.emplace_back(graph->op(n).name);
      loops.push_back(graph->op(n).role == OpRole::kLoopCond);
    }
    const std::vector<std::string> short_names = ShortNames(mgr);
    for (const Partition& part : p->partitioned.parts) devices.push_back(short_names[part.device]);
    for (const Transfer& t : p->partitioned.transfers)
      wires.push_back({TransferName(*graph, t), devices[t.to]});
    const RunSignature& s = p->signature;
    for (size_t i = 0; i < s.fetches.size() && i < 3; ++i)
      fetches += StrCat(fetches.empty() ? "" : ", ", graph->name(graph->node_of(s.fetches[i])));
    for (size_t i = 0; i < s.targets.size() && i < 3; ++i)
      fetches += StrCat(fetches.empty() ? "" : ", ", graph->name(s.targets[i]));
    if (s.fetches.size() + s.targets.size() > 3) fetches += ", …";
  }
  std::string_view NodeName(NodeId n) const { return At(names, n); }
  std::string_view OpName(NodeId n) const { return At(ops, n); }
  bool IsLoop(NodeId n) const {
    const uint32_t at = n == kNoNode ? UINT32_MAX : position.Find(Index(n));
    return at < loops.size() && loops[at];
  }

 private:
  std::string_view At(const std::vector<std::string>& texts, NodeId n) const {
    const uint32_t at = n == kNoNode ? UINT32_MAX : position.Find(Index(n));
    return at < texts.size() ? std::string_view(texts[at]) : std::string_view();
  }
};

// All runs of a node inside of a loop or of a called function. Their time is a part of the time of
// another node.
struct InnerSum {
  std::string name, op, device;
  LoopSum sum;
  std::string whole;  // the node whose time includes them: the LoopCond or the caller
};

struct TracedStep {
  std::shared_ptr<const TracedPlan> plan;
  uint64_t session = 0;
  int64_t begin_ns = 0, wall_ns = 0;
  std::vector<StepEvent> events;
  std::vector<InnerSum> inner = {};
};

// Returns the node that makes a call, by the prefix of the call ("cond/then/").
std::string CallerOf(const RunTrace& trace, std::string_view prefix) {
  const Graph& g = trace.run.stages->graph;
  prefix.remove_suffix(1);
  for (const bool has_role : {true, false}) {
    const std::string name(has_role ? prefix.substr(0, prefix.rfind('/')) : prefix);
    if (trace.step.called_sums.count(name) > 0) return name;
    const auto is_it = [&](const StepEvent& e) {
      return e.kind == StepEvent::kCompute && e.node != kNoNode && g.name(e.node) == name;
    };
    if (std::any_of(trace.step.events.begin(), trace.step.events.end(), is_it)) return name;
  }
  return "";
}

std::vector<InnerSum> InnerSums(const RunTrace& trace, const DeviceMgr& devices) {
  std::vector<InnerSum> inner;
  if (trace.step.loop_sums.empty() && trace.step.called_sums.empty()) return inner;
  const std::vector<std::string> short_names = ShortNames(devices);
  const Stages& stages = *trace.run.stages;
  const Graph& g = stages.graph;
  std::map<std::string, std::string> conditions;  // the LoopCond of each loop
  for (const StepEvent& e : trace.step.events) {
    const uint32_t at = e.node == kNoNode ? UINT32_MAX : stages.pruned.position.Find(Index(e.node));
    if (at == UINT32_MAX || g.op(e.node).role != OpRole::kLoopCond) continue;
    conditions.emplace(LoopScope(stages, at), g.name(e.node));
  }
  for (const auto& [node, sum] : trace.step.loop_sums) {
    const uint32_t at = stages.pruned.position.Find(node);
    if (at == UINT32_MAX) continue;
    const auto whole = conditions.find(LoopScope(stages, at));
    if (whole == conditions.end()) continue;
    inner.push_back({std::string(g.name(NodeId{node})), g.op(NodeId{node}).name,
                     short_names[stages.placement.device[at]], sum, whole->second});
  }
  std::map<std::string, std::string> callers;
  for (const auto& [prefix, times] : trace.step.calls)
    callers.emplace(prefix, CallerOf(trace, prefix));
  for (const auto& [path, called] : trace.step.called_sums) {
    // the longest prefix of the path that is a call
    const std::pair<const std::string, std::string>* call = nullptr;
    for (const auto& each : callers)
      if (path.starts_with(each.first) && (!call || each.first.size() > call->first.size()))
        call = &each;
    inner.push_back({path, called.op, short_names[called.device], called.sum,
                     call ? call->second : std::string()});
  }
  return inner;
}

struct Collected {
  std::mutex mu;
  std::deque<TracedStep> steps;
  std::unordered_map<const Stages*, std::shared_ptr<const TracedPlan>> plans;
  size_t events = 0, dropped = 0;
};
Collected& All() {
  static Collected* all = new Collected;
  return *all;
}
std::atomic<bool> g_on{false};

void Forget(Collected& all) {
  all.steps.clear();
  all.plans.clear();
  all.events = all.dropped = 0;
}

std::shared_ptr<const TracedPlan> Describe(Collected& all, const tsh_session& s,
                                           const std::shared_ptr<const Stages>& stages) {
  if (all.plans.size() > kPlansRemembered) all.plans.clear();
  std::shared_ptr<const TracedPlan>& known = all.plans[stages.get()];
  if (!known || known->stages.lock() != stages)
    known = std::make_shared<const TracedPlan>(stages, s.session->devices());
  return known;
}

constexpr const char* kKinds[] = {"compute", "read", "send", "recv", "wait"};

// Writes one process for each device of a session; process 1 contains the steps.
class ChromeTrace {
 public:
  std::string Write(const Collected& all) {
    json_.Open('{').Key("displayTimeUnit").String("ns").Key("traceEvents").Open('[');
    Name(1, "steps");
    const int64_t origin = all.steps.empty() ? 0 : all.steps.front().begin_ns;
    int64_t number = 0;
    for (const TracedStep& step : all.steps) WriteStep(step, number++, origin);
    json_.Close(']')
        .Key("otherData")
        .Open('{')
        .Key("steps_dropped")
        .Int(static_cast<int64_t>(all.dropped));
    json_.Close('}').Close('}');
    return json_.Take();
  }

 private:
  void Name(int64_t pid, std::string_view name) {
    json_.Open('{').Key("ph").String("M").Key("name").String("process_name").Key("pid").Int(pid);
    json_.Key("tid").Int(0).Key("args").Open('{').Key("name").String(name).Close('}').Close('}');
    json_.Open('{')
        .Key("ph")
        .String("M")
        .Key("name")
        .String("process_sort_index")
        .Key("pid")
        .Int(pid);
    json_.Key("tid").Int(0).Key("args").Open('{').Key("sort_index").Int(pid).Close('}').Close('}');
  }

  int64_t ProcessOf(const TracedStep& step, const std::string& device) {
    const std::string name = StrCat("session ", step.session, " ", device);
    const auto [at, added] = processes_.emplace(name, static_cast<int64_t>(processes_.size()) + 2);
    if (added) Name(at->second, name);
    return at->second;
  }

  void Begin(const char* phase, std::string_view name, const char* category, int64_t pid,
             int64_t ns) {
    json_.Open('{').Key("ph").String(phase).Key("name").String(name).Key("cat").String(category);
    json_.Key("pid").Int(pid).Key("tid").Int(0).Key("ts").Micros(ns);
  }

  void WriteStep(const TracedStep& step, int64_t number, int64_t origin) {
    const int64_t begin = step.begin_ns - origin;
    Begin("X", StrCat("step ", number, ": ", step.plan->fetches), "step", 1, begin);
    json_.Key("dur").Micros(step.wall_ns).Close('}');
    std::vector<int64_t> pids;
    for (const std::string& device : step.plan->devices) pids.push_back(ProcessOf(step, device));
    for (const StepEvent& e : WithWaits(step.events, pids.size())) {
      WriteSlice(*step.plan, e, pids[e.part], begin);
      if (e.kind == StepEvent::kSend || e.kind == StepEvent::kRecv)
        WriteFlow(*step.plan, e, pids[e.part], begin, number);
    }
  }

  void WriteSlice(const TracedPlan& plan, const StepEvent& e, int64_t pid, int64_t begin) {
    const bool moves = e.kind >= StepEvent::kSend;
    const std::string name = moves ? StrCat(kKinds[e.kind], " ", plan.wires[e.transfer].tensor)
                                   : std::string(plan.OpName(e.node));
    Begin("X", name.empty() ? "?" : name, kKinds[e.kind], pid, begin + e.start_ns);
    json_.Key("dur").Micros(e.end_ns - e.start_ns).Key("args").Open('{');
    json_.Key("node").String(plan.NodeName(e.node)).Key("bytes").Int(e.bytes);
    if (e.iterations != 0) json_.Key("iterations").Int(e.iterations);
    if (e.with != kNoNode) json_.Key("with").String(plan.NodeName(e.with));
    if (e.kind == StepEvent::kWait)
      json_.Key("waits_for").String("send ", plan.wires[e.transfer].tensor);
    json_.Close('}').Close('}');
  }

  void WriteFlow(const TracedPlan& plan, const StepEvent& e, int64_t pid, int64_t begin,
                 int64_t number) {
    const bool send = e.kind == StepEvent::kSend;
    Begin(send ? "s" : "f", plan.wires[e.transfer].tensor, "transfer", pid, begin + e.start_ns);
    json_.Key("id").Int((number << 24) + e.transfer);
    if (!send) json_.Key("bp").String("e");
    json_.Close('}');
  }

  std::map<std::string, int64_t> processes_;
  JsonWriter json_;
};

struct ProfileKey {
  uint64_t session;
  uint64_t graph;
  std::string device;
  uint32_t node;
  std::string name;  // Of the node, or of the transferred tensor.
  uint8_t kind;
  auto operator<=>(const ProfileKey&) const = default;
};
struct ProfileSum {
  int64_t calls = 0, ns = 0, bytes = 0, read = 0;
  std::string_view op;
  std::string_view with;  // the node whose time includes that of this one, or ""
};

// Adds the nodes inside of loops and calls, and subtracts their times from those that include them.
void AddInner(const TracedStep& step, std::map<ProfileKey, ProfileSum>* sums) {
  std::unordered_map<std::string_view, ProfileSum*> by_name;
  for (const InnerSum& each : step.inner) {
    const ProfileKey key{step.session, step.plan->graph_id, each.device,
                         UINT32_MAX,   each.name,           StepEvent::kCompute};
    ProfileSum& sum = (*sums)[key];
    sum.op = each.op;
    sum.calls += each.sum.calls;
    sum.ns += each.sum.ns;
    by_name.emplace(each.name, &sum);
  }
  for (const StepEvent& e : step.events) {
    if (step.inner.empty() || e.kind != StepEvent::kCompute) continue;
    const std::string name(step.plan->NodeName(e.node));
    const auto at = sums->find({step.session, step.plan->graph_id, step.plan->devices[e.part],
                                Index(e.node), name, e.kind});
    if (at != sums->end()) by_name.emplace(step.plan->NodeName(e.node), &at->second);
  }
  for (const InnerSum& each : step.inner) {
    const auto whole = by_name.find(each.whole);
    if (whole != by_name.end()) whole->second->ns -= each.sum.ns;
  }
}

std::map<ProfileKey, ProfileSum> AddUp(const Collected& all) {
  std::map<ProfileKey, ProfileSum> sums;
  for (const TracedStep& step : all.steps) {
    for (const StepEvent& e : WithWaits(step.events, step.plan->devices.size())) {
      const bool moves = e.kind >= StepEvent::kSend;
      ProfileSum& sum = sums[{
          step.session, step.plan->graph_id, step.plan->devices[e.part],
          moves ? UINT32_MAX : Index(e.node),
          moves ? step.plan->wires[e.transfer].tensor : std::string(step.plan->NodeName(e.node)),
          e.kind}];
      if (!moves) sum.op = step.plan->OpName(e.node);
      if (e.with != kNoNode) sum.with = step.plan->NodeName(e.with);
      const bool loop = step.plan->IsLoop(e.node);  // a LoopCond, which runs in each iteration
      sum.calls += loop ? std::max<int64_t>(e.iterations, 1) : 1;
      sum.ns += e.end_ns - e.start_ns;
      sum.bytes += e.bytes;
      sum.read += e.read;
    }
    AddInner(step, &sums);
  }
  for (auto& [key, sum] : sums) sum.ns = std::max<int64_t>(sum.ns, 0);
  return sums;
}

std::string WriteProfile(const Collected& all) {
  JsonWriter json;
  int64_t wall = 0;
  for (const TracedStep& step : all.steps) wall += step.wall_ns;
  json.Open('{').Key("steps").Int(static_cast<int64_t>(all.steps.size())).Key("wall_ns").Int(wall);
  json.Key("dropped").Int(static_cast<int64_t>(all.dropped));
  const api::MachinePeak& peak = api::MeasuredPeak();
  json.Key("peak").Open('{').Key("flops").Int(static_cast<int64_t>(peak.flops));
  json.Key("copies").Open('[');
  for (const auto& [bytes, rate] : peak.copies)
    json.Open('{').Key("bytes").Int(bytes).Key("rate").Int(static_cast<int64_t>(rate)).Close('}');
  json.Close(']').Close('}').Key("rows").Open('[');
  for (const auto& [key, sum] : AddUp(all)) {
    json.Open('{').Key("session").Int(static_cast<int64_t>(key.session));
    json.Key("graph").Int(static_cast<int64_t>(key.graph)).Key("id");
    key.node != UINT32_MAX ? json.Int(key.node) : json.Null();
    json.Key("node").String(key.name).Key("op").String(sum.op);
    json.Key("device").String(key.device).Key("kind").String(kKinds[key.kind]);
    json.Key("calls").Int(sum.calls).Key("ns").Int(sum.ns).Key("bytes").Int(sum.bytes);
    if (sum.read) json.Key("read").Int(sum.read);
    if (!sum.with.empty()) json.Key("with").String(sum.with);
    json.Close('}');
  }
  json.Close(']').Close('}');
  return json.Take();
}

}  // namespace

int64_t SteadyNs() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<StepEvent> WithWaits(std::vector<StepEvent> events, size_t partitions) {
  const auto earlier = [](const StepEvent& a, const StepEvent& b) {
    return a.start_ns < b.start_ns;
  };
  std::stable_sort(events.begin(), events.end(), earlier);
  std::vector<int64_t> idle_since(partitions, 0);
  const size_t recorded = events.size();
  for (size_t i = 0; i < recorded; ++i) {
    const StepEvent e = events[i];
    int64_t& since = idle_since[e.part];
    if (e.kind == StepEvent::kRecv && e.start_ns > since)
      events.push_back({StepEvent::kWait, e.part, e.node, e.transfer, since, e.start_ns, e.bytes});
    since = std::max(since, e.end_ns);
  }
  if (events.size() > recorded) std::stable_sort(events.begin(), events.end(), earlier);
  return events;
}

void CollectTrace(const tsh_session& s, const RunTrace& trace, int64_t begin_ns) {
  if (!trace.run.stages) return;
  Collected& all = All();
  std::lock_guard lock(all.mu);
  if (!g_on.load(std::memory_order_relaxed)) Forget(all);
  all.events += trace.step.events.size();
  while (all.events > kMaxEvents && !all.steps.empty()) {
    all.events -= all.steps.front().events.size();
    all.steps.pop_front();
    ++all.dropped;
  }
  all.steps.push_back({Describe(all, s, trace.run.stages), s.session->id(), begin_ns,
                       trace.step.wall_ns, trace.step.events,
                       InnerSums(trace, s.session->devices())});
}

}  // namespace tensh::api

void tsh_trace_start(void) {
  Collected& all = All();
  std::lock_guard lock(all.mu);
  Forget(all);
  g_on = true;
}
void tsh_trace_stop(void) { g_on = false; }
int tsh_trace_is_on(void) { return g_on.load(std::memory_order_relaxed) ? 1 : 0; }

size_t tsh_trace_steps(void) {
  Collected& all = All();
  std::lock_guard lock(all.mu);
  return all.steps.size();
}

char* tsh_trace_json(void) {
  char* text = nullptr;
  Guard(nullptr, [&]() -> Status {
    Collected& all = All();
    std::lock_guard lock(all.mu);
    text = TextOut(ChromeTrace().Write(all));
    return {};
  });
  return text;
}

char* tsh_trace_profile_json(void) {
  char* text = nullptr;
  Guard(nullptr, [&]() -> Status {
    Collected& all = All();
    std::lock_guard lock(all.mu);
    text = TextOut(WriteProfile(all));
    return {};
  });
  return text;
}
