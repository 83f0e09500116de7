// Floating point numbers as decimal text, the way numpy writes them: shortest digits that read back
// to the same value of the element's own width, optionally cut (correctly rounded) after some
// places, then laid out with or without an exponent. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace tensh::shell {

// Whose "shortest" is meant. The value itself is always handed over as a double, exactly.
enum class FloatWidth : uint8_t { kHalf, kSingle, kDouble };

// What happens to zeros at the end of the fraction.
enum class Trim : uint8_t {
  kNone,      // kept
  kPoint,     // dropped, the point stays: "3."
  kLeaveOne,  // dropped but for one: "3.0"
  kPointToo,  // dropped with the point: "3"
};

struct FloatLayout {
  int precision = -1;   // most digits after the point; -1: as many as it takes
  int min_digits = -1;  // least digits after the point, exact ones; -1: only what is unique
  bool unique = true;   // false: exactly `precision` digits of the exact value
  Trim trim = Trim::kPoint;
  bool plus = false;   // write the sign of positive numbers
  int pad_left = 0;    // least width left of the point, sign included
  int pad_right = 0;   // least width right of the point
  int exp_digits = 2;  // least digits of the exponent
};

// Precondition of both: v is finite.
std::string PositionalText(double v, FloatWidth width, const FloatLayout& layout);
std::string ScientificText(double v, FloatWidth width, const FloatLayout& layout);

// str() of a numpy scalar: "3.0", "1e-04", "nan".
std::string FloatScalarText(double v, FloatWidth width);
// str() of a numpy complex scalar: "(1+2j)", "2j".
std::string ComplexScalarText(double re, double im, FloatWidth width);

float HalfToFloat(uint16_t bits);
uint16_t FloatToHalf(float v);

}  // namespace tensh::shell
