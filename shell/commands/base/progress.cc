#include "shell/commands/base/progress.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "shell/edit/editor.h"
#include "shell/text/layout.h"
#include "shell/text/write_all.h"

namespace tensh::shell {
namespace {

constexpr std::chrono::milliseconds kFirstDraw{500};
constexpr std::chrono::milliseconds kRedraw{100};
constexpr size_t kBarCells = 20;
constexpr int64_t kFewBytes = 1 << 20;  // smaller counts come from drawing the line itself
constexpr int kMostFiles = 10000;  // maximum number of files in a folder whose sizes are added up
constexpr size_t kNarrow = 80;     // columns, if the terminal does not report its width

// Returns the number of bytes that this process has read or written, or 0 if it is unknown.
int64_t BytesSoFar(BytesProgress::Counts counts) {
  char text[512];
  const int fd = ::open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (n <= 0) return 0;
  text[n] = '\0';
  const char* key = counts == BytesProgress::Counts::kRead ? "rchar: " : "wchar: ";
  const char* at = std::strstr(text, key);
  return at == nullptr ? 0 : std::atoll(at + std::strlen(key));
}

std::function<std::string(double)> BytesText(std::string what, BytesProgress::Counts counts,
                                             int64_t whole) {
  return [what = std::move(what), counts, whole, before = BytesSoFar(counts)](double seconds) {
    int64_t bytes = std::max<int64_t>(0, BytesSoFar(counts) - before);
    if (bytes < kFewBytes) return what + ", " + Duration(seconds * 1e9);
    if (whole > 0) bytes = std::min(bytes, whole);
    std::string text = ProgressBar(static_cast<double>(bytes), static_cast<double>(whole)) + what;
    text += ": " + Bytes(bytes) + (whole > 0 ? " of " + Bytes(whole) : "") + ", " +
            Bytes(static_cast<int64_t>(static_cast<double>(bytes) / seconds)) + "/s";
    return text + ", " + Duration(seconds * 1e9);
  };
}

}  // namespace

std::atomic<const Progress*> Progress::innermost_ = nullptr;

Progress::Progress(Shell& shell, std::function<std::string(double seconds)> text)
    : out_(shell.out()),
      ascii_(shell.options().ascii),
      text_(std::move(text)),
      outer_(innermost_.exchange(this)) {
  if (!shell.options().interactive || !Editor::Works(STDERR_FILENO)) return;
  sigset_t all, old;  // signal handlers must run in the main thread
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  try {
    thread_ = std::thread(&Progress::Loop, this);
  } catch (const std::system_error&) {
    // Too many threads. The work goes on without a progress line.
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

Progress::~Progress() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  ends_.notify_all();
  if (thread_.joinable()) thread_.join();
  innermost_ = outer_;
  Erase();
}

void Progress::Erase() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::exchange(drawn_, false)) WriteAll(STDERR_FILENO, "\r\033[K");
}

std::string Progress::Text() const {
  const std::string text = text_(std::chrono::duration<double>(Clock::now() - began_).count());
  return outer_ == nullptr ? text : outer_->Text() + " · " + text;
}

void Progress::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (auto wait = kFirstDraw; !ends_.wait_for(lock, wait, [this] { return ended_; });
       wait = kRedraw) {
    if (innermost_ != this) continue;
    const size_t width = out_.width() == 0 ? kNarrow : out_.width();
    std::string text = CutTo(" " + Text(), width - 1);
    if (ascii_) text = ToAscii(text);
    // Moves the cursor back, so that output of the program begins at the left.
    WriteAll(STDERR_FILENO, "\r" + text + "\033[K\r");
    drawn_ = true;
  }
}

std::string ProgressBar(double done, double whole) {
  if (whole <= 0) return "";
  const double part = std::clamp(done / whole, 0., 1.);
  const auto cells = static_cast<size_t>(part * static_cast<double>(kBarCells));
  return PadLeft(std::to_string(static_cast<int>(part * 100)), 3) + " % " + Repeat("▓", cells) +
         Repeat("·", kBarCells - cells) + " ";
}

BytesProgress::BytesProgress(Shell& shell, std::string what, Counts counts, int64_t whole)
    : progress_(shell, BytesText(std::move(what), counts, whole)) {}

int64_t SizeOnDisk(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto size_of = [&error](const fs::path& file) {
    const auto size = fs::is_regular_file(file, error) ? fs::file_size(file, error) : 0;
    return error ? int64_t{0} : static_cast<int64_t>(size);
  };
  if (fs::is_regular_file(path, error)) return size_of(path);
  int64_t bytes = 0;
  int files = 0;
  if (fs::is_directory(path, error)) {
    fs::recursive_directory_iterator at(path, error), end;
    for (; !error && at != end && files < kMostFiles; at.increment(error), ++files)
      bytes += size_of(at->path());
    return bytes;
  }
  const fs::path parent = fs::path(path).parent_path();
  const std::string prefix = fs::path(path).filename().string() + ".";
  fs::directory_iterator at(parent.empty() ? fs::path(".") : parent, error), end;
  for (; !error && at != end && files < kMostFiles; at.increment(error), ++files)
    if (at->path().filename().string().starts_with(prefix)) bytes += size_of(at->path());
  return bytes;
}

}  // namespace tensh::shell
