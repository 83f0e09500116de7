#pragma once
// Philox4x32-10, the counter-based random number generator of Salmon et al. (SC'11). The two 64-bit
// seeds are laid out as in TensorFlow, and bits are converted to numbers as in TensorFlow.
//
// A generator is a plain value. Its position in the stream is a counter, so that any part of a
// stream can be computed independently.
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/core/kernel.h"

namespace tensh::ops {

// The number of 128-bit blocks reserved for each number, whether they are used or not. TensorFlow's
// value; it is part of the definition of the stream.
inline constexpr uint64_t kBlocksPerNumber = 256;

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  Philox() = default;
  Philox(uint64_t seed, uint64_t seed2)
      : counter_{0, 0, static_cast<uint32_t>(seed2), static_cast<uint32_t>(seed2 >> 32)},
        key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)} {}

  // Starts at any position: the full 128-bit counter is given, low half first.
  Philox(uint64_t key, uint64_t counter_low, uint64_t counter_high)
      : counter_{static_cast<uint32_t>(counter_low), static_cast<uint32_t>(counter_low >> 32),
                 static_cast<uint32_t>(counter_high), static_cast<uint32_t>(counter_high >> 32)},
        key_{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)} {}

  // Returns the next 128 bits.
  Block Next();
  // Stores the four words of each of `count` blocks, the first of which is the next one, and which are
  // `stride` blocks apart. Leaves the position as it is.
  void Blocks(int64_t count, uint64_t stride, uint32_t* words) const;
  // Skips `blocks` blocks of 128 bits.
  void Skip(uint64_t blocks);

 private:
  Block counter_{};
  std::array<uint32_t, 2> key_{};
};

// The start of the stream of a stateless random op: a key and a 128-bit counter.
struct PhiloxPlace {
  uint64_t key = 0, low = 0, high = 0;
  Philox Start() const { return {key, low, high}; }
};
// Derives the start of the stream from a seed of two integers.
PhiloxPlace PlaceOfSeed(const Tensor& seed);

// Yields the output of a Philox generator 32 bits at a time.
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

// Return a number in [0, 1) made of 23 of the 32 bits, or 52 of the 64 bits.
inline float UnitFloat(uint32_t x) {
  return std::bit_cast<float>(uint32_t{127} << 23 | (x & 0x7FFFFFu)) - 1.0f;
}
double UnitDouble(uint32_t high, uint32_t low);
// Compute two standard normal numbers from two uniform ones by the Box-Muller transform. `bits` has
// 2 words for float and 4 for double.
void NormalPair(const uint32_t* bits, float out[2]);  // 2 words
// Calls NormalPair for each of up to kMostPairs pairs of words. The pairs do not wait for each other.
inline constexpr int64_t kMostPairs = 128;
void NormalPairs(const uint32_t* bits, int64_t pairs, float* out);
void NormalPair(const uint32_t* bits, double out[2]);  // -

using SeedPair = std::pair<uint64_t, uint64_t>;
// Returns the two seeds. If both are 0, returns random ones from the system instead.
SeedPair SeedsOrSystems(int64_t seed, int64_t seed2);

// The generator of a random op's node. It belongs to the session, so that each run of the node
// continues the stream where the previous run ended. Thread-safe.
class Generator : public Resource {
 public:
  Generator(int64_t seed, int64_t seed2);
  // Returns a generator at the current position and advances the position by `blocks`.
  Philox Reserve(uint64_t blocks);

 private:
  std::mutex mu_;
  Philox philox_;  // guarded by mu_
};

// The state of a random op: the session's generator for this node.
struct RandomState : KernelState {
  std::shared_ptr<Generator> generator;
};
// Reads the attributes seed and seed2. If both are 0, the generator is seeded randomly by the
// system.
Result<std::unique_ptr<KernelState>> PrepareRandom(PrepareCtx& c);

}  // namespace tensh::ops
