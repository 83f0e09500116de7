// The verb `set`: shows and changes the settings of the shell.

#include "shell/commands/command.h"
#include "shell/commands/complete.h"
#include "shell/commands/shell.h"
#include "shell/commands/tables.h"
#include "shell/commands/words.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

struct Setting {
  const char* key;
  const char* what;
  bool ShellOptions::*value;
};
constexpr Setting kSettings[] = {
    {"ascii", "draw with ASCII characters only", &ShellOptions::ascii},
    {"color", "print errors in color", &ShellOptions::color},
    {"json", "let verbs print JSON", &ShellOptions::json},
    {"keep-going", "continue a script after an error", &ShellOptions::keep_going},
    {"timing", "print the time of each statement", &ShellOptions::timing},
};

struct Word {
  const char* text;
  bool on;
};
constexpr Word kWords[] = {{"on", true},   {"true", true},   {"1", true},  {"yes", true},
                           {"off", false}, {"false", false}, {"0", false}, {"no", false}};

const Setting& FindSetting(std::string_view key) {
  for (const Setting& setting : kSettings)
    if (key == setting.key) return setting;
  throw MakeError(kLookupError, "set: no setting '" + std::string(key) + "'")
      .Hint("Choose one of: " + Join(SettingKeys(), ", "));
}

void List(CommandCall& call) {
  const ShellOptions& options = call.shell().options();
  TableText table{.columns = {{"key"}, {"value"}, {"means", 10}}, .rows = {}};
  std::string json;
  for (const Setting& setting : kSettings) {
    const bool on = options.*setting.value;
    table.rows.push_back({"", {setting.key, on ? "on" : "off", setting.what}});
    json += (json.empty() ? "{" : ", ") + JsonQuote(setting.key) + ": " + (on ? "true" : "false");
  }
  if (call.json()) return call.out().PrintLine(json + "}");
  PrintTable(call.shell(), table);
}

void RunSet(CommandCall& call) {
  const std::string_view key = FirstWord(call.text());
  if (key.empty()) return List(call);
  const Setting& setting = FindSetting(key);
  const std::string_view value = Trim(call.text().substr(key.size()));
  if (value.empty())
    return call.out().PrintLine(call.shell().options().*setting.value ? "on" : "off");
  for (const Word& word : kWords) {
    if (value != word.text) continue;
    call.shell().options().*setting.value = word.on;
    return;
  }
  call.Misused(std::string(key) + " must be on or off, not '" + std::string(value) + "'");
}

constexpr CommandExample kExamples[] = {{"set ascii on\nset ascii", "on\n"}};

}  // namespace

std::vector<std::string> SettingKeys() {
  std::vector<std::string> keys;
  for (const Setting& setting : kSettings) keys.emplace_back(setting.key);
  return keys;
}

void RegisterCommand_set(CommandRegistry& r) {
  r.Add({.name = "set",
         .usage = "set [KEY [on|off]] [--json]",
         .summary = "Show or change a setting of the shell.",
         .help = "Keys: ascii, color, json, keep-going, timing.",
         .examples = kExamples,
         .complete = "key",
         .lasting = true,
         .run = RunSet});
}

}  // namespace tensh::shell
