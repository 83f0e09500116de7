// _hash: digests of bytes (RFC 1321, FIPS 180-4); the module hashlib is shell/lang/python's.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "shell/lang/modules/modules.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell {
namespace {

// The message with its end mark and its length in bits, in whole blocks.
std::string Padded(const std::string& data, size_t block, bool big) {
  std::string text = data + '\x80';
  const size_t length_bytes = block / 8;
  while (text.size() % block != block - length_bytes) text += '\0';
  const uint64_t bits = static_cast<uint64_t>(data.size()) * 8;
  for (size_t i = 0; i < length_bytes; ++i) {
    const size_t byte = big ? length_bytes - 1 - i : i;
    text += byte < 8 ? static_cast<char>(bits >> (8 * byte)) : '\0';
  }
  return text;
}

template <class Word>
Word ReadBig(const char* at) {
  Word v = 0;
  for (size_t i = 0; i < sizeof(Word); ++i)
    v = static_cast<Word>(v << 8 | static_cast<unsigned char>(at[i]));
  return v;
}

template <class Word>
std::string Text(const Word* words, size_t count, bool big) {
  std::string out;
  for (size_t i = 0; i < count; ++i)
    for (size_t b = 0; b < sizeof(Word); ++b)
      out += static_cast<char>(words[i] >> (8 * (big ? sizeof(Word) - 1 - b : b)));
  return out;
}

std::string Md5(const std::string& data) {
  static const auto sines = [] {
    std::array<uint32_t, 64> t{};
    for (size_t i = 0; i < t.size(); ++i)
      t[i] = static_cast<uint32_t>(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0);
    return t;
  }();
  constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::string text = Padded(data, 64, /*big=*/false);
  for (size_t at = 0; at < text.size(); at += 64) {
    uint32_t words[16];
    std::memcpy(words, text.data() + at, sizeof words);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (uint32_t i = 0; i < 64; ++i) {
      const uint32_t round = i / 16;
      const uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                             : round == 1 ? (d & b) | (~d & c)
                             : round == 2 ? b ^ c ^ d
                                          : c ^ (b | ~d);
      constexpr uint32_t kSteps[4][2] = {{1, 0}, {5, 1}, {3, 5}, {7, 0}};
      const uint32_t word = words[(kSteps[round][0] * i + kSteps[round][1]) % 16];
      const uint32_t turned = std::rotl(a + mixed + sines[i] + word, kShifts[round][i % 4]);
      a = d, d = c, c = b, b += turned;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  }
  return Text(state, 4, false);
}

std::string Sha1(const std::string& data) {
  uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const std::string text = Padded(data, 64, /*big=*/true);
  for (size_t at = 0; at < text.size(); at += 64) {
    uint32_t w[80];
    for (size_t i = 0; i < 80; ++i)
      w[i] = i < 16 ? ReadBig<uint32_t>(text.data() + at + 4 * i)
                    : std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (size_t i = 0; i < 80; ++i) {
      constexpr uint32_t kRound[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
      const uint32_t mixed = i < 20              ? (b & c) | (~b & d)
                             : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
                                                 : b ^ c ^ d;
      const uint32_t next = std::rotl(a, 5) + mixed + e + kRound[i / 20] + w[i];
      e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
  }
  return Text(state, 5, true);
}

// The first `bits` bits behind the point of the root (2 or 3) of each of the first primes.
template <class Word, size_t kCount>
std::array<Word, kCount> RootsOfPrimes(int root, size_t skip) {
  std::array<Word, kCount> out{};
  size_t found = 0;
  for (unsigned n = 2; found < kCount + skip; ++n) {
    bool prime = true;
    for (unsigned d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (!prime || found++ < skip) continue;
    // The largest r with r^root <= n * 2^(root * bits), by bisection.
    unsigned __int128 low = 0, high = static_cast<unsigned __int128>(1) << (sizeof(Word) * 8 + 5);
    const auto above = [&](unsigned __int128 r) {
      // Compares in long integers of 32-bit digits: r^root with n shifted.
      std::array<uint64_t, 16> power{1};
      for (int k = 0; k < root; ++k) {
        std::array<uint64_t, 16> next{};
        for (size_t i = 0; i < 10; ++i)
          for (size_t j = 0; j < 3; ++j) {
            const uint64_t digit = static_cast<uint32_t>(r >> (32 * j));
            const uint64_t product = power[i] * digit;
            next[i + j] += product & 0xffffffff;
            next[i + j + 1] += product >> 32;
          }
        for (size_t i = 0; i + 1 < next.size(); ++i)
          next[i + 1] += next[i] >> 32, next[i] &= 0xffffffff;
        power = next;
      }
      std::array<uint64_t, 16> wanted{};
      wanted[static_cast<size_t>(root) * sizeof(Word) / 4] = n;
      return std::lexicographical_compare(wanted.rbegin(), wanted.rend(), power.rbegin(),
                                          power.rend());
    };
    while (high - low > 1) {
      const unsigned __int128 middle = (low + high) / 2;
      (above(middle) ? high : low) = middle;
    }
    out[found - skip - 1] = static_cast<Word>(low);
  }
  return out;
}

// SHA-224 and SHA-256 on 32-bit words, SHA-384 and SHA-512 on 64-bit words.
template <class Word>
struct Sha2 {
  static constexpr bool kWide = sizeof(Word) == 8;
  static constexpr size_t kRounds = kWide ? 80 : 64;
  static constexpr int kTurns[4][3] = {
      {kWide ? 28 : 2, kWide ? 34 : 13, kWide ? 39 : 22},
      {kWide ? 14 : 6, kWide ? 18 : 11, kWide ? 41 : 25},
      {kWide ? 1 : 7, kWide ? 8 : 18, kWide ? 7 : 3},      // the last is a shift
      {kWide ? 19 : 17, kWide ? 61 : 19, kWide ? 6 : 10},  // the last is a shift
  };
  static Word Turn(int which, Word x) {
    const int* t = kTurns[which];
    return std::rotr(x, t[0]) ^ std::rotr(x, t[1]) ^ (which < 2 ? std::rotr(x, t[2]) : x >> t[2]);
  }

  static std::string Digest(const std::string& data, std::array<Word, 8> state, size_t bytes) {
    static const auto k = RootsOfPrimes<Word, kRounds>(3, 0);
    constexpr size_t kBlock = 16 * sizeof(Word);
    const std::string text = Padded(data, kBlock, /*big=*/true);
    for (size_t at = 0; at < text.size(); at += kBlock) {
      Word w[kRounds];
      for (size_t i = 0; i < kRounds; ++i)
        w[i] = i < 16 ? ReadBig<Word>(text.data() + at + sizeof(Word) * i)
                      : Turn(3, w[i - 2]) + w[i - 7] + Turn(2, w[i - 15]) + w[i - 16];
      std::array<Word, 8> s = state;
      for (size_t i = 0; i < kRounds; ++i) {
        const Word one = s[7] + Turn(1, s[4]) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        const Word two = Turn(0, s[0]) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
      }
      for (size_t i = 0; i < 8; ++i) state[i] += s[i];
    }
    return Text(state.data(), 8, true).substr(0, bytes);
  }
};

std::string Sha256(const std::string& data) {
  return Sha2<uint32_t>::Digest(data, RootsOfPrimes<uint32_t, 8>(2, 0), 32);
}
std::string Sha512(const std::string& data) {
  return Sha2<uint64_t>::Digest(data, RootsOfPrimes<uint64_t, 8>(2, 0), 64);
}
std::string Sha384(const std::string& data) {
  return Sha2<uint64_t>::Digest(data, RootsOfPrimes<uint64_t, 8>(2, 8), 48);
}
// Its start is the low half of SHA-384's.
std::string Sha224(const std::string& data) {
  const auto wide = RootsOfPrimes<uint64_t, 8>(2, 8);
  std::array<uint32_t, 8> start{};
  std::transform(wide.begin(), wide.end(), start.begin(),
                 [](uint64_t v) { return static_cast<uint32_t>(v); });
  return Sha2<uint32_t>::Digest(data, start, 28);
}

template <std::string (*kDigest)(const std::string&)>
Value DigestOf(Args& a) {
  auto* bytes = As<BytesObject>(a[0]);
  if (bytes == nullptr) throw TypeError("object supporting the buffer API required");
  return MakeBytes(kDigest(bytes->data));
}

const FunctionRow kRows[] = {
    {"md5", "data, /", DigestOf<Md5>},       {"sha1", "data, /", DigestOf<Sha1>},
    {"sha224", "data, /", DigestOf<Sha224>}, {"sha256", "data, /", DigestOf<Sha256>},
    {"sha384", "data, /", DigestOf<Sha384>}, {"sha512", "data, /", DigestOf<Sha512>}};

}  // namespace

const ModuleDef kHashModule = {.name = "_hash", .functions = kRows};

}  // namespace tensh::shell
