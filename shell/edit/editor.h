// A line editor for a terminal that can move its cursor: keys, a line, and the lines before it.
// Owns the terminal's mode only while it reads; signals stay on, so that Ctrl-C is a signal as
// ever. One line on the screen: a longer one scrolls sideways.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/edit/keys.h"
#include "shell/edit/line_buffer.h"
#include "shell/edit/line_reader.h"

namespace tensh::shell {

class Editor {
 public:
  explicit Editor(int fd) : fd_(fd), keys_(fd) {}
  static bool Works(int fd);  // a terminal, and TERM is not dumb
  ReadEnd Read(std::string_view prompt, std::string* line);

 private:
  enum class Step : unsigned char { kGoOn, kLine, kEof, kInterrupted };
  Step Handle(Key key, const std::string& text);
  void Recall(int direction);
  void Draw() const;

  int fd_;
  KeyReader keys_;
  LineBuffer buffer_;
  std::string prompt_;
  std::vector<std::string> history_;
  size_t recalled_ = 0;  // history_.size(): the line being typed
  std::string draft_;    // that line, while an older one is shown
};

}  // namespace tensh::shell
