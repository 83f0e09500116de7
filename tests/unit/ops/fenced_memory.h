#pragma once
// An allocator for tests that finds accesses beyond the end of a tensor without a sanitizer.
//
// Each block ends at most 63 bytes (the alignment of tensors) before a page that cannot be
// accessed. An access of that page is a SIGSEGV. The bytes before it hold a pattern, and Free()
// notices if it has changed. Under AddressSanitizer those bytes are poisoned instead, so that reads
// of them are found as well. New blocks are filled with a pattern. Begin() changes both patterns: if
// a result changes with them, the kernel has read memory that it must not.
//
// Belongs to one thread.
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "runtime/core/tensor.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENSH_TEST_ASAN 1
#include <sanitizer/asan_interface.h>
#endif
#endif

namespace tensh::test {

class FencedMemory : public Allocator {
 public:
  static constexpr size_t kPage = 4096, kMost = size_t{8} << 20;

  // Returns null above kMost bytes, because a test then has an unintended shape.
  void* Allocate(size_t bytes) override {
    if (bytes > kMost) return nullptr;
    const size_t size = SizeOf(bytes);
    char* const pages = TakePages(size);
    if (!pages) return nullptr;
    char* const data = pages + size - RoundUp(bytes, 64);
    Unpoison(pages, size);
    std::memset(data, fresh_, bytes);
    std::memset(data + bytes, behind_, Behind(bytes));
    Poison(data + bytes, Behind(bytes));
    live_.emplace(data, bytes);
    return data;
  }

  void Free(void* block, size_t bytes) override {
    const size_t size = SizeOf(bytes);
    char* const data = static_cast<char*>(block);
    char* const pages = data + RoundUp(bytes, 64) - size;
    Look(data, bytes);
    Poison(pages, size);
    free_[size].push_back(pages);
    live_.erase(data);
  }

  // Sets the contents of new blocks, and of the bytes after existing ones, from now on.
  void Begin(char fresh, char behind) {
    for (const auto& [data, bytes] : live_) {
      Look(data, bytes);
      std::memset(data + bytes, behind, Behind(bytes));
      Poison(data + bytes, Behind(bytes));
    }
    fresh_ = fresh;
    behind_ = behind;
  }

  // Returns true if the bytes after a block that was freed since the last call were overwritten.
  bool TakeOverrun() {
    const bool overrun = overrun_;
    overrun_ = false;
    return overrun;
  }

 private:
  void Look(char* data, size_t bytes) {
    Unpoison(data + bytes, Behind(bytes));
    for (size_t i = bytes; i < RoundUp(bytes, 64); ++i) overrun_ |= data[i] != behind_;
  }

  static size_t Behind(size_t bytes) { return RoundUp(bytes, 64) - bytes; }
  static size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }
  static size_t SizeOf(size_t bytes) { return RoundUp(bytes + !bytes, kPage); }

  char* TakePages(size_t size) {
    std::vector<char*>& free = free_[size];
    if (!free.empty()) {
      char* const pages = free.back();
      free.pop_back();
      return pages;
    }
    void* const made = ::mmap(nullptr, size + kPage, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED || ::mprotect(made, size, PROT_READ | PROT_WRITE) != 0) return nullptr;
    return static_cast<char*>(made);
  }

#ifdef TENSH_TEST_ASAN
  static void Poison(const char* at, size_t n) { __asan_poison_memory_region(at, n); }
  static void Unpoison(const char* at, size_t n) { __asan_unpoison_memory_region(at, n); }
#else
  static void Poison(const char*, size_t) {}
  static void Unpoison(const char*, size_t) {}
#endif

  std::map<size_t, std::vector<char*>> free_;
  std::map<char*, size_t> live_;
  char fresh_ = 0x11, behind_ = 0x5a;
  bool overrun_ = false;
};

}  // namespace tensh::test
