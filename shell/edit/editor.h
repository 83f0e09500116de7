// A line editor for a terminal that can move its cursor: keys, a line, and the lines before it.
// Owns the terminal's mode only while it reads; signals stay on, so that Ctrl-C is a signal as
// ever. One line on the screen: a longer one scrolls sideways. What is pasted is text, whatever it
// holds; of a pasted session the prompts and the output are left out.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "shell/edit/completion.h"
#include "shell/edit/history.h"
#include "shell/edit/keys.h"
#include "shell/edit/line_buffer.h"
#include "shell/edit/line_reader.h"

namespace tensh::shell {

class Editor {
 public:
  // interrupted: KeyReader's.
  Editor(int fd, std::string history_file, Completer completer, std::function<bool()> interrupted)
      : fd_(fd),
        keys_(fd, std::move(interrupted)),
        history_(std::move(history_file)),
        completer_(std::move(completer)) {}
  static bool Works(int fd);  // a terminal, and TERM is not dumb
  ReadEnd Read(std::string_view prompt, std::string* line);

 private:
  enum class Step : unsigned char { kGoOn, kLine, kEof, kInterrupted };
  Step Edit(std::string_view prompt);
  Step Handle(Key key, const std::string& text);
  void Move(Key key);
  bool HandleSearch(Key key,
                    const std::string& text);  // false: the search is over, the key is not handled
  void Recall(int direction);
  void Complete();
  void Unprompt();
  void Draw() const;

  int fd_;
  KeyReader keys_;
  LineBuffer buffer_;
  std::string prompt_;
  History history_;
  Completer completer_;
  size_t recalled_ = 0;  // history_.size(): the line being typed
  std::string draft_;    // that line, while an older one is shown
  bool searching_ = false;
  std::string query_;
  bool pasted_ = false;          // something of this line was
  bool pasted_session_ = false;  // the paste has prompts in it
};

}  // namespace tensh::shell
