#include "shell/commands/base/warm.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "shell/session/recording.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

constexpr int64_t kLongestNs = 50'000'000;
constexpr int kSteps = 3;

// Stateful ops whose state is changed only by ops that are not pure.
constexpr std::string_view kVariables[] = {"Variable", "VariableV2", "VarHandleOp",
                                           "ReadVariableOp"};

bool LookUpPure(const std::string& op) {
  if (std::find(std::begin(kVariables), std::end(kVariables), op) != std::end(kVariables))
    return true;
  const tsh_op_info* info = tsh_op_info_of(op.c_str());
  if (info == nullptr) return false;
  for (size_t i = 0; i < info->n_inputs; ++i)
    if (info->inputs[i].is_ref != 0) return false;
  const Json ops = Json::Parse(TakeText(tsh_ops_json(op.c_str())));
  const auto& items = ops.items();
  const auto at = std::find_if(items.begin(), items.end(),
                               [&](const Json& each) { return each["name"].as_string() == op; });
  return at != items.end() && !(*at)["stateful"].as_bool();
}

}  // namespace

bool IsPure(const Report& report) {
  static std::unordered_map<std::string, bool> known;
  return std::all_of(report.nodes.begin(), report.nodes.end(), [](const ReportNode& node) {
    if (node.state == "pruned" || node.state == "fed") return true;
    const auto [at, added] = known.emplace(node.op, false);
    if (added) at->second = LookUpPure(node.op);
    return at->second;
  });
}

int64_t WarmTime(tsh_session* session, const tsh_run& run, const Report& first) {
  if (first.wall_ns <= 0 || first.wall_ns > kLongestNs || !IsPure(first)) return 0;
  int64_t best = 0;
  for (int i = 0; i < kSteps; ++i) {
    const int64_t again = TimeAside(session, run);
    if (again <= 0) return best;
    best = best == 0 ? again : std::min(best, again);
  }
  return best;
}

}  // namespace tensh::shell
