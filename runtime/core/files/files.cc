#include "runtime/core/files/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace tensh {
namespace {

namespace fs = std::filesystem;

// Opens a file if it is a regular one, for ops whose file access is limited. Opening a pipe without
// a writer would block the step forever, and opening a device can have side effects. `path` is
// already resolved, so a link that has been put there since is refused.
Result<FilePtr> OpenRegular(const std::string& path, const char* mode, const std::string& shown) {
  const bool reads = mode[0] == 'r', appends = mode[0] == 'a';
  const int flags = reads ? O_RDONLY : O_WRONLY | O_CREAT | (appends ? O_APPEND : 0);
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
  if (fd < 0 && errno != ENXIO) return FileError(errno, shown, "");
  struct stat found {};
  if (fd < 0 || ::fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) {
    if (fd >= 0) ::close(fd);
    if (S_ISDIR(found.st_mode)) return FileError(EISDIR, shown, "");
    return FailedPrecondition(shown, "; is not a regular file");
  }
  FilePtr file(mode[0] == 'w' && ::ftruncate(fd, 0) != 0 ? nullptr : ::fdopen(fd, mode));
  if (file) return file;
  const int error = errno;
  ::close(fd);
  return FileError(error, shown, "");
}

// Forces the names in the directory of a file to the disk, where the file system can do it.
void SyncDirectoryOf(const std::string& path) {
  const std::string directory = DirectoryOf(path);
  const int fd =
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)::fsync(fd);
  ::close(fd);
}

}  // namespace

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
  TENSH_ASSIGN(const std::string allowed, AllowedPath(path, mode[0] != 'r'));
  if (FilesAreLimited()) return OpenRegular(allowed, mode, path);
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

Result<FileVersion> VersionOf(std::FILE* file, const std::string& path) {
  struct stat found {};
  if (::fstat(::fileno(file), &found) != 0) return FileError(errno, path, "");
  if (!S_ISREG(found.st_mode)) return FailedPrecondition(path, "; is not a regular file");
  return FileVersion{found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec};
}

Status WriteWholeFile(const std::string& path, std::string_view contents) {
  static std::atomic<unsigned> next{0};
  const std::string beside = StrCat(path, ".tempstate", ::getpid(), "_", next++);
  TENSH_ASSIGN(FilePtr file, OpenFile(beside, "wb"));
  Status written = std::fwrite(contents.data(), 1, contents.size(), file.get()) == contents.size()
                       ? SyncFile(file.get(), path)
                       : FileError(errno, path, " while writing");
  file.reset();
  if (written.ok()) written = RenameFile(beside, path);
  if (!written.ok()) (void)RemoveFile(beside);
  SyncDirectoryOf(path);
  return written;
}

Status SyncFile(std::FILE* file, const std::string& path) {
  if (std::fflush(file) != 0 || (::fsync(::fileno(file)) != 0 && errno != EINVAL))
    return FileError(errno, path, " while writing");
  return {};
}

Status LinkFile(const std::string& from, const std::string& to) {
  TENSH_RETURN_IF_ERROR(CheckFile(from, true));
  TENSH_RETURN_IF_ERROR(CheckFile(to, true));
  if (::link(from.c_str(), to.c_str()) != 0) return FileError(errno, to, "");
  return {};
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

Status MakeDirectories(const std::string& path) {
  if (path.empty()) return {};
  TENSH_ASSIGN(const std::string allowed, AllowedPath(path, true));
  std::error_code error;
  fs::create_directories(allowed, error);
  if (error) return FileError(error.value(), path, "");
  return {};
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace tensh
