#include "runtime/api/called_report.h"

#include <algorithm>
#include <vector>

#include "runtime/api/c_report.h"
#include "runtime/api/not_taken.h"
#include "runtime/api/optimized_report.h"
#include "runtime/exec/calls.h"

namespace tensh::api {
namespace {

constexpr size_t kMostNodes = 5000;  // of bodies in one report; the rest is left out

// A body, and how the report names its nodes and arguments.
struct Body {
  const Stages& stages;
  std::string prefix;                   // "cond/then/"; "" for the run itself
  std::string loop;                     // the outermost loop around it, as in ReportNode::loop
  std::vector<std::string> args;        // the tensors of the caller that are the arguments
  std::vector<std::string> calls = {};  // the functions that are being called, outermost first
  std::vector<NodeId> joined = {};      // JoinedNodes(stages)

  std::string NameOf(NodeId node) const { return prefix + std::string(stages.graph.name(node)); }
  std::string TensorName(ValueId value) const {
    const uint32_t fed = prefix.empty() ? UINT32_MAX : stages.pruned.fed.Find(Index(value));
    return fed < args.size() ? args[fed] : prefix + stages.graph.ValueName(value);
  }
};

class CalledReport {
 public:
  CalledReport(Session& session, std::span<const std::string> short_names, const StepTrace* step)
      : session_(session), short_(short_names), step_(step) {}

  // Finds the calls of a body's nodes, and those of the bodies that they call.
  void Visit(const Body& caller) {
    const Stages& stages = caller.stages;
    for (size_t i = 0; i < stages.pruned.nodes.size(); ++i) {
      const NodeId node = stages.pruned.nodes[i];
      if (stages.pruned.unused[i]) continue;
      for (const CallSite& site : CallSitesOf(stages.graph, node))
        Call(caller, node, stages.placement.device[i], site);
    }
  }

  bool empty() const { return calls_.empty(); }
  std::string_view calls() const { return calls_; }
  std::string_view nodes() const { return nodes_; }

 private:
  void Call(const Body& caller, NodeId node, uint16_t device, const CallSite& site) {
    const std::string name = site.function.name;
    // The body of a recursive function is shown once.
    if (std::find(caller.calls.begin(), caller.calls.end(), name) != caller.calls.end()) return;
    const auto found = session_.ExplainCall(site.function, session_.devices()[device].info().name,
                                            caller.stages.optimized);
    if (!found.ok() || n_nodes_ + (*found)->stages.pruned.nodes.size() > kMostNodes) return;
    Body body{(*found)->stages, site.Prefix(caller.NameOf(node)), caller.loop, {}, caller.calls};
    body.calls.push_back(name);
    if (body.loop.empty()) body.loop = LoopOf(caller, node, site);
    const Graph& g = caller.stages.graph;
    for (uint32_t k = 0; k < body.stages.signature.feeds.size(); ++k) {
      const uint32_t input = site.InputOf(k);
      body.args.push_back(input < g.num_inputs(node) ? caller.TensorName(g.input(node, input))
                                                     : "");
    }
    WriteCall(caller, node, site, body);
    body.joined = JoinedNodes(body.stages);
    const bool ran = step_ == nullptr || step_->calls.count(body.prefix) > 0;
    const std::vector<NodeId> once = OnceNodes((*found)->program());
    for (size_t i = 0; i < body.stages.pruned.nodes.size(); ++i)
      WriteNode(body, i, ran,
                std::binary_search(once.begin(), once.end(), body.stages.pruned.nodes[i]));
    n_nodes_ += body.stages.pruned.nodes.size();
    Visit(body);
  }

  static std::string LoopOf(const Body& caller, NodeId node, const CallSite& site) {
    const std::string around =
        LoopScope(caller.stages, caller.stages.pruned.position.Find(Index(node)));
    if (!around.empty()) return caller.prefix + around;
    return site.repeats ? caller.NameOf(node) : "";
  }

  void WriteCall(const Body& caller, NodeId node, const CallSite& site, const Body& body) {
    JsonWriter json;
    json.Open('{').Key("prefix").String(body.prefix).Key("caller").String(caller.NameOf(node));
    json.Key("role").String(site.role).Key("function").String(site.function.name);
    json.Key("repeats").Int(site.repeats ? 1 : 0);
    if (site.is_branch())
      json.Key("decided_by").String(caller.TensorName(caller.stages.graph.input(node, 0)));
    if (step_ != nullptr) {
      const auto times = step_->calls.find(body.prefix);
      json.Key("times").Int(times == step_->calls.end() ? 0 : times->second);
    }
    json.Key("results").Open('[');
    for (const ValueId value : body.stages.signature.fetches) json.String(body.TensorName(value));
    json.Close(']').Close('}');
    calls_ += (calls_.empty() ? "" : ",") + json.Take();
  }

  void WriteNode(const Body& body, size_t position, bool ran, bool once) {
    const Graph& g = body.stages.graph;
    const NodeId node = body.stages.pruned.nodes[position];
    const uint16_t device = body.stages.placement.device[position];
    const PlaceReason reason = body.stages.placement.reason[position];
    const std::string& detail = body.stages.placement.detail[position];
    JsonWriter json;
    json.Open('{').Key("name").String(body.NameOf(node)).Key("op").String(g.op(node).name);
    if (g.num_outputs(node) > 0) {
      const ValueId out = g.output(node, 0);
      json.Key("dtype").String(ShortName(g.dtype(out))).Key("shape");
      WriteShape(g.shape(out), json);
    }
    json.Key("inputs").Open('[');
    for (uint32_t i = 0; i < g.num_inputs(node); ++i)
      json.String(body.TensorName(g.input(node, i)));
    for (uint32_t i = 0; i < g.num_controls(node); ++i)
      json.String("^", body.NameOf(g.control(node, i)));
    const char* skipped = StateOfSkipped(body.stages, body.joined, static_cast<uint32_t>(position));
    json.Close(']').Key("state").String(skipped ? skipped : "runs");
    json.Key("device").String(session_.devices()[device].info().name);
    json.Key("short_device").String(short_[device]);
    json.Key("reason").String(ReasonText(reason, detail));
    if (!g.device(node).empty()) json.Key("asked").String(g.device(node));
    json.Key("within").String(body.prefix);
    if (once) json.Key("once").Int(1);
    const std::string inner = body.loop.empty() ? LoopScope(body.stages, position) : "";
    const std::string loop = inner.empty() ? body.loop : body.prefix + inner;
    if (!loop.empty()) json.Key("loop").String(loop);
    if (!ran || (step_ != nullptr && NotTaken(body.stages, static_cast<uint32_t>(position), true,
                                              [&](NodeId n) { return Computed(body, n); })))
      json.Key("not_taken").Int(1);
    json.Close('}');
    nodes_ += (nodes_.empty() ? "" : ",") + json.Take();
  }

  bool Computed(const Body& body, NodeId node) const {
    return step_->called_sums.count(body.NameOf(node)) > 0;
  }

  Session& session_;
  const std::span<const std::string> short_;
  const StepTrace* const step_;
  size_t n_nodes_ = 0;
  std::string calls_, nodes_;  // the elements of the two lists
};

}  // namespace

void WriteCalled(Session& session, const Stages& stages, std::span<const std::string> short_names,
                 const StepTrace* step, JsonWriter& json) {
  CalledReport report(session, short_names, step);
  report.Visit({stages, "", "", {}});
  if (report.empty()) return;
  json.Key("calls").Open('[').Raw(report.calls()).Close(']');
  json.Key("called").Open('[').Raw(report.nodes()).Close(']');
}

}  // namespace tensh::api
