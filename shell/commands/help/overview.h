// The texts of `help` without a name: the verbs by task, all verbs, and the keys of the editor.
#pragma once

#include <string>

namespace tensh::shell {

class Shell;

std::string HelpOverview(Shell& shell);  // at most 22 lines at 80 columns
std::string HelpAll(Shell& shell);       // each verb with its summary
std::string HelpKeys(Shell& shell);

}  // namespace tensh::shell
