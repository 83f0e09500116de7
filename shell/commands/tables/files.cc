// File names in commands, and the script that recreates a session.

#include "shell/commands/tables/files.h"

#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

namespace tensh::shell {

bool OnlyShows(const CommandRegistry& commands, std::string_view statement) {
  const std::string_view word = FirstWord(statement);
  const Command* command = commands.Find(word);
  if (command == nullptr) return statement.ends_with('?');
  const std::string_view rest = Trim(statement.substr(word.size()));
  const bool python = rest.starts_with("=") || rest.starts_with("(") ||
                      (rest.starts_with(".") && !rest.starts_with("./"));
  return !python && !command->lasting;
}

std::string FileName(CommandCall& call, std::string_view text) {
  text = Trim(text);
  if (text.empty()) call.Misused("needs a file name");
  if (text[0] == '"' || text[0] == '\'')
    return ToText(call.shell().interp().Eval(text), call.command().name);
  return std::string(text);
}

bool HasEnding(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() && name.substr(name.size() - ending.size()) == ending;
}

Value CallWorkspace(std::string_view function, std::initializer_list<Value> args) {
  return Call(FromLibrary("workspace", Intern(function)), args);
}

std::string DumpText(Shell& shell) {
  std::string out = "# Rebuilds a session of tensh: read FILE, or tensh FILE.\n";
  for (const Statement& statement : shell.journal())
    if (!OnlyShows(shell.commands(), statement.text)) out += statement.text + "\n";
  return out;
}

}  // namespace tensh::shell
