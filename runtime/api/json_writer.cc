#include "runtime/api/json_writer.h"

#include <algorithm>

#include "runtime/base/utf8.h"

namespace tensh::api {
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
  const auto is_plain = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
  };
  while (!text.empty()) {
    const auto plain =
        static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const auto byte = static_cast<unsigned char>(text[0]);
    if (byte >= 0x80) {
      size_t bytes = 0;
      const bool valid = CheckedUtf8(text, 0, &bytes) >= 0;
      out_ += valid ? text.substr(0, bytes) : std::string_view("\xef\xbf\xbd");
      text.remove_prefix(valid ? bytes : 1);
      continue;
    }
    if (byte == '"' || byte == '\\') {
      out_ += '\\';
      out_ += text[0];
    } else {
      out_ += "\\u00";
      out_ += kHex[byte >> 4];
      out_ += kHex[byte & 15];
    }
    text.remove_prefix(1);
  }
}

}  // namespace tensh::api
