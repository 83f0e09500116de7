#include "shell/commands/lessons/handouts.h"

#include <algorithm>
#include <ctime>
#include <iterator>

#include "runtime/base/text.h"
#include "shell/client/client.h"
#include "shell/commands/base/words.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr int kFirstPort = 2222;  // of the addresses on a page

std::string Fenced(const std::string& text, bool varies) {
  std::string out = varies ? "```tensh varies\n" : "```tensh\n";
  out += text;
  if (!text.empty() && text.back() != '\n') out += "\n";
  return out + "```\n";
}

// "1. Text" becomes a paragraph; an indented line, such as code, becomes a block of code.
std::string Markdown(const std::string& text) {
  std::string out;
  bool code = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const bool indented = line.starts_with("  ");
    if (indented != code && !(code && line.empty())) {
      out += code ? "```\n\n" : "\n```tensh\n";
      code = indented;
    }
    out += code && indented ? line.substr(2) : line;
    out += '\n';
  }
  return code ? out + "```\n" : out;
}

std::string Typed(const std::string& statement) {
  std::string out = ">>> ";
  for (const char c : statement) out += c == '\n' ? "\n... " : std::string(1, c);
  return out + "\n";
}

std::string Folded(const std::string& summary, const std::string& body) {
  return "<details><summary>" + summary + "</summary>\n\n" + body + "\n</details>\n\n";
}

// Takes the current step with its solution, and returns the screen.
std::string Screen(Classroom& room, const LessonStep& step) {
  std::string screen;
  for (const std::string& statement : step.solution)
    screen += Typed(statement) + (step.asks ? "" : room.Type({statement}));
  return screen;
}

std::string StepPage(Classroom& room, const LessonStep& step, size_t number) {
  std::string out = "## Step " + std::to_string(number) + "\n\n";
  if (!step.prose.empty()) out += Markdown(step.prose) + "\n";
  out += std::string(step.asks ? "**Question.** " : "**Task.** ") + Markdown(step.task) + "\n";
  for (size_t i = 0; i < step.hints.size(); ++i)
    out += Folded("Hint " + std::to_string(i + 1), Markdown(step.hints[i]));
  return out + Folded(step.asks ? "The answer" : "One way to do it",
                      Fenced(Screen(room, step), step.varies));
}

std::string Time(int64_t seconds) {
  if (seconds == 0) return "null";
  const auto time = static_cast<std::time_t>(seconds);
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  return JsonQuote({text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)});
}

std::string StepJson(const Lesson* lesson, size_t index, const StepRecord& step) {
  constexpr const char* kStates[] = {"open", "done", "skipped"};
  const bool asks = lesson != nullptr && index < lesson->steps.size() && lesson->steps[index].asks;
  return "{\"step\": " + std::to_string(index + 1) +
         ", \"kind\": " + (asks ? "\"question\"" : "\"task\"") + ", \"state\": \"" +
         kStates[static_cast<size_t>(step.state)] +
         "\", \"attempts\": " + std::to_string(step.attempts) +
         ", \"hints\": " + std::to_string(step.hints) + ", \"at\": " + Time(step.time) + "}";
}

std::string LessonJson(const std::string& key, const Lesson* lesson, const LessonRecord& record) {
  const size_t count = std::max(record.steps.size(), lesson == nullptr ? 0 : lesson->steps.size());
  std::string steps;
  int64_t last = 0;
  size_t done = 0;
  for (size_t i = 0; i < count; ++i) {
    const StepRecord step = i < record.steps.size() ? record.steps[i] : StepRecord();
    steps += (steps.empty() ? "\n    " : ",\n    ") + StepJson(lesson, i, step);
    last = std::max(last, step.time);
    done += step.state == StepRecord::State::kDone ? 1 : 0;
  }
  const bool finished = count > 0 && record.behind() == count;
  return "  {\"lesson\": " + JsonQuote(key) +
         ", \"title\": " + JsonQuote(lesson == nullptr ? "" : lesson->title) +
         ", \"began\": " + Time(record.began) + ", \"finished\": " + Time(finished ? last : 0) +
         ", \"done\": " + std::to_string(done) +
         ", \"skipped\": " + std::to_string(record.skipped()) +
         ", \"of\": " + std::to_string(count) + ", \"steps\": [" + steps + "]}";
}

const Lesson* ByKey(const Classroom& room, const std::string& key) {
  for (const Pack* pack : {&room.pack(), &OwnPack()})
    for (const Lesson& lesson : pack->lessons)
      if (lesson.key == key) return &lesson;
  return room.lesson() != nullptr && room.lesson()->key == key ? room.lesson() : nullptr;
}

}  // namespace

std::string LessonPage(Classroom& room, const Lesson& lesson, size_t number) {
  room.Enter(lesson, 0);
  const Lesson taken = *room.lesson();
  const auto fields = room.Fields();
  std::string out = "# " + (number > 0 ? std::to_string(number) + ". " : "") + taken.title +
                    "\n\n" + Markdown(taken.introduction) + "\n";
  if (!taken.given.empty()) {
    std::string given;
    for (const std::string& statement : taken.given) given += Typed(statement);
    out += "The lesson begins with these statements:\n\n" + Fenced(given, false) + "\n";
  }
  for (size_t i = 0; i < taken.steps.size(); ++i) {
    out += StepPage(room, taken.steps[i], i + 1);
    room.Advance();
  }
  room.Leave();
  // Ports and the folder differ from run to run.
  int port = kFirstPort;
  for (const auto& [name, value] : fields) {
    const std::string shown =
        name == "folder" ? "/tmp/lesson" : "127.0.0.1:" + std::to_string(port++);
    for (size_t at = 0; (at = out.find(value, at)) != out.npos; at += shown.size())
      out.replace(at, value.size(), shown);
  }
  return std::string(Trim(out)) + "\n";
}

void TestLesson(Classroom& room, const Lesson& lesson, std::string* problems) {
  room.Enter(lesson, 0);
  const Lesson taken = *room.lesson();
  for (size_t i = 0; i < taken.steps.size(); ++i) {
    const LessonStep& step = taken.steps[i];
    const std::string where = taken.name + ", step " + std::to_string(i + 1) + " (line " +
                              std::to_string(step.line) + "): ";
    if (step.hints.empty()) *problems += where + "has no hint\n";
    if (!step.asks && room.Differs().empty())
      *problems += where + "the checks hold before the task is done\n";
    std::string said;
    for (const std::string& statement : step.solution) {
      constexpr std::string_view kAnswer = "learn answer ";
      if (step.asks && statement.starts_with(kAnswer)) {
        room.SetAnswer(Trim(std::string_view(statement).substr(kAnswer.size())));
      } else {
        said += room.Type({statement});
      }
    }
    if (const std::string differs = room.Differs(); !differs.empty())
      *problems += where + "the solution does not pass: " + differs + "\n" + said;
    room.Advance();
  }
  room.Leave();
}

std::string ExportRecord(Classroom& room) {
  std::string lessons;
  for (const auto& [key, record] : room.log().all())
    if (record.began != 0)
      lessons += (lessons.empty() ? "\n" : ",\n") + LessonJson(key, ByKey(room, key), record);
  return std::string("{\"tensh\": \"") + tsh_version() +
         "\", \"exported\": " + Time(std::time(nullptr)) + ", \"lessons\": [" + lessons + "\n]}\n";
}

}  // namespace tensh::shell
