// A line on stderr that shows how far long work has come. It appears after half a second, only in a
// terminal that can erase it, and is gone when the work ends.
//
// A thread draws the line, so that it also moves during one long step. The text comes from a
// function that this thread calls; it must only read what is safe to read from there.
#pragma once

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
  // `text` gets the seconds since the beginning.
  Progress(Shell& shell, std::function<std::string(double seconds)> text);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Erases the line, so that something can be printed. It comes back when it is drawn next.
  void Erase();

 private:
  void Loop();

  const Output& out_;
  bool ascii_;
  std::function<std::string(double seconds)> text_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool ended_ = false, drawn_ = false;
  std::thread thread_;  // not running if nothing is drawn
};

// "▓▓▓▓····" for a part of 1, or "" if the whole is unknown.
std::string ProgressBar(double done, double whole);

// Shows the bytes that a verb reads or writes: "saving model: 120 MB of 800 MB, 400 MB/s".
class BytesProgress {
 public:
  enum class Counts : uint8_t { kRead, kWritten };
  // `whole` is the number of bytes in all, or 0 if it is unknown.
  BytesProgress(Shell& shell, std::string what, Counts counts, int64_t whole);

 private:
  Progress progress_;
};

// Returns the size of a file or of all files in a folder, or of those whose names begin with `path`
// and a dot, as those of a checkpoint; 0 if none exists.
int64_t SizeOnDisk(const std::string& path);

}  // namespace tensh::shell
