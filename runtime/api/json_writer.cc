#include "runtime/api/json_writer.h"

namespace tensh::api {
namespace {

// Returns the bytes of the UTF-8 character at the start of `text`, or 0 if it is not well-formed.
size_t CharLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const size_t n = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (n == 0 || first >= 0xf5 || text.size() < n) return 0;
  for (size_t i = 1; i < n; ++i)
    if ((byte(i) & 0xc0u) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool too_large = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : n;
}

}  // namespace

JsonWriter& JsonWriter::Micros(int64_t ns) {
  Comma();
  if (ns < 0) {
    out_ += '-';
    ns = -ns;
  }
  char digits[32];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, ns / 1000).ptr);
  const auto rest = static_cast<int>(ns % 1000);
  const char decimals[] = {'.', static_cast<char>('0' + rest / 100),
                           static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
  out_.append(decimals, sizeof decimals);
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text, std::string_view more) {
  Comma();
  out_ += '"';
  Escape(text);
  Escape(more);
  out_ += '"';
  return *this;
}

void JsonWriter::Escape(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    if (byte >= 0x80) {
      const size_t n = CharLength(text);
      out_ += n == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, n);
      text.remove_prefix(n == 0 ? 1 : n);
      continue;
    }
    if (byte == '"' || byte == '\\') {
      out_ += '\\';
      out_ += text[0];
    } else if (byte < 0x20 || byte == 0x7f) {
      out_ += "\\u00";
      out_ += kHex[byte >> 4];
      out_ += kHex[byte & 15];
    } else {
      out_ += text[0];
    }
    text.remove_prefix(1);
  }
}

}  // namespace tensh::api
