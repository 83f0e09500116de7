// Random numbers: the streams are the CPU's, to the bit; what is made of the bits by logarithm and
// sine may differ in the last digit.
#include <cstring>

#include "devices/cuda/cuda_kernel.h"
#include "ops/support/philox.h"
#include "ops/support/shape_util.h"

namespace tensh::cuda {
namespace {

struct Bits {
  uint32_t word[4];
};

// Block number `block` of the stream that stands at `counter` (Salmon et al., as in
// ops/support/philox.cc).
struct Place {
  uint64_t low, high;
  uint32_t key[2];

  TENSH_DEVICE Bits At(uint64_t block) const {
    const uint64_t l = low + block, h = high + (l < block ? 1 : 0);
    uint32_t x[4] = {static_cast<uint32_t>(l), static_cast<uint32_t>(l >> 32),
                     static_cast<uint32_t>(h), static_cast<uint32_t>(h >> 32)};
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * x[0], b = uint64_t{0xCD9E8D57} * x[2];
      const uint32_t y0 = static_cast<uint32_t>(b >> 32) ^ x[1] ^ k0;
      const uint32_t y2 = static_cast<uint32_t>(a >> 32) ^ x[3] ^ k1;
      x[0] = y0, x[1] = static_cast<uint32_t>(b), x[2] = y2, x[3] = static_cast<uint32_t>(a);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return {{x[0], x[1], x[2], x[3]}};
  }
};

TENSH_DEVICE inline float Unit(float, const uint32_t* bits) {
  const uint32_t word = uint32_t{127} << 23 | (bits[0] & 0x7FFFFFu);
  float f;
  memcpy(&f, &word, sizeof f);
  return f - 1.0f;
}
TENSH_DEVICE inline double Unit(double, const uint32_t* bits) {
  const uint64_t word = uint64_t{1023} << 52 | uint64_t{bits[0] & 0xFFFFFu} << 32 | bits[1];
  double d;
  memcpy(&d, &word, sizeof d);
  return d - 1.0;
}

template <class T>
TENSH_DEVICE void NormalPair(const uint32_t* bits, T* out) {
  constexpr int kWords = sizeof(T) / 4;
  T u = Unit(T(), bits);
  if (u < T(1.0e-7)) u = T(1.0e-7f);
  const T angle = static_cast<T>(2 * 3.14159265358979323846 * Unit(T(), bits + kWords));
  const T radius = std::sqrt(T(-2) * std::log(u));
  out[0] = std::sin(angle) * radius;
  out[1] = std::cos(angle) * radius;
}

// What a kernel fills, and from where: the node's own stream, and on by what its numbers take.
struct Numbers {
  Tensor* y;
  int64_t n;
  Place place;
};

Result<Numbers> Begin(KernelCtx& c) {
  static_assert(sizeof(ops::Philox) == 24);  // counter, key
  TENSH_ASSIGN(const Shape shape, ops::ShapeFromTensor(c.in(0)));
  TENSH_OUTPUT(y, c.Output(0, shape));
  const int64_t n = y->num_elements();
  const ops::Philox philox = c.state<ops::RandomState>().generator->Reserve(
      static_cast<uint64_t>(n) * ops::kBlocksPerNumber);
  uint32_t words[6];
  std::memcpy(words, &philox, sizeof words);
  return Numbers{y,
                 n,
                 {words[0] | uint64_t{words[1]} << 32,
                  words[2] | uint64_t{words[3]} << 32,
                  {words[4], words[5]}}};
}

template <class T>
constexpr int kGroup = 16 / sizeof(T);

struct Uniform {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Numbers numbers, Begin(c));
    const int64_t n = numbers.n;
    const Place place = numbers.place;
    const auto out = Out<T>(numbers.y);
    return ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
      const Bits bits = place.At(static_cast<uint64_t>(i / kGroup<T>));
      out[i] = Unit(T(), bits.word + i % kGroup<T> * (sizeof(T) / 4));
    });
  }
};

struct Normal {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Numbers numbers, Begin(c));
    const int64_t n = numbers.n;
    const Place place = numbers.place;
    const auto out = Out<T>(numbers.y);
    return ForEach(c, (n + 1) / 2, [=] TENSH_DEVICE(int64_t i) {
      constexpr int kPairs = kGroup<T> / 2;
      const Bits bits = place.At(static_cast<uint64_t>(i / kPairs));
      T pair[2];
      NormalPair(bits.word + i % kPairs * 2 * (sizeof(T) / 4), pair);
      out[2 * i] = pair[0];
      if (2 * i + 1 < n) out[2 * i + 1] = pair[1];
    });
  }
};

// Normal numbers again and again until a group is full of ones within two deviations.
struct Truncated {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Numbers numbers, Begin(c));
    const int64_t n = numbers.n;
    const Place place = numbers.place;
    const auto out = Out<T>(numbers.y);
    return ForEach(c, (n + kGroup<T> - 1) / kGroup<T>, [=] TENSH_DEVICE(int64_t group) {
      constexpr uint64_t kBlocksPerGroup = kGroup<T> * ops::kBlocksPerNumber / 4;
      constexpr int kWords = sizeof(T) / 2;  // of a pair
      int found = 0;
      for (uint64_t block = 0;; ++block) {
        const Bits bits = place.At(static_cast<uint64_t>(group) * kBlocksPerGroup + block);
        for (int at = 0; at < 4; at += kWords) {
          T pair[2];
          NormalPair(bits.word + at, pair);
          for (int k = 0; k < 2; ++k) {
            if (!(std::abs(pair[k]) < T(2))) continue;
            const int64_t i = group * kGroup<T> + found;
            if (i < n) out[i] = pair[k];
            if (++found == kGroup<T>) return;
          }
        }
      }
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(random_random) {
  const RowOptions options{.host = "shape", .type_attr = "dtype", .prepare = ops::PrepareRandom};
  r.Add<float, double>("RandomUniform", Uniform(), options);
  r.Add<float, double>("RandomStandardNormal", Normal(), options);
  r.Add<float, double>("TruncatedNormal", Truncated(), options);
  r.OnHost<int32_t, int64_t>("RandomUniformInt", "Tout");
}

}  // namespace tensh::cuda
