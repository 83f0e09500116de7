// The command line of tensh.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shell/session/options.h"
#include "shell/tls.h"

namespace tensh::shell {

struct CommandLine {
  std::vector<std::string> code;      // of each -c
  std::optional<std::string> file;    // "-" is standard input
  std::optional<std::string> module;  // of -m: "package.module", which is run as the program
  bool opens = false;                 // `file` is a model, which is opened instead of run
  std::vector<std::string> argv;      // sys.argv of the program
  ShellOptions options;
  TlsPaths tls = TlsOfEnvironment();
  bool python2 = false;
  bool sandbox = false;
  bool no_color = false;
  bool stdio = false;                 // serves a program on the standard streams; see stdio.h
  bool stays = false;                 // -i: a prompt after the program
  bool startup = true;                // false: do not read the configuration and the start-up file
  std::optional<std::string> resume;  // the session to resume; "" means the last one
  std::string dump_docs;
};

// Parses the arguments. Returns the exit code if the process should end, after it printed help, the
// version or an error; otherwise -1.
int ParseCommandLine(int argc, char** argv, CommandLine* line);

// Parses the arguments after a model, line->argv from 1 on: options, and code that is run after the model
// is opened, also without -c if it does not look like a name. Returns like ParseCommandLine.
int ParseAfterModel(CommandLine* line);

int UsageError(const std::string& what);

}  // namespace tensh::shell
