#include "shell/commands/help/lesson.h"

#include <utility>

namespace tensh::shell {
namespace {

// If the line begins with "WORD: ", stores the rest and returns true.
bool Take(std::string_view line, std::string_view word, std::string_view* rest) {
  if (line.substr(0, word.size()) != word) return false;
  *rest = line.substr(word.size());
  while (!rest->empty() && rest->front() == ' ') rest->remove_prefix(1);
  return true;
}

void ReadLine(std::string_view line, Lesson* lesson, std::string** open) {
  std::string_view rest;
  if (Take(line, "== ", &rest)) {
    lesson->steps.emplace_back();
    *open = &lesson->steps.back().prose;
    return;
  }
  if (!lesson->steps.empty()) {
    LessonStep& step = lesson->steps.back();
    if (Take(line, "task:", &rest)) {
      step.task = rest;
      *open = &step.task;
      return;
    }
    if (Take(line, "check:", &rest)) {
      step.check = rest;
      return;
    }
    if (Take(line, "hint:", &rest)) return step.hints.emplace_back(rest), void();
    if (Take(line, ">>>", &rest)) return step.solution.emplace_back(rest), void();
  }
  if (!(*open)->empty()) **open += "\n";
  **open += line;
}

}  // namespace

Lesson ParseLesson(const LessonText& source) {
  Lesson lesson;
  lesson.name = source.name;
  std::string* open = &lesson.title;
  const std::string unpacked = source.text.str();
  std::string_view text = unpacked;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    ReadLine(text.substr(0, end), &lesson, &open);
    if (open == &lesson.title) open = &lesson.introduction;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lesson;
}

std::string InWords(std::string part) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"_lesson[\"request\"]", "the last run"},
      {"_lesson[\"runs\"]", "the nodes that ran"},
      {"_lesson[\"pruned\"]", "the pruned nodes"},
      {"_lesson[\"fed\"]", "the fed nodes"},
      {"_lesson[\"waits\"]", "the tensors that were waited for"},
      {"_lesson[\"loops\"]", "the loops that ran"},
      {"_lesson[\"bytes\"]", "the bytes that were sent"},
      {"_lesson[\"transfers\"]", "the number of Send/Recv pairs"},
      {"_lesson[\"partitions\"]", "the number of partitions"},
      {"_lesson[\"ran\"]", "explain analyze"},
  };
  for (const auto& [code, words] : kWords)
    for (size_t at = 0; (at = part.find(code, at)) != part.npos; at += words.size())
      part.replace(at, code.size(), words);
  return part;
}

}  // namespace tensh::shell
