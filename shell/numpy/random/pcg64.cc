#include "shell/numpy/random/pcg64.h"

#include <bit>

#include "shell/numpy/random/ziggurat.h"

namespace tensh::shell::np {
namespace {

Bits128 Wide(uint64_t high, uint64_t low) { return static_cast<Bits128>(high) << 64 | low; }
const Bits128 kMultiplier = Wide(2549297995355413924u, 4865540595714422341u);

}  // namespace

Pcg64::Pcg64(const std::array<uint64_t, 4>& seed) {
  state_.increment = Wide(seed[2], seed[3]) << 1 | 1;
  Step();
  state_.state += Wide(seed[0], seed[1]);
  Step();
}

void Pcg64::Step() { state_.state = state_.state * kMultiplier + state_.increment; }

uint64_t Pcg64::Next64() {
  Step();
  const uint64_t high = static_cast<uint64_t>(state_.state >> 64);
  return std::rotr(high ^ static_cast<uint64_t>(state_.state), static_cast<int>(high >> 58));
}

uint32_t Pcg64::Next32() {
  if (state_.has_half) {
    state_.has_half = false;
    return state_.half;
  }
  const uint64_t both = Next64();
  state_.has_half = true;
  state_.half = static_cast<uint32_t>(both >> 32);
  return static_cast<uint32_t>(both);
}

double Pcg64::NextDouble() { return static_cast<double>(Next64() >> 11) * 0x1p-53; }
double Pcg64::NextGauss() { return ZigguratNormal(*this); }
double Pcg64::NextExponential() { return ZigguratExponential(*this); }

// Computes the power of the congruence by repeated squaring.
void Pcg64::Advance(Bits128 steps) {
  Bits128 multiplier = kMultiplier, increment = state_.increment, total = 1, offset = 0;
  for (; steps != 0; steps >>= 1) {
    if (steps & 1) {
      total *= multiplier;
      offset = offset * multiplier + increment;
    }
    increment = (multiplier + 1) * increment;
    multiplier *= multiplier;
  }
  state_.state = total * state_.state + offset;
  state_.has_half = false;
  state_.half = 0;
}

}  // namespace tensh::shell::np
