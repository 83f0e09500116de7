// The progress of the statement that runs: which iteration of its loop, how many steps, and the
// last number that a step returned. It works for every statement, because the interpreter looks at
// its own stack when the progress line asks for it.
//
// Threads: the interpreter's thread, except Text, which any thread may call.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "shell/commands/base/progress.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {

class StatementProgress {
 public:
  // Borrows both.
  StatementProgress(Interp& interp, ProgressLine& line);
  ~StatementProgress() = default;
  StatementProgress(const StatementProgress&) = delete;
  StatementProgress& operator=(const StatementProgress&) = delete;

  // A statement begins. `line` is its line in a script, or 0 at the prompt.
  void Begin(int line);
  void End();
  // The statement runs this verb now.
  void RunsVerb(std::string_view verb);
  // A verb said how far its own loop came, so that only loops around it are worth a report.
  void Said();
  // Notes how far the program has come.
  void Look();
  // Returns "after 12 of 100 iterations in 3 s · last value 0.5" for a statement that Ctrl-C
  // stopped, or "" if there is nothing to say.
  std::string Stopped() const;

 private:
  using Clock = std::chrono::steady_clock;
  // The state at the last look.
  struct Seen {
    const void* loop = nullptr;  // the outermost loop; null outside loops
    int64_t done = 0, total = 0;
    int64_t first_done = 0;  // when the loop was seen first
    Clock::time_point first;
    uint64_t steps = 0;
    std::string value;  // the last number, or ""
  };
  ProgressText Text(double seconds, bool alone) const;

  Interp& interp_;
  ProgressLine& line_;
  const ProgressLine::Text text_;
  mutable std::mutex mutex_;  // guards the members below
  Clock::time_point began_;
  Seen seen_;
  std::string name_;  // of the work
  uint64_t steps_before_ = 0;
  bool said_ = false, running_ = false;
};

}  // namespace tensh::shell
