// The servers of a lesson: processes of `tensh serve` on 127.0.0.1, on ports that were free.
//
// A server never outlives the shell. The destructor kills all of them, and the kernel does so if the
// shell itself is killed. They have their own process group, so that Ctrl-C at the prompt does not
// reach them.
//
// Threads: the interpreter's thread only, which must be the main thread, because the kernel kills
// the servers when the thread that started them ends.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/commands/lessons/lesson.h"

namespace tensh::shell {

class LessonServers {
 public:
  LessonServers() = default;
  ~LessonServers() { StopAll(); }
  LessonServers(const LessonServers&) = delete;
  LessonServers& operator=(const LessonServers&) = delete;

  // Starts all tasks of a cluster, and returns when they accept connections. Their graphs may use files
  // of the folder, or no files if it is "". Throws RuntimeError
  // with the output of a server that does not start, and KeyboardInterrupt.
  void StartAll(const std::vector<LessonJob>& jobs, const std::string& folder);
  void StopAll();
  // Kills a task, or starts it again at the same address. The name is that of the addresses. Throws
  // ValueError if no task has this name.
  void Stop(std::string_view name);
  void Start(std::string_view name);

  // The names of the tasks with their addresses: {"worker0", "127.0.0.1:41001"}.
  std::vector<std::pair<std::string, std::string>> Addresses() const;
  bool Runs(std::string_view name);
  // Text with the address of every task, for `tensh serve --cluster`.
  const std::string& cluster() const { return cluster_; }

 private:
  struct Task {
    std::string job;
    int index = 0;
    int port = 0;
    pid_t process = -1;  // -1 if it does not run
    int output = -1;     // the read end of a pipe

    std::string name() const { return job + std::to_string(index); }
    std::string address() const { return "127.0.0.1:" + std::to_string(port); }
  };

  void ChoosePorts();
  void Launch(Task& task);
  void AwaitReady(Task& task);
  static void Kill(Task& task);
  Task& Find(std::string_view name);

  std::vector<Task> tasks_;
  std::string cluster_, folder_;
};

}  // namespace tensh::shell
