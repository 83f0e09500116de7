#pragma once
// Distributions over a Philox generator, and loops that fill a tensor with them. The streams are
// TensorFlow's.
//
// Numbers are drawn in groups. Group i has a fixed position in the stream, so that the result does
// not depend on the thread that computes it.
#include <bit>
#include <cmath>

#include "ops/support/philox.h"
#include "runtime/core/half.h"

namespace tensh::ops {

// The number of values of type T drawn from one block of 128 bits: at most one per 32-bit word.
template <class T>
inline constexpr int64_t kPerBlock = sizeof(T) == 8 ? 2 : 4;

// Return a number in [0, 1) made of 10 bits (half) or 7 bits (bfloat16) of the 16 bits.
inline void UnitNumber(uint32_t bits, Half* out) {
  const uint16_t one = static_cast<uint16_t>(15u << 10 | (bits & 0x3ffu));
  *out = Half(HalfToFloat(one) - 1.0f);
}
inline void UnitNumber(uint32_t bits, Bfloat16* out) {
  const uint16_t one = static_cast<uint16_t>(127u << 7 | (bits & 0x7fu));
  *out = Bfloat16(Bfloat16ToFloat(one) - 1.0f);
}
inline void UnitNumber(uint32_t bits, float* out) { *out = UnitFloat(bits); }

template <class T>
struct Uniform {
  void operator()(Philox& philox, T* out) const {
    Philox::Block bits = philox.Next();
    if constexpr (sizeof(T) != 8)
      for (int i = 0; i < 4; ++i) UnitNumber(bits[static_cast<size_t>(i)], out + i);
    else
      for (int i = 0; i < 2; ++i) out[i] = UnitDouble(bits[2 * i], bits[2 * i + 1]);
  }
};

template <class T>
struct Normal {
  void operator()(Philox& philox, T* out) const {
    Philox::Block bits = philox.Next();
    NormalPair(bits.data(), out);
    if constexpr (sizeof(T) == 4) NormalPair(bits.data() + 2, out + 2);
  }
};

template <class T>
struct UniformInt {
  T low;
  std::make_unsigned_t<T> range;
  void operator()(Philox& philox, T* out) const {
    using U = std::make_unsigned_t<T>;
    Philox::Block bits = philox.Next();
    for (int64_t i = 0; i < kPerBlock<T>; ++i) {
      U x = static_cast<U>(bits[static_cast<size_t>(i)]);
      if constexpr (sizeof(T) == 8)
        x = bits[static_cast<size_t>(2 * i)] | uint64_t{bits[static_cast<size_t>(2 * i + 1)]} << 32;
      out[i] = static_cast<T>(static_cast<U>(low) + x % range);
    }
  }
};

// Integers uniform over all values of the type.
template <class T>
struct FullInt {
  void operator()(Philox& philox, T* out) const {
    Philox::Block bits = philox.Next();
    for (int64_t i = 0; i < kPerBlock<T>; ++i) {
      uint64_t x = bits[static_cast<size_t>(i)];
      if constexpr (sizeof(T) == 8)
        x = bits[static_cast<size_t>(2 * i)] | uint64_t{bits[static_cast<size_t>(2 * i + 1)]} << 32;
      out[i] = static_cast<T>(x);
    }
  }
};

// Fills `out` from a distribution that uses one block per group: group i comes from block i.
template <class T, class Distribution>
void FillGroups(KernelCtx& c, const Philox& start, Tensor& out, Distribution distribution,
                double ns_per_group) {
  constexpr int64_t kGroup = kPerBlock<T>;
  int64_t n = out.num_elements();
  T* y = out.data<T>();
  c.ParallelFor((n + kGroup - 1) / kGroup, ns_per_group, [&](int64_t begin, int64_t end) {
    Philox philox = start;
    philox.Skip(static_cast<uint64_t>(begin));
    for (int64_t g = begin; g < end; ++g) {
      T group[kGroup];
      distribution(philox, group);
      for (int64_t i = 0; i < kGroup && g * kGroup + i < n; ++i) y[g * kGroup + i] = group[i];
    }
  });
}

// Draws normal numbers until the group is full of numbers within two standard deviations.
template <class T>
void TruncatedGroup(Philox32 bits, T* out) {
  constexpr int64_t kGroup = kPerBlock<T>;
  constexpr int kWords = sizeof(T) / 2;
  int64_t found = 0;
  while (true) {
    uint32_t words[kWords];
    for (uint32_t& w : words) w = bits.Next();
    T pair[2];
    NormalPair(words, pair);
    for (T x : pair) {
      if (!(std::abs(x) < T(2))) continue;
      out[found++] = x;
      if (found == kGroup) return;
    }
  }
}

// Fills `out` with normal numbers; those beyond two standard deviations are drawn again.
template <class T>
void FillTruncated(KernelCtx& c, const Philox& start, Tensor& out) {
  constexpr int64_t kGroup = kPerBlock<T>;
  constexpr uint64_t kBlocksPerGroup = kGroup * kBlocksPerNumber / 4;
  const int64_t n = out.num_elements();
  T* y = out.data<T>();
  c.ParallelFor((n + kGroup - 1) / kGroup, 60, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      Philox philox = start;
      philox.Skip(static_cast<uint64_t>(g) * kBlocksPerGroup);
      T group[kGroup];
      TruncatedGroup(Philox32(philox), group);
      for (int64_t i = 0; i < kGroup && g * kGroup + i < n; ++i) y[g * kGroup + i] = group[i];
    }
  });
}

}  // namespace tensh::ops
