#pragma once
// A thread pool for calls that may wait. It grows while all threads wait.
#include <functional>

namespace tensh::dist {

// Runs fn on another thread soon.
void RunOnThread(std::function<void()> fn);

}  // namespace tensh::dist
