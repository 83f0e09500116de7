// Publishes the shell's state to the live page: the graph, the last run with its times and values,
// the last command and the last plot. While the page is off, these functions do nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tensh::shell {

class PyError;
class Shell;
bool IsLive();
// Call after each command. `error` is its error, or null if it succeeded.
void PublishLive(Shell& shell, const std::string& command, const PyError* error = nullptr);
void PublishPlot(std::string svg);  // the drawing of plot, show or plt.show
// Publishes the values that browsers watch. Call after each step of a loop.
void PublishPins();
// Shows the moment of the last run at which `step` is.
void ShowMoment(size_t moment);
// Shows the last run of a version of the graph beside the last run, for `explain diff`.
void ShowBeside(int64_t version);
// Publishes the curves of the watched values while a loop runs. `last` is true when the loop has
// ended.
void PublishWatches(Shell& shell, bool last);

}  // namespace tensh::shell
