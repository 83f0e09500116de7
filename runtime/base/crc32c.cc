#include "runtime/base/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

// glibc's header of CPU features is C for clang 14, which then uses the tables.
#if defined(__x86_64__) && !defined(__clang__)
#define TENSH_HAS_CRC_INSTRUCTION 1
#include <sys/platform/x86.h>
#endif

namespace tensh {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78u;  // bit 31 is the coefficient of x^0

// Eight tables, so that each iteration processes eight bytes.
using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr CrcTables MakeCrcTables() {
  CrcTables t{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
    t[0][i] = crc;
  }
  for (uint32_t i = 0; i < 256; ++i)
    for (size_t k = 1; k < 8; ++k) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xff];
  return t;
}
constexpr CrcTables kCrc = MakeCrcTables();

// Multiplies two polynomials modulo kPolynomial.
constexpr uint32_t Multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (; a; a <<= 1) {
    if (a >> 31) product ^= b;
    b = (b >> 1) ^ (b & 1 ? kPolynomial : 0);
  }
  return product;
}

// Returns x^(8 bytes), by which a checksum is multiplied when that many zero bytes follow.
constexpr uint32_t PowerFor(size_t bytes) {
  uint32_t power = uint32_t{1} << 31, square = uint32_t{1} << 23;  // x^0 and x^8
  for (; bytes; bytes >>= 1) {
    if (bytes & 1) power = Multiply(power, square);
    square = Multiply(square, square);
  }
  return power;
}

uint64_t Load64(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

// Takes and returns the inverted checksum, as the loops compute with it.
uint32_t ByTables(const char* p, size_t n, uint32_t crc) {
  if constexpr (std::endian::native == std::endian::little) {
    for (; n >= 8; n -= 8, p += 8) {
      const uint64_t v = Load64(p) ^ crc;
      crc = 0;
      for (size_t k = 0; k < 8; ++k) crc ^= kCrc[7 - k][v >> (8 * k) & 0xff];
    }
  }
  for (; n; --n, ++p) crc = (crc >> 8) ^ kCrc[0][(crc ^ static_cast<unsigned char>(*p)) & 0xff];
  return crc;
}

#if TENSH_HAS_CRC_INSTRUCTION

__attribute__((target("sse4.2"))) uint32_t ByInstruction(const char* p, size_t n, uint32_t crc) {
  constexpr size_t kLane =
      8192;  // bytes of each of the three ranges; joining them takes 200 cycles
  constexpr uint32_t kPastOne = PowerFor(kLane), kPastTwo = PowerFor(2 * kLane);
  uint64_t a = crc;
  for (; n >= 3 * kLane; n -= 3 * kLane, p += 3 * kLane) {
    uint64_t b = 0, c = 0;
    for (size_t i = 0; i < kLane; i += 8) {
      a = __builtin_ia32_crc32di(a, Load64(p + i));
      b = __builtin_ia32_crc32di(b, Load64(p + kLane + i));
      c = __builtin_ia32_crc32di(c, Load64(p + 2 * kLane + i));
    }
    a = Multiply(kPastTwo, static_cast<uint32_t>(a)) ^
        Multiply(kPastOne, static_cast<uint32_t>(b)) ^ c;
  }
  for (; n >= 8; n -= 8, p += 8) a = __builtin_ia32_crc32di(a, Load64(p));
  auto rest = static_cast<uint32_t>(a);
  for (; n; --n, ++p) rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(*p));
  return rest;
}

#endif

}  // namespace

uint32_t Crc32cByTables(std::string_view data, uint32_t crc) {
  return ~ByTables(data.data(), data.size(), ~crc);
}

uint32_t Crc32c(std::string_view data, uint32_t crc) {
#if TENSH_HAS_CRC_INSTRUCTION
  if (CPU_FEATURE_ACTIVE(SSE4_2)) return ~ByInstruction(data.data(), data.size(), ~crc);
#endif
  return Crc32cByTables(data, crc);
}

uint32_t JoinCrc32c(uint32_t first, uint32_t second, size_t second_size) {
  return Multiply(PowerFor(second_size), first) ^ second;
}

}  // namespace tensh
