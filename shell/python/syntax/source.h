// One text given to the interpreter, with functions that locate bytes in it.
//
// Spans are byte offsets, so that the tree and the bytecode need only eight bytes per node. Lines
// and columns are computed on demand.
//
// Sources are shared by the trees and codes made from them. Locate() fills a cache and is protected
// by the interpreter's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/python/values/native.h"

namespace tensh::shell {

struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
};

constexpr size_t kMaxLineBytes = size_t{64} << 20;
constexpr size_t kMaxSourceBytes = size_t{1} << 31;

class Source {
 public:
  // `library` is 0 for the user's text, and otherwise the number that Interp::LoadLibrary gave to a
  // library of tensh.
  Source(std::string text, std::string file, uint16_t library = 0)
      : text_(std::move(text)), file_(std::move(file)), library_(library) {}
  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }
  uint16_t library() const { return library_; }
  Location Locate(Span span) const;
  std::string_view Text(Span span) const {
    return text().substr(span.begin, span.end - span.begin);
  }
  // Throws SyntaxError for text that no program may contain: NUL, bytes that are not UTF-8, or a
  // line longer than kMaxLineBytes.
  void Check() const;

 private:
  size_t LineOf(uint32_t offset) const;  // The line number, counted from 0.

  std::string text_;
  std::string file_;
  uint16_t library_;
  mutable std::vector<uint32_t> lines_;  // Offsets of the line starts, built on demand.
};

// Throw a SyntaxError, or the given subclass of it, at a position in the source.
class PyError;
struct TypeInfo;
[[noreturn]] void ThrowSyntax(const Source& source, Span span, std::string message);
[[noreturn]] void ThrowSyntax(const Source& source, Span span, std::string message,
                              const TypeInfo& type);
// Returns the command line that runs a file, or the prompt, in Python 2.
std::string Python2Command(std::string_view file);
// Throws a SyntaxError for syntax of Python 2, with a hint that names the option --python2.
[[noreturn]] void ThrowPython2(const Source& source, Span span, std::string message);
[[noreturn]] void ThrowPython2(const Source& source, Span span, std::string message,
                               const TypeInfo& type);
// Throws the SyntaxError for a character that no token contains. If the character comes
// from a word processor, the hint shows the line with the characters that Python expects.
[[noreturn]] void ThrowInvalidCharacter(const Source& source, Span span);

}  // namespace tensh::shell
