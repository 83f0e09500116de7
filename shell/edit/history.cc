#include "shell/edit/history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "shell/edit/line_reader.h"
#include "shell/text/write_all.h"

namespace tensh::shell {
namespace {

constexpr size_t kMostLines = 5000;
constexpr size_t kMostBytes = 16 << 20;  // A larger file was not written by tensh.

}  // namespace

std::string History::DefaultFile() {
  if (const char* file = std::getenv("TENSH_HISTORY")) return file;
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.tensh_history";
}

History::History(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  struct stat about {};
  const int fd = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::string text;
  const bool read = fd >= 0 && ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
                    ReadAll(fd, kMostBytes, &text);
  if (fd >= 0) ::close(fd);
  if (fd >= 0 && !read) file_.clear();
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines_.emplace_back(text, at, end - at);
    at = end + 1;
  }
  if (lines_.size() <= kMostLines) return;
  lines_.erase(lines_.begin(), lines_.end() - kMostLines);
  // Shortens the file occasionally. It is replaced atomically, so that a complete file always
  // exists.
  const std::string made = file_ + "." + std::to_string(::getpid());
  const int out = ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (out < 0) return;
  std::string kept;
  for (const std::string& line : lines_) kept += line + "\n";
  WriteAll(out, kept);
  ::close(out);
  if (::rename(made.c_str(), file_.c_str()) != 0) ::unlink(made.c_str());
}

void History::Add(const std::string& line) {
  if (line.find_first_not_of(" \t") == std::string::npos ||
      (!lines_.empty() && lines_.back() == line))
    return;
  lines_.push_back(line);
  if (lines_.size() > 2 * kMostLines) lines_.erase(lines_.begin(), lines_.end() - kMostLines);
  if (file_.empty() || line.find('\n') != std::string::npos) return;
  const int fd =
      ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  if (fd < 0) return;
  WriteAll(fd, line + "\n");
  ::close(fd);
}

size_t History::Find(std::string_view text, size_t before) const {
  for (size_t i = std::min(before, lines_.size()); i-- > 0;)
    if (lines_[i].find(text) != std::string::npos) return i;
  return lines_.size();
}

}  // namespace tensh::shell
