// The verb `learn`: interactive lessons.

#include <algorithm>
#include <cstdio>
#include <map>

#include "runtime/base/text.h"
#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/commands/help/lesson.h"
#include "shell/explain/report.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/graphs.h"
#include "shell/session/muted.h"
#include "shell/tensorflow/names/tf.h"
#include "shell/text/layout.h"
#include "shell/text/user_files.h"

namespace tensh::shell {
namespace {

// The learner's position. At a prompt, the number of finished steps of each lesson is also kept in
// a file.
struct Progress {
  std::map<std::string, size_t> done;     // number of completed steps, by lesson
  std::map<std::string, size_t> skipped;  // how many of these were skipped
  std::string lesson;                     // the current lesson, or ""
  size_t hints = 0;                       // hints already given on this step
  bool read = false;
};
Progress& Learner() {
  static Progress progress;
  return progress;
}

void ReadProgress(Shell& shell) {
  Progress& learner = Learner();
  if (learner.read || !shell.options().interactive) return;
  learner.read = true;
  std::FILE* file = std::fopen(StateFile("lessons").c_str(), "r");
  if (file == nullptr) return;
  char line[128], name[64];
  unsigned steps = 0, skipped = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    skipped = 0;  // files of older versions lack it
    if (std::sscanf(line, "%63s %u %u", name, &steps, &skipped) < 2) continue;
    learner.done[name] = steps;
    learner.skipped[name] = std::min(steps, skipped);
  }
  std::fclose(file);
}

void WriteProgress(Shell& shell) {
  const std::string path = StateFile("lessons");
  if (!shell.options().interactive || path.empty()) return;
  MakeFoldersOf(path);
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return;  // the lesson continues without saved progress
  for (const auto& [name, steps] : Learner().done)
    std::fprintf(file, "%s %zu %zu\n", name.c_str(), steps, Learner().skipped[name]);
  std::fclose(file);
}

std::vector<Lesson> Lessons() {
  std::vector<Lesson> lessons;
  for (const LessonText& text : LessonTexts()) lessons.push_back(ParseLesson(text));
  std::sort(lessons.begin(), lessons.end(),
            [](const Lesson& a, const Lesson& b) { return a.name < b.name; });
  return lessons;
}

void List(Shell& shell) {
  std::vector<GridRow> rows;
  size_t number = 0;
  std::string next = "learn 1";
  bool found = false;
  for (const Lesson& lesson : Lessons()) {
    ++number;
    const size_t behind = std::min(Learner().done[lesson.name], lesson.steps.size());
    const size_t skipped = std::min(Learner().skipped[lesson.name], behind);
    rows.push_back({"  ",
                    {std::to_string(number), lesson.title,
                     std::to_string(behind - skipped) + " of " +
                         Count(static_cast<int64_t>(lesson.steps.size()), "step") +
                         (skipped > 0 ? ", " + std::to_string(skipped) + " skipped"
                          : behind == lesson.steps.size() ? "  ✓"
                                                          : "")}});
    if (!found && behind < lesson.steps.size())
      found = true, next = "learn " + std::to_string(number);
  }
  shell.out().Print("Lessons:\n" +
                    FormatGrid({{""}, {"", 10}, {""}}, rows, shell.out().width(), false) +
                    " next: " + next + "\n");
}

const LessonStep* Current(const Lesson& lesson) {
  const size_t step = Learner().done[lesson.name];
  return step < lesson.steps.size() ? &lesson.steps[step] : nullptr;
}

// Joins the lines of a paragraph, which are broken for the source file, so that the terminal can
// wrap them again. Indented lines, such as code, stay as they are.
std::string Flowing(Shell& shell, const std::string& prose) {
  if (!shell.options().interactive) return prose;
  std::string out;
  for (size_t at = 0; at < prose.size(); ++at) {
    const bool joins = prose[at] == '\n' && at + 1 < prose.size() && prose[at + 1] != ' ' &&
                       prose[at + 1] != '\n' && at > 0 && prose[at - 1] != '\n';
    out += joins ? ' ' : prose[at];
  }
  return Wrap(out, shell.out().width());
}

void Tell(Shell& shell, const Lesson& lesson) {
  const LessonStep* step = Current(lesson);
  if (step == nullptr) {
    Learner().lesson.clear();
    const size_t skipped = Learner().skipped[lesson.name];
    const std::string praise =
        skipped > 0 ? Count(static_cast<int64_t>(skipped), "step") + " skipped." : "Well done.";
    return shell.out().Print("That was " + lesson.title + ". " + praise + " Again: learn " +
                             lesson.name.substr(0, 1) + " restart · others: learn\n");
  }
  const size_t number = Learner().done[lesson.name] + 1;
  std::string out;
  if (number == 1)
    out += "— " + lesson.title + " —\n" + Flowing(shell, lesson.introduction) + "\n\n";
  out += Flowing(shell, "[" + std::to_string(number) + " of " +
                            std::to_string(lesson.steps.size()) + "] " + step->prose);
  out += (step->prose.empty() ? "" : "\n") + Flowing(shell, "Task: " + step->task) +
         "\n done: learn check · stuck: learn hint\n";
  shell.out().Print(out);
}

Value Strings(const std::vector<std::string>& texts) {
  std::vector<Value> items;
  for (const std::string& text : texts) items.push_back(MakeStr(text));
  return MakeList(std::move(items));
}

// The variable _lesson, which checks can read: facts about the last run.
Value WhatHappened(Shell& shell) {
  Report report;
  ParseReport(shell.runs().last().report, &report);
  std::vector<std::string> runs, pruned, fed, waits, loops;
  int64_t bytes = 0;
  for (const ReportNode& node : report.nodes) {
    (node.state == "pruned" ? pruned : node.state == "fed" ? fed : runs).push_back(node.name);
    if (!node.loop.empty() && std::find(loops.begin(), loops.end(), node.loop) == loops.end())
      loops.push_back(node.loop);
  }
  for (const ReportTransfer& transfer : report.transfers)
    bytes += std::max<int64_t>(transfer.bytes, 0);
  for (const ReportEvent& event : report.events) {
    if (event.kind == "wait") waits.push_back(event.tensor);
  }
  Value dict = MakeDict();
  const auto set = [&dict](const char* key, const Value& value) {
    SetItem(dict, MakeStr(key), value);
  };
  set("request", MakeStr(shell.runs().last().request));
  set("runs", Strings(runs));
  set("pruned", Strings(pruned));
  set("fed", Strings(fed));
  set("waits", Strings(waits));
  set("loops", Strings(loops));
  set("bytes", Value::Int(bytes));
  set("transfers", Value::Int(static_cast<int64_t>(report.transfers.size())));
  set("partitions", Value::Int(static_cast<int64_t>(report.partitions.size())));
  set("ran", Value::Bool(!report.events.empty()));
  return dict;
}

// Evaluates a part of a check. Returns null and the reason if it fails.
Value Evaluate(Shell& shell, std::string_view part, std::string* reason) {
  try {
    return shell.interp().Eval(std::string(part));
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
    *reason = error.Message();
    return {};
  }
}

// Explains why a part of a check does not hold, as in "the fed nodes are ['mul_1']; expected
// ['mul']".
std::string Difference(Shell& shell, std::string_view part) {
  std::string reason;
  if (Evaluate(shell, part, &reason).is_null()) return reason;
  const Comparison parts = SplitComparison(part);
  if (parts.op.empty()) return "expected " + InWords(std::string(part));
  const bool contains = parts.op == "in" || parts.op == "not in";
  const std::string looked_at(contains ? parts.right : parts.left);
  const Value got = Evaluate(shell, looked_at, &reason);
  if (got.is_null()) return reason;
  const std::string op(parts.op);
  const std::string wish = contains     ? std::string(parts.left) + " " + op + " them"
                           : op == "==" ? std::string(parts.right)
                                        : op + " " + std::string(parts.right);
  return "got " + CutTo(Repr(got), 60) + " for " + InWords(looked_at) + "; expected " + wish;
}

// Returns "" if the check holds, and otherwise the explanation for its first part that does not.
std::string Differs(Shell& shell, const LessonStep& step) {
  shell.interp().SetGlobal("_lesson", WhatHappened(shell));
  std::string differs, reason;
  const Value holds = Evaluate(shell, step.check, &reason);
  if (holds.is_null() || !Truth(holds)) {
    constexpr std::string_view kAnd[] = {"and"};
    for (const auto& [word, part] : SplitClauses(step.check, kAnd)) {
      const Value one = Evaluate(shell, part, &reason);
      if (!one.is_null() && Truth(one)) continue;
      differs = Difference(shell, part);
      break;
    }
    if (differs.empty()) differs = reason.empty() ? "expected " + step.check : reason;
  }
  shell.interp().DelGlobal("_lesson");
  shell.runs().Skip();  // hides the runs of the check itself
  return differs;
}

void Check(Shell& shell, const Lesson& lesson) {
  Progress& learner = Learner();
  const LessonStep* step = Current(lesson);
  if (step == nullptr) return Tell(shell, lesson);
  if (const std::string differs = Differs(shell, *step); !differs.empty()) {
    shell.out().Print(Flowing(shell, "Not yet: " + differs + ".") + "\n" +
                      Flowing(shell, "Task: " + step->task) + "\n stuck: learn hint\n");
    return;
  }
  ++learner.done[lesson.name];
  learner.hints = 0;
  WriteProgress(shell);
  shell.out().Print("Right.\n\n");
  Tell(shell, lesson);
}

// Runs commands of a lesson without their output. Errors are dropped: the learner's own attempt
// shows them.
void RunSilently(Shell& shell, const std::string& script) {
  const Muted muted(shell.interp(), Muted::kOutput);
  try {
    shell.RunNested(script, "lesson");
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
  }
}

void Hint(Shell& shell, const Lesson& lesson) {
  const LessonStep* step = Current(lesson);
  if (step == nullptr) return Tell(shell, lesson);
  size_t& given = Learner().hints;
  if (given < step->hints.size())
    return shell.out().PrintLine(Flowing(shell, "Hint: " + step->hints[given++]));
  std::string out = "One way to do it:\n";
  for (const std::string& line : step->solution) out += "  " + line + "\n";
  shell.out().Print(out);
}

// Skips a step. Its solution runs silently, because the later steps need its results.
void Skip(Shell& shell, const Lesson& lesson) {
  Progress& learner = Learner();
  const LessonStep* step = Current(lesson);
  if (step == nullptr) return;
  std::string script;
  for (const std::string& line : step->solution) script += line + "\n";
  RunSilently(shell, script);
  ++learner.done[lesson.name];
  ++learner.skipped[lesson.name];
  learner.hints = 0;
  WriteProgress(shell);
}

// Builds a separate graph for the lesson and repeats the solutions of the completed steps in it.
// The node names then match the text of the lesson, whatever the user's own graph contains.
void SetUp(Shell& shell, const Lesson& lesson) {
  std::string script;
  const size_t behind = Learner().done[lesson.name];
  for (size_t i = 0; i < behind && i < lesson.steps.size(); ++i)
    for (const std::string& line : lesson.steps[i].solution) script += line + "\n";
  const bool used = HasGraph() && CurrentGraph().size() > 0;
  if (used) {
    const std::string mine = GraphName(CurrentGraph());
    shell.sessions().Keep();
    Call(tf::FindInVerb("reset_default_graph"), {});
    shell.runs().Clear();
    shell.out().Note(" the lesson uses a new graph; yours is " + mine + ": at " + mine + " nodes");
  }
  if (!script.empty()) {
    RunSilently(shell, script);
    shell.out().Note(" the steps before this one are done: nodes");
  }
  // The recorded statements must not depend on the learner's progress, because a resumed or dumped
  // session repeats them.
  if (used || !script.empty()) shell.RecordAs((used ? "tf.reset_default_graph()\n" : "") + script);
}

const Lesson* FindLesson(const std::vector<Lesson>& lessons, std::string_view which) {
  for (const Lesson& lesson : lessons) {
    if (which == lesson.name || which == lesson.name.substr(lesson.name.find('_') + 1) ||
        which == lesson.name.substr(0, lesson.name.find('_')))
      return &lesson;
  }
  return nullptr;
}

constexpr std::string_view kWords[] = {"check", "hint", "task", "skip", "list"};

[[noreturn]] void NoLesson(CommandCall& call, const std::vector<Lesson>& lessons,
                           std::string_view word) {
  if (std::all_of(word.begin(), word.end(), IsAsciiDigit)) {
    PyError error = ValueError("there is no lesson " + std::string(word) + ", only 1 to " +
                               Digits(static_cast<int64_t>(lessons.size())));
    error.Type("learn list");
    AddPlace(call.shell(), error, word);
    throw error;
  }
  std::vector<std::string> names(std::begin(kWords), std::end(kWords));
  for (const Lesson& lesson : lessons)
    names.push_back(lesson.name.substr(lesson.name.find('_') + 1));
  const ErrorHint meant = DidYouMean(word, names);
  if (meant.empty())
    call.Misused("expects a lesson number, check, hint, task, skip or list, not '" +
                 std::string(call.text()) + "'");
  PyError error = ValueError("no lesson is named '" + std::string(word) + "'").Hint(meant);
  AddPlace(call.shell(), error, word);
  throw error;
}

// Handles the text after `learn`.
void Answer(CommandCall& call) {
  Shell& shell = call.shell();
  Progress& learner = Learner();
  const std::vector<Lesson> lessons = Lessons();
  const std::string_view word = FirstWord(call.text());
  const std::string_view rest = Trim(call.text().substr(word.size()));
  const Lesson* taken = FindLesson(lessons, learner.lesson);
  if (word.empty()) return taken == nullptr ? List(shell) : Check(shell, *taken);
  if (word == "list") return List(shell);
  if (word == "check" || word == "hint" || word == "skip" || word == "task") {
    if (taken == nullptr)
      throw RuntimeError("no lesson has been started").Hint("`learn` lists them; `learn 1` begins");
    if (word == "check") return Check(shell, *taken);
    if (word == "hint") return Hint(shell, *taken);
    if (word == "skip") Skip(shell, *taken);
    return Tell(shell, *taken);
  }
  const Lesson* lesson = FindLesson(lessons, word);
  if (lesson == nullptr) NoLesson(call, lessons, word);
  if (!rest.empty() && rest != "restart")
    call.Misused("expects a lesson number, check, hint, task, skip or list, not '" +
                 std::string(call.text()) + "'");
  const bool goes_on = learner.lesson == lesson->name && rest.empty();
  learner.lesson = lesson->name;
  learner.hints = 0;
  if (rest == "restart" || learner.done[lesson->name] >= lesson->steps.size())
    learner.done[lesson->name] = learner.skipped[lesson->name] = 0;
  if (!goes_on) SetUp(shell, *lesson);
  Tell(shell, *lesson);
}

void RunLearn(CommandCall& call) {
  ReadProgress(call.shell());
  Answer(call);
  call.out().set_pages(Learner().lesson.empty());  // a pager would hide the task
}

constexpr CommandExample kExamples[] = {
    {"learn 1 restart\na = tf.constant([1., 2.], name=\"a\")\nlearn check\nlearn hint", nullptr},
};

}  // namespace

void RegisterCommand_learn(CommandRegistry& r) {
  r.Add({.name = "learn",
         .usage = "learn [LESSON [restart]|check|hint|task|skip|list]",
         .summary =
             "Take a lesson: graphs, placement, feeds, training, control flow, distribution, GPUs.",
         .help =
             "`learn 1` begins the first lesson. Do the task, then type `learn check`, or just "
             "`learn`. `learn hint`\ngives one hint at a time and then the solution. Each lesson "
             "builds its own graph and repeats\nyour finished steps there, so you can leave it and "
             "continue later. At a prompt, progress is\nkept in ~/.local/state/tensh/lessons.",
         .examples = kExamples,
         .complete = "",
         .run = RunLearn});
}

}  // namespace tensh::shell
