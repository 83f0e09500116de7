// What the live page shows: the graph as it is, the last run that was explained, the last command.
#pragma once

#include <string>

namespace tensh::shell {

class Shell;
void PublishLive(Shell& shell, const std::string& command);  // does nothing while the page is off

}  // namespace tensh::shell
