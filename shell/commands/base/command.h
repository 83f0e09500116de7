// The verbs of the shell. A verb is one file with one table entry, which contains its usage, help,
// examples and function. Help, completion, docs/commands.md, the argument check and the tests of
// the examples are derived from the entry.
//
// To add a verb, write shell/commands/NAME_command.cc with
//   void RegisterCommand_NAME(CommandRegistry& r) {
//     r.Add({.name = "NAME", .usage = …, .run = RunName});
//   }
// The next build finds the file. Flags are read from the usage: "[--json]" is a flag, "[--stage N]"
// a flag with a value, and "[open=SCOPE]" may be given several times.
//
// Threads: the interpreter's thread only. A CommandCall lives for one call and borrows the user's
// text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/python/values/native.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

class CommandCall;
class Output;
class Shell;

struct CommandExample {
  const char* input;   // one or more lines, typed into a new shell
  const char* output;  // the expected stdout; null if it is not checked
};

struct Command {
  const char* name;
  const char* usage;
  const char* summary;
  const char* help = "";
  std::span<const CommandExample> examples = {};
  // The kind of word to complete after the verb: "expr", "op", "device", "session", "file", "key"
  // or "".
  const char* complete = "";
  // Changes the session, so that `dump` keeps the statement. A verb that only sometimes does calls
  // Shell::NoteChange() instead.
  bool lasting = false;
  bool gives_value = false;  // `x = VERB …` makes the result a value
  bool pages = false;        // long output goes through the pager
  // Returns true if the line `next` belongs to the text; see Hooks::VerbContinues. Null if the text
  // is one line.
  bool (*continues)(std::string_view text, std::string_view next) = nullptr;
  std::span<const FunctionRow> functions = {};  // builtin functions that come with the verb
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

void RegisterCommand_all(CommandRegistry& r);  // generated; calls the function of each file

// One call of a verb. Flags are removed from both ends of the text; `text` is the rest.
class CommandCall {
 public:
  CommandCall(Shell& shell, const Command& command, std::string_view text);

  Shell& shell() const { return shell_; }
  Output& out() const;  // the shell's
  const Command& command() const { return command_; }
  std::string_view text() const { return text_; }
  // For help: the marks of `X?` or `X??`, or "".
  std::string_view question() const { return question_; }
  void set_question(std::string_view marks) { question_ = marks; }
  bool Has(std::string_view flag) const;
  // Returns the flag's value, or "" if it was not given.
  std::string_view Option(std::string_view flag) const;
  // The scopes of every `open=SCOPE`, as typed from left to right.
  const std::vector<std::string>& open() const { return open_; }
  // The FILE of `… --svg > FILE`, or "". After a flag, `>` is not a comparison.
  std::string_view file() const { return file_; }
  bool json() const;
  // True for `x = VERB …`: the verb prints nothing and sets the value instead.
  bool wants_value() const { return wants_value_; }
  void want_value() { wants_value_ = true; }
  void set_value(Value value) { value_ = std::move(value); }
  const Value& value() const { return value_; }
  // Throws SyntaxError with this message and the usage of the verb.
  [[noreturn]] void Misused(const std::string& what) const;
  void WantNothing() const;  // throws if there is any text

 private:
  bool TakeFlag(std::string_view word, bool from_end);
  bool MayBeOperand(std::string_view name) const;
  bool TakeOpen(std::string_view word, bool from_end);
  void TakeFile();

  Shell& shell_;
  const Command& command_;
  std::string_view text_, file_, question_;
  std::vector<std::pair<std::string_view, std::string_view>> flags_;
  std::vector<std::string> open_;
  size_t open_at_front_ = 0;  // the number of those before the text
  bool wants_value_ = false;
  Value value_;
};

// Returns the flags of a usage line, and whether they take a value: {"--json", false}, {"--stage",
// true}.
std::vector<std::pair<std::string_view, bool>> FlagsOf(const char* usage);

// Returns docs/commands.md, generated from the table entries.
std::string CommandDocs(const CommandRegistry& registry);

}  // namespace tensh::shell
