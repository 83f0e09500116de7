#pragma once
// Philox4x32-10, the counter-based generator of Salmon et al. (SC'11), laid out over two 64-bit
// seeds as TensorFlow does it, and TensorFlow's ways from its bits to numbers. A generator is a
// plain value: its place in the stream is a counter, so any part of a stream can be made on its
// own.
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/core/kernel.h"

namespace tensh::ops {

// Blocks of 128 bits set aside for each number, whether used or not: TensorFlow's, part of the
// stream.
inline constexpr uint64_t kBlocksPerNumber = 256;

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  Philox() = default;
  Philox(uint64_t seed, uint64_t seed2)
      : counter_{0, 0, static_cast<uint32_t>(seed2), static_cast<uint32_t>(seed2 >> 32)},
        key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)} {}

  // At a place of its own: the whole counter, low half first.
  Philox(uint64_t key, uint64_t counter_low, uint64_t counter_high)
      : counter_{static_cast<uint32_t>(counter_low), static_cast<uint32_t>(counter_low >> 32),
                 static_cast<uint32_t>(counter_high), static_cast<uint32_t>(counter_high >> 32)},
        key_{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)} {}

  // The next 128 bits.
  Block Next();
  // Passes over `blocks` of 128 bits.
  void Skip(uint64_t blocks);

 private:
  Block counter_{};
  std::array<uint32_t, 2> key_{};
};

// Where the numbers of a stateless op begin.
struct PhiloxPlace {
  uint64_t key = 0, low = 0, high = 0;
  Philox Start() const { return {key, low, high}; }
};
// The place that a seed, two integers, stands for.
PhiloxPlace PlaceOfSeed(const Tensor& seed);

// 32 bits at a time out of a Philox.
class Philox32 {
 public:
  explicit Philox32(Philox philox) : philox_(philox) {}
  uint32_t Next() {
    if (used_ == 4) {
      block_ = philox_.Next();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  Philox philox_;
  Philox::Block block_{};
  unsigned used_ = 4;
};

// [0, 1) from 23 of 32, or 52 of 64 bits.
float UnitFloat(uint32_t x);
double UnitDouble(uint32_t high, uint32_t low);
// Two standard normal numbers from two uniform ones (Box and Muller).
void NormalPair(const uint32_t* bits, float out[2]);   // 2 words
void NormalPair(const uint32_t* bits, double out[2]);  // 4 words

using SeedPair = std::pair<uint64_t, uint64_t>;
// The two seeds, or where both are 0 two of the system's, other ones every time.
SeedPair SeedsOrSystems(int64_t seed, int64_t seed2);

// A node's generator. Lives in the session, so that one run of the node goes on where the last
// ended.
class Generator : public Resource {
 public:
  Generator(int64_t seed, int64_t seed2);
  // A generator at the present place; the next caller begins `blocks` later.
  Philox Reserve(uint64_t blocks);

 private:
  std::mutex mu_;
  Philox philox_;  // guarded by mu_
};

// State of a random op: its session's generator for this node.
struct RandomState : KernelState {
  std::shared_ptr<Generator> generator;
};
// Reads attributes seed and seed2; both 0: seeded from the system, different every time.
Result<std::unique_ptr<KernelState>> PrepareRandom(PrepareCtx& c);

}  // namespace tensh::ops
