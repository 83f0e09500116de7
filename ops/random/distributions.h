#pragma once
// Distributions over a Philox generator, and loops that fill a tensor with them. The streams are
// TensorFlow's.
//
// Numbers are drawn in groups. Group i has a fixed position in the stream, so that the result does
// not depend on the thread that computes it.
#include <algorithm>
#include <bit>
#include <cmath>

#include "ops/support/isa.h"
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

// Each distribution computes the numbers of a group from the words of a block.
template <class T>
struct Uniform {
  void Of(const uint32_t* bits, T* out) const {
    if constexpr (sizeof(T) != 8)
      for (int i = 0; i < 4; ++i) UnitNumber(bits[i], out + i);
    else
      for (int i = 0; i < 2; ++i) out[i] = UnitDouble(bits[2 * i], bits[2 * i + 1]);
  }
  void operator()(Philox& philox, T* out) const { Of(philox.Next().data(), out); }
};

template <class T>
struct Normal {
  void Of(const uint32_t* bits, T* out) const {
    NormalPair(bits, out);
    if constexpr (sizeof(T) == 4) NormalPair(bits + 2, out + 2);
  }
  void operator()(Philox& philox, T* out) const { Of(philox.Next().data(), out); }
};

template <class T>
struct UniformInt {
  T low;
  std::make_unsigned_t<T> range;
  void Of(const uint32_t* bits, T* out) const {
    using U = std::make_unsigned_t<T>;
    for (int64_t i = 0; i < kPerBlock<T>; ++i) {
      U x = static_cast<U>(bits[i]);
      if constexpr (sizeof(T) == 8) x = bits[2 * i] | uint64_t{bits[2 * i + 1]} << 32;
      out[i] = static_cast<T>(static_cast<U>(low) + x % range);
    }
  }
};

// Integers uniform over all values of the type.
template <class T>
struct FullInt {
  void Of(const uint32_t* bits, T* out) const {
    for (int64_t i = 0; i < kPerBlock<T>; ++i) {
      uint64_t x = bits[i];
      if constexpr (sizeof(T) == 8) x = bits[2 * i] | uint64_t{bits[2 * i + 1]} << 32;
      out[i] = static_cast<T>(x);
    }
  }
};

struct UnitFloats {
  TENSH_ALWAYS_INLINE static void Run(const uint32_t* bits, int64_t n, float* out) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = UnitFloat(bits[i]);
  }
};

inline constexpr int64_t kBatch = 64;  // groups whose blocks are computed at once
static_assert(2 * kBatch <= kMostPairs);

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
    uint32_t bits[kBatch * 4];
    for (int64_t g = begin; g < end; g += kBatch, philox.Skip(kBatch)) {
      const int64_t groups = std::min(kBatch, end - g), whole = std::min(groups, n / kGroup - g);
      philox.Blocks(groups, 1, bits);
      if constexpr (std::is_same_v<Distribution, Uniform<float>>)
        Dispatch<UnitFloats>(static_cast<const uint32_t*>(bits), whole * kGroup, y + g * kGroup);
      else if constexpr (std::is_same_v<Distribution, Normal<float>>)
        NormalPairs(bits, whole * 2, y + g * kGroup);
      else
        for (int64_t i = 0; i < whole; ++i) distribution.Of(bits + i * 4, y + (g + i) * kGroup);
      if (whole == groups) continue;
      T last[kGroup];
      distribution.Of(bits + whole * 4, last);
      std::copy_n(last, n - (g + whole) * kGroup, y + (g + whole) * kGroup);
    }
  });
}

// Takes normal numbers until a group is full of those within two standard deviations. `block` has the numbers of
// the first block; `philox` is at the next one.
template <class T>
void TruncatedGroup(const T* block, Philox philox, T* out) {
  constexpr int64_t kGroup = kPerBlock<T>;
  T more[kGroup];
  for (int64_t found = 0;; block = more) {
    for (int64_t i = 0; i < kGroup; ++i) {
      if (!(std::abs(block[i]) < T(2))) continue;
      out[found++] = block[i];
      if (found == kGroup) return;
    }
    Normal<T>{}(philox, more);
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
    Philox philox = start;
    philox.Skip(static_cast<uint64_t>(begin) * kBlocksPerGroup);
    uint32_t bits[kBatch * 4];
    for (int64_t g = begin; g < end; g += kBatch) {
      const int64_t groups = std::min(kBatch, end - g);
      philox.Blocks(groups, kBlocksPerGroup, bits);
      T normal[kBatch * kGroup];
      if constexpr (std::is_same_v<T, float>)
        NormalPairs(bits, groups * 2, normal);
      else
        for (int64_t i = 0; i < groups; ++i) Normal<T>{}.Of(bits + i * 4, normal + i * kGroup);
      for (int64_t i = 0; i < groups; ++i, philox.Skip(kBlocksPerGroup)) {
        Philox next = philox;
        next.Skip(1);
        T group[kGroup];
        TruncatedGroup(normal + i * kGroup, next, group);
        const int64_t at = (g + i) * kGroup;
        std::copy_n(group, std::min(kGroup, n - at), y + at);
      }
    }
  });
}

}  // namespace tensh::ops
