// The host allocator: small and medium blocks are cached per thread, large ones are kept for reuse.
#include "runtime/core/memory/host_allocator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh {
namespace {

// Sanitizers must see each block being freed. g++ announces them by macros, clang 14 by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TENSH_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TENSH_SANITIZED 1
#endif
#endif
#ifdef TENSH_SANITIZED
constexpr bool kCache = false;
#else
constexpr bool kCache = true;
#endif
constexpr size_t kSmall = 1024;             // A thread caches a number of smaller blocks.
constexpr size_t kLarge = size_t{1} << 16;  // Larger blocks are kept for reuse by all threads.
constexpr size_t kHuge = size_t{2} << 20;   // Larger blocks request huge pages.
constexpr size_t kKeepBytes = size_t{2} << 30;

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

// Rounds up to one of eight size classes per power of two. At most 12.5 % of a block is unused.
size_t LargeClass(size_t bytes) {
  size_t step = std::bit_floor(bytes) / 8;
  return RoundUp(bytes, step);
}

// The number of the size class of a block of LargeClass(n) bytes, for kSmall < n < kLarge.
size_t MediumClass(size_t bytes) {
  const auto power = static_cast<size_t>(std::bit_width(bytes)) - 1;
  return (power - 10) * 8 + (bytes >> (power - 3)) % 8;
}
constexpr size_t kMediumClasses = 7 * 8;

// Size of all medium and large blocks, including free ones that are kept.
std::atomic<size_t> held{0};

// The free blocks of one thread: small ones in size classes of 64 bytes, and medium ones, for which the
// system's allocator takes longer than most kernels.
class ThreadCache {
 public:
  // Returns the cache of this thread. Returns null if the thread is ending, or in a build that has none.
  static ThreadCache* Get() {
    if (!current && kCache && !gone) {
      owner.cache = std::make_unique<ThreadCache>();
      current = owner.cache.get();
    }
    return current;
  }
  ~ThreadCache() {
    for (auto& list : small_)
      for (void* p : list) std::free(p);
    for (auto& list : medium_)
      for (void* p : list) std::free(p);
    held.fetch_sub(medium_bytes_, std::memory_order_relaxed);
  }

  void* TakeSmall(size_t bytes) { return Take(small_[(bytes + 63) / 64]); }
  bool KeepSmall(void* p, size_t bytes) {
    auto& list = small_[(bytes + 63) / 64];
    if (list.size() >= kPerClass) return false;
    list.push_back(p);
    return true;
  }
  // Returns a block of a medium size class, or null.
  void* TakeMedium(size_t bytes) {
    void* p = Take(medium_[MediumClass(bytes)]);
    if (p) medium_bytes_ -= bytes;
    return p;
  }
  bool KeepMedium(void* p, size_t bytes) {
    if (medium_bytes_ + bytes > kMediumBytes) return false;
    medium_[MediumClass(bytes)].push_back(p);
    medium_bytes_ += bytes;
    return true;
  }

 private:
  static constexpr size_t kPerClass = 64, kMediumBytes = 256 << 10;
  // Ends the cache with its thread.
  struct Owner {
    std::unique_ptr<ThreadCache> cache;
    ~Owner() {
      current = nullptr;
      gone = true;
    }
  };
  static void* Take(std::vector<void*>& list) {
    if (list.empty()) return nullptr;
    void* p = list.back();
    list.pop_back();
    return p;
  }

  // Only pointers are thread-local, because the space for such data in a plug-in that is loaded later is small.
  static inline thread_local ThreadCache* current = nullptr;
  static inline thread_local bool gone = false;
  static thread_local Owner owner;
  std::array<std::vector<void*>, kSmall / 64 + 1> small_;
  std::array<std::vector<void*>, kMediumClasses> medium_;
  size_t medium_bytes_ = 0;
};
thread_local ThreadCache::Owner ThreadCache::owner;

constexpr size_t kAskFirst = size_t{256} << 20;  // A larger block must fit in the available memory.

// Returns the available memory according to /proc, or SIZE_MAX if it is not known. Linux grants
// more memory than exists and kills the process that touches it, but a tensor that does not fit
// must be an error.
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

// Returns the number in a file, or `otherwise` if the file does not exist or contains "max".
size_t NumberIn(const char* path, size_t otherwise) {
  std::FILE* file = std::fopen(path, "r");
  if (!file) return otherwise;
  unsigned long long value = 0;
  const bool read = std::fscanf(file, "%llu", &value) == 1;
  std::fclose(file);
  return read ? static_cast<size_t>(value) : otherwise;
}

size_t ReadBudget() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  size_t budget = SIZE_MAX / 2;
  if (pages > 0 && page > 0) budget = static_cast<size_t>(pages) * static_cast<size_t>(page);
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    budget = std::min(budget, NumberIn(path, SIZE_MAX));
  return budget;
}

// Returns the limit for all tensors of the process: the memory of the machine or of the process's
// control group. It is read when a tensor first needs more than a small block.
size_t Budget() {
  static const size_t budget = ReadBudget();
  return budget;
}

class CachingHostAllocator : public Allocator {
 public:
  static CachingHostAllocator* Get() {
    // Never destroyed, because it must outlive every tensor.
    static CachingHostAllocator* allocator = new CachingHostAllocator;
    return allocator;
  }
  void* Allocate(size_t bytes) override {
    ThreadCache* cache = bytes < kLarge ? ThreadCache::Get() : nullptr;
    if (bytes <= kSmall) {
      void* data = cache ? cache->TakeSmall(bytes) : nullptr;
      return data ? data : std::aligned_alloc(64, RoundUp(bytes + !bytes, 64));
    }
    if (!kCache) return Fresh(bytes, 64);
    if (bytes >= kLarge) return AllocateLarge(bytes);
    bytes = LargeClass(bytes);
    void* data = cache ? cache->TakeMedium(bytes) : nullptr;
    return data ? data : Fresh(bytes, 64);
  }

  void Free(void* data, size_t bytes) override {
    if (kCache && bytes >= kLarge) return FreeLarge(data, LargeClass(bytes));
    ThreadCache* cache = ThreadCache::Get();
    if (bytes <= kSmall) {
      if (!cache || !cache->KeepSmall(data, bytes)) std::free(data);
      return;
    }
    if (kCache) bytes = LargeClass(bytes);
    if (cache && cache->KeepMedium(data, bytes)) return;
    held.fetch_sub(bytes, std::memory_order_relaxed);
    std::free(data);
  }

  size_t ReleaseUnused(std::chrono::milliseconds unused) {
    std::vector<Block> drop;
    size_t kept = 0;
    {
      std::lock_guard lock(mu_);
      const Clock::time_point limit = Clock::now() - unused;
      std::erase_if(kept_, [&](const Block& b) {
        if (b.freed > limit) return false;
        kept_bytes_ -= b.bytes;
        drop.push_back(b);
        return true;
      });
      kept = kept_bytes_;
    }
    for (const Block& b : drop) Release(b);
    return kept;
  }

 private:
  // Allocates memory from the system and counts it. Returns null beyond the budget, or if a large
  // request exceeds the available memory.
  void* Fresh(size_t bytes, size_t alignment) {
    const size_t all = held.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    bool fits = all >= bytes && all <= Budget();
    if (fits && (bytes >= kAskFirst || all > trusted_.load(std::memory_order_relaxed))) {
      fits = bytes < AvailableBytes();
      if (fits) trusted_.store(all + kAskFirst, std::memory_order_relaxed);
    }
    void* data = fits ? std::aligned_alloc(alignment, RoundUp(bytes, alignment)) : nullptr;
    if (!data) held.fetch_sub(bytes, std::memory_order_relaxed);
    return data;
  }

  using Clock = std::chrono::steady_clock;
  struct Block {
    void* data;
    size_t bytes;
    Clock::time_point freed;
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
    const size_t alignment = bytes >= kHuge ? kHuge : 64;
    void* data = Fresh(bytes, alignment);
    if (!data) {
      Keep(0);
      data = Fresh(bytes, alignment);
    }
    if (data && bytes >= kHuge) madvise(data, bytes, MADV_HUGEPAGE);
    return data;
  }

  void FreeLarge(void* data, size_t bytes) {
    if (bytes > kKeepBytes / 2) return Release({data, bytes, {}});
    const Clock::time_point now = Clock::now();
    {
      std::lock_guard lock(mu_);
      kept_.push_back({data, bytes, now});
      kept_bytes_ += bytes;
    }
    Keep(kKeepBytes);
  }

  // Releases kept blocks, oldest first, until they have at most `most` bytes.
  void Keep(size_t most) {
    std::vector<Block> drop;
    {
      std::lock_guard lock(mu_);
      while (kept_bytes_ > most || kept_.size() > 256) {
        drop.push_back(kept_.front());
        kept_bytes_ -= kept_.front().bytes;
        kept_.erase(kept_.begin());
      }
    }
    for (const Block& b : drop) Release(b);
  }

  void Release(const Block& b) {
    held.fetch_sub(b.bytes, std::memory_order_relaxed);
    std::free(b.data);
  }

  // This much memory is known to be available. Beyond it, the system is asked again.
  std::atomic<size_t> trusted_{kAskFirst};
  std::mutex mu_;
  std::vector<Block> kept_;
  size_t kept_bytes_ = 0;
};

}  // namespace

Allocator* HostAllocator() { return CachingHostAllocator::Get(); }

size_t ReleaseUnusedHostMemory(std::chrono::milliseconds unused) {
  return CachingHostAllocator::Get()->ReleaseUnused(unused);
}

}  // namespace tensh
