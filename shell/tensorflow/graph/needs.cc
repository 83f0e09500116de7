#include "shell/tensorflow/graph/needs.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "shell/python/values/error.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/graph/state.h"

namespace tensh::shell::tf {

namespace {

constexpr size_t kPlacesNamed = 10;  // the number of places that the runtime's hint names
constexpr int64_t kWrittenOut = 8;   // maximum elements of a literal

// Returns the zero of a type as Python text.
std::string ZeroOf(std::string_view dtype) {
  if (dtype == "string") return "''";
  if (dtype == "bool") return "False";
  if (dtype.find("complex") != std::string_view::npos) return "0j";
  return dtype.find("float") != std::string_view::npos ? "0." : "0";
}

// Returns nested lists of `zero` with the extents from `axis` on.
std::string ListText(const std::vector<int64_t>& extents, size_t axis, const std::string& zero) {
  if (axis == extents.size()) return zero;
  const std::string item = ListText(extents, axis + 1, zero);
  std::string out = "[";
  for (int64_t i = 0; i < extents[axis]; ++i) out += (i > 0 ? ", " : "") + item;
  return out + "]";
}

bool IsPlaceholder(const GraphHandle& graph, tsh_node node) {
  const std::string_view op = graph.NodeOp(node);
  return op == "Placeholder" || op == "PlaceholderV2";
}

}  // namespace

std::vector<bool> NeededNodes(const GraphHandle& graph, const tsh_run& run) {
  std::vector<bool> needed(graph.size(), false);
  const auto fed = [&run](tsh_output value) {
    return std::any_of(run.feeds, run.feeds + run.n_feeds, [value](const tsh_output& feed) {
      return feed.node == value.node && feed.index == value.index;
    });
  };
  std::vector<tsh_node> open(run.targets, run.targets + run.n_targets);
  for (size_t i = 0; i < run.n_fetches; ++i)
    if (!fed(run.fetches[i])) open.push_back(run.fetches[i].node);
  while (!open.empty()) {
    const tsh_node node = open.back();
    open.pop_back();
    if (node >= needed.size() || needed[node]) continue;
    needed[node] = true;
    for (const tsh_output input : graph.Inputs(node)) {
      if (!fed(input)) open.push_back(input.node);
    }
    // A fed placeholder does not run for its control edges either.
    for (const tsh_node control : graph.Controls(node))
      if (!IsPlaceholder(graph, control) || !fed({control, 0})) open.push_back(control);
  }
  return needed;
}

tsh_node FetchableUser(const GraphHandle& graph, tsh_node node) {
  const std::unordered_set<Node>* inside = nullptr;
  for (const GraphObject* live : LiveGraphs())
    if (live->handle().get() == graph.get()) inside = &live->not_fetchable;
  if (inside == nullptr || inside->count(node) == 0) return node;
  std::vector<bool> depends(graph.size(), false);
  depends[node] = true;
  // A loop leads back to earlier nodes, so one walk in the order of the graph may not be enough.
  for (bool again = true; again;) {
    again = false;
    for (tsh_node n = 0; n < depends.size(); ++n) {
      bool uses = false;
      for (const tsh_output input : graph.Inputs(n)) uses = uses || depends[input.node];
      if (depends[n] || !uses) continue;
      // The Enter of an inner loop is not marked, but its value is one of each outer iteration.
      const std::string_view op = graph.NodeOp(n);
      if (inside->count(n) == 0 && op != "Enter" && op != "RefEnter") return n;
      depends[n] = again = true;
    }
  }
  return TSH_NO_NODE;
}

std::vector<tsh_node> UnfedPlaceholders(const GraphHandle& graph, const tsh_run& run) {
  const std::vector<bool> needed = NeededNodes(graph, run);
  std::vector<tsh_node> unfed;
  for (tsh_node node = 0; node < needed.size(); ++node) {
    if (needed[node] && IsPlaceholder(graph, node)) unfed.push_back(node);
  }
  return unfed;
}

// Returns the source locations of nodes, "x from line 3, y from line 4".
std::string Places(const GraphHandle& graph, const std::vector<std::string>& names) {
  std::string places;
  for (size_t i = 0; i < names.size() && i < kPlacesNamed; ++i) {
    const uint32_t source = graph.Source(graph.Find(names[i]));
    if (source == 0) continue;
    const std::string number = std::to_string(source);
    places += (places.empty() ? "" : ", ") + names[i] +
              (State().source_is_cell ? " from In[" + number + "]" : " from line " + number);
  }
  return places;
}

std::string ZeroText(const GraphHandle& graph, tsh_output output) {
  const std::string dtype = tsh_dtype_name(graph.DType(output));
  std::vector<int64_t> extents;
  int64_t elements = 1;
  const auto known = graph.Shape(output);
  for (const int64_t extent : known.dims()) {
    extents.push_back(extent < 0 ? 1 : extent);
    elements = elements > kWrittenOut ? elements : elements * extents.back();
  }
  if (elements > 0 && elements <= kWrittenOut) return ListText(extents, 0, ZeroOf(dtype));
  std::string shape;
  for (const int64_t extent : extents)
    shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  if (dtype == "string") return "np.full([" + shape + "], '')";
  return "np.zeros([" + shape + "])";
}

void ThrowRunError(tsh_session* session, const tsh_run& run, const tsh_status* status) {
  const int code = tsh_status_code(status);
  const std::string failed = tsh_status_node(status);
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
  try {
    ThrowStatus(status);
  } catch (PyError& error) {
    if (code != TSH_INVALID_ARGUMENT || !graph) throw;
    // The runtime checks the feeds before it runs anything, and names one of the placeholders.
    std::vector<std::string> names;
    for (const tsh_node node : UnfedPlaceholders(graph, run))
      names.emplace_back(graph.NodeName(node));
    if (std::find(names.begin(), names.end(), failed) == names.end()) throw;
    error.exception().missing_feeds = std::move(names);
    error.Explain(kWhyUnfed);
    throw;
  }
}

}  // namespace tensh::shell::tf
