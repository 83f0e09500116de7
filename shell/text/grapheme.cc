#include "shell/text/grapheme.h"

#include <utf8proc.h>

#include <algorithm>

namespace tensh::shell {
namespace {

constexpr size_t kMostBytes = 64;
constexpr utf8proc_int32_t kEmojiStyle = 0xFE0F, kFirstFlag = 0x1F1E6, kLastFlag = 0x1F1FF;

// Returns the bytes of the code point at `at`, or 0 if they are invalid.
size_t Decode(std::string_view text, size_t at, utf8proc_int32_t* code) {
  const auto bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                       static_cast<utf8proc_ssize_t>(std::min<size_t>(text.size() - at, 4)), code);
  return bytes <= 0 || *code < 0 ? 0 : static_cast<size_t>(bytes);
}

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

}  // namespace

Grapheme FirstGrapheme(std::string_view text) {
  if (text.size() == 1 || (IsAscii(text[0]) && IsAscii(text[1]))) return {};
  utf8proc_int32_t code = 0;
  size_t end = Decode(text, 0, &code);
  if (end == 0) return {};
  const auto columns_of = [](utf8proc_int32_t point) {
    return static_cast<size_t>(std::max(utf8proc_charwidth(point), 0));
  };
  size_t columns = columns_of(code);
  const bool flag = code >= kFirstFlag && code <= kLastFlag;
  utf8proc_int32_t state = 0;
  for (size_t points = 1; end < text.size() && end < kMostBytes; ++points) {
    utf8proc_int32_t next = 0;
    const size_t bytes = Decode(text, end, &next);
    if (bytes == 0 || utf8proc_grapheme_break_stateful(code, next, &state)) break;
    const bool wide = next == kEmojiStyle || (flag && points == 1);
    columns = std::max(columns, wide ? 2 : columns_of(next));
    code = next;
    end += bytes;
  }
  // A mark without a letter is drawn alone.
  return {end, std::max<size_t>(columns, 1)};
}

size_t GraphemeBefore(std::string_view text, size_t at) {
  if (at == 0) return 0;
  // A cluster never extends across an ASCII character, apart from the marks that follow one.
  size_t from = at - 1;
  while (from > 0 && !IsAscii(text[from])) --from;
  size_t last = from;
  while (from < at) {
    last = from;
    from += FirstGrapheme(text.substr(from)).bytes;
  }
  return last;
}

size_t GraphemeAfter(std::string_view text, size_t at) {
  return at >= text.size() ? text.size() : at + FirstGrapheme(text.substr(at)).bytes;
}

}  // namespace tensh::shell
