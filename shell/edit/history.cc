#include "shell/edit/history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "shell/edit/line_reader.h"
#include "shell/text/write_all.h"

namespace tensh::shell {
namespace {

constexpr size_t kMostCells = 5000;
constexpr size_t kMostBytes = 16 << 20;    // A larger file was not written by tensh.
constexpr size_t kLargestCell = 64 << 10;  // a larger cell is pasted data and is not kept

// Returns the lines of the file that hold a cell.
std::string LinesOf(const std::string& cell) {
  std::string lines;
  for (const char c : cell) {
    lines += c;
    if (c == '\n') lines += '\t';
  }
  return lines + "\n";
}

std::vector<std::string> CellsOf(std::string_view text) {
  std::vector<std::string> cells;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!cells.empty() && line.starts_with('\t')) {
      cells.back().append("\n").append(line.substr(1));
    } else if (!line.empty()) {
      cells.emplace_back(line);
    }
  }
  return cells;
}

}  // namespace

std::string History::DefaultFile() {
  if (const char* file = std::getenv("TENSH_HISTORY")) return file;
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.tensh_history";
}

bool History::Disabled() {
  const char* file = std::getenv("TENSH_HISTORY");
  return file != nullptr && *file == '\0';
}

int History::WriteError(const std::string& file) {
  const bool exists = ::access(file.c_str(), F_OK) == 0;
  const std::string folder = file.substr(0, file.rfind('/') + 1);
  const bool good = exists ? ::access(file.c_str(), W_OK) == 0
                           : ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
  return good ? 0 : errno;
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
  cells_ = CellsOf(text);
  if (cells_.size() <= kMostCells) return;
  cells_.erase(cells_.begin(), cells_.end() - kMostCells);
  // Shortens the file occasionally. It is replaced atomically, so that a complete file always
  // exists.
  const std::string made = file_ + "." + std::to_string(::getpid());
  const int out = ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (out < 0) return;
  std::string kept;
  for (const std::string& cell : cells_) kept += LinesOf(cell);
  WriteAll(out, kept);
  ::close(out);
  if (::rename(made.c_str(), file_.c_str()) != 0) ::unlink(made.c_str());
}

void History::Add(const std::string& cell) {
  if (cell.find_first_not_of(" \t\n") == std::string::npos ||
      (!cells_.empty() && cells_.back() == cell))
    return;
  cells_.push_back(cell);
  if (cells_.size() > 2 * kMostCells) cells_.erase(cells_.begin(), cells_.end() - kMostCells);
  if (file_.empty() || cell.size() > kLargestCell) return;
  const int fd =
      ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  if (fd < 0) return;
  WriteAll(fd, LinesOf(cell));
  ::close(fd);
}

size_t History::Find(std::string_view text, size_t before) const {
  for (size_t i = std::min(before, cells_.size()); i-- > 0;)
    if (cells_[i].find(text) != std::string::npos) return i;
  return cells_.size();
}

size_t History::FindNewer(std::string_view text, size_t from) const {
  for (size_t i = from; i < cells_.size(); ++i)
    if (cells_[i].find(text) != std::string::npos) return i;
  return cells_.size();
}

size_t History::FindPrefix(std::string_view prefix, size_t before) const {
  for (size_t i = std::min(before, cells_.size()); i-- > 0;)
    if (cells_[i].size() > prefix.size() && cells_[i].starts_with(prefix)) return i;
  return cells_.size();
}

size_t History::FindPrefixNewer(std::string_view prefix, size_t from) const {
  for (size_t i = from; i < cells_.size(); ++i)
    if (cells_[i].size() > prefix.size() && cells_[i].starts_with(prefix)) return i;
  return cells_.size();
}

}  // namespace tensh::shell
