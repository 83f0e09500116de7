// Lines from a terminal, in its own (cooked) mode: the terminal edits, we read. Owns the bytes read
// ahead. Ctrl-C while waiting ends the read with kInterrupted; nothing here prints but the prompt.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell {

enum class ReadEnd : unsigned char { kLine, kEof, kInterrupted };

class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}
  // One line without its newline.
  ReadEnd Read(std::string_view prompt, std::string* line);

 private:
  bool TakeLine(std::string* line);

  int fd_;
  std::string ahead_;
  size_t at_ = 0;
};

// Everything until the end of fd. False: an error (errno says which), or more than `limit` bytes
// (EFBIG).
bool ReadAll(int fd, size_t limit, std::string* text);

}  // namespace tensh::shell
