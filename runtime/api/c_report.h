#pragma once
// Functions that the reports share with the sessions behind the C API.
#include <functional>

#include "runtime/api/c_types.h"

namespace tensh::api {

void ForEachSession(const std::function<void(Session&)>& fn);
Result<RunTrace> RunTraced(tsh_session* s, const tsh_run* run, tsh_tensor** fetched,
                           bool keep_values = false);
// Returns the stages of a run without running it. The arguments are checked.
Result<Explained> ExplainedOf(tsh_session* s, const tsh_run* run);
// Keeps the timeline of a step. `begin_ns` is the time on the steady clock at which it began.
void CollectTrace(const tsh_session& s, const RunTrace& trace, int64_t begin_ns);
int64_t SteadyNs();
// Adds, for each device, a wait for each interval in which nothing ran before a Recv. Partitions
// that share a thread run in turns. One that is idle until a Recv can be served has therefore
// waited for its Send, although no thread blocked. The result is sorted by start.
std::vector<StepEvent> WithWaits(std::vector<StepEvent> events, size_t partitions);
// Returns "a:0", or "^a" for a control edge.
std::string TransferName(const Graph& g, const Transfer& t);

// Returns "cpu:0", or "/job:worker/task:1/cpu:0" if the devices belong to several tasks.
std::vector<std::string> ShortNames(std::span<const DeviceInfo> devices);
std::vector<std::string> ShortNames(const DeviceMgr& devices);
std::string DevicesText(std::span<const DeviceInfo> devices);
// Returns the report of tsh_session_run_traced.
std::string TraceReport(const RunTrace& trace, Session& session);

class JsonWriter;
void WriteShape(const Shape& shape, JsonWriter& json);
// Returns the name scope of the outermost loop around a position of the pruned nodes
// ("while/while_context"), or "".
std::string LoopScope(const Stages& stages, uint32_t position);

}  // namespace tensh::api
