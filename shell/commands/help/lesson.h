// Lessons, read from samples/lessons/*.lesson, which are compiled into the program.
//
// A lesson has a title, an introduction and steps. A step has prose, a task, a check (an expression
// that is true once the task is done), hints, and the commands that solve it. Tests run these
// commands for every lesson.
//
//     Title
//     Introduction …
//     == 1
//     Prose …
//     task: what to do
//     check: an expression
//     hint: …            (any number, given one at a time)
//     >>> a solution     (any number of lines)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/text/packed_text.h"

namespace tensh::shell {

struct LessonText {
  const char* name;  // "1_graphs" for 1_graphs.lesson
  PackedText text;
};
std::span<const LessonText> LessonTexts();  // generated

struct LessonStep {
  std::string prose, task, check;
  std::vector<std::string> hints, solution;
};

struct Lesson {
  std::string name, title, introduction;
  std::vector<LessonStep> steps;
};

Lesson ParseLesson(const LessonText& text);

// Replaces the facts of _lesson in a part of a check by a description: _lesson["fed"] becomes "the
// fed nodes".
std::string InWords(std::string part);

}  // namespace tensh::shell
