#pragma once
// What the parts of one step that run here have sent and not yet handed over, and who waits for
// what has not been sent. Shared by everybody who takes part in the step; any thread may call
// anything.
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime/dist/handles.h"

namespace tensh::dist {

class StepValues {
 public:
  // An empty tensor without a failure: the value is on a branch not taken.
  using Done = std::function<void(const Status&, TensorPtr)>;
  // Aborted when something was sent under this key before.
  Status Send(const std::string& key, TensorPtr value);
  // done is called once; before this returns when the value is there. token: for Forget.
  void Receive(const std::string& key, Done done, uint64_t* token = nullptr);
  // Whoever waits under this token is told that it was cancelled.
  void Forget(const std::string& key, uint64_t token);
  // The value when it was sent already. False: it was not.
  bool TakeNow(const std::string& key, TensorPtr* value);
  bool Idle();  // nothing was sent, nobody waits
  // Everybody who waits, and who asks from now on, gets this status. The first one counts.
  void Abort(const Status& why);
  // fn runs when the step is aborted: at once when it is already. For calls to other tasks.
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
