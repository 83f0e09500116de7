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

std::vector<Lesson> All() {
  std::vector<Lesson> lessons;
  for (const LessonText& text : LessonTexts()) lessons.push_back(ParseLesson(text));
  return lessons;
}

void Solve(Learning& learner, const LessonStep& step) {
  for (const std::string& line : step.solution) learner.Type(line);
}

TEST(Lessons, AllInOneSession) {
  Learning learner;
  learner.Type("mul = tf.constant(2.) * 3.\nv = tf.Variable(1., name='v')");
  learner.Type("run v.initializer");
  for (const Lesson& lesson : All()) {
    learner.Type("learn " + lesson.name.substr(0, 1) + " restart");
    std::string said;
    for (const LessonStep& step : lesson.steps) {
      Solve(learner, step);
      said = learner.Type("learn check");
      EXPECT_EQ(said.find("Right."), 0u) << lesson.name << ": " << step.task << "\n" << said;
    }
    EXPECT_NE(said.find("Well done"), std::string::npos) << said;
  }
  EXPECT_EQ(learner.Type("print(v.graph is tf.get_default_graph())"), "False\n");
}

TEST(Lessons, ContinueWithTheirNodes) {
  const std::vector<Lesson> lessons = All();
  for (size_t steps = 1; steps < lessons[2].steps.size(); ++steps) {
    Learning before;
    before.Type("learn 3 restart");
    for (size_t i = 0; i < steps; ++i) {
      Solve(before, lessons[2].steps[i]);
      ASSERT_EQ(before.Type("learn check").find("Right."), 0u);
    }
    before.Type("learn 1");  // the learner leaves the lesson
    Learning after;
    const std::string said = after.Type("learn 3");
    EXPECT_NE(said.find("[" + std::to_string(steps + 1) + " of"), std::string::npos) << said;
    Solve(after, lessons[2].steps[steps]);
    EXPECT_EQ(after.Type("learn check").find("Right."), 0u) << lessons[2].steps[steps].task;
  }
}

TEST(Lessons, SayWhatDiffers) {
  const Lesson lesson = All()[2];
  Learning learner;
  learner.Type("learn 3 restart");
  EXPECT_EQ(learner.Type("learn check").find("Not yet: name 'x' is not defined.\nTask: x = "), 0u)
      << learner.out;
  learner.Type("x = tf.placeholder(tf.float32, [None], name='x')\ny = x * x");
  EXPECT_EQ(learner.Type("learn check").find("Not yet: got 'mul' for y.op.name; expected \"y\".\n"),
            0u)
      << learner.out;
  learner.Type("learn 3 restart");
  for (size_t i = 0; i < 3; ++i) {
    Solve(learner, lesson.steps[i]);
    learner.Type("learn check");
  }
  learner.Type("explain y feed x=[1., 1.]");
  EXPECT_EQ(learner.Type("learn check")
                .find("Not yet: got [] for the pruned nodes; expected \"x\" in them.\n"),
            0u)
      << learner.out;
}

TEST(Lessons, SkippedIsNotDone) {
  Learning learner;
  learner.Type("learn 3 restart");
  std::string said;
  for (size_t i = 0; i < All()[2].steps.size(); ++i) said = learner.Type("learn skip");
  EXPECT_NE(said.find("4 steps skipped"), std::string::npos) << said;
  said = learner.Type("learn list");
  EXPECT_NE(said.find("0 of 4 steps, 4 skipped"), std::string::npos) << said;
  EXPECT_EQ(learner.Type("print(y.op.name)"), "y\n");  // a skipped step leaves its nodes
}

TEST(Lessons, FactsInWords) {
  EXPECT_EQ(InWords("len(_lesson[\"waits\"])"), "len(the tensors that were waited for)");
}

}  // namespace
}  // namespace tensh::shell
