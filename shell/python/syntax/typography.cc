#include "shell/python/syntax/typography.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "runtime/base/utf8.h"

namespace tensh::shell {
namespace {

struct Sign {
  std::string_view sign, plain;
};
constexpr Sign kSigns[] = {
    {"“", "\""},     {"”", "\""},     {"„", "\""},     {"‟", "\""},     {"″", "\""},
    {"‘", "'"},      {"’", "'"},      {"‚", "'"},      {"‛", "'"},      {"′", "'"},
    {"´", "'"},      {"–", "-"},      {"—", "-"},      {"−", "-"},      {"‐", "-"},
    {"‑", "-"},      {"×", "*"},      {"∗", "*"},      {"÷", "/"},      {"∕", "/"},
    {"≤", "<="},     {"≥", ">="},     {"≠", "!="},     {"…", "..."},    {"（", "("},
    {"）", ")"},     {"，", ","},     {"：", ":"},     {"＝", "="},     {"；", ";"},
    {"\u00A0", " "}, {"\u2007", " "}, {"\u2009", " "}, {"\u202F", " "}, {"\u3000", " "},
    {"\u00AD", ""},  {"\u200B", ""},  {"\u200E", ""},  {"\u2060", ""},  {"\uFEFF", ""},
};

const Sign* SignAt(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x80) return nullptr;
  const auto* found = std::ranges::find_if(
      kSigns, [text](const Sign& sign) { return text.starts_with(sign.sign); });
  return found == std::end(kSigns) ? nullptr : found;
}

// Returns the end of a plain string that begins at text[at], or the end of the text.
size_t EndOfString(std::string_view text, size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

// Returns the position of the curly quote that closes a string, or npos. An apostrophe has a letter
// on both sides.
size_t ClosingQuote(std::string_view text, size_t from, std::string_view plain) {
  for (size_t at = from; at < text.size(); ++at) {
    const Sign* sign = SignAt(text.substr(at));
    if (sign == nullptr || sign->plain != plain) continue;
    const size_t after = at + sign->sign.size();
    const bool letter =
        after < text.size() && std::isalnum(static_cast<unsigned char>(text[after]));
    if (!letter) return at;
  }
  return text.npos;
}

// Appends the text between curly quotes as a plain string.
void AppendQuoted(std::string_view inner, char quote, std::string* out) {
  *out += quote;
  for (const char c : inner) {
    if (c == quote) *out += '\\';
    *out += c;
  }
  *out += quote;
}

}  // namespace

std::string PlainLine(std::string_view line) {
  std::string out;
  std::string unclosed;  // the quotes that nothing closes in the rest of the line
  for (size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (c == '#') return out += line.substr(at);
    const Sign* sign = SignAt(line.substr(at));
    if (sign == nullptr) {
      const size_t end = c == '"' || c == '\'' ? EndOfString(line, at) : at + 1;
      out += line.substr(at, end - at);
      at = end;
      continue;
    }
    at += sign->sign.size();
    const bool quote = sign->plain == "\"" || sign->plain == "'";
    const bool may_close = quote && unclosed.find(sign->plain) == unclosed.npos;
    const size_t close = may_close ? ClosingQuote(line, at, sign->plain) : line.npos;
    if (close == line.npos) {
      if (may_close) unclosed += sign->plain;
      out += sign->plain;
      continue;
    }
    AppendQuoted(line.substr(at, close - at), sign->plain[0], &out);
    at = close + SignAt(line.substr(close))->sign.size();
  }
  return out;
}

std::string InvalidCharacter(std::string_view sign) {
  size_t end = 0;
  const uint32_t cp = DecodeUtf8(sign, &end);
  char code[16];
  std::snprintf(code, sizeof code, "U+%04X", cp);
  const std::string plain = PlainLine(sign);
  if (cp < 32 || cp == 127 || plain == " " || plain.empty())
    return std::string("invalid non-printable character ") + code;
  return "invalid character '" + std::string(sign) + "' (" + code + ")";
}

std::string_view TypographicWord(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '#') break;
    if (c == '"' || c == '\'') {
      at = EndOfString(text, at) - 1;
      continue;
    }
    const Sign* sign = SignAt(text.substr(at));
    const bool begins =
        at == 0 || std::string_view(" \t\n=(,[{<>!").find(text[at - 1]) != std::string_view::npos;
    if (sign != nullptr && begins) return text.substr(at, sign->sign.size());
  }
  return {};
}

}  // namespace tensh::shell
