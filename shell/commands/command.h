// A verb of the shell is one file and one row: how it is called, what help says, what it does.
// Everything else (help, completion, docs/commands.md, the argument check, the example tests) is
// derived from the row.
//
// To add a verb: shell/commands/NAME_command.cc with
//   void RegisterCommand_NAME(CommandRegistry& r) { r.Add({.name = "NAME", .usage = …, .run =
//   RunName}); }
// The next build finds it. Flags are read from the usage: "[--json]" is one, "[--stage N]" one with
// a value. Threads: the interpreter's only. A CommandCall lives for one call and views the user's
// text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tensh::shell {

class CommandCall;
class Shell;

struct CommandExample {
  const char* input;   // one or more lines, typed into a fresh shell
  const char* output;  // what stdout then holds; null: not checked
};

struct Command {
  const char* name;
  const char* usage;
  const char* summary;
  const char* help = "";
  std::span<const CommandExample> examples = {};
  // What to complete after the verb: "expr", "op", "device", "session", "file", "key" or "".
  const char* complete = "";
  void (*run)(CommandCall& call) = nullptr;
};

class CommandRegistry {
 public:
  void Add(const Command& command) { commands_.push_back(command); }
  const std::vector<Command>& commands() const { return commands_; }
  const Command* Find(std::string_view name) const;
  std::vector<std::string> Names() const;

 private:
  std::vector<Command> commands_;
};

void RegisterCommand_all(CommandRegistry& r);  // generated: one call a file

// One use of a verb. Flags are taken off both ends of the text; what is left is `text`.
class CommandCall {
 public:
  CommandCall(Shell& shell, const Command& command, std::string_view text);

  Shell& shell() const { return shell_; }
  const Command& command() const { return command_; }
  std::string_view text() const { return text_; }
  bool Has(std::string_view flag) const;
  std::string_view Option(std::string_view flag) const;  // its value; "" when not given
  // FILE of `… --svg > FILE`: after a flag, `>` is no comparison. "" when not given.
  std::string_view file() const { return file_; }
  bool json() const;  // --json here or for the whole shell
  // Throws SyntaxError: what is wrong, and the usage.
  [[noreturn]] void Misused(const std::string& what) const;
  void WantNothing() const;  // throws when there is text

 private:
  bool TakeFlag(std::string_view word, bool from_end);
  void TakeFile();

  Shell& shell_;
  const Command& command_;
  std::string_view text_, file_;
  std::vector<std::pair<std::string_view, std::string_view>> flags_;
};

// The flags of a usage line: {"--json", false}, {"--stage", true}.
std::vector<std::pair<std::string_view, bool>> FlagsOf(const char* usage);

// docs/commands.md, from the rows.
std::string CommandDocs(const CommandRegistry& registry);

}  // namespace tensh::shell
