// The conversion of errors to Python exceptions, and the check for forked processes.
#pragma once

#include "shell/python_bridge/python_api.h"
#include "tensh/tensh.h"

namespace tensh::shell::module {

// An owned status.
class CallStatus {
 public:
  CallStatus() : status_(tsh_status_new()) {}
  ~CallStatus() { tsh_status_free(status_); }
  CallStatus(const CallStatus&) = delete;
  CallStatus& operator=(const CallStatus&) = delete;
  tsh_status* get() const { return status_; }

 private:
  tsh_status* status_;
};

// Returns a str of a text of the runtime, and frees the text. Null stands for exhausted memory.
PyObject* TakeText(char* text);
// Sets the exception of tensh.errors that belongs to a failed status. Returns null.
PyObject* RaiseStatus(const tsh_status* status);
// Returns true in a process that was forked after WatchForks. The threads of the runtime do not exist
// there, so that a step would wait forever. Needs no GIL.
bool IsForked();
void WatchForks();
// Sets an exception and returns true if IsForked.
bool RefuseFork();

}  // namespace tensh::shell::module
