#pragma once
// The rendezvous of one step in this task: values that were sent but not yet received, and the
// receivers that wait for values not yet sent. Shared by all participants of the step. Thread-safe.
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime/dist/wire/handles.h"

namespace tensh::dist {

class StepValues {
 public:
  // Receives the result. An empty tensor with an ok status means that the value is on a branch not
  // taken.
  using Done = std::function<void(const Status&, TensorPtr)>;
  // Returns Aborted if a value was already sent under this key.
  Status Send(const std::string& key, TensorPtr value);
  // Calls `done` once; if the value is already available, before returning. Sets `token` for
  // Forget.
  void Receive(const std::string& key, Done done, uint64_t* token = nullptr);
  // Cancels the receiver with this token.
  void Forget(const std::string& key, uint64_t token);
  // Takes the value if it was already sent. Returns false otherwise.
  bool TakeNow(const std::string& key, TensorPtr* value);
  bool Idle();  // True if nothing was sent and nobody waits.
  // Gives this status to all current and future receivers. Only the first call has an effect.
  void Abort(const Status& why);
  // Calls fn when the step is aborted, or immediately if it already was. Used to cancel calls to
  // other tasks.
  uint64_t OnAbort(std::function<void()> fn);
  void RemoveOnAbort(uint64_t token);

 private:
  struct Entry {
    bool sent = false, taken = false;
    TensorPtr value;
    Done waiter;
    uint64_t token = 0;
  };
  std::mutex mu_;
  Status aborted_;
  uint64_t next_ = 1;
  std::unordered_map<std::string, Entry> entries_;
  std::unordered_map<uint64_t, std::function<void()>> on_abort_;
};

}  // namespace tensh::dist
