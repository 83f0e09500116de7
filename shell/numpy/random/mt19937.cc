#include "shell/numpy/random/mt19937.h"
#include "runtime/base/random.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tensh::shell::np {
namespace {

constexpr size_t kLength = 624, kMiddle = 397;

}  // namespace

Mt19937::Mt19937() {
  std::vector<uint32_t> key(8);
  for (uint32_t& k : key) k = static_cast<uint32_t>(SystemRandom());
  Seed(key);
}

void Mt19937::Seed(uint32_t seed) {
  for (size_t i = 0; i < kLength; ++i) {
    state_.words[i] = seed;
    seed = 1812433253u * (seed ^ (seed >> 30)) + static_cast<uint32_t>(i) + 1;
  }
  state_.at = kLength;
  state_.has_gauss = false;
}

void Mt19937::Seed(std::span<const uint32_t> key) {
  Seed(19650218u);
  size_t i = 1, j = 0;
  for (size_t k = std::max(kLength, key.size()); k > 0; --k) {
    const uint32_t before = state_.words[i - 1];
    state_.words[i] = (state_.words[i] ^ ((before ^ (before >> 30)) * 1664525u)) + key[j] +
                      static_cast<uint32_t>(j);
    if (++i == kLength) {
      state_.words[0] = state_.words[kLength - 1];
      i = 1;
    }
    if (++j == key.size()) j = 0;
  }
  for (size_t k = kLength - 1; k > 0; --k) {
    const uint32_t before = state_.words[i - 1];
    state_.words[i] =
        (state_.words[i] ^ ((before ^ (before >> 30)) * 1566083941u)) - static_cast<uint32_t>(i);
    if (++i == kLength) {
      state_.words[0] = state_.words[kLength - 1];
      i = 1;
    }
  }
  state_.words[0] = 0x80000000u;
}

void Mt19937::Refill() {
  for (size_t k = 0; k < kLength; ++k) {
    const uint32_t y =
        (state_.words[k] & 0x80000000u) | (state_.words[(k + 1) % kLength] & 0x7fffffffu);
    state_.words[k] = state_.words[(k + kMiddle) % kLength] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0u);
  }
  state_.at = 0;
}

uint32_t Mt19937::Next32() {
  if (state_.at == kLength) Refill();
  uint32_t y = state_.words[state_.at++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

uint64_t Mt19937::Next64() {
  const uint64_t high = Next32();
  return high << 32 | Next32();
}

double Mt19937::NextDouble() {
  const uint32_t a = Next32() >> 5, b = Next32() >> 6;
  return (a * 67108864.0 + b) / 9007199254740992.0;
}

double Mt19937::NextGauss() {
  if (state_.has_gauss) {
    state_.has_gauss = false;
    return state_.gauss;
  }
  double x, y, r2;
  do {
    x = 2.0 * NextDouble() - 1.0;
    y = 2.0 * NextDouble() - 1.0;
    r2 = x * x + y * y;
  } while (r2 >= 1.0 || r2 == 0.0);
  const double f = std::sqrt(-2.0 * std::log(r2) / r2);
  state_.gauss = f * x;
  state_.has_gauss = true;
  return f * y;
}

double Mt19937::NextExponential() { return -std::log(1.0 - NextDouble()); }

uint64_t Mt19937::NextBounded(uint64_t range) {
  if (range == 0xffffffffu) return Next32();
  if (range == UINT64_MAX) return Next64();
  return NextInterval(range);
}

}  // namespace tensh::shell::np
