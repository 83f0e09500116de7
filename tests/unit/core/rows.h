#pragma once
// Shapes, statuses and bytes as text, for the rows of this layer's tests.
#include <string>
#include <string_view>

#include "runtime/core/shape.h"
#include "runtime/core/status.h"

namespace tensh::test {

// Reads the form of Shape::ToString: "[2,?]", "[]", "<unknown>".
inline Shape ShapeOf(std::string_view text) {
  if (text == "<unknown>") return Shape::Unknown();
  Shape shape;
  int64_t dim = 0;
  bool digits = false;
  for (const char c : text.substr(1)) {
    if (c >= '0' && c <= '9') {
      dim = dim * 10 + (c - '0');
      digits = true;
    } else if (c == '?') {
      shape.Append(Shape::kUnknownDim);
    } else {
      if (digits) shape.Append(dim);
      dim = 0;
      digits = false;
    }
  }
  return shape;
}

// Returns "ok", or the code and the message: "3: Shapes [2] and [3] are not compatible".
inline std::string Show(const Status& status) {
  if (status.ok()) return "ok";
  return StrCat(static_cast<int>(status.code()), ": ", status.message());
}
inline std::string Show(const Result<Shape>& shape) {
  return shape.ok() ? shape->ToString() : Show(shape.status());
}

inline std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    text += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    text += "0123456789abcdef"[c & 15];
  }
  return text;
}

// Blanks between the digits are ignored.
inline std::string FromHex(std::string_view text) {
  std::string bytes, digits;
  for (const char c : text) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return bytes;
}

}  // namespace tensh::test
