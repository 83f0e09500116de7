// The line being edited: its text and a cursor. The cursor moves by characters as a person sees
// them; a letter with its accents is one. Independent of the terminal.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell {

class LineBuffer {
 public:
  const std::string& text() const { return text_; }
  size_t cursor() const { return cursor_; }  // A byte offset.
  bool at_end() const { return cursor_ == text_.size(); }

  void Set(std::string text);
  void Insert(std::string_view text);
  void Left() { cursor_ = Before(cursor_); }
  void Right() { cursor_ = After(cursor_); }
  void Home() { cursor_ = 0; }
  void End() { cursor_ = text_.size(); }
  void WordLeft();
  void WordRight();
  void Backspace();
  void Delete();
  void KillToEnd();
  void KillToStart();
  void KillWord();  // Kills back to the start of the word.
  void Yank() { Insert(killed_); }

 private:
  size_t Before(size_t at) const;
  size_t After(size_t at) const;
  void Kill(size_t from, size_t to);

  std::string text_, killed_;
  size_t cursor_ = 0;
};

}  // namespace tensh::shell
