#pragma once
// Threads for calls that may wait: a few, and more while those all wait.
#include <functional>

namespace tensh::dist {

// fn on another thread, soon.
void RunOnThread(std::function<void()> fn);

}  // namespace tensh::dist
