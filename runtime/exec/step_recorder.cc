#include "runtime/exec/step_recorder.h"

#include <charconv>
#include <type_traits>

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

}  // namespace

int64_t StepRecorder::Now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_).count();
}

void StepRecorder::Add(const Instr& instr, StepEvent::Kind kind, int64_t start, int64_t bytes,
                       int64_t iterations, std::string value) {
  const bool moves = instr.kind == Instr::kSend || instr.kind == Instr::kRecv;
  const StepEvent event{kind,  part_, instr.node, moves ? instr.of.transfer : 0,
                        start, Now(), bytes,      iterations};
  if (loops_.empty())
    events_.push_back(event);
  else if (instr.kind != Instr::kLoopEnd)  // an inner loop is the sum of its events
    AddInLoop(event, kind == StepEvent::kCompute ? std::move(value) : "");
}

void StepRecorder::AddInLoop(const StepEvent& event, std::string value) {
  if (event.kind == StepEvent::kCompute && event.node != kNoNode) {
    LoopSum& sum = loop_sums_[Index(event.node)];
    ++sum.calls;
    sum.ns += event.end_ns - event.start_ns;
  }
  if (in_loops_.size() >= kLoopEvents) return;
  in_loops_.push_back({event, loops_.front().iterations + 1,
                       loops_.size() > 1 ? loops_.back().iterations + 1 : 0, std::move(value)});
}

void StepRecorder::Kernel(const Instr& instr, int64_t start, const std::vector<Tensor>& slots) {
  const bool shown = keep_values_ && !loops_.empty() && in_loops_.size() < kLoopEvents;
  Add(instr, instr.is_read ? StepEvent::kRead : StepEvent::kCompute, start,
      OutputBytes(instr, slots), 0, shown ? NumberMade(graph_, instr, slots) : "");
  if (keep_values_ && !instr.is_move) values_.Keep(graph_, instr, slots);
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
    if (waited_ && loops_.empty())
      events_.push_back(
          {StepEvent::kWait, part_, instr.node, instr.of.transfer, looks_since_, now, bytes});
    Add(instr, StepEvent::kRecv, now, bytes);
  }
  looks_since_ = -1;
}

void StepRecorder::MoveTo(StepTrace& trace) {
  trace.events.insert(trace.events.end(), events_.begin(), events_.end());
  trace.in_loops.insert(trace.in_loops.end(), std::make_move_iterator(in_loops_.begin()),
                        std::make_move_iterator(in_loops_.end()));
  for (const auto& [node, sum] : loop_sums_) {
    trace.loop_sums[node].calls += sum.calls;
    trace.loop_sums[node].ns += sum.ns;
  }
  trace.values.Merge(values_);
}

}  // namespace tensh
