#include "runtime/core/promote_halves.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

namespace tensh {
namespace {

template <class T>
std::vector<T> AllBits() {
  std::vector<T> all(1 << 16);
  for (size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<uint16_t>(i);
  return all;
}

// Floats of every exponent, with fractions next to those at which the rounding to 16 bits changes, and NaNs.
std::vector<float> Floats() {
  std::vector<float> all;
  for (uint32_t high = 0; high < 1 << 16; ++high)
    for (const uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      all.push_back(std::bit_cast<float>(high << 16 | low));
  // Around the largest denormals of a half.
  for (uint32_t bits = 0x38000000; bits < 0x38900000; bits += 0x0fff)
    all.push_back(std::bit_cast<float>(bits));
  return all;
}

template <class T>
void CompareWithSingle() {
  const std::vector<T> narrow = AllBits<T>();
  std::vector<float> wide(narrow.size());
  WidenHalves(narrow.data(), wide.data(), static_cast<int64_t>(narrow.size()));
  for (size_t i = 0; i < narrow.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(wide[i]),
              std::bit_cast<uint32_t>(static_cast<float>(narrow[i])))
        << i;

  const std::vector<float> floats = Floats();
  std::vector<T> made(floats.size());
  NarrowToHalves(floats.data(), made.data(), static_cast<int64_t>(floats.size()));
  for (size_t i = 0; i < floats.size(); ++i)
    ASSERT_EQ(made[i].bits, Narrow<T>(floats[i]).bits) << std::bit_cast<uint32_t>(floats[i]);
}

TEST(PromoteHalves, VectorsConvertLikeSingleElements) {
  CompareWithSingle<Half>();
  CompareWithSingle<Bfloat16>();
}

TEST(PromoteHalves, LargestFloatIsLargestHalf) {
  EXPECT_EQ(Narrow<Half>(std::numeric_limits<float>::max()).bits, 0x7bff);
  EXPECT_EQ(Narrow<Half>(-std::numeric_limits<float>::max()).bits, 0xfbff);
  EXPECT_EQ(Narrow<Half>(1e30f).bits, 0x7c00);
}

}  // namespace
}  // namespace tensh
