// The verb `set`: shows and changes the settings of the shell.

#include <algorithm>

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/commands/typing/complete.h"
#include "shell/text/json.h"
#include "shell/text/theme.h"

namespace tensh::shell {
namespace {

using Words = std::vector<std::string>;

// A setting: the words that it may have, the first of which it had at the beginning, and how it is
// read and changed.
struct Setting {
  const char* key;
  const char* what;
  Words (*words)();
  std::string (*get)(const ShellOptions& options);
  void (*set)(ShellOptions& options, const std::string& word);
  bool flag = true;  // JSON: true or false
};

Words OnOff() { return {"on", "off"}; }

template <bool ShellOptions::*value>
constexpr Setting Flag(const char* key, const char* what) {
  return {key, what, OnOff,
          [](const ShellOptions& options) -> std::string { return options.*value ? "on" : "off"; },
          [](ShellOptions& options, const std::string& word) { options.*value = word == "on"; }};
}

constexpr Setting kSettings[] = {
    Flag<&ShellOptions::ascii>("ascii", "draw with ASCII characters only"),
    Flag<&ShellOptions::color>("color", "print in color"),
    {"editor", "the keys of the prompt",
     [] {
       return Words{"emacs", "vi"};
     },
     [](const ShellOptions& options) -> std::string { return options.vi ? "vi" : "emacs"; },
     [](ShellOptions& options, const std::string& word) { options.vi = word == "vi"; }, false},
    Flag<&ShellOptions::json>("json", "let verbs print JSON"),
    Flag<&ShellOptions::keep_going>("keep-going", "continue a script after an error"),
    {"theme", "the colors of the terminal", [] { return Palette::Themes(); },
     [](const ShellOptions& options) { return options.theme; },
     [](ShellOptions& options, const std::string& word) { options.theme = word; }, false},
    Flag<&ShellOptions::timing>("timing", "print the time of each statement"),
};

// Other words for on and off.
struct Synonym {
  const char *text, *word;
};
constexpr Synonym kSynonyms[] = {{"true", "on"},   {"1", "on"},  {"yes", "on"},
                                 {"false", "off"}, {"0", "off"}, {"no", "off"}};

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
    const std::string value = setting.get(options);
    table.rows.push_back({"", {setting.key, value, setting.what}});
    json += (json.empty() ? "{" : ", ") + JsonQuote(setting.key) + ": ";
    json += setting.flag ? (value == "on" ? "true" : "false") : JsonQuote(value);
  }
  if (call.json()) return call.out().PrintLine(json + "}");
  PrintTable(call.shell(), table);
}

void RunSet(CommandCall& call) {
  const std::string_view key = FirstWord(call.text());
  if (key.empty()) return List(call);
  const Setting& setting = FindSetting(key);
  std::string value(Trim(call.text().substr(key.size())));
  if (value.empty()) return call.out().PrintLine(setting.get(call.shell().options()));
  const Words words = setting.words();
  if (setting.flag)
    for (const Synonym& synonym : kSynonyms)
      if (value == synonym.text) value = synonym.word;
  if (std::find(words.begin(), words.end(), value) == words.end())
    call.Misused(std::string(key) + " must be " + Join(words, " or ") + ", not '" + value + "'");
  setting.set(call.shell().options(), value);
}

constexpr CommandExample kExamples[] = {{"set ascii on\nset ascii", "on\n"}};

}  // namespace

std::vector<std::string> SettingKeys() {
  std::vector<std::string> keys;
  for (const Setting& setting : kSettings) keys.emplace_back(setting.key);
  return keys;
}

std::vector<std::string> SettingWords(std::string_view key) {
  for (const Setting& setting : kSettings)
    if (key == setting.key) return setting.words();
  return {};
}

void RegisterCommand_set(CommandRegistry& r) {
  r.Add({.name = "set",
         .usage = "set [KEY [VALUE]] [--json]",
         .summary = "Show or change a setting of the shell.",
         .help =
             "Keys: ascii, color, editor, json, keep-going, theme, timing. The editor is emacs or "
             "vi,\nthe theme dark, light or mono; the others are on or off.",
         .examples = kExamples,
         .complete = "key",
         .lasting = true,
         .run = RunSet});
}

}  // namespace tensh::shell
