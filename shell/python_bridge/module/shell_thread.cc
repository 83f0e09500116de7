#include "shell/python_bridge/module/shell_thread.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "shell/commands/base/shell.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/threads.h"
#include "shell/python_bridge/host/host.h"
#include "shell/python_bridge/python_api.h"
#include "shell/repl.h"
#include "shell/session/display.h"
#include "shell/tensorflow/graph/arrays.h"

namespace tensh::shell::module {
namespace {

constexpr size_t kStack = size_t{64} << 20;
constexpr size_t kReserve = size_t{1} << 20;  // of the stack, for the code that handles the error
constexpr std::chrono::milliseconds kPoll{20};

struct Job {
  std::function<void(Shell&)> body;
  bool done = false;
};

// Writes to sys.stdout or sys.stderr. Needs no GIL.
void WriteToPython(const char* stream, std::string_view text) {
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject* file = PySys_GetObject(stream);
  const Owned data(Unicode(text));
  if (file != nullptr && data) Owned(PyObject_CallMethod(file, "write", "O", data.get()));
  PyErr_Clear();
  PyGILState_Release(state);
}

// Collects what a cell shows.
class Collector : public Display {
 public:
  explicit Collector(Interp& interp) : interp_(interp) {
    interp.set_stdout([this](std::string_view text) { Add("stdout", text); });
    interp.set_stderr([this](std::string_view text) { Add("stderr", text); });
    SetCurrent(this);
  }
  void Show(const shell::Shown& shown) override { AddRich("display", shown); }
  void ShowResult(const shell::Shown& shown) override { AddRich("result", shown); }
  void ShowError(const std::string& name, const std::string& message,
                 std::string_view text) override {
    result.error_name = name;
    result.error_message = message;
    result.error_text = text;
  }
  CellResult Take() {
    interp_.Flush();
    return std::exchange(result, {});
  }

  CellResult result;
  bool in_cell = false;

 private:
  void Add(const char* kind, std::string_view text) {
    if (!in_cell) return WriteToPython(kind, text);
    if (result.output.empty() || result.output.back().kind != kind)
      result.output.push_back({.kind = kind, .text = {}, .mime = {}, .data = {}});
    result.output.back().text += text;
  }
  void AddRich(const char* kind, const shell::Shown& shown) {
    interp_.Flush();
    result.output.push_back(
        {.kind = kind, .text = shown.text, .mime = shown.mime, .data = shown.data});
  }

  Interp& interp_;
};

class ShellThread {
 public:
  static ShellThread& Get() {
    static auto& thread = *new ShellThread;  // its thread uses it until the process ends
    return thread;
  }

  // Runs a job in the thread and waits for it. An exception of the job is thrown here.
  void Run(std::function<void(Shell&)> body, const std::function<bool()>& poll) {
    std::exception_ptr failed;
    Job job{.body = [&](Shell& shell) {
      try {
        body(shell);
      } catch (...) {
        failed = std::current_exception();
      }
    }};
    std::unique_lock<std::mutex> lock(mutex_);
    jobs_.push_back(&job);
    changed_.notify_all();
    bool interrupting = false;
    while (!changed_.wait_for(lock, kPoll, [&] { return job.done; })) {
      const bool mine = current_ == &job;
      lock.unlock();
      interrupting = interrupting || (poll && poll());
      // Repeated, because a step may be just about to begin.
      if (interrupting && mine) {
        interp_->Interrupt();
        CancelAllSessions();
      }
      lock.lock();
    }
    lock.unlock();
    if (failed) std::rethrow_exception(failed);
  }

  Collector& collector() { return *collector_; }
  Value& cells() { return cells_; }
  int NextCell() { return ++cell_; }

 private:
  ShellThread() {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStack);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);  // Python's handlers run in its own threads
    pthread_t thread;
    const auto main = [](void* self) -> void* {
      static_cast<ShellThread*>(self)->Main();
      return nullptr;
    };
    const int error = pthread_create(&thread, &attributes, main, this);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    pthread_attr_destroy(&attributes);
    if (error != 0) throw std::runtime_error("the system does not allow another thread");
    pthread_detach(thread);
  }

  void Main() {
    char here = 0;
    RecursionGuard::floor_ = reinterpret_cast<uintptr_t>(&here) - kStack + kReserve;
    auto& interp =
        *new Interp({.argv = {""}, .module = {}, .line_buffered = false, .sandbox = false});
    ShellOptions options;
    options.interactive = true;
    auto& shell = *new Shell(interp, options);
    shell.out().set_pages(false);
    collector_ = new Collector(interp);
    cells_ = MakeList({});
    interp_ = &interp;
    while (true) {
      Job* job = Next();
      job->body(shell);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        interp.ClearInterrupt();
        current_ = nullptr;
        job->done = true;
      }
      changed_.notify_all();
    }
  }

  Job* Next() {
    const threads::Unlocked unlocked;  // threads of the shell's program continue meanwhile
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !jobs_.empty(); });
    Job* job = current_ = jobs_.front();
    jobs_.pop_front();
    return job;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job*> jobs_;
  Job* current_ = nullptr;    // the job that runs
  Interp* interp_ = nullptr;  // set before the first job runs
  Collector* collector_ = nullptr;
  Value cells_ = Value();
  int cell_ = 0;
};

// Runs a cell, and those that its verbs queue.
void RunCells(Shell& shell, std::string cell, CellResult* result) {
  ShellThread& thread = ShellThread::Get();
  thread.collector().result = {};
  thread.collector().in_cell = true;
  while (true) {
    int code = 0;
    const Outcome outcome = RunCell(shell, thread.cells(), thread.NextCell(), cell, &code);
    if (outcome != Outcome::kGoOn || shell.next_cells().empty()) {
      *result = thread.collector().Take();
      thread.collector().in_cell = false;
      result->ended = outcome == Outcome::kExit;
      return;
    }
    cell = shell.next_cells().front();
    shell.next_cells().erase(shell.next_cells().begin());
  }
}

}  // namespace

CellResult RunShellCell(const std::string& cell, const std::function<bool()>& poll) {
  CellResult result;
  ShellThread::Get().Run([&](Shell& shell) { RunCells(shell, cell, &result); }, poll);
  return result;
}

void PrepareForProxies() {
  ShellThread::Get().Run([](Shell&) { bridge::TheHost(); }, nullptr);
}

void SetShellArray(const std::string& name, const TensorHandle& tensor) {
  ShellThread::Get().Run([&](Shell& shell) { shell.interp().SetGlobal(name, tf::ToValue(tensor)); },
                         nullptr);
}

bool VisitShellArrays(const std::string& name, ValueVisitor& visitor) {
  bool found = false;
  const auto visit = [&](Shell& shell) {
    const Value value = shell.interp().GetGlobal(name);
    if (tf::IsArray(value)) {
      visitor.Tensor("", tf::FromArray(value));
      found = true;
    } else if (auto* dict = As<DictObject>(value)) {
      found = true;
      for (size_t i = 0; const auto* entry = dict->dict.At(&i);)
        visitor.Tensor(Str(entry->key), tf::FromArray(tf::AsArray(entry->value)));
    }
  };
  ShellThread::Get().Run(visit, nullptr);
  return found;
}

void DropShellName(const std::string& name) {
  ShellThread::Get().Run([&](Shell& shell) { shell.interp().DelGlobal(name); }, nullptr);
}

}  // namespace tensh::shell::module
