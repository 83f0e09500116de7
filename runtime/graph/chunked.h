#pragma once
// An append-only array in chunks of doubling size. Addresses are stable, and readers need no lock:
// one writer appends, and readers only access indices below a size that is published elsewhere.
//
// The first chunk is small because most graphs are: the body of every function of a library is a
// graph, and start-up pays for each page that the first graph touches.
#include <array>
#include <bit>
#include <cstdlib>
#include <type_traits>

#include "runtime/core/status.h"

namespace tensh {

template <class T>
class Chunked {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr uint32_t kFirstBits = 6, kFirstChunk = 1u << kFirstBits;
  Chunked() = default;
  ~Chunked() {
    for (T* chunk : chunks_) std::free(chunk);
  }
  Chunked(const Chunked&) = delete;
  Chunked& operator=(const Chunked&) = delete;

  uint32_t size() const { return size_; }
  T& operator[](uint32_t i) { return *At(i); }
  const T& operator[](uint32_t i) const { return *At(i); }
  void push_back(T value) {
    if (size_ == capacity_) AddChunk();
    *At(size_++) = value;
  }
  void Truncate(uint32_t size) { size_ = size; }
  size_t bytes() const { return size_t{size_} * sizeof(T); }

 private:
  static constexpr uint32_t kMaxChunks = 24;  // for 2^30 - 64 entries

  // Entry i is in the chunk that is given by the highest bit of i + kFirstChunk, at the position
  // that the other bits give.
  T* At(uint32_t i) const {
    const uint32_t biased = i + kFirstChunk;
    const uint32_t top = std::bit_width(biased) - 1;
    return chunks_[top - kFirstBits] + (biased ^ (1u << top));
  }
  void AddChunk() {
    TENSH_CHECK(n_chunks_ < kMaxChunks, "graph too large");
    const uint32_t entries = kFirstChunk << n_chunks_;
    auto* chunk = static_cast<T*>(std::malloc(sizeof(T) * entries));
    TENSH_CHECK(chunk, "no memory for the graph");
    chunks_[n_chunks_++] = chunk;
    capacity_ += entries;
  }
  std::array<T*, kMaxChunks> chunks_{};
  uint32_t n_chunks_ = 0, size_ = 0, capacity_ = 0;
};

}  // namespace tensh
