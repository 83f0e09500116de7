// A text that is compiled into the program in compressed form.
//
// The build deflates the Python files, lessons, pages and examples (cmake/texts.cmake), which are a
// megabyte of text, to a third of their size. Expanding one takes a few microseconds for each
// kilobyte, so only texts that most commands do not need are stored in this form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tensh::shell {

struct PackedText {
  std::string_view packed;  // a raw deflate stream
  size_t size;              // number of bytes of the text

  // Returns the text. Thread-safe.
  std::string str() const;
};

}  // namespace tensh::shell
