// The values of the variables of all open sessions in one file, which `tensh --resume` reads.
//
// A session is known by the variable of the program that holds it, or by its place among the shell's
// own sessions, because its number differs when the program runs again. Values are read and written
// with nodes that the graph has, so nothing is added to it. Sessions on servers are left out: their
// variables outlive the shell.
//
// Threads: the interpreter's thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "shell/python/vm/interp.h"

namespace tensh::shell {

// What happened to the variables when they were saved or restored.
struct SnapshotCount {
  int cell = 0;       // the cell after which, or during which, they had these values
  int variables = 0;  // saved or restored
  int64_t bytes = 0;  // of these
  std::vector<std::string>
      wants;  // names of variables that are not in the snapshot, or cannot be set
};

// Saves the variables from time to time. The time that it takes stays below a few percent.
class Autosave {
 public:
  static constexpr int64_t kMostBytes = 64 << 20;  // larger variables are not saved

  enum class When : uint8_t { kDuring, kAfter, kAtTheEnd };  // of the cell; of the session

  // Saves the variables, if a step ran since they were saved and enough time has passed. At the end,
  // and after a cell during which they were saved, they are saved anyway. Does nothing without a
  // file. Keeps the old file after an error.
  void Save(Interp& interp, const std::string& file, int cell, When when);
  // Returns true if the last call left the variables out because they are too large.
  bool too_large() const { return too_large_; }
  // The variables were restored or saved to a checkpoint: they need not be saved again.
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
// Gives the variables of the sessions that are open the values in the file. A variable that does not
// exist, or has another shape, is left out.
SnapshotCount RestoreSnapshot(Interp& interp, const std::string& file);

}  // namespace tensh::shell
