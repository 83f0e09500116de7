// A line on stderr that shows the progress of a long operation. It appears after half a second,
// only in a terminal that can erase it, and is erased when the operation ends.
//
// A thread draws the line, so that it also moves during one long step. This thread calls the
// function that returns the text, which must therefore be safe to call from any thread.
// Nested work shares one line, with the text of the outer work first.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "shell/commands/base/shell.h"

namespace tensh::shell {

class Progress {
 public:
  // `text` returns the line, given the seconds since the beginning.
  Progress(Shell& shell, std::function<std::string(double seconds)> text);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Erases the line before other output. It appears again when it is drawn next.
  void Erase();

 private:
  using Clock = std::chrono::steady_clock;
  void Loop();
  std::string Text() const;

  // The work that runs now. It is set by the interpreter's thread, and the objects nest.
  static std::atomic<const Progress*> innermost_;

  const Output& out_;
  bool ascii_;
  std::function<std::string(double seconds)> text_;
  const Progress* outer_;
  const Clock::time_point began_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable ends_;
  bool ended_ = false, drawn_ = false;
  std::thread thread_;  // not running if nothing is drawn
};

// Returns "▓▓▓▓····" for the part `done` of `whole`, or "" if `whole` is unknown.
std::string ProgressBar(double done, double whole);

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
