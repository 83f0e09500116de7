// The settings of the shell, from the command line and from the verb `set`.
#pragma once

#include <cstddef>
#include <string>

namespace tensh::shell {

struct ShellOptions {
  int cpus = 2;              // number of devices of the default session
  bool interactive = false;  // stdin and stdout are terminals: prompts, echoes, Out
  bool progress = false;     // long work shows itself on standard error
  bool keep_going = false;
  bool json = false;
  bool ascii = false;
  bool color = false;
  std::string theme = "dark";  // see Palette::Themes
  bool vi = false;             // the editor has the keys of vi
  size_t width = 0;            // in columns; 0 means unlimited (a pipe)
  std::string pager = "on";    // "on", "off" or a command (pager.h)
  bool timing = false;         // `set timing on`: print the time of each statement to stderr
};

}  // namespace tensh::shell
