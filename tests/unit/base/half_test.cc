// Conversion of half and bfloat16: rounding to nearest with ties to even, subnormals, infinities
// and NaN. Numbers are given as bits.
#include "runtime/base/half.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tensh {
namespace {

struct Row {
  uint32_t from;
  uint16_t to;
  const char* what;
};

TEST(Half, RoundsToNearestEven) {
  const Row rows[] = {
      {0x00000000, 0x0000, "0"},
      {0x80000000, 0x8000, "-0"},
      {0x3f800000, 0x3c00, "1"},
      {0xc0000000, 0xc000, "-2"},
      {0x3eaaaaab, 0x3555, "1/3"},
      {0x3f801000, 0x3c00, "1 + 2^-11 is a tie"},
      {0x3f801001, 0x3c01, "a little more"},
      {0x3f803000, 0x3c02, "1 + 3 * 2^-11 is a tie"},
      {0x3f802fff, 0x3c01, "a little less"},
      {0x477fe000, 0x7bff, "65504, the largest"},
      {0x477fefff, 0x7bff, "just below 65520"},
      {0x477ff000, 0x7c00, "65520 overflows"},
      {0xc77ff000, 0xfc00, "-65520"},
      {0x7f7fffff, 0x7c00, "the largest float"},
      {0x7f800000, 0x7c00, "inf"},
      {0xff800000, 0xfc00, "-inf"},
      {0x7fc00000, 0x7e00, "NaN"},
      {0xffc00000, 0xfe00, "-NaN"},
      {0x7f800001, 0x7e00, "a NaN whose upper bits are those of inf"},
      {0x7fffffff, 0x7e00, "a NaN of all bits"},
      {0x38800000, 0x0400, "2^-14, the smallest normal"},
      {0x387fffff, 0x0400, "just below it"},
      {0x387fc000, 0x03ff, "the largest subnormal"},
      {0x33800000, 0x0001, "2^-24, the smallest subnormal"},
      {0x33000000, 0x0000, "2^-25 is a tie"},
      {0x33000001, 0x0001, "a little more"},
      {0x33c00000, 0x0002, "1.5 * 2^-24 is a tie"},
      {0x34200000, 0x0002, "2.5 * 2^-24 is a tie"},
      {0xb3000001, 0x8001, "negative, too"},
      {0x00000001, 0x0000, "the smallest subnormal float"},
      {0x80000001, 0x8000, "its negative"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(FloatToHalf(std::bit_cast<float>(row.from)), row.to)
        << std::hex << row.from << " " << row.what;
}

// The definition of IEEE 754: 5 bits of exponent with bias 15, and 10 bits of fraction.
float Defined(uint16_t h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>(h & 0x8000 ? -size : size);
}

TEST(Half, EveryValueIsThatOfItsDefinition) {
  int wrong = 0;
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const auto bits = static_cast<uint16_t>(h);
    const float f = HalfToFloat(bits);
    if ((h & 0x7fff) == 0x7c00)
      wrong += !(std::isinf(f) && std::signbit(f) == (h >> 15 != 0));
    else if ((h & 0x7fff) > 0x7c00)
      wrong += !std::isnan(f) || FloatToHalf(f) != ((h & 0x8000) | 0x7e00);
    else
      wrong += std::bit_cast<uint32_t>(f) != std::bit_cast<uint32_t>(Defined(bits)) ||
               FloatToHalf(f) != h;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Half, EveryMidpointGoesToTheEvenNeighbour) {
  int wrong = 0;
  for (uint32_t h = 0; h < 0x7bff; ++h) {
    const float low = Defined(static_cast<uint16_t>(h)),
                high = Defined(static_cast<uint16_t>(h + 1));
    const float middle = (low + high) / 2;
    wrong += FloatToHalf(middle) != h + (h & 1);
    wrong += FloatToHalf(std::nextafter(middle, low)) != h;
    wrong += FloatToHalf(std::nextafter(middle, high)) != h + 1;
    wrong += FloatToHalf(-middle) != (0x8000 | (h + (h & 1)));
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Bfloat16, RoundsToNearestEven) {
  const Row rows[] = {
      {0x00000000, 0x0000, "0"},
      {0x80000000, 0x8000, "-0"},
      {0x3f800000, 0x3f80, "1"},
      {0xc0490fdb, 0xc049, "-pi"},
      {0x3f807fff, 0x3f80, "below a tie"},
      {0x3f808000, 0x3f80, "a tie"},
      {0x3f808001, 0x3f81, "above a tie"},
      {0x3f818000, 0x3f82, "a tie above an odd number"},
      {0x3fffffff, 0x4000, "the carry reaches the exponent"},
      {0x7f7f7fff, 0x7f7f, "the largest number that does not overflow"},
      {0x7f7f8000, 0x7f80, "overflows"},
      {0xff7fffff, 0xff80, "-overflows"},
      {0x7f800000, 0x7f80, "inf"},
      {0xff800000, 0xff80, "-inf"},
      {0x7f800001, 0x7fc0, "a NaN whose upper bits are those of inf"},
      {0xff800001, 0xffc0, "its negative"},
      {0x7fffffff, 0x7fc0, "a NaN that would round to -0"},
      {0x00008000, 0x0000, "a tie of subnormals"},
      {0x00008001, 0x0001, "the smallest subnormal"},
      {0x00018000, 0x0002, "another tie"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(FloatToBfloat16(std::bit_cast<float>(row.from)), row.to)
        << std::hex << row.from << " " << row.what;
}

TEST(Bfloat16, EveryValueIsTheUpperHalfOfAFloat) {
  int wrong = 0;
  for (uint32_t b = 0; b < 0x10000; ++b) {
    const float f = Bfloat16ToFloat(static_cast<uint16_t>(b));
    const bool nan = (b & 0x7fff) > 0x7f80;
    wrong +=
        nan ? !std::isnan(f) : std::bit_cast<uint32_t>(f) != b << 16 || FloatToBfloat16(f) != b;
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tensh
