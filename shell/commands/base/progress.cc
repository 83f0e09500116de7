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

#include "shell/commands/base/shell.h"
#include "shell/text/layout.h"
#include "shell/text/status_line.h"

namespace tensh::shell {
namespace {

constexpr std::chrono::milliseconds kFirstDraw{500};
constexpr std::chrono::milliseconds kTick{100};
constexpr int kIdleTicks = 5;
constexpr size_t kBarCells = 20, kFewestCells = 4;
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

std::function<ProgressText(double)> BytesText(std::string what, BytesProgress::Counts counts,
                                              int64_t whole) {
  // `idle` is the last time at which no bytes had been read or written. The values of variables are
  // collected before the first of them is written, and that time would distort the rate.
  return [what = std::move(what), counts, whole, before = BytesSoFar(counts),
          idle = 0.](double seconds) mutable -> ProgressText {
    int64_t bytes = std::max<int64_t>(0, BytesSoFar(counts) - before);
    if (bytes < kFewBytes) {
      idle = seconds;
      const bool collects = counts == BytesProgress::Counts::kWritten && whole > 0;
      return {what + (collects ? ": collecting " + Bytes(whole) : "") + ", " +
              Duration(seconds * 1e9)};
    }
    if (whole > 0 && bytes >= whole) {  // Nodes are added, or the disk is waited for.
      const bool reads = counts == BytesProgress::Counts::kRead;
      return {what + ": " + Bytes(whole) + (reads ? " read, " : " written, ") +
              Duration(seconds * 1e9)};
    }
    const double rate = static_cast<double>(bytes) / std::max(seconds - idle, 1e-3);
    const double left = static_cast<double>(whole - bytes) / rate;
    const std::string text = what + ": " + Bytes(bytes) + (whole > 0 ? " of " + Bytes(whole) : "") +
                             ", " + Bytes(static_cast<int64_t>(rate)) + "/s, " +
                             (left > 0 ? Duration(left * 1e9) + " left" : Duration(seconds * 1e9));
    return {text, whole > 0 ? static_cast<double>(bytes) / static_cast<double>(whole) : -1};
  };
}

}  // namespace

void ProgressLine::Begin(const Text* text) {
  if (!options_.progress) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  works_.push_back({text, Clock::now()});
  if (!std::exchange(started_, true)) Start();
  if (asleep_) changed_.notify_all();
}

void ProgressLine::End() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (works_.empty()) return;
    works_.pop_back();
  }
  status_line::Erase();
}

void ProgressLine::Start() {
  sigset_t all, old;  // signal handlers must run in the main thread
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  try {
    thread_ = std::thread(&ProgressLine::Loop, this);
  } catch (const std::system_error&) {
    // Too many threads. The work goes on without a progress line.
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string JoinProgress(const std::vector<ProgressText>& works, size_t width) {
  constexpr size_t kPercent = 6;  // columns of " 12 % "
  size_t columns = 1, bars = 0;
  for (const ProgressText& work : works) {
    if (work.text.empty()) continue;
    columns += TextWidth(work.text) + 3;
    if (work.part >= 0) columns += kPercent, ++bars;
  }
  const size_t left = columns < width ? width - columns : 0;
  const size_t room = bars == 0 || left / bars == 0 ? 0 : left / bars - 1;
  const size_t cells = room < kFewestCells ? 0 : std::min(room, kBarCells);
  std::string line;
  for (const ProgressText& work : works) {
    if (work.text.empty()) continue;
    line += line.empty() ? " " : " · ";
    if (work.part >= 0) {
      const double part = std::min(work.part, 1.);
      const auto full = static_cast<size_t>(part * static_cast<double>(cells));
      line += PadLeft(std::to_string(static_cast<int>(part * 100)), 3) + " % " + Repeat("▓", full) +
              Repeat("·", cells - full) + (cells > 0 ? " " : "");
    }
    line += work.text;
  }
  return CutTo(line, width);
}

std::string ProgressLine::Line(size_t width) const {
  std::vector<ProgressText> texts;
  for (const Work& work : works_) {
    const double seconds = std::chrono::duration<double>(Clock::now() - work.began).count();
    texts.push_back((*work.text)(seconds, works_.size() == 1));
  }
  return JoinProgress(texts, width);
}

// Looks at the work from time to time instead of waking up for each one, because most statements
// are short. Without work it soon falls asleep.
void ProgressLine::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (int idle = 0; !ended_; idle = works_.empty() ? idle + 1 : 0) {
    if (idle > kIdleTicks) {
      asleep_ = true;
      changed_.wait(lock, [this] { return ended_ || !works_.empty(); });
      asleep_ = false;
    }
    changed_.wait_for(lock, kTick, [this] { return ended_; });
    if (ended_ || works_.empty()) continue;
    tick_();
    if (Clock::now() - works_.front().began < kFirstDraw) continue;
    const size_t width = out_.width() == 0 ? kNarrow : out_.width();
    const std::string text = Line(width - 1);
    status_line::Draw(options_.ascii ? ToAscii(text) : text);
  }
}

Progress::Progress(Shell& shell, std::function<ProgressText(double seconds)> text)
    : line_(shell.progress()),
      text_([text = std::move(text)](double seconds, bool) { return text(seconds); }) {
  line_.Begin(&text_);
}

ProgressText LoopText(int64_t done, int64_t total, std::string_view unit, double seconds) {
  const auto n = static_cast<double>(done), all = static_cast<double>(total);
  std::string text = Steps(done, total, unit);
  const bool rate = done > 0 && seconds > 0;
  if (rate) text += " · " + Duration(seconds * 1e9 / n) + " each";
  if (rate && total > 0) text += " · " + Duration(seconds * 1e9 * (all / n - 1)) + " left";
  return {text, total > 0 ? n / all : -1};
}

std::string Steps(int64_t done, int64_t total, std::string_view unit) {
  const std::string steps = Count(done, unit);
  if (total < 0) return steps;
  return steps.substr(0, steps.find(' ')) + " of " + Count(total, unit);
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
