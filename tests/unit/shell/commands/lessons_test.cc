// Takes every lesson with its own solutions, and checks that no check passes before its task is
// done.
#include <gtest/gtest.h>

#include "shell/commands/base/shell.h"
#include "shell/commands/help/lesson.h"
#include "shell/print/error_printer.h"

namespace tensh::shell {
namespace {

struct Learning {
  Interp interp;
  std::string out;
  Shell shell;

  Learning() : shell(Ready(), ShellOptions{}) {}
  Interp& Ready() {
    interp.set_stdout([this](std::string_view piece) { out += piece; });
    interp.set_stderr([this](std::string_view piece) { out += piece; });
    return interp;
  }
  std::string Type(const std::string& text) {
    out.clear();
    try {
      interp.Exec(text + "\n", "<test>", ExecMode::kFile);
    } catch (const PyError& error) {
      out += FormatError(error, {});
    }
    interp.Flush();
    return out;
  }
};

TEST(Lessons, EachWithItsSolution) {
  ASSERT_GE(LessonTexts().size(), 6u);
  for (const LessonText& text : LessonTexts()) {
    const Lesson lesson = ParseLesson(text);
    EXPECT_GE(lesson.steps.size(), 3u) << lesson.name;
    Learning learner;
    std::string said = learner.Type("learn " + lesson.name.substr(0, 1) + " restart");
    EXPECT_NE(said.find(lesson.title), std::string::npos) << said;
    for (const LessonStep& step : lesson.steps) {
      EXPECT_FALSE(step.hints.empty()) << step.task;
      said = learner.Type("learn check");
      EXPECT_EQ(said.find("Not yet"), 0u)
          << lesson.name << ": the check holds before the task: " << step.task;
      for (const std::string& line : step.solution) {
        said = learner.Type(line);
        EXPECT_EQ(said.find("Error"), std::string::npos) << line << "\n" << said;
      }
      said = learner.Type("learn check");
      EXPECT_EQ(said.find("Right."), 0u) << lesson.name << ": " << step.task << "\n" << said;
    }
    EXPECT_NE(said.find("Well done"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace tensh::shell
