#pragma once
// Concatenates strings, numbers and objects with ToString(). Used for error messages.
//
// Each argument is first turned into a TextPiece, so that the work is done by one function and a call
// costs its caller a few instructions. Messages are the most frequent code of the ops, and the least
// often run.
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace tensh {

// One argument of StrCat. Refers to the argument, and must not outlive it.
class TextPiece {
 public:
  TextPiece(std::string_view text) : kind_(kText), text_(text) {}     // NOLINT: implicit
  TextPiece(const std::string& text) : kind_(kText), text_(text) {}   // NOLINT
  TextPiece(const char* text) : kind_(kText), text_(text) {}          // NOLINT
  TextPiece(std::same_as<char> auto c) : kind_(kChar), signed_(c) {}  // NOLINT
  // Constrained, so that a pointer does not convert to bool.
  TextPiece(std::same_as<bool> auto b) : kind_(kText), text_(b ? "true" : "false") {}  // NOLINT
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::same_as<T, bool> && !std::same_as<T, char>)
      TextPiece(T number) {  // NOLINT
    if constexpr (std::same_as<T, float>)
      kind_ = kFloat, float_ = number;
    else if constexpr (std::is_floating_point_v<T>)
      kind_ = kDouble, double_ = number;
    else if constexpr (std::is_signed_v<T>)
      kind_ = kSigned, signed_ = number;
    else
      kind_ = kUnsigned, unsigned_ = number;
  }
  template <class T>
  requires requires(const T& t) {
    { t.ToString() } -> std::convertible_to<std::string>;
  }
  TextPiece(const T& object)  // NOLINT
      : kind_(kObject), object_{&object, [](const void* o) -> std::string {
                                  return static_cast<const T*>(o)->ToString();
                                }} {}

  void AppendTo(std::string& out) const;

 private:
  struct Object {
    const void* object;
    std::string (*to_string)(const void*);
  };
  enum Kind : uint8_t { kText, kChar, kSigned, kUnsigned, kFloat, kDouble, kObject } kind_;
  union {
    std::string_view text_;
    int64_t signed_;
    uint64_t unsigned_;
    float float_;
    double double_;
    Object object_;
  };
};

std::string ConcatPieces(std::initializer_list<TextPiece> pieces);

template <class... Parts>
std::string StrCat(const Parts&... parts) {
  return ConcatPieces({TextPiece(parts)...});
}

}  // namespace tensh
