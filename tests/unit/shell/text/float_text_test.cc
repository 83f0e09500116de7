// Decimal text of floats as numpy 1.26 writes it.
#include "shell/text/float_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tensh::shell {
namespace {

TEST(FloatText, FewestDigitsThatReadBack) {
  const struct {
    double v;
    FloatWidth width;
    const char* want;
  } rows[] = {
      {0.0, FloatWidth::kHalf, "0.0"},
      {-0.0, FloatWidth::kHalf, "-0.0"},
      {1.0, FloatWidth::kHalf, "1.0"},
      {-2.5, FloatWidth::kHalf, "-2.5"},
      {0.0, FloatWidth::kSingle, "0.0"},
      {-0.0, FloatWidth::kSingle, "-0.0"},
      {1.0, FloatWidth::kSingle, "1.0"},
      {-2.5, FloatWidth::kSingle, "-2.5"},
      {0.0, FloatWidth::kDouble, "0.0"},
      {-0.0, FloatWidth::kDouble, "-0.0"},
      {1.0, FloatWidth::kDouble, "1.0"},
      {-2.5, FloatWidth::kDouble, "-2.5"},
      {0.0999755859375, FloatWidth::kHalf, "0.1"},
      {65504.0, FloatWidth::kHalf, "65500.0"},
      {2048.0, FloatWidth::kHalf, "2048.0"},
      {0.333251953125, FloatWidth::kHalf, "0.3333"},
      {0.10000000149011612, FloatWidth::kSingle, "0.1"},
      {0.3333333432674408, FloatWidth::kSingle, "0.33333334"},
      {16777216.0, FloatWidth::kSingle, "16777216.0"},
      {10000000000.0, FloatWidth::kSingle, "10000000000.0"},
      {1.0000000272564224e+16, FloatWidth::kSingle, "1e+16"},
      {9.999999747378752e-05, FloatWidth::kSingle, "1e-04"},
      {9.999999747378752e-06, FloatWidth::kSingle, "1e-05"},
      {3.4028234663852886e+38, FloatWidth::kSingle, "3.4028235e+38"},
      {1.401298464324817e-45, FloatWidth::kSingle, "1e-45"},
      {123456.7890625, FloatWidth::kSingle, "123456.79"},
      {999999986991104.0, FloatWidth::kSingle, "1000000000000000.0"},
      {0.1, FloatWidth::kDouble, "0.1"},
      {0.3333333333333333, FloatWidth::kDouble, "0.3333333333333333"},
      {1000000000000000.0, FloatWidth::kDouble, "1000000000000000.0"},
      {1e+16, FloatWidth::kDouble, "1e+16"},
      {0.0001, FloatWidth::kDouble, "0.0001"},
      {1e-05, FloatWidth::kDouble, "1e-05"},
      {123456789.125, FloatWidth::kDouble, "123456789.125"},
      {1.7976931348623157e+308, FloatWidth::kDouble, "1.7976931348623157e+308"},
      {5e-324, FloatWidth::kDouble, "5e-324"},
      {9007199254740992.0, FloatWidth::kDouble, "9007199254740992.0"},
      {1e+22, FloatWidth::kDouble, "1e+22"},
      {1e+23, FloatWidth::kDouble, "1e+23"},
      {0.3, FloatWidth::kDouble, "0.3"},
      {0.6666666666666666, FloatWidth::kDouble, "0.6666666666666666"},
      {NAN, FloatWidth::kDouble, "nan"},
      {INFINITY, FloatWidth::kSingle, "inf"},
      {-INFINITY, FloatWidth::kHalf, "-inf"},
  };
  for (const auto& row : rows) EXPECT_EQ(FloatScalarText(row.v, row.width), row.want) << row.v;
}

struct LayoutRow {
  double v;
  FloatWidth width;
  FloatLayout layout;
  const char* want;
};

TEST(FloatText, Positional) {
  const LayoutRow rows[] = {
      {1.5, FloatWidth::kDouble, {}, "1.5"},
      {100.0, FloatWidth::kDouble, {}, "100."},
      {1e+22, FloatWidth::kDouble, {}, "10000000000000000000000."},
      {1e-07, FloatWidth::kDouble, {}, "0.0000001"},
      {3.14159, FloatWidth::kDouble, {.precision = 2}, "3.14"},
      {2.5, FloatWidth::kDouble, {.precision = 0}, "2."},
      {0.125, FloatWidth::kDouble, {.precision = 2}, "0.12"},
      {9.999, FloatWidth::kDouble, {.precision = 2}, "10."},
      {2.0, FloatWidth::kDouble, {.trim = EndZeros::kNone}, "2."},
      {2.0, FloatWidth::kDouble, {.trim = EndZeros::kLeaveOne}, "2.0"},
      {2.0, FloatWidth::kDouble, {.trim = EndZeros::kPointToo}, "2"},
      {2.5,
       FloatWidth::kDouble,
       {.precision = 4, .unique = false, .trim = EndZeros::kNone},
       "2.5000"},
      {0.1, FloatWidth::kDouble, {.precision = 20, .unique = false}, "0.10000000000000000555"},
      {1.5, FloatWidth::kDouble, {.plus = true}, "+1.5"},
      {-1.5, FloatWidth::kDouble, {.pad_left = 5, .pad_right = 4}, "   -1.5   "},
      {0.1, FloatWidth::kDouble, {.min_digits = 5}, "0.10000"},
  };
  for (const LayoutRow& row : rows)
    EXPECT_EQ(PositionalText(row.v, row.width, row.layout), row.want) << row.v;
}

TEST(FloatText, Scientific) {
  const LayoutRow rows[] = {
      {1234.5, FloatWidth::kDouble, {}, "1.2345e+03"},
      {0.0, FloatWidth::kDouble, {}, "0.e+00"},
      {1e-300, FloatWidth::kDouble, {}, "1.e-300"},
      {1234.5, FloatWidth::kDouble, {.precision = 2}, "1.23e+03"},
      {9.996, FloatWidth::kDouble, {.precision = 2}, "1.e+01"},
      {-5.0, FloatWidth::kDouble, {.trim = EndZeros::kPointToo}, "-5e+00"},
      {1.0, FloatWidth::kDouble, {.exp_digits = 3}, "1.e+000"},
      {1.0,
       FloatWidth::kDouble,
       {.precision = 3, .unique = false, .trim = EndZeros::kNone},
       "1.000e+00"},
  };
  for (const LayoutRow& row : rows)
    EXPECT_EQ(ScientificText(row.v, row.width, row.layout), row.want) << row.v;
}

TEST(FloatText, Complex) {
  const struct {
    double re, im;
    const char* want;
  } rows[] = {
      {1.0, 2.0, "(1+2j)"},          {0.0, 2.0, "2j"},
      {0.0, -0.5, "-0.5j"},          {-1.5, -1e20, "(-1.5-1e+20j)"},
      {NAN, INFINITY, "(nan+infj)"}, {1.0, 0.0, "(1+0j)"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(ComplexScalarText(row.re, row.im, FloatWidth::kDouble), row.want) << row.want;
}

}  // namespace
}  // namespace tensh::shell
