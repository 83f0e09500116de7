// The format of lessons (docs/lessons/format.md), which is plain text.
//
// A lesson has a title, an introduction and steps. A step has prose, a task or a question, checks
// (expressions that are true once the task is done), hints, and the statements that solve it.
//
//     Title
//     Introduction …
//     servers: ps=1 worker=2     (optional: the servers that run during the lesson)
//     >>> given                  (any number of statements, run before the first step)
//     == 1
//     Prose …
//     task: what to do           (or `ask:`, a question that `learn answer` answers)
//     check: an expression       (any number; all must hold)
//     else: an explanation       (shown if the check above it does not hold; an f-string)
//     hint: …                    (any number, given one at a time)
//     >>> a solution             (any number of statements; `...` continues one)
//     # a comment
//
// Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tensh::shell {

struct LessonCheck {
  std::string expression;
  std::string otherwise;  // the explanation if it does not hold, or ""
};

struct LessonStep {
  std::string prose, task;
  bool asks = false;    // the task is a question
  bool varies = false;  // the output of the solution differs from run to run
  std::vector<LessonCheck> checks;
  std::vector<std::string> hints;
  std::vector<std::string> solution;  // statements, of one or more lines
  int line = 0;                       // the line of the file on which it begins
};

// A job of the cluster that a lesson needs, and the number of its tasks.
using LessonJob = std::pair<std::string, int>;

struct Lesson {
  std::string name;    // "graphs"; for a lesson of a file, the stem of its name
  std::string key;     // identifies it in the record of progress: the name, or the absolute path
  std::string source;  // the text of the file
  bool ours = false;   // compiled into the program
  std::string title, introduction;
  std::vector<LessonJob> servers;
  std::vector<std::string> given;
  std::vector<LessonStep> steps;
};

// Parses a lesson. Appends a line for each problem, such as "12: this step has no check:".
Lesson ParseLesson(std::string_view text, std::vector<std::string>* problems);

// Replaces {ps0}, {folder} and so on by the address of a server and the folder of the lesson.
std::string FillFields(std::string text,
                       const std::vector<std::pair<std::string, std::string>>& fields);

// Replaces the facts in a part of a check by a description: _fed becomes "the fed nodes".
std::string InWords(const std::string& part);

}  // namespace tensh::shell
