#include "runtime/exec/step_recorder.h"

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <utility>

namespace tensh {
namespace {

template <class T>
std::string NumberText(const Tensor& tensor) {
  const T number = *tensor.data<T>();
  char text[32];
  std::string out(text, std::to_chars(text, text + sizeof text, number).ptr);
  const bool whole = std::is_floating_point_v<T> &&
                     out.find_first_not_of("-0123456789") == std::string::npos;  // not inf, nan
  return whole ? out + ".0" : out;
}

// Returns the output of the instruction, which has just run, as numpy would print it. Returns "" if
// it is not a single number.
std::string NumberMade(const Graph& graph, const Instr& instr, const std::vector<Tensor>& slots) {
  if (instr.node == kNoNode || instr.call.n_out != 1 || graph.num_outputs(instr.node) != 1)
    return "";
  const Tensor& made = slots[instr.call.out[0]];
  if (!made || made.rank() != 0 || !made.on_host() ||
      IsRef(graph.dtype(graph.output(instr.node, 0))))
    return "";
  switch (made.dtype()) {
    case DType::kFloat:
      return NumberText<float>(made);
    case DType::kDouble:
      return NumberText<double>(made);
    case DType::kInt32:
      return NumberText<int32_t>(made);
    case DType::kInt64:
      return NumberText<int64_t>(made);
    case DType::kBool:
      return *made.data<bool>() ? "True" : "False";
    default:
      return "";
  }
}

thread_local StepRecorder::Caller* current_caller = nullptr;

// Marks of a DeviceTimer as times, which are far from all others.
constexpr int64_t kFirstMark = INT64_MIN;
bool IsMark(int64_t time) { return time < kFirstMark / 2; }

bool IsSame(const FuncAttr& a, const FuncAttr& b) {
  return a.name == b.name &&
         (a.attrs == b.attrs || AttrValue(a).ToString() == AttrValue(b).ToString());
}

// Returns the name of the node or, for a transfer, of the tensor that an event of a called function
// is about.
std::string NameIn(const Stages& body, const StepEvent& event) {
  const bool moves = event.kind >= StepEvent::kSend;
  if (moves && event.transfer < body.partitioned.transfers.size()) {
    const Transfer& transfer = body.partitioned.transfers[event.transfer];
    if (transfer.value != kNoValue) return body.graph.ValueName(transfer.value);
    return std::string(body.graph.name(transfer.control));
  }
  return event.node == kNoNode ? "" : std::string(body.graph.name(event.node));
}

void AddTo(LoopSum* sum, const LoopSum& more) {
  sum->calls += more.calls;
  sum->ns += more.ns;
}

}  // namespace

// ---- calls of functions ----

StepRecorder::Caller::Caller(StepRecorder& recorder, const Instr& instr)
    : recorder_(recorder),
      node_(instr.node),
      sites_(node_ == kNoNode || instr.is_read || instr.is_move
                 ? std::vector<CallSite>()
                 : CallSitesOf(recorder.graph_, node_)),
      calls_(sites_.size()),
      outer_(std::exchange(current_caller, this)) {}

StepRecorder::Caller::~Caller() { current_caller = outer_; }

StepRecorder::Caller* StepRecorder::Caller::Current() { return current_caller; }

const CallSite* StepRecorder::Caller::Find(const FuncAttr& function) const {
  for (const CallSite& site : sites_)
    if (IsSame(site.function, function)) return &site;
  return nullptr;
}

void StepRecorder::Caller::Add(const CallSite& site, const Stages& body, StepTrace trace) {
  const auto at = static_cast<size_t>(&site - sites_.data());
  const int64_t iteration = ++calls_[at];
  const std::string prefix = site.Prefix(recorder_.graph_.name(node_));
  ++recorder_.calls_[prefix];
  for (const auto& [call, times] : trace.calls) recorder_.calls_[prefix + call] += times;
  for (auto& [path, sum] : trace.called_sums) {
    CalledSum& to = recorder_.called_sums_[prefix + path];
    AddTo(&to.sum, sum.sum);
    to.op = std::move(sum.op), to.device = sum.device;
  }
  for (const auto& [node, sum] : trace.loop_sums) {
    CalledSum& to = recorder_.called_sums_[prefix + std::string(body.graph.name(NodeId{node}))];
    AddTo(&to.sum, sum);
    if (!to.op.empty()) continue;
    to.op = body.graph.op(NodeId{node}).name;
    const uint32_t position = body.pruned.position.Find(node);
    if (position < body.placement.device.size()) to.device = body.placement.device[position];
  }
  const auto take = [&](std::vector<LoopEvent>& events, std::vector<LoopEvent>& to) {
    for (LoopEvent& event : events) {
      if (to.size() >= kLoopEvents) break;
      if (event.path.empty()) {
        event.path = NameIn(body, event.event);
        if (event.event.node != kNoNode) event.op = body.graph.op(event.event.node).name;
        event.device = body.partitioned.parts[event.event.part].device;
      }
      event.path.insert(0, prefix);
      recorder_.SetIterations(site.repeats ? iteration : 0, &event);
      to.push_back(std::move(event));
    }
  };
  take(trace.in_loops, recorder_.in_loops_);
  // Only the first call in which a node has such a value counts.
  std::erase_if(trace.nonfinite, [&](const LoopEvent& event) {
    const std::string path = prefix + (event.path.empty() ? NameIn(body, event.event) : event.path);
    return std::any_of(recorder_.nonfinite_found_.begin(), recorder_.nonfinite_found_.end(),
                       [&](const LoopEvent& each) {
                         return each.path == path && each.event.bytes == event.event.bytes;
                       });
  });
  take(trace.nonfinite, recorder_.nonfinite_found_);
}

int64_t StepRecorder::Caller::iterations() const {
  // the condition, which is called once more, comes first
  return sites_.empty() || !sites_.back().repeats ? 0 : calls_.back();
}

void StepRecorder::SetIterations(int64_t iteration, LoopEvent* event) const {
  // All loops around the event, the outermost first; 0 if there is no such loop.
  const int64_t levels[] = {loops_.empty() ? 0 : loops_.front().iterations + 1,
                            loops_.size() < 2 ? 0 : loops_.back().iterations + 1, iteration,
                            event->iteration, event->inner};
  event->iteration = event->inner = 0;
  for (const int64_t level : levels) {
    if (level == 0) continue;
    (event->iteration == 0 ? event->iteration : event->inner) = level;
  }
}

// ---- events ----

int64_t StepRecorder::Now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_).count();
}

int64_t StepRecorder::Reached() {
  return timer_ ? kFirstMark + static_cast<int64_t>(timer_->Mark()) : Now();
}

int64_t StepRecorder::EndOf(int64_t start) { return IsMark(start) ? Reached() : Now(); }

Status StepRecorder::ResolveMarks() {
  if (!timer_) return {};
  const auto times = timer_->Times();
  const int64_t now = Now();
  const auto resolve = [&](int64_t* time) {
    if (!IsMark(*time)) return;
    const auto mark = static_cast<size_t>(*time - kFirstMark);
    *time = times.ok() ? std::chrono::nanoseconds((*times)[mark] - begin_).count() : now;
  };
  for (StepEvent& event : events_) resolve(&event.start_ns), resolve(&event.end_ns);
  for (LoopEvent& each : in_loops_) resolve(&each.event.start_ns), resolve(&each.event.end_ns);
  for (MarkedTime& each : marked_sums_) {
    resolve(&each.start_ns), resolve(&each.end_ns);
    loop_sums_[each.node].ns += each.end_ns - each.start_ns;
  }
  marked_sums_.clear();
  return times.status();
}

void StepRecorder::Add(const Instr& instr, StepEvent::Kind kind, int64_t start, int64_t bytes,
                       int64_t iterations, std::string value) {
  const bool moves = instr.kind == Instr::kSend || instr.kind == Instr::kRecv;
  StepEvent event{kind,  part_,        instr.node, moves ? instr.of.transfer : 0,
                  start, EndOf(start), bytes,      iterations};
  if (kind == StepEvent::kCompute) event.read = std::exchange(read_, 0);
  Add(instr, event, std::move(value));
}

void StepRecorder::Add(const Instr& instr, const StepEvent& event, std::string value) {
  if (loops_.empty() && !nested_)
    events_.push_back(event);
  else if (loops_.empty() ||
           instr.kind != Instr::kLoopEnd)  // an inner loop is the sum of its events
    AddInLoop(event, event.kind == StepEvent::kCompute ? std::move(value) : "",
              instr.kind == Instr::kLoopEnd);
}

void StepRecorder::AddInLoop(const StepEvent& event, std::string value, bool is_loop) {
  // The event of a whole loop is the sum of those inside of it.
  if (event.kind == StepEvent::kCompute && event.node != kNoNode && !is_loop) {
    LoopSum& sum = loop_sums_[Index(event.node)];
    ++sum.calls;
    if (IsMark(event.start_ns))
      marked_sums_.push_back({Index(event.node), event.start_ns, event.end_ns});
    else
      sum.ns += event.end_ns - event.start_ns;
  }
  if (in_loops_.size() >= kLoopEvents) return;
  in_loops_.push_back({event, 0, 0, std::move(value)});
  SetIterations(0, &in_loops_.back());
}

void StepRecorder::Kernel(const Instr& instr, int64_t start, const std::vector<Tensor>& slots,
                          int64_t iterations) {
  const bool shown = keep_values_ && (nested_ || !loops_.empty()) && in_loops_.size() < kLoopEvents;
  Add(instr, instr.is_read ? StepEvent::kRead : StepEvent::kCompute, start,
      OutputBytes(instr, slots), iterations, shown ? NumberMade(graph_, instr, slots) : "");
  // The ids of a body's values are not those of the caller's graph.
  if (keep_values_ && !nested_ && !instr.is_move) values_.Keep(graph_, instr, slots);
  if (keep_values_) FindNonFinite(instr, slots);
}

void StepRecorder::BeforeChain(const PartitionCode& code, const FusedCode& chain,
                               const std::vector<Tensor>& slots) {
  read_ = chain.has_maker ? InputBytes(graph_, code.code[chain.begin], slots) : 0;
  for (size_t i = chain.has_maker; i < chain.inputs.size(); ++i)
    if (const Tensor& t = slots[chain.inputs[i]]) read_ += t.bytes();
}

void StepRecorder::Chain(const PartitionCode& code, const FusedCode& chain, uint32_t ran,
                         int64_t start, const std::vector<Tensor>& slots) {
  const int64_t end = EndOf(start);
  const auto instr_at = [&](uint32_t i) -> const Instr& { return code.code[chain.begin + i]; };
  // The slots of values that the chain does not make may hold tensors of earlier steps.
  int64_t bytes = 0;
  if (chain.has_maker && (chain.keeps_made || ran == 1)) bytes += OutputBytes(instr_at(0), slots);
  for (const FusedCode::Step& step : chain.steps)
    if (step.made && step.instr < ran) bytes += OutputBytes(instr_at(step.instr), slots);
  for (uint32_t i = 0; i < ran; ++i) {
    const Instr& instr = instr_at(i);
    StepEvent event{StepEvent::kCompute, part_, instr.node, 0, end, end, 0};
    if (i > 0) {
      event.with = instr_at(0).node;
    } else {
      event.start_ns = start;
      event.bytes = bytes;
      event.read = read_;
    }
    Add(instr, event, "");
  }
}

void StepRecorder::FindNonFinite(const Instr& instr, const std::vector<Tensor>& slots) {
  for (const bool nan : {true, false}) {
    std::string found = nonfinite_.After(graph_, instr, slots, nan);
    if (found.empty()) continue;
    // Its bytes tell the two kinds apart.
    nonfinite_found_.push_back({{StepEvent::kCompute, part_, instr.node, 0, 0, Now(), nan ? 1 : 0},
                                0,
                                0,
                                std::move(found)});
    SetIterations(0, &nonfinite_found_.back());
  }
}

void StepRecorder::Loop(const Instr& instr, int64_t start, bool skipped) {
  if (instr.kind == Instr::kLoopBegin) loops_.push_back({start, 0, false});
  if (loops_.empty()) return;
  loops_.back().skipped |= skipped;
  if (instr.kind == Instr::kLoopNext) ++loops_.back().iterations;
  if (instr.kind != Instr::kLoopEnd) return;
  const OpenLoop loop = loops_.back();
  loops_.pop_back();
  if (!loop.skipped) Add(instr, StepEvent::kCompute, loop.start, 0, loop.iterations);
}

void StepRecorder::Sent(const Instr& instr, int64_t start, int64_t bytes) {
  Add(instr, StepEvent::kSend, start, bytes);
}

void StepRecorder::SentAway(const Instr& instr, int64_t start) {
  Add(instr, StepEvent::kCompute, start, 0);
}

void StepRecorder::Looks() {
  waited_ = looks_since_ >= 0;
  if (!waited_) looks_since_ = Now();
}

void StepRecorder::Received(const Instr& instr, int64_t bytes) {
  if (instr.kind == Instr::kKeyRecv) {
    Add(instr, StepEvent::kCompute, looks_since_, bytes);
  } else {
    const int64_t now = Now();  // read late, so that the receive is not recorded before the send
    if (waited_ && loops_.empty() && !nested_)
      events_.push_back(
          {StepEvent::kWait, part_, instr.node, instr.of.transfer, looks_since_, now, bytes});
    Add(instr, StepEvent::kRecv, now, bytes);
  }
  looks_since_ = -1;
}

Status StepRecorder::MoveTo(StepTrace& trace) {
  Status status = ResolveMarks();
  trace.events.insert(trace.events.end(), events_.begin(), events_.end());
  trace.in_loops.insert(trace.in_loops.end(), std::make_move_iterator(in_loops_.begin()),
                        std::make_move_iterator(in_loops_.end()));
  for (const auto& [node, sum] : loop_sums_) {
    AddTo(&trace.loop_sums[node], sum);
  }
  for (auto& [path, sum] : called_sums_) {
    CalledSum& to = trace.called_sums[path];
    AddTo(&to.sum, sum.sum);
    to.op = std::move(sum.op), to.device = sum.device;
  }
  for (const auto& [call, times] : calls_) trace.calls[call] += times;
  trace.values.Merge(values_);
  trace.nonfinite.insert(trace.nonfinite.end(), std::make_move_iterator(nonfinite_found_.begin()),
                         std::make_move_iterator(nonfinite_found_.end()));
  return status;
}

}  // namespace tensh
