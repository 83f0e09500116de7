#include "shell/text/user_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "shell/text/write_all.h"

namespace tensh::shell {
namespace {

std::string Below(const char* variable, const char* folder, std::string_view name) {
  const char* base = std::getenv(variable);
  const char* home = std::getenv("HOME");
  std::string path;
  if (base != nullptr && *base == '/') {
    path = base;
  } else if (home != nullptr && *home == '/') {
    path = std::string(home) + folder;
  } else {
    return "";
  }
  return path + "/tensh/" + std::string(name);
}

}  // namespace

std::string StateFile(std::string_view name) {
  return Below("XDG_STATE_HOME", "/.local/state", name);
}

std::string ConfigFile(std::string_view name) { return Below("XDG_CONFIG_HOME", "/.config", name); }

int MakeFoldersOf(const std::string& path) {
  int error = 0;
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    error = ::mkdir(path.substr(0, slash).c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
  }
  return error;  // that of the last folder, because the ones above it may be unreadable
}

int ReplaceFile(const std::string& path, std::string_view text) {
  if (const int error = MakeFoldersOf(path)) return error;
  const std::string made = path + "." + std::to_string(::getpid());
  const int fd = ::open(made.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  int error = WriteAll(fd, text);
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(made.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(made.c_str());
  return error;
}

int ReadFile(const std::string& path, size_t limit, std::string* text) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno;
  struct stat about {};
  int error = ::fstat(fd, &about) != 0 ? errno : 0;
  if (error == 0 && !S_ISREG(about.st_mode)) error = EINVAL;
  if (error == 0 && static_cast<size_t>(about.st_size) > limit) error = EFBIG;
  text->clear();
  if (error == 0) text->resize(static_cast<size_t>(about.st_size));
  size_t got = 0;
  while (error == 0 && got < text->size()) {
    const ssize_t n = ::read(fd, text->data() + got, text->size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) error = errno;
    if (n <= 0) break;
    got += static_cast<size_t>(n);
  }
  text->resize(got);
  ::close(fd);
  return error;
}

}  // namespace tensh::shell
