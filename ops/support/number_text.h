#pragma once
// Parses numbers as TensorFlow's string ops do: surrounding spaces are allowed, other remaining
// characters are not.
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>

namespace tensh::ops {

inline std::string_view WithoutSpaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// Returns false if the text is not a number of type T.
template <class T>
bool ParseNumber(std::string_view text, T* out) {
  text = WithoutSpaces(text);
  if (!text.empty() && text[0] == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  if (text.empty()) return false;
  if constexpr (std::is_floating_point_v<T>) {
    // Hexadecimal floats, which strtod accepts with a 0x prefix and from_chars without it.
    const bool negative = text[0] == '-';
    const std::string_view digits = text.substr(negative ? 1 : 0);
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
      const auto hex = std::from_chars(digits.data() + 2, digits.data() + digits.size(), *out,
                                       std::chars_format::hex);
      if (negative) *out = -*out;
      return hex.ec == std::errc() && hex.ptr == digits.data() + digits.size();
    }
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  if (end != text.data() + text.size()) return false;
  if constexpr (std::is_floating_point_v<T>) {
    if (error == std::errc::result_out_of_range) {
      // Too large becomes infinity, too small becomes zero.
      double wide = 0;
      const auto again = std::from_chars(text.data(), text.data() + text.size(), wide);
      const bool small = again.ec == std::errc()
                             ? std::abs(wide) < 1
                             : text.find("e-") != text.npos || text.find("E-") != text.npos;
      const T sign = text[0] == '-' ? T(-1) : T(1);
      *out = small ? sign * T(0) : sign * static_cast<T>(INFINITY);
      return true;
    }
  }
  return error == std::errc();
}

}  // namespace tensh::ops
