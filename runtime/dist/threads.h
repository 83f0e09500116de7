#pragma once
// A thread pool for calls that may wait. It grows while all threads wait.
#include <functional>

#include "runtime/core/status.h"

namespace tensh::dist {

// Returns ResourceExhausted if the system does not allow the few threads that gRPC starts. gRPC ends
// the process if it cannot start one, so this must be called before it does.
Status CheckThreads();
// The same for the descriptors that gRPC opens.
Status CheckDescriptors();

// Runs fn on another thread soon. The functions of one client start in order, and the clients take
// turns, so that one with many functions does not delay the others. `client` is only compared; null
// is the server itself. `one_of_many`: the client has many functions in flight, so that this one may wait
// for a thread that is awake.
void RunOnThread(std::function<void()> fn, const void* client = nullptr, bool one_of_many = false);

}  // namespace tensh::dist
