// The verb `set`: shows and changes the settings of the shell.

#include <cstring>

#include "shell/commands/base/command.h"
#include "shell/commands/base/settings.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/error.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

void List(CommandCall& call) {
  const ShellOptions& options = call.shell().options();
  TableText table{.columns = {{"key"}, {"value"}, {"means", 10}}, .rows = {}};
  std::string json;
  for (const Setting& setting : Settings()) {
    const std::string value = setting.get(options);
    table.rows.push_back({"", {setting.key, value, setting.what}});
    json += (json.empty() ? "{" : ", ") + JsonQuote(setting.key) + ": ";
    json += setting.flag ? (value == "on" ? "true" : "false") : JsonQuote(value);
  }
  if (call.json()) return call.out().PrintLine(json + "}");
  PrintTable(call.shell(), table);
}

void Keep(const Setting& setting, const ShellOptions& options) {
  const std::string file = ConfigurationFile();
  if (const int error = KeepSetting(file, setting.key, setting.get(options)))
    throw MakeError(kOSError, file.empty() ? "cannot keep a setting: HOME is not set"
                                           : "cannot write " + file + ": " + std::strerror(error));
}

void RunSet(CommandCall& call) {
  const std::string_view key = FirstWord(call.text());
  if (key.empty() && call.Has("--keep")) call.Misused("--keep needs a setting");
  if (key.empty()) return List(call);
  const Setting* setting = FindSetting(key);
  if (setting == nullptr)
    throw MakeError(kLookupError, "set: no setting '" + std::string(key) + "'")
        .Hint("Choose one of: " + Join(SettingKeys(), ", "));
  ShellOptions& options = call.shell().options();
  const std::string_view value = Trim(call.text().substr(key.size()));
  if (!value.empty()) {
    const std::optional<std::string> word = setting->WordFor(value);
    if (!word) call.Misused(setting->Wants() + ", not '" + std::string(value) + "'");
    setting->set(options, *word);
    call.shell().NoteChange();
  } else if (!call.Has("--keep")) {
    return call.out().PrintLine(setting->get(options));
  }
  if (!call.Has("--keep")) return;
  Keep(*setting, options);
  call.out().Note(" kept in " + Visible(ConfigurationFile()));
}

constexpr CommandExample kExamples[] = {{"set ascii on\nset ascii", "on\n"}};

}  // namespace

void RegisterCommand_set(CommandRegistry& r) {
  r.Add({.name = "set",
         .usage = "set [KEY [VALUE]] [--keep] [--json]",
         .summary = "Show or change a setting of the shell.",
         .help =
             "Keys: ascii, color, editor, json, keep-going, optimize, pager, theme, timing. The "
             "editor "
             "is emacs "
             "or vi,\nthe theme dark, light or mono, and the pager on ($PAGER or less), off or a "
             "command such as\n`less -S`. The others are on or off. `--keep` "
             "also writes the setting to ~/.config/tensh/config, which each prompt reads.",
         .examples = kExamples,
         .complete = "key",
         .run = RunSet});
}

}  // namespace tensh::shell
