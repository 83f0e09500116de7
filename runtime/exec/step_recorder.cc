#include "runtime/exec/step_recorder.h"

namespace tensh {

int64_t StepRecorder::Now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_).count();
}

void StepRecorder::Add(const Instr& instr, StepEvent::Kind kind, int64_t start, int64_t bytes,
                       int64_t iterations) {
  if (!loops_.empty()) return;  // the event of the outermost loop covers it
  const bool moves = instr.kind == Instr::kSend || instr.kind == Instr::kRecv;
  events_.push_back(
      {kind, part_, instr.node, moves ? instr.of.transfer : 0, start, Now(), bytes, iterations});
}

void StepRecorder::Kernel(const Instr& instr, int64_t start, const std::vector<Tensor>& slots) {
  Add(instr, instr.is_read ? StepEvent::kRead : StepEvent::kCompute, start,
      OutputBytes(instr, slots));
  if (keep_values_ && !instr.is_move) values_.Keep(graph_, instr, slots);
}

void StepRecorder::Loop(const Instr& instr, int64_t start) {
  if (instr.kind == Instr::kLoopBegin) loops_.push_back({start, 0});
  if (loops_.empty()) return;
  if (instr.kind == Instr::kLoopNext) ++loops_.back().iterations;
  if (instr.kind != Instr::kLoopEnd) return;
  const OpenLoop loop = loops_.back();
  loops_.pop_back();
  Add(instr, StepEvent::kCompute, loop.start, 0, loop.iterations);
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
  trace.values.Merge(std::move(values_));
}

}  // namespace tensh
