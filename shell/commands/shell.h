// Shell: what the verbs and the prompt share beside the interpreter: options, where output goes,
// the graphs a command may have extended, the last result and the last run.
//
// Ownership: lives as long as the process; borrows the Interp. Threads: the interpreter's only. It
// is the interpreter's Hooks: each top-level statement is begun, and committed or rolled back, on
// every live graph, so that a command that fails leaves no node behind.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/command.h"
#include "shell/lang/interp.h"

namespace tensh::shell {

struct ShellOptions {
  int cpus = 2;              // devices of the default session
  bool interactive = false;  // a terminal on both ends: prompts, echoes, Out
  bool keep_going = false;
  bool json = false;
  bool ascii = false;
  bool color = false;
  size_t width = 0;     // columns; 0: unlimited (a pipe)
  bool timing = false;  // `set timing on`: how long each statement took, on stderr
};

class Shell : public Hooks {
 public:
  Shell(Interp& interp, ShellOptions options);
  ~Shell() override;

  Interp& interp() const { return interp_; }
  const CommandRegistry& commands() const { return commands_; }
  const ShellOptions& options() const { return options_; }
  ShellOptions& mutable_options() { return options_; }
  size_t width() const;  // asks the terminal each time: it may have been resized
  int failures() const { return failures_; }

  // To standard output; text of ours is made ASCII when that was asked for.
  void Print(std::string_view text);
  void PrintLine(const std::string& text) { Print(text + "\n"); }
  void PrintError(const PyError& error);
  // A line for a person only: nothing in a pipe.
  void Note(const std::string& text);

  // A value the user asked for: `_`, and Out[n] at the prompt.
  void Remember(const Value& value);
  void set_cell(int number, std::string text);  // what is being typed
  int cell() const { return cell_; }

  // The run that `why` speaks about: what was fetched, as typed, and its report.
  void RememberRun(std::string request, std::string report);
  const std::string& last_request() const { return last_request_; }
  const std::string& last_report() const { return last_report_; }

  // A script from inside a command (`read`): a part of that command, not commands of its own.
  void RunNested(std::string text, const std::string& file);

  void Begin(const Location& where) override;
  void Committed(const Value& result, const Location& where) override;
  bool Failed(const PyError& error, const Location& where) override;
  void RunVerb(const VerbCall& call) override;
  Value NameInVerb(std::string_view name) override;
  bool VerbAlone(std::string_view verb) override;

 private:
  std::string MeantVerb(const PyError& error) const;
  void EchoExtend();

  Interp& interp_;
  ShellOptions options_;
  CommandRegistry commands_;
  int nested_ = 0;
  int failures_ = 0;
  int cell_ = 0;
  std::string cell_text_;
  size_t nodes_before_ = 0;
  uint64_t graph_before_ = 0;
  std::chrono::steady_clock::time_point began_;
  std::string last_request_, last_report_;
};

}  // namespace tensh::shell
