// File names in commands, and the script that recreates a session.

#include "shell/commands/files.h"

#include <algorithm>

#include "shell/commands/shell.h"
#include "shell/commands/words.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

namespace tensh::shell {
namespace {

// Verbs that change the session. All other verbs only display it.
constexpr std::string_view kLasting[] = {"run",   "eval",  "place", "session", "open",
                                         "load",  "read",  "set",   "connect", "reset",
                                         "watch", "break", "apply"};

bool IsView(const Shell& shell, std::string_view statement) {
  const std::string_view word = FirstWord(statement);
  if (shell.commands().Find(word) == nullptr) return !statement.empty() && statement.back() == '?';
  const std::string_view rest = Trim(statement.substr(word.size()));
  const bool python = rest.starts_with("=") || rest.starts_with("(") ||
                      (rest.starts_with(".") && !rest.starts_with("./"));
  return !python && std::find(std::begin(kLasting), std::end(kLasting), word) == std::end(kLasting);
}

}  // namespace

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

std::string DumpText(const Shell& shell) {
  std::string out = "# Rebuilds a session of tensh: read FILE, or tensh FILE.\n";
  for (const std::string& statement : shell.journal())
    if (!IsView(shell, statement)) out += statement + "\n";
  return out;
}

}  // namespace tensh::shell
