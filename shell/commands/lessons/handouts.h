// Texts about lessons for instructors: a lesson as a page, the record of a learner, and the check of
// a lesson by its own solutions.
//
// Threads: the interpreter's thread only.
#pragma once

#include <string>

#include "shell/commands/lessons/classroom.h"

namespace tensh::shell {

// Takes the lesson with its own solutions, and returns it as Markdown with what they print. `number`
// is its number in its pack, or 0.
std::string LessonPage(Classroom& room, const Lesson& lesson, size_t number);

// Takes the lesson with its own solutions. Appends a line for each step whose checks hold before its
// task is done, or do not hold afterwards, and for each step without hints.
void TestLesson(Classroom& room, const Lesson& lesson, std::string* problems);

// Returns the record as JSON (docs/json.md).
std::string ExportRecord(Classroom& room);

}  // namespace tensh::shell
