#include "shell/text/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace tensh::shell {
namespace {

namespace fs = std::filesystem;

// Forces a file or folder to the disk. File systems without this operation report EINVAL.
int SyncPath(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = ::fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP ? errno : 0;
  ::close(fd);
  return error;
}

}  // namespace

std::string TemporaryBeside(const std::string& path) {
  static std::atomic<unsigned> next{0};
  return path + ".tmp" + std::to_string(::getpid()) + "_" + std::to_string(next++);
}

FileReplacement::~FileReplacement() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

int FileReplacement::Open() {
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(path_, error); ++links) {
    const fs::path target = fs::read_symlink(path_, error);
    if (error) return error.value();
    path_ = (target.is_absolute() ? target : fs::path(path_).parent_path() / target).string();
  }
  if (fs::is_symlink(path_, error)) return ELOOP;
  struct stat found {};
  const bool exists = ::stat(path_.c_str(), &found) == 0;
  if (exists && S_ISDIR(found.st_mode)) return EISDIR;
  if (exists && !S_ISREG(found.st_mode)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    return fd_ < 0 ? errno : 0;
  }
  if (exists && ::access(path_.c_str(), W_OK) != 0) return errno;
  const std::string beside = TemporaryBeside(path_);
  fd_ = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) return errno;
  temporary_ = beside;
  return exists && ::fchmod(fd_, found.st_mode & 07777) != 0 && errno != EPERM ? errno : 0;
}

int FileReplacement::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

int FileReplacement::Commit() {
  const bool in_place = temporary_.empty();
  int error = !in_place && ::fsync(fd_) != 0 && errno != EINVAL && errno != ENOTSUP ? errno : 0;
  if (::close(fd_) != 0 && error == 0) error = errno;
  fd_ = -1;
  if (error != 0 || in_place) return error;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return errno;
  temporary_.clear();
  SyncFolderOf(path_);
  return 0;
}

int ReplaceFileContents(const std::string& path, std::string_view contents) {
  FileReplacement file(path);
  if (const int error = file.Open()) return error;
  if (const int error = file.Write(contents)) return error;
  return file.Commit();
}

void SyncFolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  (void)SyncPath(folder.empty() ? "." : folder, O_DIRECTORY);
}

int SyncTree(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    const bool is_folder = entry.is_directory(error);
    if (const int code = SyncPath(entry.path().string(), is_folder ? O_DIRECTORY : 0)) return code;
  }
  return error ? error.value() : SyncPath(folder, O_DIRECTORY);
}

int ReplaceFolder(const std::string& made, const std::string& path, bool* swapped) {
  *swapped = false;
  if (const int error = SyncTree(made)) return error;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    // An empty folder can be replaced by a rename; others change places.
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
      *swapped = true;
    } else if (errno != EINVAL && errno != ENOSYS) {
      return errno;
    } else {  // The file system cannot exchange: for a moment there is neither of the two.
      const std::string old = TemporaryBeside(path);
      if (::rename(path.c_str(), old.c_str()) != 0) return errno;
      if (::rename(made.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::rename(old.c_str(), path.c_str());
        return error;
      }
      *swapped = ::rename(old.c_str(), made.c_str()) == 0;
    }
  } else if (::rename(made.c_str(), path.c_str()) != 0) {
    return errno;
  }
  SyncFolderOf(path);
  return 0;
}

}  // namespace tensh::shell
