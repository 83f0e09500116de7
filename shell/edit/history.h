// The cells typed in this session and in earlier ones.
//
// Each cell is appended to the file as soon as it is entered, so that shells that run at the same
// time do not overwrite each other's cells. The file has the lines of each cell in order; every line
// of a cell but the first is indented by a tab.
// Used by one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

class History {
 public:
  // Reads the file if it exists. If `file` is "", cells are kept for this session only. If the file
  // cannot be read or written, the history works without it.
  explicit History(std::string file);
  // Returns $TENSH_HISTORY ("" disables the file), or .tensh_history in the home folder by default.
  static std::string DefaultFile();

  static bool Disabled();  // True if $TENSH_HISTORY is "".
  // Returns the errno with which writing the file fails, or 0.
  static int WriteError(const std::string& file);

  size_t size() const { return cells_.size(); }
  const std::string& operator[](size_t i) const { return cells_[i]; }
  void Add(const std::string& cell);  // Skips empty cells and repetitions of the last one.
  // Returns the index of the last cell before `before` that contains `text`, or size() if none
  // does.
  size_t Find(std::string_view text, size_t before) const;
  // Returns the index of the first cell from `from` on that contains `text`, or size().
  size_t FindNewer(std::string_view text, size_t from) const;
  // Returns the index of the last cell before `before` that begins with `prefix` and is longer, or
  // size() if none does.
  size_t FindPrefix(std::string_view prefix, size_t before) const;
  size_t FindPrefixNewer(std::string_view prefix, size_t from) const;

 private:
  std::vector<std::string> cells_;
  std::string file_;
};

}  // namespace tensh::shell
