#include "runtime/exec/plan.h"

#include "runtime/exec/dataflow.h"
#include "runtime/exec/replay.h"

namespace tensh {

Frame::Frame() = default;
Frame::~Frame() = default;

Program::~Program() { delete ready_.load(); }

namespace {

template <class T>
T* Held(const Plan::Code& code) {
  const auto* held = std::get_if<std::unique_ptr<T>>(&code);
  return held ? held->get() : nullptr;
}

}  // namespace

Plan::Plan(Stages the_stages, Bindings the_bindings, Code code, int64_t ns)
    : stages(std::move(the_stages)),
      bindings(std::move(the_bindings)),
      compile_ns(ns),
      code_(std::move(code)),
      program_(Held<Program>(code_)),
      tokens_(Held<const TokenProgram>(code_)) {}

Plan::~Plan() = default;

std::unique_ptr<Frame> Program::TakeFrame() {
  if (Frame* frame = ready_.exchange(nullptr, std::memory_order_acquire))
    return std::unique_ptr<Frame>(frame);
  {
    std::lock_guard lock(mu_);
    if (!spare_.empty()) {
      auto frame = std::move(spare_.back());
      spare_.pop_back();
      return frame;
    }
  }
  auto frame = std::make_unique<Frame>();
  frame->once.resize(parts.size());
  for (const PartitionCode& part : parts) {
    auto& slots = frame->slots.emplace_back(part.n_slots);
    for (const PartitionCode::Bound& b : part.bound) slots[b.slot] = b.tensor;
    frame->branches.emplace_back(part.branches.size());
    auto& replays = frame->replays.emplace_back();
    for (const ReplayCode& code : part.replays)
      replays.push_back(std::make_unique<Replay>(part, code));
  }
  return frame;
}

void Program::GiveFrame(std::unique_ptr<Frame> frame) {
  Frame* expected = nullptr;
  if (ready_.compare_exchange_strong(expected, frame.get(), std::memory_order_release)) {
    (void)frame.release();
    return;
  }
  std::lock_guard lock(mu_);
  spare_.push_back(std::move(frame));
}

}  // namespace tensh
