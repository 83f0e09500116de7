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

  struct State {
    std::array<uint32_t, 624> words{};
    size_t at = 624;  // The next word, in [0, 624]; 624 after all have been used.
    bool has_gauss = false;
    double gauss = 0;  // The result that NextGauss keeps.
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void Refill();

  State state_;
};

}  // namespace tensh::shell::np
