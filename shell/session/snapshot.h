// The values of the variables of all open sessions in one file, which `tensh --resume` reads.
//
// A session is identified by the variable of the program that holds it, or by its position among
// the shell's own sessions, because its number may differ when the program runs again. Values are
// read and written with existing nodes, so nothing is added to the graph. Sessions on servers are
// left out: their variables outlive the shell.
//
// Threads: the interpreter's thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "shell/python/vm/interp.h"

namespace tensh::shell {

// The result of saving or restoring variables.
struct SnapshotCount {
  int cell = 0;       // the cell after or during which the values were saved
  int variables = 0;  // saved or restored
  int64_t bytes = 0;  // size of these variables
  std::vector<std::string>
      wants;  // names of variables that are not in the snapshot, or cannot be set
};

// Saves the variables periodically. The pauses are chosen so that saving takes at most a few
// percent of the time.
class Autosave {
 public:
  static constexpr int64_t kMostBytes = 64 << 20;  // larger variables are not saved

  enum class When : uint8_t { kDuring, kAfter, kAtTheEnd };  // of a cell; kAtTheEnd: of the session

  // Saves the variables if a step has run since the last save and enough time has passed. At the
  // end of the session, and after a cell during which they were saved, does not wait for the time
  // to pass. Does nothing without a file. Keeps the old file after an error.
  void Save(Interp& interp, const std::string& file, int cell, When when);
  // Returns true if the last call left the variables out because they are too large.
  bool too_large() const { return too_large_; }
  // Notes that the variables were restored or saved to a checkpoint, so they need not be saved
  // again.
  void Skip();

 private:
  using Clock = std::chrono::steady_clock;
  uint64_t saved_run_ = 0;  // Runs::number() when they were saved
  Clock::time_point next_{};
  bool too_large_ = false;
  bool halfway_ = false;  // they were saved during the cell
};

// Returns the cell of the snapshot in a file, or 0 if the file does not exist or is damaged.
int SnapshotCell(const std::string& file);
// Sets the variables of the open sessions to the values in the file. Leaves out variables that do
// not exist or have another shape.
SnapshotCount RestoreSnapshot(Interp& interp, const std::string& file);

}  // namespace tensh::shell
