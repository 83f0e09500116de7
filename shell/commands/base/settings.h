// The settings of the shell: the table of `set`, and the configuration file, which has a line
// `set KEY VALUE` for each setting that is kept.
//
// Threads: the interpreter's thread only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/session/options.h"

namespace tensh::shell {

// A setting: the values that it accepts, the first of which is the default, and the functions that
// read and change it.
struct Setting {
  const char* key;
  const char* what;
  std::vector<std::string> (*words)();
  std::string (*get)(const ShellOptions& options);
  void (*set)(ShellOptions& options, const std::string& word);
  bool flag = true;      // JSON: true or false
  bool command = false;  // any other value is a command

  // Returns the word for a value, such as "on" for "yes", or null if the setting cannot have it.
  std::optional<std::string> WordFor(std::string_view value) const;
  // Returns an error message that lists the accepted values: "color must be on or off".
  std::string Wants() const;
};

std::span<const Setting> Settings();
// Returns null if the setting does not exist.
const Setting* FindSetting(std::string_view key);
std::vector<std::string> SettingKeys();
// Returns the values that a setting may have, or nothing if no such setting exists.
std::vector<std::string> SettingWords(std::string_view key);

// Returns the path of the configuration file, or "" if no home folder is known.
std::string ConfigurationFile();
// Applies the configuration file, if it exists. Returns one error message per line, or "".
std::string ApplyConfiguration(const std::string& file, ShellOptions* options);
// Writes a setting to the file and replaces its old line. Returns 0 or the errno.
int KeepSetting(const std::string& file, std::string_view key, std::string_view word);

}  // namespace tensh::shell
