// The command registry, and the parsing of flags for every verb.

#include "shell/commands/base/command.h"

#include <algorithm>

#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/text/layout.h"

namespace tensh::shell {

const Command* CommandRegistry::Find(std::string_view name) const {
  const auto at = std::find_if(commands_.begin(), commands_.end(),
                               [name](const Command& each) { return name == each.name; });
  return at == commands_.end() ? nullptr : &*at;
}

std::vector<std::string> CommandRegistry::Names() const {
  std::vector<std::string> names;
  for (const Command& command : commands_) names.push_back(command.name);
  return names;
}

std::vector<std::pair<std::string_view, bool>> FlagsOf(const char* usage) {
  std::vector<std::pair<std::string_view, bool>> flags;
  const std::string_view text = usage;
  for (size_t at = text.find("[--"); at != std::string_view::npos; at = text.find("[--", at + 1)) {
    const std::string_view inside = text.substr(at + 1, text.find(']', at) - at - 1);
    const std::string_view name = FirstWord(inside);
    flags.emplace_back(name, name.size() < inside.size());
  }
  return flags;
}

namespace {

struct FileFormat {
  std::string_view ending, flag;
};
constexpr std::string_view kOpen = "open=";
bool Opens(const Command& command) {
  return std::string_view(command.usage).find("[open=SCOPE]") != std::string_view::npos;
}

// The file formats by extension: `nodes > FILE.csv` is `nodes --csv > FILE.csv`.
constexpr FileFormat kFormats[] = {{".csv", "--csv"},   {".json", "--json"}, {".md", "--md"},
                                   {".svg", "--svg"},   {".png", "--png"},   {".dot", "--dot"},
                                   {".html", "--html"}, {".txt", ""},        {".log", ""}};
// Extensions of formats that no verb writes.
constexpr std::string_view kForeign[] = {".pdf", ".jpg", ".jpeg", ".gif", ".eps", ".gv", ".xlsx"};

bool HasFlag(const Command& command, std::string_view flag) {
  const auto flags = FlagsOf(command.usage);
  return std::any_of(flags.begin(), flags.end(),
                     [flag](const auto& each) { return each.first == flag; });
}

// Returns the files that the verb can write: "FILE.csv, FILE.json or FILE.txt". Returns "" if it
// writes none.
std::string WrittenFiles(const Command& command) {
  std::vector<std::string> files;
  for (const FileFormat& format : kFormats)
    if (!format.flag.empty() && HasFlag(command, format.flag))
      files.push_back("FILE" + std::string(format.ending));
  return files.empty() ? "" : Join(files, ", ") + " or FILE.txt";
}

}  // namespace

CommandCall::CommandCall(Shell& shell, const Command& command, std::string_view text)
    : shell_(shell), command_(command), text_(Trim(text)) {
  TakeFile();
  while (TakeFlag(FirstWord(text_), false)) {
  }
  while (TakeFlag(LastWord(text_), true)) {
  }
}

void CommandCall::TakeFile() {
  const size_t at = text_.rfind('>');
  if (at == std::string_view::npos) return;
  const std::string_view before = Trim(text_.substr(0, at)), file = Trim(text_.substr(at + 1));
  if (file.empty() || FirstWord(file).size() != file.size()) return;
  const std::string written = WrittenFiles(command_);
  const auto ends = [file](std::string_view ending) {
    return file.size() > ending.size() && file.ends_with(ending);
  };
  const auto* format = std::find_if(std::begin(kFormats), std::end(kFormats),
                                    [&ends](const FileFormat& each) { return ends(each.ending); });
  const bool known = format != std::end(kFormats);
  if (known && !written.empty() && (format->flag.empty() || HasFlag(command_, format->flag))) {
    if (!format->flag.empty()) flags_.emplace_back(format->flag, "");
    file_ = file;
    text_ = before;
    return;
  }
  for (const auto& [flag, has_value] : FlagsOf(command_.usage)) {
    const bool opens = LastWord(before).starts_with(kOpen) && Opens(command_);
    if (LastWord(before) != flag && !opens) continue;
    file_ = file;
    text_ = before;
    return;
  }
  const bool foreign = known || std::any_of(std::begin(kForeign), std::end(kForeign), ends);
  if (foreign && !written.empty())
    Misused("cannot write " + std::string(file) + "; it writes > " + written);
}

// Removes `open=SCOPE` from one end of the text, if the verb knows it.
bool CommandCall::TakeOpen(std::string_view word, bool from_end) {
  if (!word.starts_with(kOpen) || !Opens(command_)) return false;
  std::string_view scope = word.substr(kOpen.size());
  while (scope.ends_with('/')) scope.remove_suffix(1);
  if (scope.empty()) Misused("open= needs a name scope");
  if (from_end) {
    text_.remove_suffix(word.size());
    open_.emplace(open_.begin() + static_cast<ptrdiff_t>(open_at_front_), scope);
  } else {
    text_.remove_prefix(word.size());
    open_.emplace_back(scope);
    ++open_at_front_;
  }
  text_ = Trim(text_);
  return true;
}

// Removes a flag from one end of the text. At the far end, the flag may be followed by its value.
bool CommandCall::TakeFlag(std::string_view word, bool from_end) {
  if (word.empty()) return false;
  if (TakeOpen(word, from_end)) return true;
  for (const auto& [flag, has_value] : FlagsOf(command_.usage)) {
    if (!has_value && word == flag) {
      if (from_end) {
        text_.remove_suffix(word.size());
      } else {
        text_.remove_prefix(word.size());
      }
      text_ = Trim(text_);
      flags_.emplace_back(flag, "");
      return true;
    }
    if (has_value && !from_end && word == flag) {
      text_ = Trim(text_.substr(word.size()));
      const std::string_view value = FirstWord(text_);
      if (value.empty()) Misused(std::string(flag) + " needs a value");
      flags_.emplace_back(flag, value);
      text_ = Trim(text_.substr(value.size()));
      return true;
    }
    if (has_value && from_end) {
      const std::string_view before = Trim(text_.substr(0, text_.size() - word.size()));
      if (word == flag) Misused(std::string(flag) + " needs a value");
      if (LastWord(before) != flag) continue;
      flags_.emplace_back(flag, word);
      text_ = Trim(before.substr(0, before.size() - flag.size()));
      return true;
    }
  }
  // Rejects an unknown flag, as in `explain a --analyse`. No Python expression begins this way, and
  // at its end this is a subtraction only if the name exists. In `at @1 nodes --csv`, the flag
  // belongs to the other verb.
  if (word.size() > 2 && word.starts_with("--") && (word[2] >= 'a' && word[2] <= 'z') &&
      (!from_end || word.size() == text_.size() || !MayBeOperand(word.substr(2)))) {
    Misused("no flag " + std::string(word));
  }
  return false;
}

bool CommandCall::MayBeOperand(std::string_view name) const {
  if (!IsName(name)) return false;
  const bool runs_verb = std::string_view(command_.usage).find("VERB") != std::string_view::npos;
  return runs_verb || !shell_.interp().GetGlobal(name).is_null() ||
         !shell_.interp().FindBuiltin(Intern(name)).is_null() ||
         !shell_.interp().FindInVerb(Intern(name)).is_null();
}

Output& CommandCall::out() const { return shell_.out(); }

bool CommandCall::Has(std::string_view flag) const {
  return std::any_of(flags_.begin(), flags_.end(),
                     [flag](const auto& each) { return each.first == flag; });
}

std::string_view CommandCall::Option(std::string_view flag) const {
  for (const auto& [name, value] : flags_) {
    if (name == flag) return value;
  }
  return "";
}

bool CommandCall::json() const { return Has("--json") || shell_.options().json; }

void CommandCall::Misused(const std::string& what) const {
  throw MakeError(kSyntaxError, std::string(command_.name) + ": " + what)
      .Hint("Usage: " + std::string(command_.usage))
      .Explain("The verb does not accept this. To see examples: help " +
               std::string(command_.name));
}

void CommandCall::WantNothing() const {
  if (!text_.empty()) Misused("takes no '" + std::string(text_) + "'");
}

std::string CommandDocs(const CommandRegistry& registry) {
  std::string out =
      "# Commands\n\nGenerated by `./dev docs` from shell/commands/. A line is a command if its "
      "first "
      "word is one of these verbs and an\nargument follows. A leading dot, as in `.nodes`, means "
      "the verb even if a variable has its name.\n`help VERB` shows the same text in the shell.\n";
  std::vector<const Command*> sorted;
  for (const Command& command : registry.commands()) sorted.push_back(&command);
  std::sort(sorted.begin(), sorted.end(),
            [](const Command* a, const Command* b) { return std::string_view(a->name) < b->name; });
  for (const Command* command : sorted) {
    out += "\n## " + std::string(command->name) + "\n\n`" + command->usage + "`\n\n" +
           command->summary + "\n";
    if (command->help[0] != '\0') out += "\n" + std::string(command->help) + "\n";
    if (command->examples.empty()) continue;
    out += "\n```\n";
    for (const CommandExample& example : command->examples) {
      std::string_view lines = example.input;
      while (!lines.empty()) {
        const size_t end = std::min(lines.find('\n'), lines.size());
        out += ">>> " + std::string(lines.substr(0, end)) + "\n";
        lines.remove_prefix(std::min(end + 1, lines.size()));
      }
      if (example.output != nullptr && example.output[0] != '\0') {
        out += example.output;
        if (out.back() != '\n') out += '\n';
      }
    }
    out += "```\n";
  }
  return out;
}

}  // namespace tensh::shell
