#include "runtime/core/strcat.h"

#include <charconv>

namespace tensh {
namespace {

template <class T>
void AppendNumber(std::string& out, T number) {
  char buffer[64];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

}  // namespace

void TextPiece::AppendTo(std::string& out) const {
  switch (kind_) {
    case kText:
      out += text_;
      return;
    case kChar:
      out += static_cast<char>(signed_);
      return;
    case kSigned:
      return AppendNumber(out, signed_);
    case kUnsigned:
      return AppendNumber(out, unsigned_);
    case kFloat:
      return AppendNumber(out, float_);
    case kDouble:
      return AppendNumber(out, double_);
    case kObject:
      out += object_.to_string(object_.object);
      return;
  }
}

std::string ConcatPieces(std::initializer_list<TextPiece> pieces) {
  std::string out;
  for (const TextPiece& piece : pieces) piece.AppendTo(out);
  return out;
}

}  // namespace tensh
