#include "ops/strings/fingerprint.h"

#include <bit>
#include <cstring>
#include <utility>

namespace tensh::ops {
namespace {

static_assert(std::endian::native == std::endian::little);

uint64_t Load64(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
uint64_t Load32(const char* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
uint64_t Byte(char c) { return static_cast<unsigned char>(c); }

// ---- FarmHash ----

constexpr uint64_t kPrime0 = 0xc3a5c85c97cb3127u, kPrime1 = 0xb492b66fbe98f273u,
                   kPrime2 = 0x9ae16a3b2f90404fu;

uint64_t Mix(uint64_t v) { return v ^ (v >> 47); }

uint64_t Fold(uint64_t u, uint64_t v, uint64_t mul) {
  const uint64_t a = Mix((u ^ v) * mul);
  return Mix((v ^ a) * mul) * mul;
}

uint64_t UpTo16(const char* s, size_t n) {
  const uint64_t length = n, mul = kPrime2 + length * 2;
  if (n >= 8) {
    const uint64_t a = Load64(s) + kPrime2, b = Load64(s + n - 8);
    const uint64_t c = std::rotr(b, 37) * mul + a, d = (std::rotr(a, 25) + b) * mul;
    return Fold(c, d, mul);
  }
  if (n >= 4) return Fold(length + (Load32(s) << 3), Load32(s + n - 4), mul);
  if (n == 0) return kPrime2;
  const uint64_t y = Byte(s[0]) + (Byte(s[n >> 1]) << 8), z = length + (Byte(s[n - 1]) << 2);
  return Mix((y * kPrime2) ^ (z * kPrime0)) * kPrime2;
}

uint64_t UpTo32(const char* s, size_t n) {
  const uint64_t mul = kPrime2 + uint64_t{n} * 2;
  const uint64_t a = Load64(s) * kPrime1, b = Load64(s + 8);
  const uint64_t c = Load64(s + n - 8) * mul, d = Load64(s + n - 16) * kPrime2;
  return Fold(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + kPrime2, 18) + c, mul);
}

uint64_t UpTo64(const char* s, size_t n) {
  const uint64_t mul = kPrime2 + uint64_t{n} * 2;
  const uint64_t a = Load64(s) * kPrime2, b = Load64(s + 8);
  const uint64_t c = Load64(s + n - 8) * mul, d = Load64(s + n - 16) * kPrime2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = Fold(y, a + std::rotr(b + kPrime2, 18) + c, mul);
  const uint64_t e = Load64(s + 16) * mul, f = Load64(s + 24);
  const uint64_t g = (y + Load64(s + n - 32)) * mul, h = (z + Load64(s + n - 24)) * mul;
  return Fold(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, mul);
}

struct Pair {
  uint64_t first = 0, second = 0;
};

Pair Weak32(const char* s, uint64_t a, uint64_t b) {
  const uint64_t w = Load64(s), x = Load64(s + 8), y = Load64(s + 16), z = Load64(s + 24);
  a += w;
  b = std::rotr(b + a + z, 21);
  const uint64_t c = a;
  a += x + y;
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

// The state of the hash of a long string, which is processed in chunks of 64 bytes.
struct LongState {
  uint64_t x, y, z;
  Pair v, w;

  void Block(const char* s, uint64_t mul, uint64_t weight) {
    x = std::rotr(x + y + v.first + Load64(s + 8), 37) * mul;
    y = std::rotr(y + v.second + Load64(s + 48), 42) * mul;
    x ^= w.second * weight;
    y += v.first * weight + Load64(s + 40);
    z = std::rotr(z + w.first, 33) * mul;
    v = Weak32(s, v.second * mul, x + w.first);
    w = Weak32(s + 32, z + w.second, y + Load64(s + 16));
    std::swap(z, x);
  }
};

uint64_t Longer(const char* s, size_t n) {
  constexpr uint64_t kSeed = 81;
  LongState t{kSeed, kSeed * kPrime1 + 113, 0, {}, {}};
  t.z = Mix(t.y * kPrime2 + 113) * kPrime2;
  t.x = t.x * kPrime2 + Load64(s);
  const char* last = s + n - 64;
  for (size_t blocks = (n - 1) / 64; blocks > 0; --blocks, s += 64) t.Block(s, kPrime1, 1);
  const uint64_t mul = kPrime1 + ((t.z & 0xff) << 1);
  t.w.first += (n - 1) & 63;
  t.v.first += t.w.first;
  t.w.first += t.v.first;
  t.Block(last, mul, 9);
  return Fold(Fold(t.v.first, t.w.first, mul) + Mix(t.y) * kPrime0 + t.z,
              Fold(t.v.second, t.w.second, mul) + t.x, mul);
}

// ---- SipHash ----

struct Sip {
  uint64_t v0, v1, v2, v3;

  void Round() {
    v0 += v1, v1 = std::rotl(v1, 13), v1 ^= v0, v0 = std::rotl(v0, 32);
    v2 += v3, v3 = std::rotl(v3, 16), v3 ^= v2;
    v0 += v3, v3 = std::rotl(v3, 21), v3 ^= v0;
    v2 += v1, v1 = std::rotl(v1, 17), v1 ^= v2, v2 = std::rotl(v2, 32);
  }
  void Word(uint64_t m) {
    v3 ^= m;
    Round();
    Round();
    v0 ^= m;
  }
};

uint64_t Tail(const char* s, size_t n) {
  uint64_t word = 0;
  for (size_t i = 0; i < n; ++i) word |= Byte(s[i]) << (8 * i);
  return word;
}

}  // namespace

uint64_t FarmFingerprint64(std::string_view s) {
  const size_t n = s.size();
  if (n <= 16) return UpTo16(s.data(), n);
  if (n <= 32) return UpTo32(s.data(), n);
  return n <= 64 ? UpTo64(s.data(), n) : Longer(s.data(), n);
}

uint64_t SipHash24(uint64_t key0, uint64_t key1, std::string_view s) {
  Sip sip{key0 ^ 0x736f6d6570736575u, key1 ^ 0x646f72616e646f6du, key0 ^ 0x6c7967656e657261u,
          key1 ^ 0x7465646279746573u};
  const size_t whole = s.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) sip.Word(Load64(s.data() + i));
  sip.Word(uint64_t{s.size()} << 56 | Tail(s.data() + whole, s.size() - whole));
  sip.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) sip.Round();
  return sip.v0 ^ sip.v1 ^ sip.v2 ^ sip.v3;
}

uint64_t MurmurHash64(std::string_view s, uint64_t seed) {
  constexpr uint64_t kMul = 0xc6a4a7935bd1e995u;
  uint64_t h = seed ^ (uint64_t{s.size()} * kMul);
  const size_t whole = s.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) {
    uint64_t k = Load64(s.data() + i) * kMul;
    k = (k ^ (k >> 47)) * kMul;
    h = (h ^ k) * kMul;
  }
  if (s.size() > whole) h = (h ^ Tail(s.data() + whole, s.size() - whole)) * kMul;
  h = Mix(h) * kMul;
  return Mix(h);
}

}  // namespace tensh::ops
