#pragma once
// Text as bytes: letters, digits and white space of ASCII, and lists with commas. Unlike those of
// <cctype>, the functions do not depend on the locale and take any byte; a byte of a longer
// character belongs to no class and has no case.
#include <string>
#include <string_view>
#include <vector>

namespace tensh {

constexpr bool IsAsciiLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsAsciiUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAsciiSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char AsciiLower(char c) { return IsAsciiUpper(c) ? static_cast<char>(c + 32) : c; }
constexpr char AsciiUpper(char c) { return IsAsciiLower(c) ? static_cast<char>(c - 32) : c; }
std::string AsciiLower(std::string_view text);
std::string AsciiUpper(std::string_view text);
bool EqualIgnoringCase(std::string_view a, std::string_view b);
bool ContainsIgnoringCase(std::string_view text, std::string_view part);

// Returns the text without the white space at its ends, as a view of it.
std::string_view Trim(std::string_view text);
// Returns the trimmed parts between the commas outside brackets and quotes, as views of the text.
// Empty parts are left out.
std::vector<std::string_view> SplitTopLevel(std::string_view text);

}  // namespace tensh
