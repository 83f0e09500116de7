#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCache = false;  // sanitizers must see each block end
#else
constexpr bool kCache = true;
#endif
constexpr size_t kSmall = 1024;             // thread-cached below this
constexpr size_t kLarge = size_t{1} << 16;  // kept for reuse from here on
constexpr size_t kHuge = size_t{2} << 20;   // asks for huge pages from here on
constexpr size_t kKeepBytes = size_t{2} << 30;

// Free small blocks of one thread, by 64-byte class.
struct ThreadCache {
  static constexpr size_t kPerClass = 64;
  std::array<std::vector<void*>, kSmall / 64 + 1> free;
  ~ThreadCache() {
    for (auto& list : free)
      for (void* p : list) std::free(p);
    gone = true;
  }
  static thread_local bool gone;
};
thread_local bool ThreadCache::gone = false;
thread_local ThreadCache cache;

constexpr size_t kAskFirst = size_t{256} << 20;  // larger blocks must fit in what is available

// Linux hands out more memory than there is and kills who touches it; a tensor that cannot fit must
// be an error instead. What /proc says is available, or everything when it does not say.
size_t AvailableBytes() {
  std::FILE* file = std::fopen("/proc/meminfo", "r");
  if (!file) return SIZE_MAX;
  char line[128];
  unsigned long long kib = SIZE_MAX >> 10;
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "MemAvailable: %llu", &kib) == 1) break;
  std::fclose(file);
  return static_cast<size_t>(kib) << 10;
}

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

// Eight classes an octave: at most 12.5 % of a large block is unused.
size_t LargeClass(size_t bytes) {
  size_t step = std::bit_floor(bytes) / 8;
  return RoundUp(bytes, step);
}

class CachingHostAllocator : public Allocator {
 public:
  void* Allocate(size_t bytes) override {
    if (!kCache)
      return bytes >= kAskFirst && bytes > AvailableBytes()
                 ? nullptr
                 : std::aligned_alloc(64, RoundUp(bytes, 64));
    if (bytes <= kSmall && !ThreadCache::gone) {
      size_t c = (bytes + 63) / 64;
      auto& list = cache.free[c];
      if (!list.empty()) {
        void* p = list.back();
        list.pop_back();
        return p;
      }
      return std::aligned_alloc(64, c ? c * 64 : 64);
    }
    return bytes < kLarge ? std::aligned_alloc(64, RoundUp(bytes, 64)) : AllocateLarge(bytes);
  }

  void Free(void* data, size_t bytes) override {
    if (kCache && bytes <= kSmall && !ThreadCache::gone) {
      auto& list = cache.free[(bytes + 63) / 64];
      if (list.size() < ThreadCache::kPerClass) return list.push_back(data);
    } else if (kCache && bytes >= kLarge) {
      return FreeLarge(data, LargeClass(bytes));
    }
    std::free(data);
  }

 private:
  struct Block {
    void* data;
    size_t bytes;
  };

  void* AllocateLarge(size_t bytes) {
    bytes = LargeClass(bytes);
    {
      std::lock_guard lock(mu_);
      for (size_t i = kept_.size(); i-- > 0;) {
        if (kept_[i].bytes != bytes) continue;
        void* data = kept_[i].data;
        kept_.erase(kept_.begin() + static_cast<ptrdiff_t>(i));
        kept_bytes_ -= bytes;
        return data;
      }
    }
    if (bytes >= kAskFirst && bytes > AvailableBytes()) return nullptr;
    void* data = std::aligned_alloc(bytes >= kHuge ? kHuge : 64,
                                    RoundUp(bytes, bytes >= kHuge ? kHuge : 64));
    if (data && bytes >= kHuge) madvise(data, bytes, MADV_HUGEPAGE);
    return data;
  }

  void FreeLarge(void* data, size_t bytes) {
    std::unique_lock lock(mu_);
    if (bytes > kKeepBytes / 2) {
      lock.unlock();
      return std::free(data);
    }
    kept_.push_back({data, bytes});
    kept_bytes_ += bytes;
    std::vector<Block> drop;
    while (kept_bytes_ > kKeepBytes || kept_.size() > 256) {  // oldest first
      drop.push_back(kept_.front());
      kept_bytes_ -= kept_.front().bytes;
      kept_.erase(kept_.begin());
    }
    lock.unlock();
    for (Block& b : drop) std::free(b.data);
  }

  std::mutex mu_;
  std::vector<Block> kept_;
  size_t kept_bytes_ = 0;
};

}  // namespace

Allocator* HostAllocator() {
  static CachingHostAllocator* allocator = new CachingHostAllocator;  // outlives every tensor
  return allocator;
}

}  // namespace tensh
