// Completion at the prompt. The cursor's surroundings select the kind of candidates.

#include "shell/commands/complete.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "shell/commands/words.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/graphs.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

using Names = std::vector<std::string>;
constexpr size_t kMostNodes =
    200000;  // Node names of larger graphs are not offered, so that Tab responds at once.

bool InWord(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) != 0 || c == '_' || u >= 0x80;
}

// The position of the cursor in terms of Python's syntax.
struct Place {
  size_t quote = std::string_view::npos;  // start of the open string
  std::vector<size_t> open;               // positions of the open brackets
};

Place PlaceOf(std::string_view text) {
  Place place;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (place.quote != std::string_view::npos) {
      if (c == '\\') {
        ++i;
      } else if (c == text[place.quote]) {
        place.quote = std::string_view::npos;
      }
    } else if (c == '"' || c == '\'') {
      place.quote = i;
    } else if (c == '(' || c == '[' || c == '{') {
      place.open.push_back(i);
    } else if ((c == ')' || c == ']' || c == '}') && !place.open.empty()) {
      place.open.pop_back();
    }
  }
  return place;
}

// Returns the dotted name at the end of the text, such as "tf.nn.re".
std::string_view DottedAtEnd(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && (InWord(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return text.substr(begin);
}

// Returns the sorted and unique names that begin with `typed`. Private names are included only if
// `typed` begins with an underscore.
Completion Matching(Names names, size_t from, std::string_view typed) {
  std::erase_if(names, [&](const std::string& name) {
    return name.compare(0, typed.size(), typed) != 0 ||
           (name[0] == '_' && (typed.empty() || typed[0] != '_'));
  });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return {from, std::move(names)};
}

Names ItemsOf(const Value& value) {
  Names names;
  if (const auto* list = As<ListObject>(value))
    for (const Value& item : list->items) names.push_back(Str(item));
  return names;
}

Names AttributesOf(Shell& shell, std::string_view object) {
  return ItemsOf(shell.interp().Eval("dir(" + std::string(object) + ")"));
}

// Returns the argument names "x=", "name=" of the call whose bracket is the last character of
// `text`.
Names ArgumentsOf(Shell& shell, std::string_view text) {
  const std::string callee(DottedAtEnd(text));
  if (callee.empty() || callee.back() == '.') return {};
  Names names;
  const Value signature = GetAttr(shell.interp().Import("inspect"), "signature");
  const Value parameters = GetAttr(Call(signature, {shell.interp().Eval(callee)}), "parameters");
  for (const std::string& name : ItemsOf(Call(shell.interp().Eval("list"), {parameters})))
    if (name != "args" && name != "kwargs") names.push_back(name + "=");
  return names;
}

Names NodeNames() {
  Names names;
  if (!HasGraph()) return names;
  const GraphHandle graph = CurrentGraph();
  const size_t n = graph.size();
  for (size_t i = 0; n <= kMostNodes && i < n; ++i)
    names.emplace_back(graph.NodeName(static_cast<tsh_node>(i)));
  return names;
}

Names OfJson(const std::string& json, const char* key) {
  Names names;
  const Json items = Json::Parse(json);
  for (const Json& item : items.items()) names.push_back(item[key].as_string());
  return names;
}

Names DeviceNames(Shell& shell, bool with_slash) {
  Names names;
  for (int i = 0; i < shell.sessions().cpus(); ++i)
    names.push_back((with_slash ? "/cpu:" : "cpu:") + std::to_string(i));
  return names;
}

// Lists the files in the folder that `typed` names. Folders end in "/".
Completion Files(size_t begin, std::string_view typed) {
  const size_t slash = typed.rfind('/');
  const size_t name_at = slash == std::string_view::npos ? 0 : slash + 1;
  std::string folder(typed.substr(0, name_at));
  if (folder.starts_with("~/") && std::getenv("HOME") != nullptr)
    folder.replace(0, 1, std::getenv("HOME"));
  Names names;
  DIR* dir = ::opendir(folder.empty() ? "." : folder.c_str());
  if (dir == nullptr) return {begin, {}};
  while (const dirent* entry = ::readdir(dir)) {
    std::string name = entry->d_name;
    const bool hidden = name[0] == '.' && typed.substr(name_at, 1) != ".";
    if (name == "." || name == ".." || hidden) continue;
    struct stat about {};
    if (::stat((folder + name).c_str(), &about) == 0 && S_ISDIR(about.st_mode)) name += '/';
    names.push_back(std::move(name));
  }
  ::closedir(dir);
  std::erase_if(names,
                [&](const std::string& name) { return !name.starts_with(typed.substr(name_at)); });
  std::sort(names.begin(), names.end());
  return {begin + name_at, std::move(names)};
}

// Returns the literal words of a usage line, such as "analyze", "feed" and "--dot".
Names WordsOf(const Command& command, bool flags) {
  Names words;
  const std::string_view usage = command.usage;
  for (size_t at = 0; at < usage.size();) {
    size_t end = at;
    while (end < usage.size() && (InWord(usage[end]) || usage[end] == '-' || usage[end] == '='))
      ++end;
    const std::string_view word = usage.substr(at, end - at);
    const bool is_flag = word.starts_with("--");
    const bool lower =
        std::none_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (word.size() > 1 && is_flag == flags && lower && word != command.name &&
        static_cast<unsigned char>(word[0]) < 0x80)
      words.emplace_back(word);
    at = std::max(end, at + 1);
  }
  return words;
}

void Append(Names* to, Names more) { std::move(more.begin(), more.end(), std::back_inserter(*to)); }

// Completes a name, an attribute, or an argument of the enclosing call.
Completion Python(Shell& shell, std::string_view text, Names also) {
  const std::string_view dotted = DottedAtEnd(text);
  const size_t dot = dotted.rfind('.');
  const std::string_view typed = dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
  const size_t from = text.size() - typed.size();
  if (dot == 0) return {from, {}};  // an attribute of a call's result, which would require the call
  if (dot != std::string_view::npos)
    return Matching(AttributesOf(shell, dotted.substr(0, dot)), from, typed);
  if (!typed.empty() && typed[0] >= '0' && typed[0] <= '9') return {from, {}};
  const Place place = PlaceOf(text);
  if (!place.open.empty() && text[place.open.back()] == '(') {
    try {
      Append(&also, ArgumentsOf(shell, text.substr(0, place.open.back())));
    } catch (const PyError&) {  // not a function, or its parameters are unknown
    }
    if (typed.empty()) return Matching(std::move(also), from, typed);
  }
  if (typed.empty() && also.empty()) return {from, {}};
  if (!typed.empty()) Append(&also, shell.interp().CompletionNames());
  return Matching(std::move(also), from, typed);
}

Completion InString(Shell& shell, std::string_view text, size_t quote) {
  const std::string_view typed = text.substr(quote + 1);
  if (text.substr(0, quote).ends_with("device("))
    return Matching(DeviceNames(shell, true), quote + 1, typed);
  return Files(quote + 1, typed);
}

Completion OfVerb(Shell& shell, const Command& command, std::string_view text) {
  size_t from = text.size();
  while (from > 0 && text[from - 1] != ' ' && text[from - 1] != ',') --from;
  const std::string_view typed = text.substr(from);
  const std::string_view kind = command.complete;
  if (typed.starts_with("-")) return Matching(WordsOf(command, true), from, typed);
  Names words = WordsOf(command, false);
  if (kind == "file" || (from > 1 && Trim(text.substr(0, from)).ends_with(">"))) {
    Completion files = Files(from, typed);
    if (typed.find('/') != std::string_view::npos) return files;
    Append(&words, std::move(files.candidates));
    return Matching(std::move(words), from, typed);
  }
  if (kind == "op") Append(&words, OfJson(TakeText(tsh_ops_json("")), "name"));
  if (kind == "key") Append(&words, SettingKeys());
  if (kind == "session") {
    const Json sessions = Json::Parse(TakeText(tsh_sessions_json()));
    for (const Json& s : sessions.items()) words.push_back("s" + std::to_string(s["id"].as_int()));
  }
  if (kind != "expr") return Matching(std::move(words), from, typed);
  if (typed.starts_with("/")) return Matching(DeviceNames(shell, true), from, typed);
  if (std::string_view(command.name) == "help") {
    Append(&words, shell.commands().Names());
    Append(&words, OfJson(TakeText(tsh_ops_json("")), "name"));
  }
  // A node is offered by its full name, including slashes.
  if (!typed.empty() &&
      std::all_of(typed.begin(), typed.end(), [](char c) { return InWord(c) || c == '/'; })) {
    Append(&words, NodeNames());
    Append(&words, DeviceNames(shell, false));
    if (typed.find('/') != std::string_view::npos) return Matching(std::move(words), from, typed);
  }
  return Python(shell, text, std::move(words));
}

Completion Find(Shell& shell, std::string_view text) {
  const Place place = PlaceOf(text);
  if (place.quote != std::string_view::npos) return InString(shell, text, place.quote);
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::string_view first = FirstWord(text.substr(begin));
  if (begin == 0 && first.size() == text.size() && DottedAtEnd(text).size() == text.size()) {
    Completion found = Python(shell, text, shell.commands().Names());
    if (found.candidates.size() == 1 && shell.commands().Find(found.candidates[0]) != nullptr)
      found.candidates[0] += ' ';  // a space after a verb, because its argument follows
    return found;
  }
  const Command* command = begin == 0 ? shell.commands().Find(first) : nullptr;
  const std::string_view rest = Trim(text.substr(begin + first.size()));
  if (command != nullptr && !rest.starts_with("=") && !rest.starts_with("(") &&
      !rest.starts_with("."))
    return OfVerb(shell, *command, text);
  return Python(shell, text, {});
}

}  // namespace

Completion Complete(Shell& shell, std::string_view before_cursor) {
  try {
    return Find(shell, before_cursor);
  } catch (const PyError&) {  // the expression before the dot has no value
    return {before_cursor.size(), {}};
  }
}

}  // namespace tensh::shell
