// A step kept with its plan, timeline and values. The plan refers to the graph, and device names
// come from the session, so both are retained.
#include <algorithm>

#include "runtime/api/c_report.h"
#include "tensh/tensh_trace.h"

using namespace tensh;
using namespace tensh::api;

struct tsh_step {
  tsh_session* session;
  RunTrace trace;
  Graph* graph;         // Counted reference.
  uint32_t generation;  // Generation of the graph when the step ran.
  std::vector<std::pair<ValueId, const KeptValue*>> values;  // By id.
  ~tsh_step() {
    trace = {};  // The plan must be freed before the graph to which it refers.
    if (graph) graph->Unref();
    tsh_session_unref(session);
  }
};

namespace {

// Returns true if no node of the step was removed since.
bool IsWhole(const tsh_step& step) {
  if (!step.trace.run.stages || !step.graph) return false;
  return step.trace.run.stages->max_node < step.graph->valid_below(step.generation);
}

void KeepFeeds(const tsh_run& run, const Graph& graph, KeptValues& values) {
  for (size_t i = 0; i < run.n_feeds; ++i)
    values.Add(graph.output(NodeId{run.feeds[i].node}, run.feeds[i].index),
               FromHandle(run.values[i]));
}

}  // namespace

int tsh_session_run_recorded(tsh_session* s, const tsh_run* run, tsh_tensor** fetched,
                             tsh_step** out, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(s);
    TENSH_NEED(out);
    *out = nullptr;
    Graph* graph = s->session->graph();
    const uint32_t generation = graph ? graph->generation() : 0;
    TENSH_ASSIGN(RunTrace trace, RunTraced(s, run, fetched, true));
    s->refs.fetch_add(1);
    if (graph) graph->Ref();
    auto step = std::unique_ptr<tsh_step>(new tsh_step{s, std::move(trace), graph, generation, {}});
    if (graph) KeepFeeds(*run, *graph, step->trace.step.values);
    for (const auto& [id, kept] : step->trace.step.values.by_value())
      step->values.emplace_back(ValueId{id}, &kept);
    std::sort(step->values.begin(), step->values.end(),
              [](const auto& a, const auto& b) { return Index(a.first) < Index(b.first); });
    *out = step.release();
    return {};
  });
}

void tsh_step_free(tsh_step* step) { delete step; }

char* tsh_step_report(const tsh_step* step) {
  char* text = nullptr;
  Guard(nullptr, [&]() -> Status {
    TENSH_NEED(step);
    if (IsWhole(*step)) text = TextOut(TraceReport(step->trace, *step->session->session));
    return {};
  });
  return text;
}

size_t tsh_step_num_values(const tsh_step* step) {
  return step && IsWhole(*step) ? step->values.size() : 0;
}

tsh_tensor* tsh_step_value(const tsh_step* step, size_t i, tsh_output* of, int64_t* times) {
  if (!step || !of || !times || i >= step->values.size() || !IsWhole(*step)) return nullptr;
  const auto& [id, kept] = step->values[i];
  const NodeId node = step->graph->node_of(id);
  *of = {Index(node), Index(id) - Index(step->graph->output(node, 0))};
  *times = kept->times;
  return kept->value ? Handle(kept->value) : nullptr;
}
