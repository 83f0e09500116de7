#include "shell/commands/base/habits.h"

#include <algorithm>
#include <string>

#include "runtime/base/text.h"
#include "shell/commands/base/words.h"

namespace tensh::shell {
namespace {

struct Habit {
  std::string_view word;  // the first word of the line
  const char* hint;
};
constexpr Habit kHabits[] = {
    {"%timeit", "`bench X` repeats a step and measures it"},
    {"%time", "`time X` measures one run"},
    {"%run", "`read FILE` runs a script in this session"},
    {"%history", "`cells` lists what was typed"},
    {"%hist", "`cells` lists what was typed"},
    {"%who", "`dir()` lists the variables"},
    {"%whos", "`dir()` lists the variables"},
    {"%reset", "`reset` starts over"},
    {"%edit", "Ctrl-X Ctrl-E opens $EDITOR"},
    {"%load", "`read FILE` runs a script in this session"},
    {"%matplotlib", "`plot X` and matplotlib draw in the terminal without it"},
    {"%tensorboard", "`view` serves a live page"},
    {"%pdb", "`step X` walks through a run"},
    {"\\d", "`nodes` lists the graph, `vars` the variables"},
    {"\\dt", "`nodes` lists the graph, `vars` the variables"},
    {"\\q", "`quit` leaves, as Ctrl-D does"},
    {"\\h", "`help` lists the verbs"},
    {"\\?", "`help` lists the verbs"},
    {".mode", "`sql … --csv`, `--json` or `--md` selects the format"},
    {".headers", "every table has a header"},
    {".header", "every table has a header"},
    {".timer", "`set timing on` prints the time of each statement"},
    {".output", "`sql … > FILE.csv` writes a file"},
    {".once", "`sql … > FILE.csv` writes a file"},
    {".databases", "`graphs` lists the graphs"},
    {"tables", "`.tables` lists the tables of sql"},
    {"schema", "`.schema` shows the columns of the tables"},
    {"describe", "`.schema TABLE` shows the columns of a table"},
    {"ls", "in Python: import os; os.listdir()"},
    {"cd", "in Python: import os; os.chdir(DIR)"},
    {"pwd", "in Python: import os; os.getcwd()"},
    {"clear", "Ctrl-L clears the screen"},
    {":q", "`quit` leaves, as Ctrl-D does"},
    {"q", "`quit` leaves, as Ctrl-D does"},
    {"bye", "`quit` leaves, as Ctrl-D does"},
    {"logout", "`quit` leaves, as Ctrl-D does"},
    {"man", "`help X` describes X"},
    {"feed", "`eval X feed NAME=VALUE` runs a step with a value for a placeholder"},
    {"export", "`save FILE` writes the graph; the ending of the name selects the format"},
};

// Returns `bench a` for `bench eval a` and `bench .eval a`: a verb that takes an expression runs it
// without another verb. Returns "" for other lines.
std::string WithoutInnerVerb(std::string_view word, std::string_view rest) {
  constexpr std::string_view kOuter[] = {"bench", "explain", "profile", "why",
                                         "step",  "watch",   "eval",    "run"};
  if (rest.starts_with('.')) rest.remove_prefix(1);
  const std::string_view inner = FirstWord(rest), after = Trim(rest.substr(inner.size()));
  const bool runs = inner == "eval" || inner == "run" || inner == "pt";
  if (!runs || after.empty() || word.empty()) return "";
  const std::string_view verb = word.substr(word[0] == '.' ? 1 : 0);
  if (std::ranges::find(kOuter, verb) == std::end(kOuter)) return "";
  return std::string(word) + " " + std::string(after);
}

// Returns `eval y` for what people of Python and of TensorFlow 2 type: `eval(y)`, `y.numpy()`; and the
// missing session of `sess.run(y)`.
ErrorHint CallHint(std::string_view line) {
  constexpr std::string_view kCalled[] = {"eval", "run",  "explain", "graph",   "why",
                                          "step", "plot", "show",    "profile", "bench"};
  constexpr std::string_view kValues[] = {".numpy()", ".value"};
  constexpr std::string_view kSessions[] = {"sess", "session"};
  const auto typed = [](const std::string& text) {
    return ErrorHint{ErrorHint::Kind::kType, text};
  };
  for (const std::string_view verb : kCalled)
    if (line.starts_with(std::string(verb) + "(") && line.ends_with(')'))
      return typed(std::string(verb) + " " +
                   std::string(Trim(line.substr(verb.size() + 1, line.size() - verb.size() - 2))));
  for (const std::string_view ending : kValues) {
    if (line.size() <= ending.size() || !line.ends_with(ending)) continue;
    const std::string_view before = line.substr(0, line.size() - ending.size());
    const size_t assigned = before.find(" = ");
    const size_t begin = assigned == before.npos ? 0 : assigned + 3;
    const std::string target(before.substr(0, begin)), value(before.substr(begin));
    // A bracket after the word would make it a call.
    return typed(target + (value.starts_with('(') ? ".eval " : "eval ") + value);
  }
  for (const std::string_view name : kSessions)
    if (line.starts_with(std::string(name) + "."))
      return typed(std::string(name) + " = tf.Session()");
  return {};
}

}  // namespace

ErrorHint HabitHint(std::string_view line) {
  line = Trim(line);
  if (ErrorHint meant = CallHint(line); !meant.empty()) return meant;
  const std::string_view word = FirstWord(line);
  for (const Habit& habit : kHabits)
    if (word == habit.word) return {ErrorHint::Kind::kPhrase, habit.hint};
  const std::string raised = AsciiUpper(word);
  // `with NAME AS (` begins a query; other lines with this word are Python.
  const std::string_view rest = Trim(line.substr(word.size()));
  const std::string_view after = Trim(rest.substr(FirstWord(rest).size()));
  const bool table = AsciiUpper(FirstWord(after)) == "AS" && Trim(after.substr(2)).starts_with('(');
  const bool sql = raised == "SELECT" || (raised == "WITH" && table);
  if (sql && word.size() < line.size())
    return {ErrorHint::Kind::kType, "sql " + std::string(line.substr(0, line.find('\n')))};
  const std::string alone = WithoutInnerVerb(word, rest);
  if (!alone.empty()) return {ErrorHint::Kind::kType, alone};
  if (line.starts_with('!'))
    return {ErrorHint::Kind::kPhrase,
            "The shell runs no other programs. Ctrl-Z suspends it, and fg continues"};
  if (line.starts_with('%')) return {ErrorHint::Kind::kPhrase, "`help` lists the verbs"};
  return {};
}

}  // namespace tensh::shell
