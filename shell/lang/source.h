// Source: one text given to the interpreter, and where its bytes are. Spans are byte offsets, so
// that AST and bytecode carry eight bytes a place; lines and columns are worked out when somebody
// asks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/values/native.h"

namespace tensh::shell {

struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
};

constexpr size_t kMaxLineBytes = size_t{64} << 20;
constexpr size_t kMaxSourceBytes = size_t{1} << 31;

class Source {
 public:
  // `library`: 0 for what the user wrote, else the number of one of our own libraries
  // (Interp::LoadLibrary).
  Source(std::string text, std::string file, uint16_t library = 0)
      : text_(std::move(text)), file_(std::move(file)), library_(library) {}
  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }
  uint16_t library() const { return library_; }
  Location Locate(Span span) const;
  std::string_view Text(Span span) const {
    return text().substr(span.begin, span.end - span.begin);
  }
  // Throws SyntaxError for what no program may contain: NUL, bytes that are not UTF-8, a line too
  // long.
  void Check() const;

 private:
  size_t LineOf(uint32_t offset) const;  // From 0.

  std::string text_;
  std::string file_;
  uint16_t library_;
  mutable std::vector<uint32_t> lines_;  // Offsets of line starts; built on demand.
};

// A SyntaxError (or a subclass) at a place.
class PyError;
struct TypeInfo;
[[noreturn]] void ThrowSyntax(const Source& source, Span span, std::string message);
[[noreturn]] void ThrowSyntax(const Source& source, Span span, std::string message,
                              const TypeInfo& type);

}  // namespace tensh::shell
