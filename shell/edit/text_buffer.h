// The cell being edited: its lines, a cursor, undo, and the texts that were cut.
//
// The cursor moves by grapheme clusters. A word consists of letters, digits and "_". Independent of
// the terminal. Offsets are in bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

class TextBuffer {
 public:
  const std::string& text() const { return text_; }
  size_t cursor() const { return cursor_; }
  bool at_end() const { return cursor_ == text_.size(); }
  std::string_view before() const { return std::string_view(text_).substr(0, cursor_); }
  std::string_view after() const { return std::string_view(text_).substr(cursor_); }

  // The lines that the offset is in, and how many there are.
  size_t LineStart(size_t at) const;
  size_t LineEnd(size_t at) const;
  size_t LineStart() const { return LineStart(cursor_); }
  size_t LineEnd() const { return LineEnd(cursor_); }
  bool on_first_line() const { return LineStart() == 0; }
  bool on_last_line() const { return LineEnd() == text_.size(); }
  std::string_view CurrentLine() const;
  // Returns the number of blanks at the beginning of the line.
  size_t Indent(size_t line_start) const;

  // Starts a new cell. Clears the undo states, but keeps the cut texts.
  void Reset();
  // Replaces the whole text as one change. The cursor goes to `cursor`, or the end.
  void Set(std::string text, size_t cursor = std::string::npos);
  void Insert(std::string_view text);  // As one change.
  void Type(std::string_view text);    // Like Insert, but typing a word is one change.
  void Erase(size_t from, size_t to);
  void Replace(size_t from, size_t to, std::string_view text);
  void MoveTo(size_t at);

  void Left() { MoveTo(Before(cursor_)); }
  void Right() { MoveTo(After(cursor_)); }
  void Home();  // To the first word of the line, or from there to the beginning.
  void End() { MoveTo(LineEnd()); }
  // Returns false if there is no such line. Keeps the column if the line is long enough.
  bool Up();
  bool Down();
  size_t WordLeft(size_t from) const;
  size_t WordRight(size_t from) const;
  size_t Before(size_t at) const;
  size_t After(size_t at) const;

  void Backspace();  // within the indentation, removes one level
  void Delete() { Erase(cursor_, After(cursor_)); }
  void Transpose();  // Exchanges the characters around the cursor.

  // Cuts a range. Consecutive cuts join.
  void Kill(size_t from, size_t to);
  void Copy(std::string text);  // Adds to the cut texts.
  void Yank();
  void YankOlder();  // after Yank, replaces the text by the one that was cut before it
  const std::string& killed() const;

  bool Undo();
  bool Redo();
  // Must be called before each key, so that consecutive keys of the same kind form one change.
  void BeginKey();
  // All changes until EndChange() are undone as one. Pairs do not nest.
  void BeginChange();
  void EndChange() { changing_ = false; }
  bool changing() const { return changing_; }

 private:
  enum class Kind : unsigned char { kNone, kTyping, kKill, kYank, kMove };
  struct State {
    std::string text;
    size_t cursor;
  };
  void Save();
  size_t OnLine(size_t line_start, size_t column) const;

  std::string text_;
  size_t cursor_ = 0;
  Kind last_ = Kind::kNone, now_ = Kind::kNone;
  size_t column_ = 0;  // The column to keep while moving up and down.
  std::vector<State> undo_, redo_;
  size_t saved_bytes_ = 0;  // Of undo_.
  bool changing_ = false;   // between BeginChange() and EndChange()
  bool saved_ = false;      // the state before this change is in undo_
  std::vector<std::string> killed_;
  size_t yanked_from_ = 0, yanked_ = 0;
};

bool IsWordByte(char c);

}  // namespace tensh::shell
