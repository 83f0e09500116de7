#include "shell/edit/vi_command.h"

#include <algorithm>
#include <optional>

#include "shell/text/grapheme.h"

namespace tensh::shell {
namespace {

constexpr int kMostTimes = 1000;
constexpr std::string_view kOperators = "dcy<>";
constexpr std::string_view kCases = "uU~";    // after g: operators
constexpr std::string_view kAfterG = "geE_";  // after g: motions
constexpr std::string_view kMotions = "hl 0^$wbeWBEG;,%|{}jk+-";
constexpr std::string_view kFinds = "fFtT";  // motions with an argument
constexpr std::string_view kObjects = "wW\"'`()b[]{}B<>";
constexpr std::string_view kCommands = "iaIAoOxXDCSsRJ~pPYuU.vnN/?_\x12";

bool Has(std::string_view set, char c) { return set.find(c) != set.npos; }

// Reads the keys of one command. A function that needs more keys sets `incomplete_`.
class Parser {
 public:
  Parser(std::string_view keys, ViCommand* command) : rest_(keys), command_(command) {}

  ViParsed Parse() {
    const bool valid = Command();
    if (incomplete_) return ViParsed::kIncomplete;
    return valid ? ViParsed::kComplete : ViParsed::kInvalid;
  }

 private:
  bool Command() {
    if (rest_.starts_with('"')) {
      Next();
      command_->reg = Next();
    }
    const int before = Count();
    char key = Next();
    std::string verb;
    if (key == 'g' && !rest_.empty() && Has(kCases, rest_[0])) {
      verb = {'g', Next()};
    } else if (Has(kOperators, key) && key != '\0') {
      verb = {key};
    }
    if (verb.empty()) {
      command_->count = before;
      return key != '\0' && (Motion(key) || Simple(key));
    }
    const int after = Count();
    command_->count =
        before > 0 && after > 0 ? std::min(before * after, kMostTimes) : before + after;
    command_->verb = verb;
    key = Next();
    if (key == '\0') return false;
    if (key == verb.back() || (verb.size() == 2 && key == 'g' && rest_ == verb.substr(1))) {
      command_->motion = kViLines;
      return true;
    }
    return Object(key) || Motion(key);
  }

  int Count() {
    int count = 0;
    while (!rest_.empty() && rest_[0] >= (count == 0 ? '1' : '0') && rest_[0] <= '9')
      count = std::min(count * 10 + (Next() - '0'), kMostTimes);
    return count;
  }

  char Next() {
    incomplete_ = incomplete_ || rest_.empty();
    if (rest_.empty()) return '\0';
    const char key = rest_[0];
    rest_.remove_prefix(1);
    return key;
  }

  bool Argument() {
    incomplete_ = rest_.empty();
    command_->argument = rest_;
    return true;
  }

  bool Object(char key) {
    if (key != 'i' && key != 'a') return false;
    const char object = Next();
    command_->motion = {key, object};
    return Has(kObjects, object);
  }

  bool Motion(char key) {
    command_->motion = {key};
    if (Has(kFinds, key)) return Argument();
    if (key != 'g') return Has(kMotions, key);
    const char second = Next();
    command_->motion += second;
    return Has(kAfterG, second);
  }

  bool Simple(char key) {
    command_->motion.clear();
    command_->verb = {key};
    return key == 'r' ? Argument() : Has(kCommands, key);
  }

  std::string_view rest_;
  ViCommand* command_;
  bool incomplete_ = false;
};

}  // namespace

ViParsed ParseViCommand(std::string_view keys, ViCommand* command) {
  *command = {};
  return Parser(keys, command).Parse();
}

}  // namespace tensh::shell
