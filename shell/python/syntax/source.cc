#include "shell/python/syntax/source.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/base/text.h"
#include "runtime/base/utf8.h"
#include "shell/python/syntax/typography.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"

namespace tensh::shell {
namespace {

// Limits the source line shown in an error, in bytes; a longer line is left out.
constexpr size_t kMaxShown = 4096;

}  // namespace

size_t Source::LineOf(uint32_t offset) const {
  if (lines_.empty()) {
    lines_.push_back(0);
    const char* begin = text_.data();
    const char* end = begin + text_.size();
    for (const char* p = begin;
         (p = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p))));) {
      lines_.push_back(static_cast<uint32_t>(++p - begin));
    }
  }
  return static_cast<size_t>(std::upper_bound(lines_.begin(), lines_.end(), offset) -
                             lines_.begin()) -
         1;
}

Location Source::Locate(Span span) const {
  const auto size = static_cast<uint32_t>(text_.size());
  span.begin = std::min(span.begin, size);
  span.end = std::clamp(span.end, span.begin, size);
  const size_t line = LineOf(span.begin), last = LineOf(span.end);
  auto line_text = [&](size_t n) {
    const size_t begin = lines_[n], end = n + 1 < lines_.size() ? lines_[n + 1] - 1 : size;
    return std::string_view(text_).substr(begin, end - begin);
  };
  // Far inside of a long line, bytes are counted: counting characters for each statement of a line
  // would take time that grows with the square of its length.
  auto column = [&](size_t n, uint32_t offset) {
    if (offset - lines_[n] > kMaxShown) return static_cast<int>(offset - lines_[n]) + 1;
    return static_cast<int>(
               CodePoints(std::string_view(text_).substr(lines_[n], offset - lines_[n]))) +
           1;
  };
  Location where;
  where.file = file_;
  where.line = static_cast<int>(line) + 1;
  where.end_line = static_cast<int>(last) + 1;
  where.column = column(line, span.begin);
  where.end_column = column(last, span.end);
  if (line_text(line).size() <= kMaxShown) where.text = std::string(line_text(line));
  return where;
}

void Source::Check() const {
  if (text_.size() > kMaxSourceBytes)
    throw MakeError(kSyntaxError, "the text is longer than 2 GiB");
  const char* begin = text_.data();
  const char* end = begin + text_.size();
  for (const char* p = begin; p < end;) {
    const auto* newline =
        static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
    const char* stop = newline ? newline : end;
    if (static_cast<size_t>(stop - p) > kMaxLineBytes) {
      const auto at = static_cast<uint32_t>(p - begin);
      ThrowSyntax(*this, {at, at + 1}, "line is longer than 64 MiB");
    }
    p = stop + 1;
  }
  if (const void* nul = text_.empty() ? nullptr : std::memchr(begin, 0, text_.size())) {
    const auto at = static_cast<uint32_t>(static_cast<const char*>(nul) - begin);
    ThrowSyntax(*this, {at, at + 1}, "source code cannot contain null bytes");
  }
  if (size_t bad = FindInvalidUtf8(text_); bad != std::string::npos) {
    char message[120];
    std::snprintf(
        message, sizeof message,
        "(unicode error) 'utf-8' codec can't decode byte 0x%02x in position %zu: invalid %s",
        static_cast<unsigned char>(text_[bad]), bad,
        static_cast<unsigned char>(text_[bad]) >= 0xC2 &&
                static_cast<unsigned char>(text_[bad]) <= 0xF4
            ? "continuation byte"
            : "start byte");
    const auto at = static_cast<uint32_t>(bad);
    ThrowSyntax(*this, {at, at + 1}, message);
  }
}

void ThrowSyntax(const Source& source, Span span, std::string message) {
  ThrowSyntax(source, span, std::move(message), kSyntaxError);
}

void ThrowSyntax(const Source& source, Span span, std::string message, const TypeInfo& type) {
  PyError error = MakeError(type, std::move(message));
  error.exception().trace.push_back({source.Locate(span), "<module>"});
  throw error;
}

void ThrowPython2(const Source& source, Span span, std::string message) {
  ThrowPython2(source, span, std::move(message), kSyntaxError);
}

void ThrowPython2(const Source& source, Span span, std::string message, const TypeInfo& type) {
  PyError error = MakeError(type, std::move(message));
  error.exception().trace.push_back({source.Locate(span), "<module>"});
  throw error.Hint("If this is Python 2, run: " + Python2Command(source.file()));
}

std::string Python2Command(std::string_view file) {
  if (file.empty() || file[0] == '<' || file[0] == '-') return "tensh --python2";
  const bool quoted = file.find_first_of(" \t'\"\\()&;$*?#!`<>|") != file.npos;
  if (!quoted) return "tensh --python2 " + std::string(file);
  std::string text = "tensh --python2 '";
  for (const char c : file) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void ThrowInvalidCharacter(const Source& source, Span span) {
  const std::string_view text = source.text();
  size_t after = span.begin;
  DecodeUtf8(text, &after);
  PyError error =
      MakeError(kSyntaxError, InvalidCharacter(text.substr(span.begin, after - span.begin)));
  const Location where = source.Locate(span);
  error.exception().trace.push_back({where, "<module>"});
  const std::string line(Trim(where.text)), plain = PlainLine(line);
  if (plain == line) throw error;
  // A line of a longer text is not a statement to type.
  const bool alone = Trim(text).find('\n') == std::string::npos;
  throw alone ? error.Type(plain) : error.Hint("with the characters of Python: " + plain);
}

}  // namespace tensh::shell
