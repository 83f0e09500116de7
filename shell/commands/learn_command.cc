// The verb `learn`: interactive lessons.

#include <algorithm>
#include <filesystem>

#include "runtime/base/text.h"
#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/commands/lessons/classroom.h"
#include "shell/commands/lessons/handouts.h"
#include "shell/commands/lessons/learn_words.h"
#include "shell/python/values/error.h"
#include "shell/python/vm/file.h"
#include "shell/session/graphs.h"
#include "shell/text/layout.h"
#include "shell/text/user_files.h"

namespace tensh::shell {
namespace {

// Joins the lines of a paragraph, which are broken for the source file, so that the terminal can
// wrap them again. Indented lines, such as code, stay as they are.
std::string Flowing(Shell& shell, const std::string& prose) {
  if (!shell.options().interactive) return prose;
  std::string out;
  for (size_t at = 0; at < prose.size(); ++at) {
    const bool joins = prose[at] == '\n' && at + 1 < prose.size() && prose[at + 1] != ' ' &&
                       prose[at + 1] != '\n' && at > 0 && prose[at - 1] != '\n' &&
                       !EndsInCode(std::string_view(prose).substr(0, at));
    out += joins ? ' ' : prose[at];
  }
  return Wrap(out, shell.out().width());
}

// The name of a lesson in a command: its number in the pack, or the path of its file.
std::string NameIn(const Pack& pack, const Lesson& lesson) {
  for (size_t i = 0; i < pack.lessons.size(); ++i)
    if (pack.lessons[i].key == lesson.key) return std::to_string(i + 1);
  return lesson.key;
}

void List(Shell& shell, Classroom& room) {
  std::vector<GridRow> rows;
  std::string next;
  size_t number = 0;
  for (const Lesson& lesson : room.pack().lessons) {
    ++number;
    const LessonRecord& record = room.log().Of(lesson.key);
    const size_t behind = std::min(record.behind(), lesson.steps.size());
    const size_t skipped = std::min(record.skipped(), behind);
    std::string state = std::to_string(behind - skipped) + " of " +
                        Count(static_cast<int64_t>(lesson.steps.size()), "step");
    if (skipped > 0) state += ", " + std::to_string(skipped) + " skipped";
    if (skipped == 0 && behind == lesson.steps.size()) state += "  ✓";
    rows.push_back({"  ", {std::to_string(number), lesson.name, lesson.title, state}});
    if (next.empty() && behind < lesson.steps.size()) next = "learn " + std::to_string(number);
  }
  const std::string& folder = room.pack().folder;
  shell.out().Print(
      (folder.empty() ? "Lessons:\n" : "Lessons of " + Visible(folder) + ":\n") +
      FormatGrid({{"", SIZE_MAX, true}, {""}, {"", 10}, {""}}, rows, shell.out().width(), false) +
      (next.empty() ? " all are done; again: learn 1 restart\n" : " next: " + next + "\n") +
      (folder.empty() ? "" : " tensh's own lessons: learn tensh\n"));
}

// Prints the end of a lesson, with the lesson that follows.
void TellEnd(Shell& shell, Classroom& room) {
  const Lesson& lesson = *room.lesson();
  const size_t skipped = room.log().Of(lesson.key).skipped();
  const std::string name = NameIn(room.pack(), lesson);
  std::string next;
  for (size_t i = 0; i + 1 < room.pack().lessons.size(); ++i)
    if (room.pack().lessons[i].key == lesson.key)
      next = "next: learn " + std::to_string(i + 2) + " · ";
  shell.out().Print(
      "That was " + lesson.title + ". " +
      (skipped > 0 ? Count(static_cast<int64_t>(skipped), "step") + " skipped." : "Well done.") +
      "\n " + next + "again: learn " + name + " restart · leave: learn quit\n");
}

std::string TaskOf(Shell& shell, const LessonStep& step) {
  return Flowing(shell, (step.asks ? "Question: " : "Task: ") + step.task);
}

void Tell(Shell& shell, Classroom& room) {
  const LessonStep* step = room.current();
  if (step == nullptr) return TellEnd(shell, room);
  const Lesson& lesson = *room.lesson();
  std::string out;
  if (room.step() == 0) {
    out += "— " + lesson.title + " —\n" + Flowing(shell, lesson.introduction) + "\n\n";
    if (!lesson.given.empty()) out += "These statements have been run:\n";
    for (const std::string& statement : lesson.given) out += AsTyped(statement, "  ");
    if (!lesson.given.empty()) out += "\n";
  }
  out += Flowing(shell, "[" + std::to_string(room.step() + 1) + " of " +
                            std::to_string(lesson.steps.size()) + "] " + step->prose);
  out += (step->prose.empty() ? "" : "\n") + TaskOf(shell, *step) +
         (step->asks ? "\n answer: learn answer … · stuck: learn hint\n"
                     : "\n done: learn check · stuck: learn hint\n");
  shell.out().Print(out);
}

void Check(Shell& shell, Classroom& room) {
  const LessonStep* step = room.current();
  if (step == nullptr) return Tell(shell, room);
  const std::string& key = room.lesson()->key;
  if (const std::string differs = room.Differs(); !differs.empty()) {
    room.log().Note(LessonLog::Event::kWrong, room.step(), key);
    const std::string end = IsPunctuated(differs) ? "\n" : ".\n";
    return shell.out().Print(Flowing(shell, "Not yet: " + differs) + end + TaskOf(shell, *step) +
                             "\n stuck: learn hint · begin this step again: learn again\n");
  }
  room.log().Note(LessonLog::Event::kDone, room.step(), key);
  room.Advance();
  shell.out().Print("Right.\n\n");
  Tell(shell, room);
}

void Hint(Shell& shell, Classroom& room) {
  const LessonStep* step = room.current();
  if (step == nullptr) return Tell(shell, room);
  room.log().Note(LessonLog::Event::kHint, room.step(), room.lesson()->key);
  if (room.hints < step->hints.size())
    return shell.out().PrintLine(Flowing(shell, "Hint: " + step->hints[room.hints++]));
  std::string out = "One way to do it:\n";
  for (const std::string& statement : step->solution) out += AsTyped(statement, "  ");
  shell.out().Print(out);
}

// Skips a step. Its solution runs silently, because the later steps need its results.
void Skip(Shell& shell, Classroom& room) {
  if (room.current() != nullptr) {
    room.Solve();
    room.log().Note(LessonLog::Event::kSkip, room.step(), room.lesson()->key);
    room.Advance();
  }
  Tell(shell, room);
}

// Restores the state in which the step began, for instance after `reset`.
void Again(Shell& shell, Classroom& room) {
  const Lesson lesson = *room.lesson();
  room.Enter(lesson, room.step());
  Tell(shell, room);
}

void Quit(Shell& shell, Classroom& room) {
  room.Leave();
  shell.out().Note(" the lesson is kept; your graph and your names are back");
}

void Servers(Shell& shell, Classroom& room) {
  std::string out;
  for (const auto& [name, address] : room.servers().Addresses())
    out += "  " + name + "  grpc://" + address +
           (room.servers().Runs(name) ? "  runs\n" : "  stopped; learn start " + name + "\n");
  shell.out().Print(out.empty() ? "this lesson has no servers\n" : out);
}

struct LessonWord {
  std::string_view word;
  void (*answer)(Shell& shell, Classroom& room);
};
// The words about the current lesson, which take no argument.
constexpr LessonWord kLessonWords[] = {{"check", Check}, {"hint", Hint},   {"task", Tell},
                                       {"skip", Skip},   {"again", Again}, {"servers", Servers},
                                       {"quit", Quit}};

[[noreturn]] void NoLesson(CommandCall& call, const Pack& pack, std::string_view word) {
  if (std::all_of(word.begin(), word.end(), IsAsciiDigit)) {
    PyError error = ValueError("there is no lesson " + std::string(word) + ", only 1 to " +
                               Digits(static_cast<int64_t>(pack.lessons.size())));
    error.Type("learn list");
    AddPlace(call.shell(), error, word);
    throw error;
  }
  std::vector<std::string> names(LearnWords().begin(), LearnWords().end());
  for (const Lesson& lesson : pack.lessons) names.push_back(lesson.name);
  const ErrorHint meant = DidYouMean(word, names);
  if (meant.empty())
    call.Misused(
        "expects the number, name or file of a lesson, or check, hint, answer, skip or "
        "list, not '" +
        std::string(call.text()) + "'");
  PyError error = ValueError("no lesson is named '" + std::string(word) + "'").Hint(meant);
  AddPlace(call.shell(), error, word);
  throw error;
}

// Begins or continues a lesson.
void Take(CommandCall& call, Classroom& room, const Lesson& found, bool restart) {
  Shell& shell = call.shell();
  const Lesson lesson = found;
  const LessonRecord& record = room.log().Of(lesson.key);
  const bool begun = record.began != 0;
  restart |= record.behind() >= lesson.steps.size();
  if (!restart && room.lesson() != nullptr && room.lesson()->key == lesson.key)
    return Tell(shell, room);
  if (!lesson.ours && !call.Has("--trust")) ConfineSession(shell, lesson.key);
  const bool used = HasGraph() && CurrentGraph().size() > 0 && room.lesson() == nullptr;
  const size_t step = restart ? 0 : record.behind();
  room.Enter(lesson, step);
  if (used)
    shell.out().Note(" the lesson has its own graph and names; yours come back with: learn quit");
  if (step > 0) shell.out().Note(" the steps before this one are done: nodes");
  if (!begun || restart)
    room.log().Note(restart && begun ? LessonLog::Event::kRestart : LessonLog::Event::kBegin, 0,
                    lesson.key);
  RecordLesson(shell, *room.lesson(), step, used);
  Tell(shell, room);
}

// Answers `learn ./FILE.lesson` and `learn ./FOLDER`.
void TakeFile(CommandCall& call, Classroom& room, std::string_view path, bool restart) {
  const Pack pack = At(call.shell(), path, [&] { return ReadPack(std::string(path)); });
  std::error_code error;
  const bool folder = std::filesystem::is_directory(std::string(path), error);
  room.set_pack(pack);
  if (folder) return List(call.shell(), room);
  Take(call, room, pack.lessons.front(), restart);
}

// Writes the skeleton of a lesson, which runs as it is.
void WriteNew(CommandCall& call, std::string_view name) {
  const std::string stem(name.substr(0, name.size() - (name.ends_with(".lesson") ? 7 : 0)));
  if (stem.empty() || stem.find_first_of(" \t") != stem.npos)
    call.Misused("new expects a name without blanks, as in: learn new my_first");
  const std::string file = stem + ".lesson";
  std::error_code error;
  if (std::filesystem::exists(file, error))
    throw MakeError(kFileExistsError, Visible(file) + " exists already").Type("learn ./" + file);
  for (const LessonText& each : LessonTexts())
    if (each.name == kSkeleton) call.out().WriteFile(file, each.text.str());
  const std::string path = (file[0] == '/' ? "" : "./") + file;
  call.out().Print(" take it: learn " + path + " · check it: learn test " + path +
                   " · edit it: the file explains itself\n");
}

void Test(CommandCall& call, Classroom& room, std::string_view which) {
  Pack pack = OwnPack();
  if (IsLessonPath(which)) {
    pack = At(call.shell(), which, [&] { return ReadPack(std::string(which)); });
    if (!call.Has("--trust")) ConfineSession(call.shell(), std::string(which));
  } else if (!which.empty()) {
    const Lesson* lesson = FindLesson(room.pack(), which);
    if (lesson == nullptr) NoLesson(call, room.pack(), which);
    pack.lessons = {*lesson};
  }
  std::string problems;
  for (const Lesson& lesson : pack.lessons) TestLesson(room, lesson, &problems);
  const std::string count = Count(static_cast<int64_t>(pack.lessons.size()), "lesson");
  if (!problems.empty())
    throw ValueError("of " + count + ", these steps are wrong:\n" + std::string(Trim(problems)))
        .Hint("docs/lessons/format.md says what a check and a solution must do");
  call.out().Print(count + ": every check holds after its task and not before\n");
}

void Page(CommandCall& call, Classroom& room, std::string_view which) {
  if (IsLessonPath(which)) {
    if (!call.Has("--trust")) ConfineSession(call.shell(), std::string(which));
    for (const Lesson& lesson : ReadPack(std::string(which)).lessons)
      call.out().Print(LessonPage(room, lesson, 0));
    return;
  }
  const Lesson* lesson = FindLesson(room.pack(), which);
  if (lesson == nullptr) NoLesson(call, room.pack(), which);
  const size_t number = static_cast<size_t>(lesson - room.pack().lessons.data()) + 1;
  call.out().Print(LessonPage(room, *lesson, number));
}

void Export(CommandCall& call, Classroom& room, std::string_view file) {
  const std::string text = ExportRecord(room);
  file.empty() ? call.out().Print(text) : call.out().WriteFile(std::string(file), text);
}

const Lesson& Begun(const Classroom& room) {
  if (room.lesson() == nullptr)
    throw RuntimeError("no lesson has been started").Hint("`learn` lists them; `learn 1` begins");
  return *room.lesson();
}

// Answers the words that take an argument. Returns false if the word is another one.
bool AnswerWithArgument(CommandCall& call, Classroom& room, std::string_view word,
                        std::string_view rest) {
  if (word == "answer") {
    Begun(room);
    if (room.current() != nullptr && !room.current()->asks)
      throw ValueError("this step is a task, not a question").Type("learn task");
    if (rest.empty()) call.Misused("answer expects your answer, as in: learn answer 3");
    room.SetAnswer(rest);
    Check(call.shell(), room);
  } else if (word == "stop" || word == "start") {
    Begun(room);
    word == "stop" ? room.servers().Stop(rest) : room.servers().Start(rest);
    call.out().Note(" the server " + std::string(rest) +
                    (word == "stop" ? " was killed" : " runs"));
  } else if (word == "new") {
    WriteNew(call, rest);
  } else if (word == "test") {
    Test(call, room, rest);
  } else if (word == "page") {
    Page(call, room, rest);
  } else if (word == "export") {
    Export(call, room, rest);
  } else {
    return false;
  }
  return true;
}

// Handles the text after `learn`.
void Answer(CommandCall& call, Classroom& room) {
  Shell& shell = call.shell();
  const std::string_view word = FirstWord(call.text());
  const std::string_view rest = Trim(call.text().substr(word.size()));
  if (AnswerWithArgument(call, room, word, rest)) return;
  if (word.empty()) return room.lesson() == nullptr ? List(shell, room) : Check(shell, room);
  if (IsLessonPath(word)) {
    const bool restart = rest.ends_with(" restart") || rest == "restart";
    const std::string_view path = call.text();  // may contain blanks
    return TakeFile(call, room, Trim(path.substr(0, path.size() - (restart ? 7 : 0))), restart);
  }
  if (!rest.empty() && rest != "restart")
    call.Misused("expects a lesson, or a word about it, not '" + std::string(call.text()) + "'");
  for (const LessonWord& each : kLessonWords)
    if (word == each.word) return Begun(room), each.answer(shell, room);
  if (word == "list") return List(shell, room);
  if (word == "tensh") return room.set_pack(OwnPack()), List(shell, room);
  const Lesson* lesson = FindLesson(room.pack(), word);
  if (lesson == nullptr) NoLesson(call, room.pack(), word);
  Take(call, room, *lesson, !rest.empty());
}

void RunLearn(CommandCall& call) {
  Classroom& room = Classroom::Of(call.shell());
  if (call.shell().options().interactive) room.log().KeepIn(StateFile("lessons"));
  call.shell().HideEcho();  // the task is the last that is shown
  Answer(call, room);
  call.out().set_pages(room.lesson() == nullptr);  // a pager would hide the task
}

constexpr CommandExample kExamples[] = {
    {"learn graphs\na = tf.constant([1., 2.], name=\"a\")\nlearn check\nlearn hint", nullptr},
};

}  // namespace

void RegisterCommand_learn(CommandRegistry& r) {
  r.Add({.name = "learn",
         .usage = "learn [LESSON [restart]|FILE|FOLDER] [--trust]",
         .summary = "Take one of twenty lessons, from graphs to the failure of a worker.",
         .help =
             "`learn 1` begins the first lesson. Do the task, then type `learn check`, or just "
             "`learn`. If the step\nasks a question, type `learn answer 3`. `learn hint` gives one "
             "hint at a time and then a solution,\n`learn skip` goes on without one, `learn task` "
             "repeats the text, `learn again` restores the state in\nwhich the step began, and "
             "`learn list` shows what is done. A lesson has its own graph and names;\n`learn quit` "
             "leaves it and brings back yours. Finished steps are repeated when you come back, so "
             "that\nyou can stop anywhere. Lessons about servers start them on 127.0.0.1 and end "
             "them: `learn servers`,\n`learn stop worker1`, `learn start worker1`. At a prompt, "
             "progress is kept in\n~/.local/state/tensh/lessons, and `learn export FILE` writes it "
             "as JSON.\n`learn new NAME` writes a lesson to begin your own with, `learn "
             "./NAME.lesson` takes it, `learn\n./FOLDER` lists a course, and `learn tensh` returns "
             "to the lessons of tensh. `learn test FILE` checks a\nlesson with its own solutions, "
             "and `learn page FILE` prints it as Markdown. While a lesson is taken\nthat is not "
             "tensh's own, and afterwards, the session may use files of the working directory "
             "only,\nunless the command ends with `--trust`.",
         .examples = kExamples,
         .complete = "",
         .run = RunLearn});
}

}  // namespace tensh::shell
