// File names in commands, and the script that recreates a session.

#include "shell/commands/tables/files.h"

#include <algorithm>
#include <vector>

#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/edit/code_tokens.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

namespace tensh::shell {

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

namespace {

// Returns true if the statement refers to the value of an earlier one by `_`.
bool NeedsLastValue(std::string_view statement) {
  if (statement.find('_') == statement.npos) return false;
  const std::vector<CodeToken> tokens = TokensOf(statement);
  return std::any_of(tokens.begin(), tokens.end(), [statement](const CodeToken& token) {
    return token.kind == CodeToken::Kind::kName && token.In(statement) == "_";
  });
}

}  // namespace

// Values are watched at the end, because watching changes only what later runs print. A statement
// that changes nothing is kept if a later one uses its value or its feeds.
std::string DumpText(Shell& shell) {
  std::vector<const Statement*> kept;
  bool value = false, feeds = false;
  const std::vector<Statement>& journal = shell.journal();
  for (size_t i = journal.size(); i-- > 0;) {
    const Statement& each = journal[i];
    const std::string_view word = FirstWord(each.text);
    if (word == "watch" || word == "unwatch") continue;
    const bool again = each.text.find("feed again") != std::string::npos;
    const bool used = (value && each.gives_value) || (feeds && each.feeds && !again);
    if (!each.changes && !used) continue;
    kept.push_back(&each);
    value = (value && !each.gives_value) || NeedsLastValue(each.text);
    feeds = (feeds && !each.feeds) || again;
  }
  std::string out = "# Rebuilds a session of tensh: read FILE, or tensh FILE.\n";
  for (size_t i = kept.size(); i-- > 0;) out += kept[i]->text + "\n";
  for (const Watch& watch : shell.watches().all())
    if (watch.on) out += "watch " + watch.text + "\n";
  return out;
}

}  // namespace tensh::shell
