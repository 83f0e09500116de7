#include "ops/support/philox.h"

#include <cmath>
#include <cstring>

#include "ops/support/isa.h"
#include "ops/support/shape_util.h"
#include "runtime/base/random.h"

namespace tensh::ops {
namespace {

constexpr uint32_t kKeyStep0 = 0x9E3779B9, kKeyStep1 = 0xBB67AE85;
constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr int kRounds = 10;
constexpr double kPi = 3.14159265358979323846;
constexpr float kSmallestFloat = 1.0e-7f;  // keeps log finite
constexpr double kSmallestDouble = 1.0e-7;

// Computes kAtOnce blocks whose counters differ in the low half only: it is low + i * stride.
constexpr int64_t kAtOnce = 16;
struct BlocksAtOnce {
  TENSH_ALWAYS_INLINE static void Run(const uint32_t* counter, const uint32_t* key, uint64_t low,
                                      uint64_t stride, uint32_t* words) {
    uint32_t x0[kAtOnce], x1[kAtOnce], x2[kAtOnce], x3[kAtOnce];
    for (int64_t i = 0; i < kAtOnce; ++i) {
      const uint64_t at = low + static_cast<uint64_t>(i) * stride;
      x0[i] = static_cast<uint32_t>(at);
      x1[i] = static_cast<uint32_t>(at >> 32);
      x2[i] = counter[2];
      x3[i] = counter[3];
    }
    uint32_t key0 = key[0], key1 = key[1];
    for (int round = 0; round < kRounds; ++round) {
      for (int64_t i = 0; i < kAtOnce; ++i) {
        const uint64_t a = uint64_t{kMultiplier0} * x0[i], b = uint64_t{kMultiplier1} * x2[i];
        x0[i] = static_cast<uint32_t>(b >> 32) ^ x1[i] ^ key0;
        x1[i] = static_cast<uint32_t>(b);
        x2[i] = static_cast<uint32_t>(a >> 32) ^ x3[i] ^ key1;
        x3[i] = static_cast<uint32_t>(a);
      }
      key0 += kKeyStep0;
      key1 += kKeyStep1;
    }
    for (int64_t i = 0; i < kAtOnce; ++i) {
      words[4 * i] = x0[i];
      words[4 * i + 1] = x1[i];
      words[4 * i + 2] = x2[i];
      words[4 * i + 3] = x3[i];
    }
  }
};

}  // namespace

void Philox::Blocks(int64_t count, uint64_t stride, uint32_t* words) const {
  Philox at = *this;
  while (count > 0) {
    const uint64_t low = at.counter_[0] | uint64_t{at.counter_[1]} << 32;
    if (count >= kAtOnce && low <= UINT64_MAX - kAtOnce * stride) {
      Dispatch<BlocksAtOnce>(static_cast<const uint32_t*>(at.counter_.data()),
                             static_cast<const uint32_t*>(at.key_.data()), low, stride, words);
      at.Skip(kAtOnce * stride);
      words += 4 * kAtOnce;
      count -= kAtOnce;
      continue;
    }
    const Philox here = at;
    const Block block = at.Next();
    at = here;
    at.Skip(stride);
    for (const uint32_t word : block) *words++ = word;
    --count;
  }
}

Philox::Block Philox::Next() {
  Block x = counter_;
  auto key = key_;
  for (int round = 0; round < kRounds; ++round) {
    uint64_t a = uint64_t{kMultiplier0} * x[0], b = uint64_t{kMultiplier1} * x[2];
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ key[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += kKeyStep0;
    key[1] += kKeyStep1;
  }
  Skip(1);
  return x;
}

void Philox::Skip(uint64_t blocks) {
  uint64_t low = counter_[0] | uint64_t{counter_[1]} << 32;
  low += blocks;
  counter_[0] = static_cast<uint32_t>(low);
  counter_[1] = static_cast<uint32_t>(low >> 32);
  if (low < blocks && ++counter_[2] == 0) ++counter_[3];
}

double UnitDouble(uint32_t high, uint32_t low) {
  uint64_t bits = uint64_t{1023} << 52 | uint64_t{high & 0xFFFFFu} << 32 | low;
  double d;
  std::memcpy(&d, &bits, sizeof d);
  return d - 1.0;
}

void NormalPair(const uint32_t* bits, float out[2]) {
  float u1 = UnitFloat(bits[0]);
  if (u1 < kSmallestFloat) u1 = kSmallestFloat;
  // The product is computed in double and rounded once, as in TensorFlow.
  const float angle = static_cast<float>(2.0f * kPi * UnitFloat(bits[1]));
  const float radius = std::sqrt(-2.0f * std::log(u1));
  out[0] = std::sin(angle) * radius;
  out[1] = std::cos(angle) * radius;
}

namespace {

// The numbers between the calls of the C library, which give the same bits as in NormalPair.
struct LogArguments {
  TENSH_ALWAYS_INLINE static void Run(const uint32_t* bits, int64_t pairs, float* u, float* angle) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < pairs; ++i) {
      const float u1 = UnitFloat(bits[2 * i]);
      u[i] = u1 < kSmallestFloat ? kSmallestFloat : u1;
      angle[i] = static_cast<float>(2.0f * kPi * static_cast<double>(UnitFloat(bits[2 * i + 1])));
    }
  }
};
struct Radii {
  TENSH_ALWAYS_INLINE static void Run(float* log, int64_t pairs) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < pairs; ++i) log[i] = std::sqrt(-2.0f * log[i]);
  }
};

}  // namespace

void NormalPairs(const uint32_t* bits, int64_t pairs, float* out) {
  float radius[kMostPairs], angle[kMostPairs];
  Dispatch<LogArguments>(bits, pairs, static_cast<float*>(radius), static_cast<float*>(angle));
  for (int64_t i = 0; i < pairs; ++i) radius[i] = std::log(radius[i]);
  Dispatch<Radii>(static_cast<float*>(radius), pairs);
  for (int64_t i = 0; i < pairs; ++i) {
    out[2 * i] = std::sin(angle[i]) * radius[i];
    out[2 * i + 1] = std::cos(angle[i]) * radius[i];
  }
}

void NormalPair(const uint32_t* bits, double out[2]) {
  double u1 = UnitDouble(bits[0], bits[1]);
  if (u1 < kSmallestDouble) u1 = kSmallestDouble;
  const double angle = 2 * kPi * UnitDouble(bits[2], bits[3]);
  const double radius = std::sqrt(-2.0 * std::log(u1));
  out[0] = std::sin(angle) * radius;
  out[1] = std::cos(angle) * radius;
}

SeedPair SeedsOrSystems(int64_t seed, int64_t seed2) {
  if (seed != 0 || seed2 != 0) return {static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)};
  return {SystemRandom(), SystemRandom()};
}

Generator::Generator(int64_t seed, int64_t seed2) {
  const auto [a, b] = SeedsOrSystems(seed, seed2);
  philox_ = Philox(a, b);
}

Philox Generator::Reserve(uint64_t blocks) {
  std::lock_guard lock(mu_);
  Philox here = philox_;
  philox_.Skip(blocks);
  return here;
}

// The seed is itself encrypted by Philox, so that seeds that differ in any bit give unrelated
// streams.
PhiloxPlace PlaceOfSeed(const Tensor& seed) {
  constexpr uint64_t kScramble = 0x02461e293ec8f720;
  const Philox::Block mix = Philox(kScramble, static_cast<uint64_t>(IndexAt(seed, 0)),
                                   static_cast<uint64_t>(IndexAt(seed, 1)))
                                .Next();
  return PhiloxPlace{mix[0] | uint64_t{mix[1]} << 32, 0, mix[2] | uint64_t{mix[3]} << 32};
}

Result<std::unique_ptr<KernelState>> PrepareRandom(PrepareCtx& c) {
  int64_t seed = c.attrs().Int("seed"), seed2 = c.attrs().Int("seed2");
  auto state = std::make_unique<RandomState>();
  std::string name = StrCat(c.node_name(), " (generator)");
  state->generator = c.resources().FindOrMake<Generator>(
      name, [&] { return std::make_shared<Generator>(seed, seed2); });
  return std::unique_ptr<KernelState>(std::move(state));
}

}  // namespace tensh::ops
