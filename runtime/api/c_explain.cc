// The five stages of a plan, and of a step of it, as the JSON document described in tensh.h. Since
// a graph may have a hundred thousand nodes, the text is written directly, without a tree.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "runtime/api/c_report.h"
#include "runtime/api/called_report.h"
#include "runtime/api/json_writer.h"
#include "runtime/api/not_taken.h"
#include "runtime/api/optimized_report.h"

using namespace tensh;
using namespace tensh::api;

namespace tensh::api {

std::string TransferName(const Graph& g, const Transfer& t) {
  return t.value == kNoValue ? "^" + std::string(g.name(t.control)) : g.ValueName(t.value);
}

void WriteShape(const Shape& shape, JsonWriter& json) {
  if (!shape.has_rank()) {
    json.Null();
    return;
  }
  json.Open('[');
  for (const int64_t d : shape.dims()) d < 0 ? json.Null() : json.Int(d);
  json.Close(']');
}

std::string LoopScope(const Stages& stages, uint32_t position) {
  const Flow& flow = stages.pruned.flow;
  if (flow.empty() || flow.frame_of[position] == 0) return "";
  uint32_t frame = flow.frame_of[position];
  while (flow.frames[frame].parent != 0) frame = flow.frames[frame].parent;
  const std::string& name = flow.frames[frame].name;
  return name.substr(0, name.rfind('/'));
}

namespace {

class ExplainReport {
 public:
  ExplainReport(const Explained& run, Session& session, const StepTrace* step)
      : session_(session),
        stages_(*run.stages),
        g_(stages_.graph),
        joined_(JoinedNodes(stages_)),
        program_(run.plan ? run.plan->program() : nullptr),
        compile_ns_(run.plan ? run.plan->compile_ns : 0),
        devices_(session.devices()),
        short_(ShortNames(devices_)),
        step_(step) {
    const RunSignature& signature = stages_.signature;
    for (const ValueId feed : signature.feeds) fed_.insert(Index(g_.node_of(feed)));
    for (const ValueId fetch : signature.fetches) fetched_.insert(Index(g_.node_of(fetch)));
    for (const NodeId target : signature.targets) targets_.insert(Index(target));
    if (step != nullptr) SortEvents();
  }

  std::string Write(size_t max_pruned) {
    json_.Open('{').Key("version").Int(static_cast<int64_t>(g_.version()));
    json_.Key("graph_nodes").Int(g_.size()).Key("compile_ns").Int(compile_ns_);
    WriteNodes(max_pruned);
    WritePartitions();
    WriteTransfers();
    json_.Key("devices").Open('[');
    for (const std::string& name : short_) json_.String(name);
    json_.Close(']');
    WriteCalled(session_, stages_, short_, step_, json_);
    if (step_ != nullptr) WriteStep();
    json_.Close('}');
    return json_.Take();
  }

 private:
  const std::string& Short(uint16_t device) const { return short_[device]; }
  uint32_t Position(NodeId n) const { return stages_.pruned.position.Find(Index(n)); }
  bool Runs(NodeId n) const { return Position(n) != UINT32_MAX; }

  void SortEvents() {
    events_ = WithWaits(step_->events, stages_.partitioned.parts.size());
    std::erase_if(events_, [&](const StepEvent& e) {
      return e.kind >= StepEvent::kSend && StaysOnDevice(e.transfer);
    });
    for (const StepEvent& e : events_) {
      if (e.kind == StepEvent::kSend) sent_bytes_[e.transfer] = e.bytes;
      if (e.kind == StepEvent::kCompute) computed_.insert(Index(e.node));
    }
    for (const auto& [node, sum] : step_->loop_sums) computed_.insert(node);
  }

  // Returns the nodes that run, the fed ones, and up to max_pruned of the others, in graph order.
  std::vector<NodeId> Rows(size_t max_pruned, size_t& pruned_total) {
    std::vector<NodeId> rows = stages_.pruned.nodes;
    for (const uint32_t feed : fed_)
      if (!Runs(NodeId{feed})) rows.push_back(NodeId{feed});
    std::sort(rows.begin(), rows.end());
    pruned_total = g_.size() - rows.size();
    const size_t wanted = std::min(max_pruned, pruned_total);
    std::vector<NodeId> pruned;
    for (uint32_t i = 0, at = 0; i < g_.size() && pruned.size() < wanted; ++i) {
      if (at < rows.size() && Index(rows[at]) == i)
        ++at;
      else
        pruned.push_back(NodeId{i});
    }
    if (!pruned.empty() && !fed_.empty()) FindCutOff();
    rows.insert(rows.end(), pruned.begin(), pruned.end());
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  // For each node that does not run, finds the fed node that cuts it off from its consumers.
  void FindCutOff() {
    RunSignature unfed = stages_.signature;
    unfed.feeds.clear();
    const Pruned without = Prune(g_, unfed);
    for (size_t i = without.nodes.size(); i-- > 0;) {
      const NodeId n = without.nodes[i];
      const bool fed = fed_.count(Index(n)) > 0;
      const auto blamed = cut_off_by_.find(Index(n));
      const NodeId by = fed ? n : blamed == cut_off_by_.end() ? kNoNode : blamed->second;
      if (by == kNoNode) continue;
      for (uint32_t k = 0; k < g_.num_inputs(n); ++k) Blame(g_.node_of(g_.input(n, k)), by);
      for (uint32_t k = 0; k < g_.num_controls(n); ++k) Blame(g_.control(n, k), by);
    }
  }
  void Blame(NodeId n, NodeId by) {
    if (!Runs(n) && fed_.count(Index(n)) == 0) cut_off_by_.emplace(Index(n), by);
  }

  void WriteNodes(size_t max_pruned) {
    size_t pruned_total = 0;
    const std::vector<NodeId> rows = Rows(max_pruned, pruned_total);
    json_.Key("nodes").Open('[');
    for (const NodeId n : rows) WriteNode(n);
    json_.Close(']').Key("pruned_total").Int(static_cast<int64_t>(pruned_total));
  }

  const char* State(NodeId n) const {
    const bool runs = Runs(n);
    const bool fed = !runs && fed_.count(Index(n)) > 0;
    if ((runs || fed) && fetched_.count(Index(n)) > 0) return "fetch";
    if (fed) return "fed";
    if (targets_.count(Index(n)) > 0) return "target";
    if (const char* state = runs ? StateOfSkipped(stages_, joined_, Position(n)) : nullptr)
      return state;
    return runs ? "runs" : "pruned";
  }

  void WriteInputs(NodeId n) {
    json_.Open('[');
    for (uint32_t i = 0; i < g_.num_inputs(n); ++i) json_.String(g_.ValueName(g_.input(n, i)));
    for (uint32_t i = 0; i < g_.num_controls(n); ++i) json_.String("^", g_.name(g_.control(n, i)));
    json_.Close(']');
  }

  void WriteNode(NodeId n) {
    const bool has_output = g_.num_outputs(n) > 0;
    json_.Open('{').Key("id").Int(Index(n)).Key("name").String(g_.name(n));
    json_.Key("op").String(g_.op(n).name).Key("dtype");
    has_output ? json_.String(ShortName(g_.dtype(g_.output(n, 0)))) : json_.Null();
    json_.Key("shape");
    if (has_output) {
      WriteShape(g_.shape(g_.output(n, 0)), json_);
    } else {
      json_.Null();
    }
    json_.Key("inputs");
    WriteInputs(n);
    json_.Key("source").Int(g_.source(n)).Key("state").String(State(n)).Key("asked");
    g_.device(n).empty() ? json_.Null() : json_.String(g_.device(n));
    WritePlace(n);
    json_.Close('}');
  }

  void WriteDevice(uint16_t device) {
    json_.Key("device").String(devices_[device].info().name);
    json_.Key("short_device").String(Short(device)).Key("reason");
  }

  void WritePlace(NodeId n) {
    const uint32_t position = Position(n);
    if (position != UINT32_MAX) {
      const PlaceReason reason = stages_.placement.reason[position];
      const std::string& detail = stages_.placement.detail[position];
      WriteDevice(stages_.placement.device[position]);
      json_.String(ReasonText(reason, detail));
      const bool has_detail = reason == PlaceReason::kOnlyKernel && !detail.empty();
      if (has_detail || reason == PlaceReason::kAskedNotGot)
        json_.Key("reason_detail").String(detail);
      if (reason == PlaceReason::kColocated && !detail.empty())
        json_.Key("colocated_with").String(detail);
      if (const std::string loop = LoopScope(stages_, position); !loop.empty())
        json_.Key("loop").String(loop);
      if (step_ != nullptr &&
          NotTaken(stages_, position, KnowsLoops(), [this](NodeId node) { return Computed(node); }))
        json_.Key("not_taken").Int(1);
    } else if (fed_.count(Index(n)) > 0) {
      WriteDevice(FeedDevice(n));
      json_.String(ReasonText(PlaceReason::kFedHere));
    } else {
      const auto by = cut_off_by_.find(Index(n));
      json_.Key("pruned_why")
          .String(by == cut_off_by_.end() ? "no path to a fetch" : "cut off by a feed");
      if (by != cut_off_by_.end()) json_.Key("pruned_by").String(g_.name(by->second));
    }
  }

  bool KnowsLoops() const {
    return program_ != nullptr || (!step_->loop_sums.empty() && !step_->partial);
  }
  bool Computed(NodeId n) const { return computed_.count(Index(n)) > 0; }

  uint16_t FeedDevice(NodeId n) const {
    for (size_t f = 0; f < stages_.signature.feeds.size(); ++f)
      if (g_.node_of(stages_.signature.feeds[f]) == n) return stages_.placement.feed_device[f];
    return 0;
  }

  // Send and Recv are not nodes of the graph; they are named after the value that they transfer.
  void WritePartitions() {
    json_.Key("partitions").Open('[');
    for (const std::vector<size_t>& parts : PartsByDevice()) {
      const uint16_t device = stages_.partitioned.parts[parts[0]].device;
      json_.Open('{').Key("device").String(devices_[device].info().name);
      json_.Key("short_device").String(Short(device)).Key("nodes").Open('[');
      for (const size_t part : parts) WriteItems(stages_.partitioned.parts[part]);
      json_.Close(']');
      int64_t recorded = 0;
      for (const size_t part : parts) recorded += Recorded(part);
      if (recorded != 0) json_.Key("recorded").Int(recorded);
      if (program_) WriteOptimized(stages_, *program_, parts, json_);
      json_.Close('}');
    }
    json_.Close(']');
  }

  // Returns the numbers of the partitions of each device. A device has more than one if some of its
  // nodes wait for others (GroupByWaits); reports show them as one.
  std::vector<std::vector<size_t>> PartsByDevice() const {
    std::vector<std::vector<size_t>> list;
    std::map<uint16_t, size_t> places;
    for (size_t p = 0; p < stages_.partitioned.parts.size(); ++p) {
      const auto [it, added] = places.try_emplace(stages_.partitioned.parts[p].device, list.size());
      if (added) list.emplace_back();
      list[it->second].push_back(p);
    }
    return list;
  }
  // Returns true if the transfer connects two partitions of one device, so that nothing moves.
  bool StaysOnDevice(uint32_t transfer) const {
    const Transfer& t = stages_.partitioned.transfers[transfer];
    const std::vector<Partition>& parts = stages_.partitioned.parts;
    return parts[t.from].device == parts[t.to].device;
  }

  void WriteItems(const Partition& part) {
    for (const PlanItem& item : part.items) {
      if (item.kind == PlanItem::kNode) {
        json_.String(g_.name(item.node));
      } else if ((item.kind == PlanItem::kSend || item.kind == PlanItem::kRecv) &&
                 !StaysOnDevice(item.transfer)) {
        json_.String(item.kind == PlanItem::kSend ? "send " : "recv ",
                     TransferName(g_, stages_.partitioned.transfers[item.transfer]));
      }
    }
  }

  // Returns the number of nodes in a partition that its device replays instead of running them one
  // by one.
  int64_t Recorded(size_t part) const {
    if (!program_) return 0;
    const PartitionCode& code = program_->parts[part];
    int64_t nodes = 0;
    for (const ReplayCode& run : code.replays)
      for (uint32_t i = run.begin; i < run.end; ++i)
        nodes += code.code[i].kind == Instr::kKernel && !code.code[i].is_read &&
                 !code.code[i].is_move && run.roles[i - run.begin] == ReplayCode::kRecorded;
    return nodes;
  }

  void WriteTransfers() {
    const std::vector<Transfer>& transfers = stages_.partitioned.transfers;
    json_.Key("transfers").Open('[');
    for (uint32_t i = 0; i < transfers.size(); ++i) {
      if (StaysOnDevice(i)) continue;
      const Transfer& t = transfers[i];
      const std::string tensor = TransferName(g_, t);
      json_.Open('{').Key("tensor").String(tensor);
      json_.Key("from").String(Short(stages_.partitioned.parts[t.from].device));
      json_.Key("to").String(Short(stages_.partitioned.parts[t.to].device)).Key("bytes");
      WriteBytes(i);
      json_.Key("send").String("send ", tensor).Key("recv").String("recv ", tensor);
      json_.Key("consumers").Open('[');
      for (const NodeId n : t.consumers) json_.String(g_.name(n));
      json_.Close(']').Close('}');
    }
    json_.Close(']');
  }

  // Writes the bytes as sent, otherwise as the shape implies, otherwise as unknown.
  void WriteBytes(uint32_t transfer) {
    const ValueId value = stages_.partitioned.transfers[transfer].value;
    const auto sent = sent_bytes_.find(transfer);
    if (sent != sent_bytes_.end()) {
      json_.Int(sent->second);
    } else if (value == kNoValue) {
      json_.Int(0);
    } else if (g_.shape(value).IsFullyKnown() && g_.dtype(value) != DType::kString) {
      json_.Int(g_.shape(value).num_elements() * static_cast<int64_t>(SizeOf(g_.dtype(value))));
    } else {
      json_.Null();
    }
  }

  void WriteStep() {
    json_.Key("wall_ns").Int(step_->wall_ns);
    if (!step_->once.empty()) {
      json_.Key("once").Open('[');
      for (const OneTimeRecord& work : step_->once)
        json_.Open('{').Key("what").String(work.what).Key("ns").Int(work.ns).Close('}');
      json_.Close(']');
    }
    json_.Key("steps").Open('[');
    for (const StepEvent& e : events_) WriteEvent(e);
    json_.Close(']');
    WriteLoops();
    if (step_->keep_values) WriteNonFinite();
    json_.Key("critical_path").Open('[');
    for (const std::string& name : CriticalPath()) json_.String(name);
    json_.Close(']');
  }

  // Writes what happened inside of loops and of called functions: the first events, and the sums
  // for each node.
  void WriteLoops() {
    if (step_->loop_sums.empty() && step_->calls.empty()) return;
    json_.Key("in_loops").Open('[');
    for (const LoopEvent& e : step_->in_loops) WriteEvent(e.event, &e);
    json_.Close(']').Key("loop_times").Open('[');
    for (const auto& [node, sum] : std::map(step_->loop_sums.begin(), step_->loop_sums.end())) {
      json_.Open('{').Key("node").String(g_.name(NodeId{node}));
      json_.Key("calls").Int(sum.calls).Key("ns").Int(sum.ns).Close('}');
    }
    for (const auto& [path, called] :
         std::map(step_->called_sums.begin(), step_->called_sums.end())) {
      json_.Open('{').Key("node").String(path);
      json_.Key("calls").Int(called.sum.calls).Key("ns").Int(called.sum.ns).Close('}');
    }
    json_.Close(']');
  }

  // Writes the device, the node and the op of an event. Leaves the object open.
  void WriteSubject(const StepEvent& e, const LoopEvent* in_loop) {
    const bool called = in_loop != nullptr && !in_loop->path.empty();
    json_.Open('{').Key("device").String(
        Short(called ? in_loop->device : stages_.partitioned.parts[e.part].device));
    const bool unknown = e.node == kNoNode;
    json_.Key("node").String(called    ? std::string_view(in_loop->path)
                             : unknown ? std::string_view()
                                       : g_.name(e.node));
    json_.Key("op").String(called    ? std::string_view(in_loop->op)
                           : unknown ? std::string_view()
                                     : g_.op(e.node).name);
  }

  void WriteIterations(const LoopEvent& e) {
    if (e.iteration != 0) json_.Key("iteration").Int(e.iteration);
    if (e.inner != 0) json_.Key("inner").Int(e.inner);
  }

  // Writes the first NaN and the first Inf in the outputs of each node.
  void WriteNonFinite() {
    json_.Key("nonfinite").Open('[');
    for (const LoopEvent& e : step_->nonfinite) {
      WriteSubject(e.event, &e);
      json_.Key("at_ns").Int(e.event.end_ns);
      WriteIterations(e);
      json_.Raw(e.value).Close('}');
    }
    json_.Close(']');
  }

  void WriteEvent(const StepEvent& e, const LoopEvent* in_loop = nullptr) {
    static constexpr const char* kKinds[] = {"compute", "read", "send", "recv", "wait"};
    const bool called = in_loop != nullptr && !in_loop->path.empty();
    WriteSubject(e, in_loop);
    json_.Key("start_ns").Int(e.start_ns).Key("end_ns").Int(e.end_ns);
    json_.Key("kind").String(kKinds[e.kind]).Key("bytes").Int(e.bytes);
    if (e.iterations != 0) json_.Key("iterations").Int(e.iterations);
    if (e.with != kNoNode && in_loop == nullptr) json_.Key("with").String(g_.name(e.with));
    if (in_loop != nullptr) {
      WriteIterations(*in_loop);
      if (!in_loop->value.empty()) json_.Key("value").String(in_loop->value);
    }
    const bool moves = e.kind >= StepEvent::kSend;
    const std::string tensor = !moves ? ""
                               : called
                                   ? in_loop->path
                                   : TransferName(g_, stages_.partitioned.transfers[e.transfer]);
    if (moves) json_.Key("tensor").String(tensor);
    if (e.kind == StepEvent::kWait) json_.Key("waits_for").String("send ", tensor);
    json_.Close('}');
  }

  // Returns the value that takes the place of the node's first one, or UINT32_MAX.
  uint32_t ReplacedBy(NodeId node) const {
    if (!stages_.rewrites.LeavesOut(node)) return UINT32_MAX;
    return stages_.rewrites.values.Find(Index(g_.output(node, 0)));
  }

  // The computations of a node, and the chain of inputs with the most time that leads to it.
  struct Chain {
    int64_t ns = 0;           // of the whole chain
    int64_t end_ns = 0;       // of the node
    NodeId before = kNoNode;  // the previous node of the chain
  };

  // Extends the chain of a node by those of its inputs. Of two chains with the same time, the one that
  // ended later counts.
  void Extend(uint32_t node, std::unordered_map<uint32_t, Chain>* chains) const {
    Chain& chain = chains->at(node);
    const Chain* longest = nullptr;
    NodeId fed = kNoNode;
    const auto take = [&](NodeId producer) {
      const auto it = chains->find(Index(producer));
      // A loop leads back to its begin, which is not an input of its first iteration.
      if (it == chains->end() || it->first >= node) return;
      const Chain& other = it->second;
      if (longest && std::pair(other.ns, other.end_ns) <= std::pair(longest->ns, longest->end_ns))
        return;
      longest = &other;
      chain.before = producer;
    };
    const auto follow = [&](ValueId input) {
      if (stages_.pruned.fed.Find(Index(input)) == UINT32_MAX)
        take(g_.node_of(input));
      else if (fed == kNoNode)
        fed = g_.node_of(input);
    };
    const uint32_t by = ReplacedBy(NodeId{node});
    if (by != UINT32_MAX) follow(ValueId{by});
    for (uint32_t i = 0; i < g_.num_inputs(NodeId{node}) && by == UINT32_MAX; ++i)
      follow(g_.input(NodeId{node}, i));
    for (uint32_t i = 0; i < g_.num_controls(NodeId{node}); ++i) take(g_.control(NodeId{node}, i));
    if (longest)
      chain.ns += longest->ns;
    else
      chain.before = fed;
  }

  // Returns the chain of dependent computations with the most time that leads to the computation
  // that ended last.
  std::vector<std::string> CriticalPath() const {
    std::unordered_map<uint32_t, Chain> chains;
    uint32_t last = UINT32_MAX;
    for (const StepEvent& e : events_) {
      if (e.kind != StepEvent::kCompute || e.node == kNoNode) continue;
      Chain& chain = chains[Index(e.node)];
      chain.ns += e.end_ns - e.start_ns;
      chain.end_ns = std::max(chain.end_ns, e.end_ns);
      if (last == UINT32_MAX || chain.end_ns > chains.at(last).end_ns) last = Index(e.node);
    }
    // Nodes without a kernel of their own connect others, but do not belong to the path.
    for (const NodeId node : stages_.pruned.nodes)
      if (ReplacedBy(node) != UINT32_MAX) chains.try_emplace(Index(node));
    std::vector<uint32_t> order;  // Inputs have smaller ids, except in loops.
    for (const auto& [node, chain] : chains) order.push_back(node);
    std::sort(order.begin(), order.end());
    for (const uint32_t node : order) Extend(node, &chains);
    std::vector<std::string> path;
    while (last != UINT32_MAX) {
      if (ReplacedBy(NodeId{last}) == UINT32_MAX) path.emplace_back(g_.name(NodeId{last}));
      const auto it = chains.find(last);
      const NodeId before = it == chains.end() ? kNoNode : it->second.before;
      last = before == kNoNode ? UINT32_MAX : Index(before);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  Session& session_;
  const Stages& stages_;
  const Graph& g_;
  const std::vector<NodeId> joined_;
  const Program* const program_;  // null: run elsewhere, or by tokens
  const int64_t compile_ns_;
  const DeviceMgr& devices_;
  const std::vector<std::string> short_;
  const StepTrace* step_;
  std::unordered_set<uint32_t> fed_, fetched_, targets_, computed_;  // Nodes.
  std::unordered_map<uint32_t, NodeId> cut_off_by_;
  std::unordered_map<uint32_t, int64_t> sent_bytes_;  // By transfer.
  std::vector<StepEvent> events_;
  JsonWriter json_;
};

constexpr size_t kPrunedOfARun = 1000;

}  // namespace

std::string TraceReport(const RunTrace& trace, Session& session) {
  return ExplainReport(trace.run, session, &trace.step).Write(kPrunedOfARun);
}

}  // namespace tensh::api

int tsh_session_run_traced(tsh_session* s, const tsh_run* run, tsh_tensor** fetched, char** report,
                           tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(report);
    *report = nullptr;
    TENSH_ASSIGN(RunTrace trace, RunTraced(s, run, fetched));
    *report = TextOut(TraceReport(trace, *s->session));
    return {};
  });
}

char* tsh_session_explain(tsh_session* s, const tsh_run* run, size_t max_pruned,
                          tsh_status* status) {
  char* text = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_ASSIGN(const Explained explained, ExplainedOf(s, run));
    text = TextOut(ExplainReport(explained, *s->session, nullptr).Write(max_pruned));
    return {};
  });
  return text;
}
