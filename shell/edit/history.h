// The lines typed before, in this session and in those before it. Owns the lines; the file is only
// appended to, a line at a time, so that two shells at once lose nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

class History {
 public:
  // Reads the file if there is one; "" keeps the lines to this session. A file that cannot be read
  // or written costs nothing but the memory of it.
  explicit History(std::string file);
  // $TENSH_HISTORY ("" for none), else .tensh_history in the home folder.
  static std::string DefaultFile();

  size_t size() const { return lines_.size(); }
  const std::string& operator[](size_t i) const { return lines_[i]; }
  void Add(const std::string& line);  // empty lines and repetitions of the last are left out
  // The last line before `before` that contains `text`; size() when there is none.
  size_t Find(std::string_view text, size_t before) const;

 private:
  std::vector<std::string> lines_;
  std::string file_;
};

}  // namespace tensh::shell
