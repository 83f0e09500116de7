// A line on stderr that shows the progress of long work: a verb, or a statement of the program. It
// appears after half a second, only in a terminal that can erase it, and is erased when the work
// ends.
//
// A thread draws the line, so that it also moves during one long step. This thread calls the
// functions that return the texts, which must therefore be safe to call from any thread.
// Nested work shares one line, with the text of the outer work first.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "shell/session/output.h"

namespace tensh::shell {

class Shell;

// The state of some work.
struct ProgressText {
  std::string text;  // may be "" if there is nothing to say
  double part = -1;  // that is done, from 0 to 1; drawn as a bar. -1 if it is unknown.
};

// The work in progress, outermost first, and the thread that draws it. The thread starts with the
// first work.
class ProgressLine {
 public:
  // Gets the seconds since the work began, and true if it is the only work in progress.
  using Text = std::function<ProgressText(double seconds, bool alone)>;

  // Calls `tick` in its thread each time before it draws. Borrows the options and the output.
  ProgressLine(const ShellOptions& options, const Output& out, std::function<void()> tick)
      : options_(options), out_(out), tick_(std::move(tick)) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Work begins and ends in the interpreter's thread. The last begun work ends first.
  void Begin(const Text* text);
  void End();

 private:
  using Clock = std::chrono::steady_clock;
  struct Work {
    const Text* text;
    Clock::time_point began;
  };
  void Start();
  void Loop();
  std::string Line(size_t width) const;

  const ShellOptions& options_;
  const Output& out_;
  std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Work> works_;
  bool started_ = false, asleep_ = false, ended_ = false;
  std::thread thread_;  // not running if nothing is drawn
};

// Work of a verb, during its life.
class Progress {
 public:
  // `text` gets the seconds since the beginning.
  Progress(Shell& shell, std::function<ProgressText(double seconds)> text);
  ~Progress() { line_.End(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  ProgressLine& line_;
  const ProgressLine::Text text_;
};

// Returns "12,345 of 100,000 steps". `total` is -1 if it is unknown.
std::string Steps(int64_t done, int64_t total, std::string_view unit);
// Returns how far a loop came in some seconds: "12,345 of 100,000 steps · 3.2 µs each · 2 s left".
ProgressText LoopText(int64_t done, int64_t total, std::string_view unit, double seconds);

// Puts the works into one line of at most `width` columns. Bars get the columns that the texts
// leave.
std::string JoinProgress(const std::vector<ProgressText>& works, size_t width);

// Shows the bytes that a verb reads or writes: "saving model: 120 MB of 800 MB, 400 MB/s".
class BytesProgress {
 public:
  enum class Counts : uint8_t { kRead, kWritten };
  // `whole` is the total number of bytes, or 0 if it is unknown.
  BytesProgress(Shell& shell, std::string what, Counts counts, int64_t whole);

 private:
  Progress progress_;
};

// Returns the size of a file, or of all files in a folder, or of all files whose names begin with
// `path` and a dot, such as those of a checkpoint. Returns 0 if none exists.
int64_t SizeOnDisk(const std::string& path);

}  // namespace tensh::shell
