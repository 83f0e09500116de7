#include "runtime/core/memory/limited_allocator.h"

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tensh {
namespace {

class LimitedAllocator : public Allocator {
 public:
  LimitedAllocator(Allocator* base, size_t limit)
      : base_(base), outer_(dynamic_cast<LimitedAllocator*>(base)), limit_(limit) {}

  void* Allocate(size_t bytes) override {
    const size_t held = held_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const bool allowed = held >= bytes && (held <= limit_ || bytes == kTensorHeaderBytes);
    void* data = allowed ? base_->Allocate(bytes) : nullptr;
    if (data)
      users_.fetch_add(1, std::memory_order_relaxed);
    else
      held_.fetch_sub(bytes, std::memory_order_relaxed);
    return data;
  }
  void Free(void* data, size_t bytes) override {
    if (any_text_.load(std::memory_order_relaxed)) bytes_of_text(data, 0);
    base_->Free(data, bytes);
    held_.fetch_sub(bytes, std::memory_order_relaxed);
    Leave();
  }
  // Counts this many bytes for a block, in place of those that were counted for it before. Returns
  // false beyond the limit; the owner of the block is then expected to free it.
  bool bytes_of_text(const void* block, size_t bytes) {
    const bool fits_outside = !outer_ || bytes == 0 || outer_->bytes_of_text(block, bytes);
    std::lock_guard lock(mu_);
    if (bytes > 0) any_text_.store(true, std::memory_order_relaxed);
    size_t& counted = text_[block];
    const size_t held =
        held_.fetch_add(bytes - counted, std::memory_order_relaxed) + bytes - counted;
    counted = bytes;
    if (bytes == 0) text_.erase(block);
    return fits_outside && held <= limit_;
  }
  void Leave() {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  Allocator* const base_;
  LimitedAllocator* const outer_;  // The base if it is limited, too; otherwise null.
  const size_t limit_;
  std::atomic<size_t> held_{0};
  std::atomic<size_t> users_{1};  // Number of blocks, plus one for the pointer.
  std::atomic<bool> any_text_{false};
  std::mutex mu_;
  std::unordered_map<const void*, size_t> text_;  // By block. Guarded by mu_.
};

// Returns the bytes that the strings of a tensor own outside of its block.
size_t TextBytes(const Tensor& t) {
  const size_t inside = std::string().capacity();
  size_t bytes = 0;
  for (const std::string& s : t.flat<std::string>())
    if (s.capacity() > inside) bytes += s.capacity() + 1;
  return bytes;
}

}  // namespace

std::shared_ptr<Allocator> LimitMemory(Allocator* base, size_t limit) {
  return {new LimitedAllocator(base, limit),
          [](Allocator* a) { static_cast<LimitedAllocator*>(a)->Leave(); }};
}

Status CountTextOf(const KernelCall& call, const Tensor* slots, Allocator* allocator) {
  for (uint32_t i = 0; i < call.n_out; ++i) {
    if (call.out_dtypes[i] != DType::kString) continue;
    const Tensor& made = slots[call.out[i]];
    if (!made || made.allocator() != allocator || !made.unique()) continue;
    auto* limited = dynamic_cast<LimitedAllocator*>(allocator);
    if (!limited) return {};
    const size_t bytes = TextBytes(made);
    if (!limited->bytes_of_text(made.owner(), bytes))
      return ResourceExhausted("the text of the strings of shape ", made.shape(), " has ", bytes,
                               " B, beyond the limit of its memory");
  }
  return {};
}

}  // namespace tensh
