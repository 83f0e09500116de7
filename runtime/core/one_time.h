#pragma once
// Records work that a process does once, at its first use of something: loading a library, generating
// code. `explain analyze` shows it apart from the times of the step.
//
// The record belongs to the thread. While a OneTimeWork is alive, the work inside it counts; the shell of
// a run takes the record when the run has ended.
#include <chrono>
#include <string>
#include <vector>

namespace tensh {

class OneTimeWork {
 public:
  // `what` is a literal, for example "loading oneDNN".
  explicit OneTimeWork(const char* what);
  ~OneTimeWork();
  OneTimeWork(const OneTimeWork&) = delete;
  OneTimeWork& operator=(const OneTimeWork&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  const char* what_;
  const size_t first_;  // the first record of work inside this one, whose time is not counted twice
  const Clock::time_point begin_;
};

struct OneTimeRecord {
  const char* what;
  int64_t ns;
};

// Returns the work that this thread did since the last call.
std::vector<OneTimeRecord> TakeOneTimeWork();

}  // namespace tensh
