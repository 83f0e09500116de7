// Conversion of floating-point numbers to decimal text as numpy writes them.
//
// By default the text has the fewest digits that read back as the same value in the element's
// width. The digits can be limited (correctly rounded) and are then laid out with or without an
// exponent. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace tensh::shell {

// The width in which the shortest digits must read back. Values are always passed exactly, as
// doubles.
enum class FloatWidth : uint8_t { kHalf, kSingle, kDouble };

// Treatment of zeros at the end of the fraction.
enum class EndZeros : uint8_t {
  kNone,      // Kept.
  kPoint,     // Dropped, but the point stays: "3."
  kLeaveOne,  // Dropped except for one: "3.0"
  kPointToo,  // Dropped together with the point: "3"
};

struct FloatLayout {
  int precision = -1;  // Maximum digits after the point; -1 means no limit.
  // Minimum digits after the point, taken from the exact value; -1 means none.
  int min_digits = -1;
  bool unique = true;  // If false, exactly `precision` digits of the exact value.
  EndZeros trim = EndZeros::kPoint;
  bool plus = false;   // Writes the sign of positive numbers.
  int pad_left = 0;    // Minimum width left of the point, including the sign.
  int pad_right = 0;   // Minimum width right of the point.
  int exp_digits = 2;  // Minimum digits of the exponent.
};

// For both functions, v must be finite.
std::string PositionalText(double v, FloatWidth width, const FloatLayout& layout);
std::string ScientificText(double v, FloatWidth width, const FloatLayout& layout);

// Returns str() of a numpy scalar: "3.0", "1e-04", "nan".
std::string FloatScalarText(double v, FloatWidth width);
// Returns str() of a numpy complex scalar: "(1+2j)", "2j".
std::string ComplexScalarText(double re, double im, FloatWidth width);

}  // namespace tensh::shell
