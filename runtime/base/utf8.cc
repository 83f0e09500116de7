#include "runtime/base/utf8.h"

namespace tensh {
namespace {

uint32_t Byte(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }

}  // namespace

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
    return;
  }
  constexpr uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  *out += static_cast<char>(kLead[more] | code >> (6 * more));
  while (more-- > 0) *out += static_cast<char>(0x80 | (code >> (6 * more) & 0x3F));
}

uint32_t DecodeUtf8(std::string_view text, size_t* at) {
  const uint32_t lead = Byte(text, (*at)++);
  if (lead < 0x80) return lead;
  int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  uint32_t code = lead & (0x3Fu >> more);
  for (; more > 0 && *at < text.size() && (Byte(text, *at) & 0xC0) == 0x80; --more)
    code = code << 6 | (Byte(text, (*at)++) & 0x3F);
  return code;
}

int32_t CheckedUtf8(std::string_view text, size_t at, size_t* bytes) {
  const uint32_t lead = Byte(text, at);
  *bytes = 1;
  if (lead < 0x80) return static_cast<int32_t>(lead);
  const int more = lead >= 0xF5 || lead < 0xC2 ? 0 : lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (!more) return -1;
  uint32_t code = lead & (0x3Fu >> more);
  for (int k = 1; k <= more; ++k) {
    if (at + static_cast<size_t>(k) >= text.size()) return -1;
    const uint32_t next = Byte(text, at + static_cast<size_t>(k));
    // The second byte is restricted for some leads. This excludes overlong forms, surrogates and
    // code points above U+10FFFF (Unicode standard, table 3-7).
    uint32_t low = 0x80, high = 0xBF;
    if (k == 1 && lead == 0xE0) low = 0xA0;
    if (k == 1 && lead == 0xED) high = 0x9F;
    if (k == 1 && lead == 0xF0) low = 0x90;
    if (k == 1 && lead == 0xF4) high = 0x8F;
    if (next < low || next > high) return -1;
    code = code << 6 | (next & 0x3F);
    *bytes = static_cast<size_t>(k) + 1;
  }
  return static_cast<int32_t>(code);
}

bool IsControlCode(uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

bool TurnsText(uint32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

size_t FindInvalidUtf8(std::string_view text) {
  for (size_t i = 0, bytes = 1; i < text.size(); i += bytes)
    if (CheckedUtf8(text, i, &bytes) < 0) return i;
  return std::string_view::npos;
}

}  // namespace tensh
