// PCG64 (XSL-RR of a 128-bit linear congruential generator), numpy's default source, with draws by
// the ziggurat method. Not thread-safe; a generator has one owner.
#pragma once

#include <array>
#include <cstdint>

#include "shell/numpy/random/draws.h"

namespace tensh::shell::np {

__extension__ using Bits128 = unsigned __int128;

class Pcg64 : public Draws {
 public:
  // `seed` is the result of SeedSequence.generate_state(4, uint64).
  explicit Pcg64(const std::array<uint64_t, 4>& seed);

  uint32_t Next32() override;  // One 64-bit draw yields two results.
  uint64_t Next64() override;
  double NextDouble() override;
  double NextGauss() override;
  double NextExponential() override;
  void Advance(Bits128 steps);

  // The state as in numpy's state dictionaries.
  struct State {
    Bits128 state = 0, increment = 0;
    bool has_half = false;
    uint32_t half = 0;
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void Step();
  State state_;
};

}  // namespace tensh::shell::np
