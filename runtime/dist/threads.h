#pragma once
// Threads for calls that may wait: one a call, kept for the next one.
#include <functional>

namespace tensh::dist {

// fn on a thread of its own, soon.
void RunOnThread(std::function<void()> fn);

}  // namespace tensh::dist
