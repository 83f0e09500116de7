// A shell inside a fuzz target. Its output is discarded, it may use only the files of a temporary folder, and a watchdog ends
// statements that run too long, like Ctrl-C.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

#include "shell/client/client.h"
#include "shell/repl.h"

namespace tensh::shell {

class FuzzShell {
 public:
  FuzzShell() : interp_({.argv = {"fuzz"}, .sandbox = true}), shell_(interp_, {}) {
    interp_.set_stdout([this](std::string_view text) { out_ += text; });
    interp_.set_stderr([this](std::string_view text) { errors_ += text; });
    watchdog_ = std::thread([this] { Watch(); });
  }
  ~FuzzShell() {
    ended_ = true;
    watchdog_.join();
  }
  FuzzShell(const FuzzShell&) = delete;

  // Runs a script for at most a few seconds.
  int Run(const std::string& text) {
    out_.clear();
    errors_.clear();
    started_ = Now();
    const int code = RunScript(shell_, text, "<fuzz>");
    started_ = 0;
    interp_.ClearInterrupt();
    shell_.journal().clear();
    return code;
  }
  const std::string& out() const { return out_; }
  const std::string& errors() const { return errors_; }

 private:
  static constexpr int64_t kLimit = 3000;  // milliseconds

  static int64_t Now() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  void Watch() {
    while (!ended_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (started_ == 0 || Now() - started_ < kLimit) continue;
      interp_.Interrupt();
      CancelAllSessions();
    }
  }

  Interp interp_;
  Shell shell_;
  std::string out_, errors_;
  std::atomic<bool> ended_{false};
  std::atomic<int64_t> started_{0};  // 0: nothing runs
  std::thread watchdog_;
};

// Creates a folder for the files of this process, and changes to it.
inline void EnterFolder() {
  char name[] = "/tmp/tensh-fuzz-XXXXXX";
  if (::mkdtemp(name) == nullptr || ::chdir(name) != 0) std::abort();
}

inline void WriteFile(const char* name, std::string_view data) {
  std::FILE* file = std::fopen(name, "wb");
  if (file == nullptr) std::abort();
  std::fwrite(data.data(), 1, data.size(), file);
  std::fclose(file);
}

}  // namespace tensh::shell
