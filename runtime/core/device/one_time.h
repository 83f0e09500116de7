#pragma once
// Records work that a process does once, at its first use of something: loading a library, generating
// code. `explain analyze` shows it apart from the times of the step.
//
// Records are kept per thread. A OneTimeWork measures the work that is done during its lifetime. A
// traced run takes the records of its thread when it has ended.
#include <chrono>
#include <string>
#include <vector>

namespace tensh {

class OneTimeWork {
 public:
  // `what` is a literal, for example "compiling the plan".
  explicit OneTimeWork(const char* what);
  ~OneTimeWork();
  OneTimeWork(const OneTimeWork&) = delete;
  OneTimeWork& operator=(const OneTimeWork&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  const char* what_;
  const size_t first_;  // the first record nested in this one, whose time is not counted twice
  const Clock::time_point begin_;
};

struct OneTimeRecord {
  const char* what;
  int64_t ns;
};

// Returns the work that this thread did since the last call.
std::vector<OneTimeRecord> TakeOneTimeWork();

}  // namespace tensh
