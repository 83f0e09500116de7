#include "runtime/core/files.h"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

namespace tensh {
namespace {

namespace fs = std::filesystem;

struct Limits {
  std::mutex mu;
  std::vector<std::pair<std::string, bool>> below;  // directory, may be written
};
Limits& TheLimits() {
  static auto* limits = new Limits;
  return *limits;
}

bool IsBelow(const fs::path& path, const fs::path& directory) {
  auto [rest, unused] = std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  return rest == directory.end();
}

}  // namespace

void LimitFiles(const std::string& directory, bool write) {
  std::lock_guard lock(TheLimits().mu);
  TheLimits().below.emplace_back(directory, write);
}

Status CheckFile(const std::string& path, bool write) {
  if (path.find('\0') != path.npos) return InvalidArgument("a file name with a zero byte in it");
  std::lock_guard lock(TheLimits().mu);
  if (TheLimits().below.empty()) return {};
  std::error_code error;
  const fs::path there = fs::weakly_canonical(fs::absolute(path, error), error);
  for (const auto& [directory, writable] : TheLimits().below)
    if (!error && (writable || !write) && IsBelow(there, fs::weakly_canonical(directory, error)))
      return {};
  return Status(
      Code::kPermissionDenied, StrCat("'", path, "' is outside the working directory"),
      "start tensh with --allow-files to use files anywhere, tensh serve with --file-root DIR");
}

Status FileError(int error, const std::string& path, const char* what) {
  struct Row {
    int error;
    Code code;
  };
  static constexpr Row kRows[] = {{ENOENT, Code::kNotFound},
                                  {EACCES, Code::kPermissionDenied},
                                  {EPERM, Code::kPermissionDenied},
                                  {EROFS, Code::kPermissionDenied},
                                  {EEXIST, Code::kAlreadyExists},
                                  {ENOTDIR, Code::kFailedPrecondition},
                                  {EISDIR, Code::kFailedPrecondition},
                                  {ENOSPC, Code::kResourceExhausted},
                                  {ENAMETOOLONG, Code::kInvalidArgument}};
  Code code = Code::kUnknown;
  for (const Row& row : kRows)
    if (row.error == error) code = row.code;
  return Status(code, StrCat(path, "; ", std::strerror(error), what));
}

Result<FilePtr> OpenFile(const std::string& path, const char* mode) {
  TENSH_RETURN_IF_ERROR(CheckFile(path, mode[0] != 'r'));
  std::error_code error;
  if (fs::is_directory(path, error)) return FileError(EISDIR, path, "");
  FilePtr file(std::fopen(path.c_str(), mode));
  if (!file) return FileError(errno, path, "");
  return file;
}

Result<std::string> ReadWholeFile(const std::string& path) {
  TENSH_ASSIGN(FilePtr file, OpenFile(path, "rb"));
  std::string text;
  char buffer[1 << 16];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) text.append(buffer, n);
  if (std::ferror(file.get())) return FileError(errno, path, " while reading");
  return text;
}

Status WriteWholeFile(const std::string& path, std::string_view contents) {
  const std::string beside = path + ".tempstate";
  {
    TENSH_ASSIGN(FilePtr file, OpenFile(beside, "wb"));
    if (std::fwrite(contents.data(), 1, contents.size(), file.get()) != contents.size() ||
        std::fflush(file.get()) != 0)
      return FileError(errno, path, " while writing");
  }
  return RenameFile(beside, path);
}

Status RenameFile(const std::string& from, const std::string& to) {
  TENSH_RETURN_IF_ERROR(CheckFile(from, true));
  TENSH_RETURN_IF_ERROR(CheckFile(to, true));
  if (std::rename(from.c_str(), to.c_str()) != 0) return FileError(errno, to, "");
  return {};
}

Status RemoveFile(const std::string& path) {
  TENSH_RETURN_IF_ERROR(CheckFile(path, true));
  if (std::remove(path.c_str()) != 0) return FileError(errno, path, "");
  return {};
}

Result<std::vector<std::string>> MatchFiles(const std::string& pattern) {
  if (pattern.find('\0') != pattern.npos)
    return InvalidArgument("a pattern with a zero byte in it");
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) TENSH_RETURN_IF_ERROR(CheckFile(path, false));
  return paths;
}

Status MakeDirectories(const std::string& path) {
  if (path.empty()) return {};
  TENSH_RETURN_IF_ERROR(CheckFile(path, true));
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return FileError(error.value(), path, "");
  return {};
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace tensh
