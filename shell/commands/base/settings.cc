#include "shell/commands/base/settings.h"

#include <algorithm>
#include <cerrno>

#include "shell/client/optimize.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/text/layout.h"
#include "shell/text/theme.h"
#include "shell/text/user_files.h"

namespace tensh::shell {
namespace {

constexpr size_t kLargestFile = 1 << 20;

using Words = std::vector<std::string>;

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
    {"optimize", "merge and join nodes, and compute some only once",
     [] {
       return Words{"on", "off"};
     },
     [](const ShellOptions&) -> std::string { return tsh_optimizes() ? "on" : "off"; },
     [](ShellOptions&, const std::string& word) { tsh_optimize(word == "on"); }},
    {"pager", "shows long output: on, off or a command",
     [] {
       return Words{"on", "off"};
     },
     [](const ShellOptions& options) { return options.pager; },
     [](ShellOptions& options, const std::string& word) { options.pager = word; }, false, true},
    {"theme", "the colors of the terminal", [] { return Palette::Themes(); },
     [](const ShellOptions& options) { return options.theme; },
     [](ShellOptions& options, const std::string& word) { options.theme = word; }, false},
    Flag<&ShellOptions::timing>("timing", "print the time of each statement"),
};

// Synonyms of on and off.
struct Synonym {
  const char *text, *word;
};
constexpr Synonym kSynonyms[] = {{"true", "on"},   {"1", "on"},  {"yes", "on"},
                                 {"false", "off"}, {"0", "off"}, {"no", "off"}};

// Returns the key in a line `set KEY VALUE`, or "" for a comment or any other line.
std::string_view KeyOf(std::string_view line) {
  const std::string_view word = FirstWord(line);
  return word == "set" ? FirstWord(Trim(line.substr(word.size()))) : "";
}

// Applies one line. Returns an error message, or "".
std::string ApplyLine(std::string_view line, ShellOptions* options) {
  if (line.empty() || line[0] == '#') return "";
  const std::string_view key = KeyOf(line);
  if (key.empty()) return "expected set KEY VALUE";
  const Setting* setting = FindSetting(key);
  if (setting == nullptr)
    return "no setting '" + Visible(key) + "'; choose one of: " + Join(SettingKeys(), ", ");
  const size_t at = static_cast<size_t>(key.data() - line.data()) + key.size();
  const std::optional<std::string> word = setting->WordFor(Trim(line.substr(at)));
  if (!word) return setting->Wants();
  setting->set(*options, *word);
  return "";
}

}  // namespace

std::optional<std::string> Setting::WordFor(std::string_view value) const {
  if (flag)
    for (const Synonym& synonym : kSynonyms)
      if (value == synonym.text) value = synonym.word;
  const Words all = words();
  if (!command && std::find(all.begin(), all.end(), value) == all.end()) return std::nullopt;
  return std::string(value);
}

std::string Setting::Wants() const {
  return std::string(key) + " must be " + Join(words(), " or ");
}

std::span<const Setting> Settings() { return kSettings; }

const Setting* FindSetting(std::string_view key) {
  for (const Setting& setting : kSettings)
    if (key == setting.key) return &setting;
  return nullptr;
}

std::vector<std::string> SettingKeys() {
  std::vector<std::string> keys;
  for (const Setting& setting : kSettings) keys.emplace_back(setting.key);
  return keys;
}

std::vector<std::string> SettingWords(std::string_view key) {
  const Setting* setting = FindSetting(key);
  return setting == nullptr ? std::vector<std::string>() : setting->words();
}

std::string ConfigurationFile() { return ConfigFile("config"); }

std::string ApplyConfiguration(const std::string& file, ShellOptions* options) {
  std::string text, wrong;
  if (file.empty() || ReadFile(file, kLargestFile, &text) != 0) return "";
  int number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    ++number;
    const std::string mistake = ApplyLine(Trim(rest.substr(0, end)), options);
    if (!mistake.empty()) wrong += file + ":" + std::to_string(number) + ": " + mistake + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return wrong;
}

int KeepSetting(const std::string& file, std::string_view key, std::string_view word) {
  std::string text, kept;
  if (file.empty()) return ENOENT;
  if (const int error = ReadFile(file, kLargestFile, &text); error != 0 && error != ENOENT)
    return error;
  const std::string line = "set " + std::string(key) + " " + std::string(word) + "\n";
  bool written = false;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view old = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool same = KeyOf(Trim(old)) == key;
    if (!same) kept += std::string(old) + "\n";
    if (same && !written) kept += line, written = true;
  }
  return ReplaceFile(file, written ? kept : kept + line);
}

}  // namespace tensh::shell
