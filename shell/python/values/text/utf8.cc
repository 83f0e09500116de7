// Offsets of code points, and the repr of str and bytes.
#include <utf8proc.h>

#include "shell/python/values/format.h"

namespace tensh::shell {

size_t CodePoints(std::string_view text) {
  size_t n = 0;
  for (char c : text) n += (c & 0xC0) != 0x80;
  return n;
}

size_t CodePointOffset(std::string_view text, size_t index) {
  size_t at = 0;
  while (index > 0 && at < text.size()) {
    ++at;
    while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
    --index;
  }
  return at;
}

namespace {

bool Printable(uint32_t cp) {
  if (cp < 0x7F) return cp >= 0x20;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(cp))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

void AppendEscape(uint32_t cp, std::string* out) {
  char buffer[16];
  const char* form = cp < 0x100 ? "\\x%02x" : cp < 0x10000 ? "\\u%04x" : "\\U%08x";
  std::snprintf(buffer, sizeof buffer, form, cp);
  *out += buffer;
}

// Returns the quote character that repr uses.
char QuoteFor(std::string_view text) {
  return text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
}

bool AppendCommon(uint32_t cp, char quote, std::string* out) {
  if (cp == static_cast<uint32_t>(quote) || cp == '\\') {
    *out += '\\';
    *out += static_cast<char>(cp);
  } else if (cp == '\n') {
    *out += "\\n";
  } else if (cp == '\r') {
    *out += "\\r";
  } else if (cp == '\t') {
    *out += "\\t";
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string QuoteStr(std::string_view text, bool ascii_only) {
  const char quote = QuoteFor(text);
  std::string out(1, quote);
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    const uint32_t cp = DecodeUtf8(text, &i);
    if (AppendCommon(cp, quote, &out)) continue;
    if (Printable(cp) && (!ascii_only || cp < 0x80)) {
      out += text.substr(begin, i - begin);
    } else {
      AppendEscape(cp, &out);
    }
  }
  return out + quote;
}

std::string QuoteBytes(std::string_view data) {
  const char quote = QuoteFor(data);
  std::string out = std::string("b") + quote;
  for (char c : data) {
    const auto byte = static_cast<unsigned char>(c);
    if (AppendCommon(byte, quote, &out)) continue;
    if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      AppendEscape(byte, &out);
    }
  }
  return out + quote;
}

}  // namespace tensh::shell
