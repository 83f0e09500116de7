#include "runtime/core/memory/limited_allocator.h"

#include <atomic>

namespace tensh {
namespace {

class LimitedAllocator : public Allocator {
 public:
  LimitedAllocator(Allocator* base, size_t limit) : base_(base), limit_(limit) {}

  void* Allocate(size_t bytes) override {
    const size_t held = held_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    void* data = held >= bytes && held <= limit_ ? base_->Allocate(bytes) : nullptr;
    if (data)
      users_.fetch_add(1, std::memory_order_relaxed);
    else
      held_.fetch_sub(bytes, std::memory_order_relaxed);
    return data;
  }
  void Free(void* data, size_t bytes) override {
    base_->Free(data, bytes);
    held_.fetch_sub(bytes, std::memory_order_relaxed);
    Leave();
  }
  void Leave() {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  Allocator* const base_;
  const size_t limit_;
  std::atomic<size_t> held_{0};
  std::atomic<size_t> users_{1};  // Number of blocks, plus one for the pointer.
};

}  // namespace

std::shared_ptr<Allocator> LimitMemory(Allocator* base, size_t limit) {
  return {new LimitedAllocator(base, limit),
          [](Allocator* a) { static_cast<LimitedAllocator*>(a)->Leave(); }};
}

}  // namespace tensh
