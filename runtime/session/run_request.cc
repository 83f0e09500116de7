#include <unordered_set>

#include "runtime/session/session.h"

namespace tensh {
namespace {

Status CheckOutput(const Graph& graph, const Output& o, const char* what) {
  if (Index(o.node) >= graph.size()) return NotFound("a ", what, " is not in this session's graph");
  if (o.index >= graph.num_outputs(o.node))
    return InvalidArgument(what, " ", graph.name(o.node), ":", o.index,
                           " does not exist: ", graph.op(o.node).name, " has ",
                           graph.num_outputs(o.node), " outputs");
  return {};
}

}  // namespace

// A RunRequest is a view of the caller's tsh_run, a RunSignature the checked form that a plan owns, and
// PlanCache::Key the form that is hashed.
Result<RunSignature> CheckRequest(const Graph& graph, const RunRequest& r) {
  RunSignature s;
  std::unordered_set<uint32_t> fed;
  for (const Output& o : r.feeds) {
    TENSH_RETURN_IF_ERROR(CheckOutput(graph, o, "feed"));
    s.feeds.push_back(graph.output(o.node, o.index));
    if (!fed.insert(Index(s.feeds.back())).second)
      return InvalidArgument(graph.ValueName(s.feeds.back()), " is fed twice");
  }
  for (const Output& o : r.fetches) {
    TENSH_RETURN_IF_ERROR(CheckOutput(graph, o, "fetch"));
    s.fetches.push_back(graph.output(o.node, o.index));
  }
  for (NodeId n : r.targets) {
    if (Index(n) >= graph.size()) return NotFound("a target is not in this session's graph");
    s.targets.push_back(n);
  }
  return s;
}

}  // namespace tensh
