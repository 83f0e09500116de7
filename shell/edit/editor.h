// A line editor for terminals that can move the cursor, with keys, history and completion.
//
// The editor changes the terminal's mode only while it reads. Signals stay enabled, so that Ctrl-C
// still sends one. It uses one screen line; a longer line scrolls sideways. Pasted text is never
// interpreted as keys. If a session is pasted, its prompts and output are left out.
//
// Used by one thread.
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
  // `interrupted` is passed to the KeyReader.
  Editor(int fd, std::string history_file, Completer completer, std::function<bool()> interrupted)
      : fd_(fd),
        keys_(fd, std::move(interrupted)),
        history_(std::move(history_file)),
        completer_(std::move(completer)) {}
  static bool Works(int fd);  // True for a terminal whose TERM is not dumb.
  ReadEnd Read(std::string_view prompt, std::string* line);

 private:
  enum class Step : unsigned char { kGoOn, kLine, kEof, kInterrupted };
  Step Edit(std::string_view prompt);
  Step Handle(Key key, const std::string& text);
  void Move(Key key);
  // Returns false if the search ended and the key must still be handled.
  bool HandleSearch(Key key, const std::string& text);
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
  // Index of the history line shown; history_.size() means the line being typed.
  size_t recalled_ = 0;
  std::string draft_;  // The line being typed, while an older one is shown.
  bool searching_ = false;
  std::string query_;
  bool pasted_ = false;          // True if a part of this line was pasted.
  bool pasted_session_ = false;  // True if the pasted text contains prompts.
};

}  // namespace tensh::shell
