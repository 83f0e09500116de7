#pragma once
// Concatenates strings, numbers and objects with ToString(). Used for error messages.
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace tensh {

inline void StrAppendPiece(std::string& out, std::string_view piece) { out += piece; }
// Constrained, so that a string literal does not decay to a pointer and then convert to bool.
template <std::same_as<char> T>
void StrAppendPiece(std::string& out, T piece) {
  out += piece;
}
template <std::same_as<bool> T>
void StrAppendPiece(std::string& out, T piece) {
  out += piece ? "true" : "false";
}
template <class T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, bool> &&
         !std::same_as<T, char>) void StrAppendPiece(std::string& out, T piece) {
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, piece).ptr;
  out.append(buffer, end);
}
template <class T>
requires requires(const T& t) {
  { t.ToString() } -> std::convertible_to<std::string>;
}
void StrAppendPiece(std::string& out, const T& piece) { out += piece.ToString(); }

template <class... Parts>
std::string StrCat(const Parts&... parts) {
  std::string out;
  (StrAppendPiece(out, parts), ...);
  return out;
}

}  // namespace tensh
