// The lines typed in this session and in earlier ones.
//
// The file is only appended to, one line at a time, so that two shells that run at the same time
// lose no lines. Used by one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

class History {
 public:
  // Reads the file if it exists. With "", lines are kept for this session only. If the file cannot
  // be read or written, the history works without it.
  explicit History(std::string file);
  // Returns $TENSH_HISTORY ("" disables the file), or .tensh_history in the home folder by default.
  static std::string DefaultFile();

  size_t size() const { return lines_.size(); }
  const std::string& operator[](size_t i) const { return lines_[i]; }
  void Add(const std::string& line);  // Skips empty lines and repetitions of the last line.
  // Returns the index of the last line before `before` that contains `text`, or size() if none
  // does.
  size_t Find(std::string_view text, size_t before) const;

 private:
  std::vector<std::string> lines_;
  std::string file_;
};

}  // namespace tensh::shell
