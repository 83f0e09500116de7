#include "shell/text/float_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "runtime/base/half.h"

namespace tensh::shell {
namespace {

// v| = d.ddd × 10^exponent. Digits have no trailing zeros unless requested; zero is "0".
struct Digits {
  std::string digits;
  int exponent = 0;

  int fraction_digits() const { return static_cast<int>(digits.size()) - 1 - exponent; }
  void TrimZeros() {
    const size_t last = digits.find_last_not_of('0');
    digits.resize(last == std::string::npos ? 1 : last + 1);
  }
};

// More characters than any exact double has: 309 digits before the point and 1074 after it.
constexpr size_t kBuffer = 1500;
constexpr int kExactPlaces = 1100;

Digits ParseScientific(std::string_view text) {
  Digits d;
  const size_t e = text.find('e');
  for (char c : text.substr(0, e))
    if (c != '.') d.digits += c;
  d.exponent = std::atoi(text.data() + e + 1);
  return d;
}

// Returns the fewest digits that read back as the same half, for which the standard library has no
// function. Below a power of two, the nearest decimal number may read back as another half; then
// the next larger number may work: 0.015625 is 0.01563.
Digits ShortestHalf(double v) {
  const uint16_t bits = FloatToHalf(static_cast<float>(v));
  char buffer[64];
  auto reads_back = [&](double shown, int places) {
    char* end =
        std::to_chars(buffer, buffer + 60, shown, std::chars_format::scientific, places).ptr;
    *end = 0;
    return FloatToHalf(std::strtof(buffer, nullptr)) == bits;
  };
  for (int places = 0; places < 5; ++places) {
    if (reads_back(v, places)) break;
    const int exponent = static_cast<int>(std::floor(std::log10(v)));
    if (reads_back(v + 0.5 * std::pow(10.0, exponent - places), places)) break;
  }
  return ParseScientific(buffer);
}

Digits Shortest(double v, FloatWidth width) {
  v = std::fabs(v);
  if (v == 0) return {"0", 0};
  char buffer[64];
  char* end = buffer;
  switch (width) {
    case FloatWidth::kHalf: {
      Digits d = ShortestHalf(v);
      d.TrimZeros();
      return d;
    }
    case FloatWidth::kSingle:
      end = std::to_chars(buffer, buffer + 60, static_cast<float>(v), std::chars_format::scientific)
                .ptr;
      break;
    case FloatWidth::kDouble:
      end = std::to_chars(buffer, buffer + 60, v, std::chars_format::scientific).ptr;
      break;
  }
  *end = 0;
  Digits d = ParseScientific(buffer);
  d.TrimZeros();
  return d;
}

// Returns the exact value with `places` digits after the point, correctly rounded. A value that
// rounds to zero becomes "0".
Digits Fixed(double v, int places) {
  char buffer[kBuffer];
  places = std::min(places, kExactPlaces);
  const char* end =
      std::to_chars(buffer, buffer + kBuffer, std::fabs(v), std::chars_format::fixed, places).ptr;
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  const size_t point = std::min(text.find('.'), text.size());
  Digits d;
  d.exponent = static_cast<int>(point) - 1;
  for (char c : text)
    if (c != '.') d.digits += c;
  const size_t first = d.digits.find_first_not_of('0');
  if (first == std::string::npos) return {"0", 0};
  d.digits.erase(0, first);
  d.exponent -= static_cast<int>(first);
  d.TrimZeros();
  return d;
}

Digits Exponential(double v, int places) {
  char buffer[kBuffer];
  places = std::min(places, kExactPlaces);
  char* end = std::to_chars(buffer, buffer + kBuffer - 1, std::fabs(v),
                            std::chars_format::scientific, places)
                  .ptr;
  *end = 0;
  Digits d = ParseScientific(buffer);
  d.TrimZeros();
  return d;
}

std::string Sign(double v, bool plus) {
  if (std::signbit(v)) return "-";
  return plus ? "+" : "";
}

// The fraction after trimming and filling. If `point` is false, the point is dropped.
struct Fraction {
  std::string text;
  bool point = true;
};

Fraction MakeFraction(std::string digits, const FloatLayout& layout) {
  const int least = std::max(layout.unique ? layout.min_digits : layout.precision, 0);
  if (layout.trim == EndZeros::kNone) {
    if (static_cast<int>(digits.size()) < least) digits.resize(static_cast<size_t>(least), '0');
    return {std::move(digits), true};
  }
  if (layout.trim == EndZeros::kLeaveOne && digits.empty()) digits = "0";
  const bool point = layout.trim != EndZeros::kPointToo || !digits.empty();
  if (layout.trim == EndZeros::kPoint && static_cast<int>(digits.size()) < layout.min_digits)
    digits.resize(static_cast<size_t>(layout.min_digits), '0');
  return {std::move(digits), point};
}

void PadLeft(std::string* text, int width) {
  if (static_cast<int>(text->size()) < width)
    text->insert(0, static_cast<size_t>(width) - text->size(), ' ');
}

}  // namespace

std::string PositionalText(double v, FloatWidth width, const FloatLayout& layout) {
  Digits d;
  if (layout.unique) {
    d = Shortest(v, width);
    if (layout.precision >= 0 && d.fraction_digits() > layout.precision)
      d = Fixed(v, layout.precision);
    else if (layout.min_digits >= 0 && d.fraction_digits() < layout.min_digits)
      d = Fixed(v, layout.min_digits);  // Fills with digits of the exact value, not with zeros.
  } else {
    d = Fixed(v, std::max(layout.precision, 0));
  }
  std::string whole, fraction;
  const int n = static_cast<int>(d.digits.size());
  if (d.exponent < 0) {
    whole = "0";
    fraction.assign(static_cast<size_t>(-d.exponent - 1), '0');
    fraction += d.digits;
  } else if (n <= d.exponent + 1) {
    whole = d.digits + std::string(static_cast<size_t>(d.exponent + 1 - n), '0');
  } else {
    whole = d.digits.substr(0, static_cast<size_t>(d.exponent) + 1);
    fraction = d.digits.substr(static_cast<size_t>(d.exponent) + 1);
  }
  std::string out = Sign(v, layout.plus) + whole;
  PadLeft(&out, layout.pad_left);
  Fraction f = MakeFraction(std::move(fraction), layout);
  const int missing = layout.pad_right - static_cast<int>(f.text.size()) +
                      (f.point || layout.pad_right == 0 ? 0 : 1);
  if (f.point) out += '.';
  out += f.text;
  if (missing > 0) out.append(static_cast<size_t>(missing), ' ');
  return out;
}

std::string ScientificText(double v, FloatWidth width, const FloatLayout& layout) {
  Digits d;
  if (layout.unique) {
    d = Shortest(v, width);
    const int places = static_cast<int>(d.digits.size()) - 1;
    if (layout.precision >= 0 && places > layout.precision)
      d = Exponential(v, layout.precision);
    else if (layout.min_digits >= 0 && places < layout.min_digits)
      d = Exponential(v, layout.min_digits);
  } else {
    d = Exponential(v, std::max(layout.precision, 0));
  }
  std::string out = Sign(v, layout.plus) + d.digits.substr(0, 1);
  PadLeft(&out, layout.pad_left);
  Fraction f = MakeFraction(d.digits.substr(1), layout);
  if (f.point) out += '.';
  out += f.text;
  out += d.exponent < 0 ? "e-" : "e+";
  std::string e = std::to_string(std::abs(d.exponent));
  if (static_cast<int>(e.size()) < layout.exp_digits)
    e.insert(0, static_cast<size_t>(layout.exp_digits) - e.size(), '0');
  return out + e;
}

namespace {

std::string NonFinite(double v, bool plus) {
  if (std::isnan(v)) return plus ? "+nan" : "nan";
  return Sign(v, plus) + "inf";
}

std::string ScalarPart(double v, FloatWidth width, EndZeros trim, bool plus) {
  if (!std::isfinite(v)) return NonFinite(v, plus);
  const double a = std::fabs(v);
  if (a == 0 || (a >= 1e-4 && a < 1e16))
    return PositionalText(v, width, {.trim = trim, .plus = plus});
  return ScientificText(v, width, {.trim = EndZeros::kPointToo, .plus = plus});
}

}  // namespace

std::string FloatScalarText(double v, FloatWidth width) {
  return ScalarPart(v, width, EndZeros::kLeaveOne, false);
}

std::string ComplexScalarText(double re, double im, FloatWidth width) {
  const std::string imaginary = ScalarPart(im, width, EndZeros::kPointToo, false);
  if (re == 0 && !std::signbit(re)) return imaginary + "j";
  return "(" + ScalarPart(re, width, EndZeros::kPointToo, false) +
         ScalarPart(im, width, EndZeros::kPointToo, true) + "j)";
}

}  // namespace tensh::shell
