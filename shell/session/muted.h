// Discards the output of statements that the shell runs for its own purposes.
#pragma once

#include <functional>
#include <string_view>

#include "shell/python/vm/interp.h"

namespace tensh::shell {

// Discards standard output, and standard error if requested, until it is destroyed. Output that was
// buffered earlier is written first. Borrows the interpreter. Threads: the interpreter's thread
// only.
class Muted {
 public:
  enum Streams { kOutput, kOutputAndErrors };
  Muted(Interp& interp, Streams streams) : interp_(interp), streams_(streams) {
    interp_.Flush();
    output_ = interp_.set_stdout([](std::string_view) {});
    if (streams_ == kOutputAndErrors) errors_ = interp_.set_stderr([](std::string_view) {});
  }
  ~Muted() {
    interp_.Flush();
    interp_.set_stdout(std::move(output_));
    if (streams_ == kOutputAndErrors) interp_.set_stderr(std::move(errors_));
  }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;

 private:
  Interp& interp_;
  const Streams streams_;
  std::function<void(std::string_view)> output_, errors_;
};

}  // namespace tensh::shell
