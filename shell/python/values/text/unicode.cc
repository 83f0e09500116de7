#include "shell/python/values/text/unicode.h"

#include <algorithm>
#include <iterator>

#include <utf8proc.h>

#include "shell/python/values/format.h"

namespace tensh::shell::unicode {

namespace {
utf8proc_category_t Category(uint32_t c) { return utf8proc_category(static_cast<int>(c)); }

// Accents, and dots within words, are ignored by the rules for upper and lower case.
bool IsCaseIgnorable(uint32_t c) {
  static constexpr uint32_t kWithinWords[] = {0x27,   0x2E,   0x3A,   0xB7,   0x387,  0x55F,
                                              0x5F4,  0x2018, 0x2019, 0x2024, 0x2027, 0xFE13,
                                              0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A};
  switch (Category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return std::find(std::begin(kWithinWords), std::end(kWithinWords), c) !=
             std::end(kWithinWords);
  }
}
}  // namespace

uint32_t Lower(uint32_t c) {
  return c < 128 ? (c >= 'A' && c <= 'Z' ? c + 32 : c)
                 : static_cast<uint32_t>(utf8proc_tolower(static_cast<int>(c)));
}
uint32_t Upper(uint32_t c) {
  return c < 128 ? (c >= 'a' && c <= 'z' ? c - 32 : c)
                 : static_cast<uint32_t>(utf8proc_toupper(static_cast<int>(c)));
}
bool IsAlpha(uint32_t c) {
  auto k = Category(c);
  return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO;
}
bool IsDigit(uint32_t c) { return Category(c) == UTF8PROC_CATEGORY_ND; }
bool IsNumeric(uint32_t c) {
  auto k = Category(c);
  return k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO;
}
bool IsSpace(uint32_t c) {
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 ||
         (c > 127 && Category(c) == UTF8PROC_CATEGORY_ZS) || c == 0x2028 || c == 0x2029;
}
bool IsUpper(uint32_t c) { return Category(c) == UTF8PROC_CATEGORY_LU; }
bool IsLower(uint32_t c) { return Category(c) == UTF8PROC_CATEGORY_LL; }
bool IsCased(uint32_t c) { return IsUpper(c) || IsLower(c) || Category(c) == UTF8PROC_CATEGORY_LT; }

bool EndsWord(std::string_view before, std::string_view next) {
  for (size_t at = 0; at < next.size();) {
    const uint32_t c = DecodeUtf8(next, &at);
    if (IsCaseIgnorable(c)) continue;
    if (IsCased(c)) return false;
    break;
  }
  while (!before.empty()) {
    size_t last = before.size() - 1;
    while (last > 0 && (before[last] & 0xC0) == 0x80) --last;
    size_t at = last;
    const uint32_t c = DecodeUtf8(before, &at);
    if (!IsCaseIgnorable(c)) return IsCased(c);
    before = before.substr(0, last);
  }
  return false;
}

}  // namespace tensh::shell::unicode
