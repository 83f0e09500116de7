#include "runtime/core/splat_tensor.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace tensh {
namespace {

constexpr size_t kLeast = size_t{1} << 20;  // bytes of the smallest tensor that is mapped
constexpr size_t kMostMappings = 64;        // of one tensor; the system limits those of a process

// The value that the next allocation of this thread shall show, or "".
thread_local std::string pattern;

size_t RoundUp(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

// Returns a file of `size` bytes that is filled with the pattern, or -1.
int PatternFile(size_t size) {
  const int fd = ::memfd_create("tensh-splat", MFD_CLOEXEC);
  if (fd < 0) return -1;
  std::string piece;
  while (piece.size() < kLeast) piece += pattern;
  for (size_t written = 0; written < size;) {
    const size_t n = std::min(piece.size() / pattern.size() * pattern.size(), size - written);
    if (::write(fd, piece.data(), n) != static_cast<ssize_t>(n)) {
      ::close(fd);
      return -1;
    }
    written += n;
  }
  return fd;
}

// Lets all pages of the block show the pattern. Returns false if that is impossible.
bool ShowPattern(char* block, size_t size) {
  if (std::all_of(pattern.begin(), pattern.end(), [](char c) { return c == 0; })) return true;
  const size_t part = RoundUp(std::max(kLeast, size / kMostMappings), kLeast);
  const int fd = PatternFile(part);
  if (fd < 0) return false;
  bool mapped = true;
  for (size_t at = 0; mapped && at < size; at += part)
    mapped = ::mmap(block + at, std::min(part, size - at), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) != MAP_FAILED;
  ::close(fd);
  return mapped;
}

class Splats : public Allocator {
 public:
  void* Allocate(size_t bytes) override {
    if (pattern.empty()) return HostAllocator()->Allocate(bytes);
    const size_t size = SizeOnPages(bytes);
    void* block = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) return nullptr;
    if (ShowPattern(static_cast<char*>(block), size)) {
      const std::lock_guard lock(mu_);
      mapped_.insert(block);
      return block;
    }
    ::munmap(block, size);
    return nullptr;
  }
  void Free(void* data, size_t bytes) override {
    if (Forget(data))
      ::munmap(data, SizeOnPages(bytes));
    else
      HostAllocator()->Free(data, bytes);
  }

 private:
  bool Forget(void* data) {
    const std::lock_guard lock(mu_);
    return mapped_.erase(data) > 0;
  }
  static size_t SizeOnPages(size_t bytes) {
    static const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    return RoundUp(bytes, page);
  }

  std::mutex mu_;
  std::set<void*> mapped_;  // blocks that show a pattern; guarded by mu_
};

}  // namespace

Allocator* SplatAllocator() {
  static auto* allocator = new Splats;
  return allocator;
}

Tensor MakeSplat(DType dtype, const Shape& shape, const void* value, size_t size) {
  // The header in front of the elements has a multiple of 64 bytes, so that the pattern continues
  // from page to page.
  if (!IsPod(dtype) || static_cast<size_t>(shape.num_elements()) < kLeast / size) return {};
  pattern.assign(static_cast<const char*>(value), size);
  Result<Tensor> made = Tensor::Make(dtype, shape, SplatAllocator());
  pattern.clear();
  return made.ok() ? *std::move(made) : Tensor();
}

bool IsSplat(const Tensor& tensor) {
  if (tensor.allocator() != SplatAllocator() || tensor.num_elements() < 2) return false;
  const auto unit = static_cast<size_t>(SizeOf(tensor.dtype()));
  const auto* data = static_cast<const char*>(tensor.raw());
  return std::memcmp(data, data + unit, static_cast<size_t>(tensor.bytes()) - unit) == 0;
}

}  // namespace tensh
