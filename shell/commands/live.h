// What the live page shows: the graph as it is, the last run with its times and values, the last
// command, the last plot. Everything does nothing while the page is off.
#pragma once

#include <string>

namespace tensh::shell {

class Shell;
bool IsLive();
// After each command; `error` is what it said when it failed.
void PublishLive(Shell& shell, const std::string& command, const std::string& error = "");
void PublishPlot(std::string svg);  // what plot, show and plt.show drew
// The curves of what is watched, while a loop runs; `last`: it has ended.
void PublishWatches(Shell& shell, bool last);

}  // namespace tensh::shell
