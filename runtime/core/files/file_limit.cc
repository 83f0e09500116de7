#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>

#include "runtime/core/files/files.h"

namespace tensh {
namespace {

struct Limits {
  std::mutex mu;
  bool limited = false;
  // the resolved directory, and true if files in it may be written
  std::vector<std::pair<std::string, bool>> below;
};
Limits& TheLimits() {
  static auto* limits = new Limits;
  return *limits;
}

bool IsBelow(std::string_view path, std::string_view directory) {
  if (directory == "/" || path == directory) return true;
  return path.starts_with(directory) && path[directory.size()] == '/';
}

// Removes the first component of `rest` and returns it, or returns "" at the end. Skips empty
// components.
std::string NextPart(std::string& rest) {
  const size_t begin = rest.find_first_not_of('/');
  if (begin == rest.npos) return rest.clear(), "";
  const size_t end = std::min(rest.find('/', begin), rest.size());
  std::string part = rest.substr(begin, end - begin);
  rest.erase(0, end);
  return part;
}

Result<std::string> ReadLink(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t n = ::readlink(path.c_str(), target, sizeof target);
  if (n < 0) return FileError(errno, path, "");
  if (n == 0 || n == static_cast<ssize_t>(sizeof target)) return FileError(ENAMETOOLONG, path, "");
  return std::string(target, static_cast<size_t>(n));
}

}  // namespace

// Does not use std::filesystem::weakly_canonical, which treats a dangling link as a file beside the
// link, whereas the system creates the file that the link names.
Result<std::string> ResolvePath(const std::string& path) {
  if (path.find('\0') != path.npos) return InvalidArgument("a file name with a zero byte in it");
  if (path.size() >= PATH_MAX) return FileError(ENAMETOOLONG, path, "");
  std::string rest = path, done;  // done: the resolved part, "" for the root
  if (path.empty() || path[0] != '/') {
    char here[PATH_MAX];
    if (!::getcwd(here, sizeof here)) return FileError(errno, path, "");
    rest = StrCat(here, "/", path);
  }
  int links = 40;   // the limit that Linux has
  int missing = 0;  // components at the end of `done` that do not exist
  for (std::string part = NextPart(rest); !part.empty(); part = NextPart(rest)) {
    if (part == ".") continue;
    if (part == "..") {
      missing = std::max(missing - 1, 0);
      done.erase(std::min(done.rfind('/'), done.size()));
      continue;
    }
    const std::string next = StrCat(done, "/", part);
    struct stat found {};
    if (missing || ::lstat(next.c_str(), &found) != 0) {
      if (!missing && errno != ENOENT && errno != ENOTDIR) return FileError(errno, path, "");
      ++missing;
    }
    if (missing || !S_ISLNK(found.st_mode)) {
      done = next;
      continue;
    }
    if (links-- == 0) return FileError(ELOOP, path, "");
    TENSH_ASSIGN(const std::string target, ReadLink(next));
    if (target[0] == '/') done.clear();
    rest = StrCat(target, "/", rest);
  }
  return done.empty() ? "/" : done;
}

Status LimitFiles(const std::string& directory, bool write) {
  Limits& limits = TheLimits();
  std::lock_guard lock(limits.mu);
  limits.limited = true;
  if (directory.empty()) return {};
  TENSH_ASSIGN(std::string resolved, ResolvePath(directory));
  limits.below.emplace_back(std::move(resolved), write);
  return {};
}

bool FilesAreLimited() {
  std::lock_guard lock(TheLimits().mu);
  return TheLimits().limited;
}

Result<std::string> AllowedPath(const std::string& path, bool write) {
  if (path.find('\0') != path.npos) return InvalidArgument("a file name with a zero byte in it");
  Limits& limits = TheLimits();
  std::lock_guard lock(limits.mu);
  if (!limits.limited) return path;
  const Status denied(
      Code::kPermissionDenied, StrCat("'", path, "' is outside the working directory"),
      "start tensh without --sandbox to use files anywhere, tensh serve with --file-root DIR");
  // Does not access the file system if no directory is allowed.
  if (limits.below.empty()) return denied;
  Result<std::string> resolved = ResolvePath(path);
  if (!resolved.ok()) return denied;
  for (const auto& [directory, writable] : limits.below)
    if ((writable || !write) && IsBelow(*resolved, directory)) return resolved;
  return denied;
}

Status CheckFile(const std::string& path, bool write) {
  TENSH_ASSIGN(const std::string allowed, AllowedPath(path, write));
  (void)allowed;
  return {};
}

}  // namespace tensh
