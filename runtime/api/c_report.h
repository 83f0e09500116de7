#pragma once
// What the reports need of the sessions behind the C API.
#include <functional>

#include "runtime/api/c_types.h"

namespace tensh::api {

void ForEachSession(const std::function<void(Session&)>& fn);
Result<RunTrace> RunTraced(tsh_session* s, const tsh_run& run, tsh_tensor** fetched);
Result<std::shared_ptr<Plan>> PlanOf(tsh_session* s, const tsh_run& run);
// "a:0", or "^a" for a control edge.
std::string TransferName(const Graph& g, const Transfer& t);

}  // namespace tensh::api
