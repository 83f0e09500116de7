#pragma once
// TensorFlow's random streams for device code. nvcc compiles constexpr functions as device code too.
#include <bit>
#include <cmath>
#include <cstring>

#include "ops/support/philox.h"

namespace tensh::ops {

struct RandomBits {
  uint32_t word[4];
};

// A position in a stream. At returns the block at an offset from it (Salmon et al., as in
// ops/support/philox.cc).
struct RandomPlace {
  uint64_t low, high;
  uint32_t key[2];

  constexpr RandomBits At(uint64_t block) const {
    const uint64_t l = low + block, h = high + (l < block ? 1 : 0);
    uint32_t x[4] = {static_cast<uint32_t>(l), static_cast<uint32_t>(l >> 32),
                     static_cast<uint32_t>(h), static_cast<uint32_t>(h >> 32)};
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * x[0], b = uint64_t{0xCD9E8D57} * x[2];
      const uint32_t y0 = static_cast<uint32_t>(b >> 32) ^ x[1] ^ k0;
      const uint32_t y2 = static_cast<uint32_t>(a >> 32) ^ x[3] ^ k1;
      x[0] = y0, x[1] = static_cast<uint32_t>(b), x[2] = y2, x[3] = static_cast<uint32_t>(a);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return {{x[0], x[1], x[2], x[3]}};
  }
};

inline RandomPlace PlaceAt(const Philox& philox) {
  static_assert(sizeof(Philox) == 24);  // a counter and a key
  uint32_t words[6];
  std::memcpy(words, &philox, sizeof words);
  return {words[0] | uint64_t{words[1]} << 32,
          words[2] | uint64_t{words[3]} << 32,
          {words[4], words[5]}};
}

// Returns a number in [0, 1).
constexpr float UnitOnDevice(float, const uint32_t* bits) {
  return std::bit_cast<float>(uint32_t{127} << 23 | (bits[0] & 0x7FFFFFu)) - 1.0f;
}
constexpr double UnitOnDevice(double, const uint32_t* bits) {
  return std::bit_cast<double>(uint64_t{1023} << 52 | uint64_t{bits[0] & 0xFFFFFu} << 32 |
                               bits[1]) -
         1.0;
}

template <class T>
constexpr void NormalPairOnDevice(const uint32_t* bits, T* out) {
  constexpr int kWords = sizeof(T) / 4;
  T u = UnitOnDevice(T(), bits);
  if (u < T(1.0e-7)) u = T(1.0e-7f);
  const T angle = static_cast<T>(2 * 3.14159265358979323846 * UnitOnDevice(T(), bits + kWords));
  const T radius = std::sqrt(T(-2) * std::log(u));
  out[0] = std::sin(angle) * radius;
  out[1] = std::cos(angle) * radius;
}

}  // namespace tensh::ops
