#pragma once
// What the reports need of the sessions behind the C API.
#include <functional>

#include "runtime/api/c_types.h"

namespace tensh::api {

void ForEachSession(const std::function<void(Session&)>& fn);
Result<RunTrace> RunTraced(tsh_session* s, const tsh_run& run, tsh_tensor** fetched,
                           bool keep_values = false);
Result<std::shared_ptr<Plan>> PlanOf(tsh_session* s, const tsh_run& run);
// Keeps the timeline of a step that ran; `begin_ns` on the steady clock.
void CollectTrace(const tsh_session& s, const RunTrace& trace, int64_t begin_ns);
int64_t SteadyNs();
// Device by device: a wait for each stretch in which nothing ran before a Recv. Partitions that
// share a thread take turns, so one that stands still until a Recv is served has waited for its
// Send, though nothing blocked. Sorted by start.
std::vector<StepEvent> WithWaits(std::vector<StepEvent> events, size_t partitions);
// "a:0", or "^a" for a control edge.
std::string TransferName(const Graph& g, const Transfer& t);

// "cpu:0", or "/job:worker/task:1/cpu:0" where the devices are several tasks'.
std::vector<std::string> ShortNames(std::span<const DeviceInfo> devices);
std::vector<std::string> ShortNames(const DeviceMgr& devices);
std::string DevicesText(std::span<const DeviceInfo> devices);
// What tsh_session_run_traced reports of a step.
std::string TraceReport(const RunTrace& trace, const DeviceMgr& devices);

}  // namespace tensh::api
