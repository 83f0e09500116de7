// Completion by Tab: the interface to the code that knows the language, and the menu of the
// candidates.
//
// The editor does not depend on the language; its creator provides a Completer. The menu is a
// value: keys change it, and Lines draws it. Used by one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/edit/styled.h"

namespace tensh::shell {

struct Completion {
  size_t from = 0;  // Byte offset where the word begins that a candidate replaces.
  std::vector<std::string> candidates;
  // Returns one line about a candidate, or "". May be empty. Must not throw.
  std::function<std::string(const std::string& candidate)> describe = {};
};
// Returns the candidates for the text before the cursor. Must not throw; returns no candidates if
// the text cannot be completed.
using Completer = std::function<Completion(std::string_view before_cursor)>;

// Returns the longest common prefix of the candidates, in whole characters.
std::string CommonPrefix(const std::vector<std::string>& candidates);

class Menu {
 public:
  bool open() const { return open_; }
  void Open(Completion found, std::string_view typed);
  void Close() { open_ = false; }
  // Shows the candidates that begin with `typed` or, if there are none, those that contain it in
  // upper or lower case. Closes the menu if no candidate remains.
  void Filter(std::string_view typed);

  size_t from() const { return found_.from; }
  const std::vector<size_t>& shown() const { return shown_; }
  const std::string& candidate(size_t i) const { return found_.candidates[shown_[i]]; }
  // The index of the selected candidate among those shown, or shown().size() if none is selected.
  size_t selected() const { return selected_; }
  bool has_selection() const { return selected_ < shown_.size(); }
  // Moves by candidates, or by columns of the layout that was drawn last. Wraps around at the ends.
  void Move(int by);
  void MoveColumn(int by);
  void MovePage(int by);

  // Returns at most `height` lines (at least 2): the candidates in columns, and a line about the
  // selected one. Candidates that do not fit are reached by scrolling.
  std::vector<StyledLine> Lines(size_t width, size_t height);

 private:
  Completion found_;
  std::vector<size_t> shown_;
  size_t selected_ = 0, scroll_ = 0;
  size_t rows_ = 1, visible_rows_ = 1;  // Of the layout that was drawn last.
  bool open_ = false;
};

}  // namespace tensh::shell
