#include "runtime/core/step_number.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace tensh {
namespace {

struct NumberedSteps {
  std::atomic<size_t> size{0};  // so that most steps end without locking
  std::mutex mu;
  uint64_t last = 0;
  std::unordered_map<const CancelFlag*, uint64_t> numbers;
};

NumberedSteps& TheSteps() {
  static NumberedSteps steps;
  return steps;
}

}  // namespace

uint64_t StepNumber(const CancelFlag* step) {
  if (!step) return 0;
  NumberedSteps& steps = TheSteps();
  std::lock_guard lock(steps.mu);
  const auto [it, added] = steps.numbers.try_emplace(step, steps.last + 1);
  if (added) {
    ++steps.last;
    steps.size.store(steps.numbers.size(), std::memory_order_relaxed);
  }
  return it->second;
}

StepNumberEnder::~StepNumberEnder() {
  NumberedSteps& steps = TheSteps();
  if (steps.size.load(std::memory_order_relaxed) == 0) return;
  std::lock_guard lock(steps.mu);
  steps.numbers.erase(step);
  steps.size.store(steps.numbers.size(), std::memory_order_relaxed);
}

}  // namespace tensh
