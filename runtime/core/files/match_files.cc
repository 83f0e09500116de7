#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "runtime/core/cancel.h"
#include "runtime/core/files/files.h"

namespace tensh {
namespace {

// The maximum number of directory entries that one pattern may visit. A directory that links to
// itself multiplies them with each `*/`.
constexpr int64_t kMostEntries = 20'000'000;
constexpr int64_t kMostBytes = int64_t{1} << 30;  // total length of the paths that match
constexpr int64_t kEntriesBetweenLooks = 64;

bool IsPattern(std::string_view part) { return part.find_first_of("*?[\\") != part.npos; }

struct CloseDirectory {
  void operator()(DIR* d) const { ::closedir(d); }
};

class Match {
 public:
  explicit Match(const CancelFlag* cancel) : cancel_(cancel), limited_(FilesAreLimited()) {}

  // Splits the pattern into the directory before its first wildcard and the parts after it.
  Status Find(const std::string& pattern) {
    size_t at = 0;
    bool rises = false;  // true if `..` follows a wildcard
    for (size_t begin = 0; begin < pattern.size();) {
      const size_t end = std::min(pattern.find('/', begin), pattern.size());
      const std::string part = pattern.substr(begin, end - begin);
      if (IsPattern(part) || !parts_.empty()) {
        rises |= part == "..";
        if (!part.empty() && part != ".") parts_.push_back(part);
      } else {
        at = std::min(end + 1, pattern.size());
      }
      begin = end + 1;
    }
    const std::string directory = pattern.substr(0, at);
    directories_only_ = pattern.back() == '/';
    TENSH_RETURN_IF_ERROR(CheckFile(directory, false));
    if (rises)
      return InvalidArgument("'", pattern, "': '..' cannot follow a wildcard in a pattern");
    // As in TensorFlow, names that match in the current directory begin with "./".
    if (!parts_.empty()) return Look(directory.empty() ? "./" : directory, 0);
    struct stat found {};
    if (::lstat(directory.c_str(), &found) == 0) paths.push_back(directory);
    return {};
  }

  std::vector<std::string> paths;

 private:
  // Visits the entries of `directory`, which has a slash at its end, that match parts [depth,
  // end).
  Status Look(const std::string& directory, size_t depth) {
    const std::string& part = parts_[depth];
    if (!IsPattern(part)) return Take(directory, part, depth);
    const std::unique_ptr<DIR, CloseDirectory> open(::opendir(directory.c_str()));
    if (!open) return {};  // an unreadable directory has no matches
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(open.get())) {
      TENSH_RETURN_IF_ERROR(Count());
      const std::string_view name = entry->d_name;
      if (name == "." || name == ".." || ::fnmatch(part.c_str(), entry->d_name, FNM_PERIOD) != 0)
        continue;
      names.emplace_back(name);
    }
    for (const std::string& name : names) TENSH_RETURN_IF_ERROR(Take(directory, name, depth));
    return {};
  }

  Status Take(const std::string& directory, const std::string& name, size_t depth) {
    TENSH_RETURN_IF_ERROR(Count());
    std::string path = directory + name;
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) return {};
    const bool is_link = S_ISLNK(found.st_mode);
    // A link may lead out of the folders where files may be read. No other entry can.
    if (is_link && limited_ && !CheckFile(path, false).ok()) return {};
    const bool is_last = depth + 1 == parts_.size();
    if (is_last && !directories_only_) return Keep(std::move(path));
    if (is_link && ::stat(path.c_str(), &found) != 0) return {};
    if (!S_ISDIR(found.st_mode)) return {};
    path += '/';
    return is_last ? Keep(std::move(path)) : Look(path, depth + 1);
  }

  Status Keep(std::string path) {
    bytes_ += static_cast<int64_t>(path.size() + sizeof(std::string));
    if (bytes_ > kMostBytes)
      return ResourceExhausted("the paths that a pattern matches exceed ", kMostBytes, " bytes");
    paths.push_back(std::move(path));
    return {};
  }

  Status Count() {
    if (++entries_ > kMostEntries)
      return ResourceExhausted("a pattern visits more than ", kMostEntries, " files");
    if (entries_ % kEntriesBetweenLooks == 0 && cancel_ && cancel_->cancelled())
      return cancel_->Why();
    return {};
  }

  const CancelFlag* const cancel_;
  const bool limited_;
  std::vector<std::string> parts_;  // the parts of the pattern from the first wildcard on
  bool directories_only_ = false;
  int64_t entries_ = 0, bytes_ = 0;
};

}  // namespace

Result<std::vector<std::string>> MatchFiles(const std::string& pattern, const CancelFlag* cancel) {
  if (pattern.find('\0') != pattern.npos)
    return InvalidArgument("a pattern with a zero byte in it");
  if (pattern.empty()) {
    TENSH_RETURN_IF_ERROR(CheckFile(pattern, false));
    return std::vector<std::string>();
  }
  Match match(cancel);
  TENSH_RETURN_IF_ERROR(match.Find(pattern));
  std::sort(match.paths.begin(), match.paths.end());
  return std::move(match.paths);
}

}  // namespace tensh
