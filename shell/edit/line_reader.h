// Reads lines from a terminal in cooked mode, in which the terminal itself edits the line.
//
// The reader owns the bytes it has read ahead. Ctrl-C during a read returns kInterrupted. It prints
// nothing but the prompt. Used by one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tensh::shell {

enum class ReadEnd : unsigned char { kLine, kEof, kInterrupted };

class LineReader {
 public:
  // `interrupted` tells whether Ctrl-C arrived that no one has answered yet. Without it, a Ctrl-C just
  // before a read has no effect.
  explicit LineReader(int fd, std::function<bool()> interrupted = {})
      : fd_(fd), interrupted_(std::move(interrupted)) {}
  // Reads one line, without its newline.
  ReadEnd Read(std::string_view prompt, std::string* line);

 private:
  bool TakeLine(std::string* line);
  // Waits for input. Returns false if Ctrl-C arrived instead.
  bool Wait() const;

  int fd_;
  std::function<bool()> interrupted_;
  std::string ahead_;
  size_t at_ = 0;
};

// Reads until the end of fd. Returns false after an error (see errno) or after more than `limit`
// bytes (EFBIG).
bool ReadAll(int fd, size_t limit, std::string* text);

}  // namespace tensh::shell
