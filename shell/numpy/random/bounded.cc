#include "shell/numpy/random/bounded.h"

#include "shell/numpy/random/pcg64.h"

namespace tensh::shell::np {
namespace {

// Lemire's method. next() returns draws of `bits` bits; the upper half of the product is the
// result.
template <class F>
uint64_t Lemire(uint64_t range, int bits, F next) {
  const Bits128 count = static_cast<Bits128>(range) + 1;
  const Bits128 mask = (static_cast<Bits128>(1) << bits) - 1;
  Bits128 product = next() * count;
  if ((product & mask) < count) {
    const Bits128 threshold = (mask - range) % count;
    while ((product & mask) < threshold) product = next() * count;
  }
  return static_cast<uint64_t>(product >> bits);
}

}  // namespace

uint64_t BoundedDraws::Word() {
  if (bits_ == 64) return g_.Next64();
  if (bits_ == 32) return g_.Next32();
  if (left_ == 0) {
    held_ = g_.Next32();
    left_ = 32 / bits_;
  } else {
    held_ >>= bits_;
  }
  --left_;
  return held_ & ((1u << bits_) - 1);
}

uint64_t BoundedDraws::Next(uint64_t range) {
  if (range == 0) return 0;
  const bool half = bits_ == 64 && range <= 0xffffffffu;
  const int bits = half ? 32 : bits_;
  const uint64_t full = UINT64_MAX >> (64 - bits);
  const auto next = [&] { return half ? g_.Next32() : Word(); };
  return range == full ? next() : Lemire(range, bits, next);
}

}  // namespace tensh::shell::np
