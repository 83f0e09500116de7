// The words of the verb `learn`, and small texts that it prints. Pure functions, except for
// RecordLesson; thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "shell/commands/base/shell.h"
#include "shell/commands/lessons/lesson.h"

namespace tensh::shell {

std::span<const std::string_view> LearnWords();  // check, hint and so on
// True for "./my.lesson", "course/" and "my.lesson", which are not names of lessons.
bool IsLessonPath(std::string_view word);
// Returns a statement with an indentation, one line for each of its lines.
std::string AsTyped(const std::string& statement, const std::string& indentation);
// True if the last line of the text is indented, as code is.
bool EndsInCode(std::string_view text);
// True if the text ends with a mark, so that no full stop follows it.
bool IsPunctuated(std::string_view text);

// Stores the statements that build the graph of the lesson, for `dump` and for a resumed session,
// which must not depend on the learner's progress. Lessons with servers cannot be rebuilt.
void RecordLesson(Shell& shell, const Lesson& lesson, size_t steps, bool new_graph);

}  // namespace tensh::shell
