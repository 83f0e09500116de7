#pragma once
// An append-only array in chunks of 64K entries. Addresses are stable, and readers need no lock:
// one writer appends, and readers only access indices below a size that is published elsewhere.
#include <cstdlib>
#include <memory>
#include <type_traits>

#include "runtime/core/status.h"

namespace tensh {

template <class T>
class Chunked {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr uint32_t kShift = 16, kChunk = 1u << kShift, kMaxChunks = 1u << 14;
  // The table of chunks never moves. Its pages take no memory until they are used.
  Chunked() : chunks_(static_cast<T**>(std::calloc(kMaxChunks, sizeof(T*)))) {}
  ~Chunked() {
    for (uint32_t i = 0; i < n_chunks_; ++i) std::free(chunks_[i]);
    std::free(chunks_);
  }
  Chunked(const Chunked&) = delete;
  Chunked& operator=(const Chunked&) = delete;

  uint32_t size() const { return size_; }
  T& operator[](uint32_t i) { return chunks_[i >> kShift][i & (kChunk - 1)]; }
  const T& operator[](uint32_t i) const { return chunks_[i >> kShift][i & (kChunk - 1)]; }
  void push_back(T value) {
    if (size_ >> kShift == n_chunks_) AddChunk();
    (*this)[size_++] = value;
  }
  void Truncate(uint32_t size) { size_ = size; }
  size_t bytes() const { return size_t{size_} * sizeof(T); }

 private:
  void AddChunk() {
    TENSH_CHECK(n_chunks_ < kMaxChunks, "graph too large");
    auto* chunk = static_cast<T*>(std::malloc(sizeof(T) * kChunk));
    TENSH_CHECK(chunk, "no memory for the graph");
    chunks_[n_chunks_++] = chunk;
  }
  T** chunks_;
  uint32_t n_chunks_ = 0, size_ = 0;
};

}  // namespace tensh
