// numpy's legacy generator: MT19937 and the draws of RandomState made from it, stream for stream.
// One owner, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "shell/np/draws.h"

namespace tensh::shell::np {

class Mt19937 : public Draws {
 public:
  Mt19937();  // from the system's entropy
  void Seed(uint32_t seed);
  void Seed(std::span<const uint32_t> key);

  uint32_t Next32() override;
  uint64_t Next64() override;
  double NextDouble() override;
  double NextGauss() override;  // polar method, every second one kept
  double NextExponential() override;
  // low … low + range with the 64-bit or narrower rule of randint.
  uint64_t NextBounded(uint64_t range);

 private:
  void Refill();

  std::array<uint32_t, 624> state_{};
  size_t at_ = 624;
  bool has_gauss_ = false;
  double gauss_ = 0;
};

}  // namespace tensh::shell::np
