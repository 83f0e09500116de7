// Completion of a verb's arguments. The usage of the verb determines which words and kinds of
// arguments may follow.

#include <algorithm>
#include <map>
#include <optional>

#include "shell/commands/base/settings.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/commands/lessons/learn_words.h"
#include "shell/commands/lessons/packs.h"
#include "shell/commands/tables/relation.h"
#include "shell/commands/typing/complete.h"
#include "shell/commands/typing/completing.h"
#include "shell/commands/typing/sql_text.h"
#include "shell/edit/code_tokens.h"
#include "shell/edit/text_buffer.h"
#include "shell/python/values/error.h"
#include "shell/python/vm/interp.h"
#include "shell/session/fetch.h"
#include "shell/session/graphs.h"
#include "shell/tensorflow/graph/needs.h"
#include "shell/text/json.h"

namespace tensh::shell::completing {
namespace {

// A word of a usage line, such as "feed", "--dot", "DEVICE" or "|".
struct UsageWord {
  std::string_view text;
  int depth = 0;       // Of brackets.
  bool opens = false;  // The first one in its bracket.
  bool argument() const { return text[0] >= 'A' && text[0] <= 'Z'; }
  bool flag() const { return text.starts_with("--"); }
  bool word() const { return !argument() && !flag() && text != "|" && text.size() > 1; }
};

std::vector<UsageWord> WordsOf(std::string_view usage) {
  std::vector<UsageWord> words;
  int depth = 0;
  bool opens = false;
  for (size_t at = 0; at < usage.size();) {
    size_t end = at;
    while (end < usage.size() &&
           ((IsWordByte(usage[end]) && static_cast<unsigned char>(usage[end]) < 0x80) ||
            usage[end] == '-'))
      ++end;
    if (end < usage.size() && usage[end] == '=' && end > at) ++end;  // open=
    if (end > at) words.push_back({usage.substr(at, end - at), depth, opens});
    if (end > at) opens = false;
    if (end == at) {
      if (usage[at] == '[') ++depth, opens = true;
      if (usage[at] == ']') --depth;
      if (usage[at] == '|' || usage[at] == '@') words.push_back({usage.substr(at, 1), depth});
      ++end;
    }
    at = end;
  }
  return words;
}

Names Flags(const Command& command, std::string_view text) {
  Names flags;
  for (const UsageWord& word : WordsOf(command.usage))
    if (word.flag() && text.find(word.text) == text.npos) flags.emplace_back(word.text);
  return flags;
}

// Returns the words that may follow the verb at once: those before the first argument of an
// alternative, such as `analyze` and `diff` of `explain`.
Names FirstWords(const Command& command) {
  Names first;
  bool open = true, bracket_open = true;
  for (const UsageWord& word : WordsOf(command.usage)) {
    if (word.opens && word.depth == 1) bracket_open = open;
    if (word.text == "|") {
      open = open || word.depth == 0 || (word.depth == 1 && bracket_open);
    } else if (word.argument() && word.depth <= 1) {
      open = false;
    } else if (open && word.word() && word.depth <= 1 && word.text != command.name) {
      first.emplace_back(word.text);
      open = word.opens && word.depth == 1;  // [analyze] is optional, so more may follow
    }
  }
  return first;
}

// Returns the words that may follow the arguments: those that begin a bracket, such as `feed`, and
// those after a required argument, such as the `on` of `place`.
Names LaterWords(const Command& command) {
  Names later;
  bool argument = false;
  for (const UsageWord& word : WordsOf(command.usage)) {
    if (word.text == "|" && word.depth == 0) argument = false;
    if (word.argument() && word.depth == 0) argument = true;
    const bool clause = word.depth == 1 && word.opens;
    if (word.word() && (clause || (word.depth == 0 && argument))) later.emplace_back(word.text);
  }
  return later;
}

// Returns the words between which one chooses after `word`: "op", "scope" and "device" after "by".
Names ChoicesAfter(const Command& command, std::string_view word) {
  Names choices;
  const std::vector<UsageWord> words = WordsOf(command.usage);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i].text != word) continue;
    for (++i; i < words.size() && words[i].word() && !words[i].opens; i += 2) {
      choices.emplace_back(words[i].text);
      if (i + 1 >= words.size() || words[i + 1].text != "|") break;
    }
  }
  return choices.size() > 1 ? choices : Names();
}

bool FirstWordOf(const Command& command, std::string_view word) {
  const Names first = FirstWords(command);
  return !word.empty() && std::find(first.begin(), first.end(), word) != first.end();
}

Names ClauseWords(const Command& command) {
  Names words;
  for (const UsageWord& word : WordsOf(command.usage))
    if (word.word() && word.text != command.name) words.emplace_back(word.text);
  return words;
}

// Returns the kind of argument that follows a word in the usage: "DEVICE" after "on".
std::string_view ArgumentAfter(const Command& command, std::string_view word) {
  const std::vector<UsageWord> words = WordsOf(command.usage);
  for (size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i].text == word && words[i + 1].argument()) return words[i + 1].text;
  return "";
}

// ---- kinds of arguments ----

// Returns the names of variables that hold tensors or operations.
Names TensorVariables(Shell& shell) {
  Names names;
  for (const std::string& name : shell.interp().GlobalNames())
    if (AsFetch(shell.interp().GetGlobal(name))) names.push_back(name);
  return names;
}

// Returns the columns of a table verb. The result is computed once per verb.
const Names& ColumnsOf(Shell& shell, const Command& command) {
  static std::map<std::string, Names> known;
  const auto [found, added] = known.try_emplace(command.name);
  if (!added) return found->second;
  try {
    const std::string head = shell.out().Capture([&] {
      CommandCall call(shell, command, "limit 0 --csv");
      command.run(call);
    });
    for (const std::string_view column :
         SplitCommas(std::string_view(head).substr(0, head.find('\n'))))
      found->second.emplace_back(column);
    if (const ShellTable* table = FindTable(command.name))
      for (const RelationColumn& column : table->columns)
        if (std::find(found->second.begin(), found->second.end(), column.name) ==
            found->second.end())
          found->second.emplace_back(column.name);
  } catch (const PyError& error) {  // The table needs a run first.
    if (error.Is(kKeyboardInterrupt)) throw;
    known.erase(found);
    static const Names none;
    return none;
  }
  return found->second;
}

Names SessionNames() {
  Names names;
  const Json sessions = Json::Parse(TakeText(tsh_sessions_json()));
  for (const Json& s : sessions.items()) names.push_back("s" + std::to_string(s["id"].as_int()));
  return names;
}

Names Devices(Shell& shell, std::string_view typed) {
  return DeviceNames(shell, typed.starts_with("/"));
}

// Returns "x=" for each placeholder that the fetches depend on and that is not fed yet.
Names Feeds(Shell& shell, std::string_view fetches, std::string_view fed) {
  if (!HasGraph()) return {};
  const GraphHandle graph = CurrentGraph();
  std::vector<tsh_node> targets;
  bool known = !Trim(fetches).empty();
  for (const std::string_view piece : SplitCommas(fetches)) {
    const Value value = IsName(piece) ? shell.interp().GetGlobal(piece) : Value();
    const Fetch fetch = value.is_null() ? Fetch() : AsFetch(value);
    if (!fetch) {
      known = false;
      break;
    }
    targets.push_back(fetch.is_tensor() ? fetch.output.node : fetch.node);
  }
  tsh_run run{};
  run.targets = targets.data();
  run.n_targets = targets.size();
  const std::vector<bool> needed = tf::NeededNodes(graph, run);
  std::map<tsh_node, std::string> variables;
  for (const std::string& name : TensorVariables(shell)) {
    const Fetch fetch = AsFetch(shell.interp().GetGlobal(name));
    variables[fetch.is_tensor() ? fetch.output.node : fetch.node] = name;
  }
  Names names;
  for (size_t n = 0; n < graph.size(); ++n) {
    const auto node = static_cast<tsh_node>(n);
    if ((known && !needed[n]) || std::string_view(graph.NodeOp(node)) != "Placeholder") continue;
    const auto variable = variables.find(node);
    const std::string name = variable != variables.end() ? variable->second : graph.NodeName(node);
    bool given = false;
    for (const std::string_view piece : SplitCommas(fed)) {
      std::string_view left, right;
      given |= SplitAssignment(piece, &left, &right) && Trim(left) == name;
    }
    if (!given) names.push_back(name + "=");
  }
  return names;
}

// The words of `learn`, and the names of the lessons.
Names Lessons() {
  Names names(LearnWords().begin(), LearnWords().end());
  for (const Lesson& lesson : OwnPack().lessons) names.push_back(lesson.name);
  return names;
}

Names Numbers(size_t end) {
  Names names;
  for (size_t i = 1; i < end; ++i) names.push_back(std::to_string(i));
  return names;
}

Names VersionNames(Shell& shell) {
  Names names;
  if (HasGraph())
    for (const Version* version : shell.versions().Of(CurrentGraph()))
      names.push_back("@" + std::to_string(version->number));
  return names;
}

// ---- positions ----

// The text of the verb's arguments, split at the beginning of the word that is being typed.
struct Arguments {
  std::string_view before;  // The arguments before the word.
  std::string_view typed;   // The word so far.
  size_t from = 0;          // Its offset in the whole text.
  std::string_view text;    // The whole text.
  std::string_view verb;
};

// Returns true if an expression may have ended before the word, so that a clause may begin.
bool MayBeginClause(std::string_view before) {
  const std::string_view trimmed = Trim(before);
  return !trimmed.empty() && before.back() == ' ' &&
         std::string_view(",=+-*/<>([{@").find(trimmed.back()) == trimmed.npos;
}

// Like SplitClauses, but also splits at a clause word whose argument is missing.
std::vector<Clause> ClausesOf(std::string_view before, const Names& words) {
  std::vector<Clause> clauses = {{"", ""}};
  size_t begin = 0;
  int depth = 0;
  std::string_view last;
  for (const CodeToken& token : TokensOf(before)) {
    const std::string_view word = token.In(before);
    const bool opens = word == "(" || word == "[" || word == "{";
    const bool closes = word == ")" || word == "]" || word == "}";
    depth += opens ? 1 : closes ? -1 : 0;
    const bool operand = last.size() == 1 && std::string_view("=+-*/<>,@.").find(last) != last.npos;
    last = word;
    if (depth != 0 || operand || std::find(words.begin(), words.end(), word) == words.end())
      continue;
    clauses.back().text = Trim(before.substr(begin, token.from - begin));
    clauses.push_back({word, ""});
    begin = token.to;
  }
  clauses.back().text = Trim(before.substr(std::min(begin, before.size())));
  return clauses;
}

Completion Columns(Shell& shell, const Command& command, std::string_view word, const Arguments& at,
                   std::string_view clause, Names after) {
  const std::string_view last = LastWord(Trim(clause));
  const bool begins =
      clause.empty() || last == "and" || last == "or" || last == "not" || last.ends_with("(");
  if (begins) return Matching(ColumnsOf(shell, command), at.from, at.typed);
  if (word == "order") {
    after.emplace_back("desc");
    return Matching(std::move(after), at.from, at.typed);
  }
  const Names& columns = ColumnsOf(shell, command);
  if (std::find(columns.begin(), columns.end(), last) != columns.end())
    return Matching(
        {"==", "!=", "<", "<=", ">", ">=", "like", "in", "not in", "between", "is null"}, at.from,
        at.typed);
  const std::string_view compared = LastWord(Trim(clause.substr(0, clause.rfind(last))));
  if (last == "==" || last == "!=" || last == "in") {
    if (compared == "op") return Matching(OpNames(), at.from, at.typed);
    if (compared == "device") return Matching(Devices(shell, at.typed), at.from, at.typed);
    return {at.from, {}};
  }
  after.emplace_back("and");
  after.emplace_back("or");
  return Matching(std::move(after), at.from, at.typed);
}

// Completes the device in NODE=DEVICE.
Completion DeviceOf(Shell& shell, const Arguments& at) {
  const size_t equals = at.typed.find('=') + 1;
  const std::string_view typed = at.typed.substr(equals);
  return Matching(Devices(shell, typed), at.from + equals, typed);
}

Completion Expression(Shell& shell, const Arguments& at, Names words);

// Completes the word after `on`: a session, or a device.
Completion AfterOn(Shell& shell, const Command& command, std::string_view argument,
                   const Arguments& at) {
  if (argument == "SESSION") return Matching(SessionNames(), at.from, at.typed);
  Names devices = Devices(shell, at.typed);
  if (std::string_view(command.name) == "place") devices.emplace_back("none");
  return Matching(std::move(devices), at.from, at.typed);
}

// Completes the argument of a clause, unless it is an expression.
std::optional<Completion> InClause(Shell& shell, const Command& command, const Clause& clause,
                                   std::string_view fetches, const Arguments& at,
                                   const Names& after) {
  const std::string_view argument = ArgumentAfter(command, clause.word);
  const std::string_view piece = clause.text.substr(
      clause.text.rfind(',') == clause.text.npos ? 0 : clause.text.rfind(',') + 1);
  if (clause.word == "where" || clause.word == "order")
    return Columns(shell, command, clause.word, at, clause.text, after);
  if (clause.word == "group") return Matching({"by"}, at.from, at.typed);
  if (clause.word == "by" && argument == "COLUMN") {
    const bool more = Trim(clause.text).empty() || Trim(clause.text).ends_with(',');
    return Matching(more ? ColumnsOf(shell, command) : after, at.from, at.typed);
  }
  if (clause.word == "feed" && Trim(piece).empty() && at.typed.find('=') == at.typed.npos &&
      PlaceAtEnd(clause.text).open.empty()) {
    Names feeds = Feeds(shell, fetches, clause.text);
    if (Trim(clause.text).empty() && !shell.last_feeds().is_null()) feeds.emplace_back("again");
    return Matching(std::move(feeds), at.from, at.typed);
  }
  if (clause.word == "until" && Trim(clause.text).empty()) return Expression(shell, at, {});
  if (clause.word == "on" && Trim(clause.text).empty())
    return AfterOn(shell, command, argument, at);
  if (clause.word == "with" && at.typed.find('=') != at.typed.npos) return DeviceOf(shell, at);
  if (clause.word == "limit" || clause.word == "times") {
    const bool given = !Trim(clause.text).empty();
    return Matching(given ? after : Names(), at.from, at.typed);
  }
  return std::nullopt;
}

// Completes the arguments that follow the first word of `session`, `explain`, `apply` and `why`,
// unless they are expressions.
std::optional<Completion> LaterArgument(Shell& shell, const Command& command, const Arguments& at) {
  const std::string_view name = command.name, before = Trim(at.before);
  const std::string_view first = FirstWord(before);
  const auto matching = [&](Names names) { return Matching(std::move(names), at.from, at.typed); };
  if (name == "session" && !before.empty())
    return matching(first != "new" && first == before ? SessionNames() : Names());
  if (name == "explain" && first == "diff")
    return matching(std::count(before.begin(), before.end(), '@') < 2 ? VersionNames(shell)
                                                                      : Names());
  if (name == "apply" && at.typed.find('=') != at.typed.npos) return DeviceOf(shell, at);
  if (name == "why" && before != "not" && !before.empty() && !before.ends_with("->")) {
    if (LastWord(before) == "on") return matching(Devices(shell, at.typed));
    return matching({first == "not" ? "on" : "->"});
  }
  return std::nullopt;
}

// Completes the arguments of verbs that have words and names of their own.
std::optional<Completion> OwnArgument(Shell& shell, const Command& command, const Arguments& at) {
  const std::string_view name = command.name, before = Trim(at.before);
  const std::string_view first = FirstWord(before);
  const auto matching = [&](Names names) { return Matching(std::move(names), at.from, at.typed); };
  if (name == "set")
    return matching(first.empty()     ? SettingKeys()
                    : first == before ? SettingWords(first)
                                      : Names());
  if (name == "learn" && at.typed.find('/') != at.typed.npos) return Files(at.from, at.typed);
  if (name == "learn" && !before.empty())
    return matching(FindLesson(OwnPack(), before) != nullptr ? Names{"restart"} : Names());
  if (name == "rerun") return matching(Numbers(static_cast<size_t>(std::max(shell.cell(), 0))));
  if (name == "connect") return matching(before.empty() ? Names{"grpc://", "default"} : Names());
  if (name == "break") return before.empty() ? matching({"if"}) : Expression(shell, at, {"never"});
  if (name == "trace" && before == "save") return Files(at.from, at.typed);
  if (name == "trace") return matching(before.empty() ? FirstWords(command) : Names());
  return LaterArgument(shell, command, at);
}

// Completes the first argument of a verb that does not take an expression there.
std::optional<Completion> FirstArgument(Shell& shell, const Command& command, const Arguments& at) {
  const std::string_view name = command.name, kind = command.complete;
  const std::string_view before = Trim(at.before);
  const auto matching = [&](Names names) { return Matching(std::move(names), at.from, at.typed); };
  if (name == "at" && before.empty()) return matching(VersionNames(shell));
  if (name == "at" || (name == "time" && shell.commands().Find(FirstWord(before)) != nullptr)) {
    const size_t first = at.text.find(name == "at" ? std::string_view("@") : FirstWord(before));
    const size_t rest = name == "at" ? at.text.find(' ', first) : first;
    const size_t begin = rest == at.text.npos ? rest : at.text.find_first_not_of(' ', rest);
    return Statement(shell, at.text, std::min(begin, at.text.size()));
  }
  if (!before.empty()) return std::nullopt;
  Names words = FirstWords(command);
  if (name == "time") Append(&words, shell.commands().Names());
  if (name == "learn") Append(&words, Lessons());
  if (name == "unwatch")
    for (const Watch& watch : shell.watches().all()) words.push_back(watch.text);
  if (name == "help") {
    Append(&words, shell.commands().Names());
    Append(&words, OpNames());
    Append(&words, NodeNames());
    return Python(shell, at.text, std::move(words));
  }
  if (kind == "op") Append(&words, OpNames());
  if (kind == "file") {
    Completion files = Files(at.from, at.typed);
    if (at.typed.find('/') != at.typed.npos) return files;
    Append(&words, std::move(files.candidates));
  }
  if (name == "time") return Expression(shell, at, std::move(words));
  if (kind != "expr") {
    Append(&words, LaterWords(command));
    return matching(std::move(words));
  }
  return std::nullopt;
}

// Completes an expression, which may be a tensor of the graph, named by its variable or its node.
Completion Expression(Shell& shell, const Arguments& at, Names words) {
  const std::string_view typed = at.typed;
  const bool name = std::all_of(typed.begin(), typed.end(),
                                [](char c) { return IsWordByte(c) || c == '/' || c == ':'; });
  if (!name) return Python(shell, at.text, std::move(words));
  if (typed.starts_with("/")) return Matching(DeviceNames(shell, true), at.from, typed);
  const size_t colon = typed.find(':');
  if (colon != typed.npos) {
    const Value node = FindByName(typed.substr(0, colon));
    Names outputs = DeviceNames(shell, false);
    if (!node.is_null()) {
      const Fetch fetch = AsFetch(node);
      const tsh_node of = fetch.is_tensor() ? fetch.output.node : fetch.node;
      for (size_t i = 0; i < fetch.graph.NumOutputs(of); ++i)
        outputs.push_back(std::string(typed.substr(0, colon + 1)) + std::to_string(i));
    }
    return Matching(std::move(outputs), at.from, typed);
  }
  Append(&words, NodeNames());
  if (typed.find('/') != typed.npos) return Matching(std::move(words), at.from, typed);
  if (typed.empty()) {
    Append(&words, TensorVariables(shell));
    return Matching(std::move(words), at.from, typed);
  }
  Append(&words, DeviceNames(shell, false));
  return Python(shell, at.text, std::move(words));
}

// Returns the clause words of a verb that are not in `clauses` and that may follow an expression.
Names UnusedWords(const Command& command, const std::vector<Clause>& clauses) {
  const Names first = FirstWords(command);
  Names after;
  for (const std::string& word : LaterWords(command)) {
    const bool used = std::any_of(clauses.begin(), clauses.end(),
                                  [&](const Clause& clause) { return clause.word == word; });
    if (!used && std::find(first.begin(), first.end(), word) == first.end()) after.push_back(word);
  }
  return after;
}

// Completes the argument of the last clause, unless it is an expression.
std::optional<Completion> InLastClause(Shell& shell, const Command& command,
                                       const std::vector<Clause>& clauses, const Arguments& at,
                                       const Names& after) {
  if (clauses.empty() || clauses.back().word.empty()) return std::nullopt;
  const std::string_view fetches = clauses.front().word.empty() ? clauses.front().text : "";
  const Names choices = ChoicesAfter(command, clauses.back().word);
  const bool grouped = clauses.size() > 1 && clauses[clauses.size() - 2].word == "group";
  if (!choices.empty() && !grouped)  // profile … by device
    return Matching(clauses.back().text.empty() ? choices : after, at.from, at.typed);
  return InClause(shell, command, clauses.back(), fetches, at, after);
}

}  // namespace

Completion OfVerb(Shell& shell, const Command& command, std::string_view text, size_t begin) {
  Arguments at{.before = {}, .typed = {}, .from = text.size(), .text = text, .verb = command.name};
  while (at.from > begin && std::string_view(" ,([{").find(text[at.from - 1]) == text.npos)
    --at.from;
  at.typed = text.substr(at.from);
  const size_t blank = text.find(' ', begin);
  const size_t arguments = std::min(blank == text.npos ? text.size() : blank + 1, at.from);
  at.before = text.substr(arguments, at.from - arguments);
  if (at.typed.starts_with("-")) return Matching(Flags(command, at.before), at.from, at.typed);
  if (Trim(at.before).ends_with(">") && !Trim(at.before).ends_with("->"))
    return Files(at.from, at.typed);
  if (at.verb == "sql" && text.substr(arguments).starts_with('.'))
    return DottedSqlWord(text, arguments);
  if (at.verb == "sql") return SqlWord(shell, text, arguments);
  if (auto own = OwnArgument(shell, command, at)) return *own;
  if (auto first = FirstArgument(shell, command, at)) return *first;
  // The expression begins after `analyze` or `not`.
  const std::string_view prefix = FirstWord(at.before);
  const bool prefixed = FirstWordOf(command, prefix) && prefix.size() < at.before.size();
  if (prefixed) at.before = at.before.substr(prefix.size() + 1);

  const std::vector<Clause> clauses = ClausesOf(at.before, ClauseWords(command));
  Names after = UnusedWords(command, clauses);
  if (auto found = InLastClause(shell, command, clauses, at, after)) return *found;
  // In "x=al", the expression begins after the sign.
  const size_t equals = at.typed.rfind('=');
  if (equals != at.typed.npos) {
    at.typed.remove_prefix(equals + 1);
    at.from += equals + 1;
    return Expression(shell, at, {});
  }
  if (Trim(at.before).empty()) {
    Names words = prefixed ? Names() : FirstWords(command);
    if (command.usage[std::string_view(command.name).size() + 1] ==
        '[')  // the argument is optional
      Append(&words, after);
    return Expression(shell, at, std::move(words));
  }
  if (!MayBeginClause(at.before)) return Expression(shell, at, {});
  if (at.typed.empty()) return Matching(std::move(after), at.from, at.typed);
  return Expression(shell, at, std::move(after));
}

}  // namespace tensh::shell::completing
