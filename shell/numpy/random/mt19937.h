// numpy's legacy generator: MT19937 and the draws that RandomState makes from it. The streams equal
// numpy's. Not thread-safe; a generator has one owner.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "shell/numpy/random/draws.h"

namespace tensh::shell::np {

class Mt19937 : public Draws {
 public:
  Mt19937();  // Seeds from the system's entropy.
  void Seed(uint32_t seed);
  void Seed(std::span<const uint32_t> key);

  uint32_t Next32() override;
  uint64_t Next64() override;
  double NextDouble() override;
  double NextGauss() override;  // Polar method; keeps every second result for the next call.
  double NextExponential() override;
  // Returns a number in [0, range] by the rule that randint uses for that range (64-bit or
  // narrower).
  uint64_t NextBounded(uint64_t range);

 private:
  void Refill();

  std::array<uint32_t, 624> state_{};
  size_t at_ = 624;
  bool has_gauss_ = false;
  double gauss_ = 0;
};

}  // namespace tensh::shell::np
