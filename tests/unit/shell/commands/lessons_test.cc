// The format of lessons, the record of a learner, and the verb `learn`. tests/lessons takes every
// lesson at a prompt.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "shell/commands/base/shell.h"
#include "shell/commands/lessons/classroom.h"
#include "shell/commands/lessons/handouts.h"
#include "shell/commands/lessons/lesson.h"
#include "shell/commands/lessons/lesson_log.h"
#include "shell/commands/lessons/packs.h"
#include "shell/print/error_printer.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

struct Learning {
  Interp interp;
  std::string out;
  Shell shell;

  Learning() : shell(Ready(), ShellOptions{.keep_going = true}) {}
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
  // Types the solution of the current step. Returns what the check says.
  std::string Solve() {
    const LessonStep step = *Classroom::Of(shell).current();
    std::string said;
    for (const std::string& statement : step.solution) said = Type(statement);
    return step.asks ? said : Type("learn check");
  }
};

// Servers need the program, which this test is not.
std::vector<Lesson> WithoutServers() {
  std::vector<Lesson> lessons;
  for (const Lesson& lesson : OwnPack().lessons)
    if (lesson.servers.empty()) lessons.push_back(lesson);
  return lessons;
}

constexpr const char* kLesson =
    "Title\n# a comment\nAn introduction\nof two lines.\n\nservers: ps=1 worker=2\n>>> a = 1\n"
    "== 1\nProse.\ntask: Do\nthis.\ncheck: x ==\n  1\nelse: no {x}\ncheck: y\nhint: one\nhint: "
    "two\n"
    ">>> for i in range(2):\n...   x = i\n>>> y = 1\n"
    "== 2\nask: Why?\ncheck: answer == 2\nhint: h\nvaries:\n>>> learn answer 2\n";

TEST(Lessons, Format) {
  std::vector<std::string> problems;
  const Lesson lesson = ParseLesson(kLesson, &problems);
  EXPECT_EQ(problems, std::vector<std::string>());
  EXPECT_EQ(lesson.title, "Title");
  EXPECT_EQ(lesson.introduction, "An introduction\nof two lines.");
  EXPECT_EQ(lesson.servers, (std::vector<LessonJob>{{"ps", 1}, {"worker", 2}}));
  EXPECT_EQ(lesson.given, std::vector<std::string>{"a = 1"});
  ASSERT_EQ(lesson.steps.size(), 2u);
  const LessonStep& task = lesson.steps[0];
  EXPECT_EQ(task.prose, "Prose.");
  EXPECT_EQ(task.task, "Do\nthis.");
  ASSERT_EQ(task.checks.size(), 2u);
  EXPECT_EQ(task.checks[0].expression, "x == 1");
  EXPECT_EQ(task.checks[0].otherwise, "no {x}");
  EXPECT_EQ(task.checks[1].otherwise, "");
  EXPECT_EQ(task.hints, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(task.solution, (std::vector<std::string>{"for i in range(2):\n  x = i", "y = 1"}));
  EXPECT_FALSE(task.asks || task.varies);
  EXPECT_TRUE(lesson.steps[1].asks && lesson.steps[1].varies);
  EXPECT_EQ(lesson.steps[1].line, 21);
}

TEST(Lessons, Mistakes) {
  const struct {
    const char *text, *problem;
  } rows[] = {
      {"", "1: the first line must be the title"},
      {"T\n", "1: there is no step; a step begins with a line == 1"},
      {"T\n== 1\ntask: t\n>>> x\n", "2: this step has no check:"},
      {"T\n== 1\ncheck: c\n>>> x\n", "2: this step has no task: or ask:"},
      {"T\n== 1\ntask: t\ncheck: c\n", "2: this step has no solution: >>> …"},
      {"T\n== 1\nask: t\ncheck: c\n", "2: this step has no solution: >>> learn answer …"},
      {"T\n== 1\ntask: t\nask: t\ncheck: c\n>>> x\n", "4: this step has a second task: or ask:"},
      {"T\n== 1\ntask: t\nelse: c\n", "4: else: must follow a check:"},
      {"T\ncheck: c\n", "2: check: must be in a step, after a line == 1"},
      {"T\n== 1\nhnit: t\n", "3: unknown keyword hnit:; did you mean hint:?"},
      {"T\n== 1\ntask: t\ncheck: c\n>>> x\nmore\n", "6: this text must come before the solution"},
      {"T\n... x\n", "2: a line that begins with ... must follow one that begins with >>>"},
      {"T\nservers: ps\n",
       "2: servers: expects jobs and their numbers of tasks, as in ps=1 worker=2"},
      {"T\nservers: ps=9\n", "2: servers: expects 1 to 8 tasks"},
      {"T\n== 1\nservers: ps=1\n", "3: servers: must come before the first step"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> problems;
    ParseLesson(row.text, &problems);
    EXPECT_NE(std::find(problems.begin(), problems.end(), row.problem), problems.end()) << row.text;
  }
}

TEST(Lessons, WordsAndFields) {
  EXPECT_EQ(InWords("len(_waits)"), "len(the tensors that were waited for)");
  EXPECT_EQ(InWords("answer"), "your answer");
  EXPECT_EQ(InWords("x._runs + _runs_2 + answers"), "x._runs + _runs_2 + answers");
  EXPECT_EQ(InWords("_"), "the last result");
  EXPECT_EQ(FillFields("{a} {b} {a}", {{"a", "1"}, {"c", "2"}}), "1 {b} 1");
}

TEST(Lessons, TheirOwnSolutionsPass) {
  ASSERT_EQ(OwnPack().lessons.size(), 20u);
  Learning learner;
  for (const Lesson& lesson : WithoutServers()) {
    std::string problems;
    TestLesson(Classroom::Of(learner.shell), lesson, &problems);
    EXPECT_EQ(problems, "");
  }
}

TEST(Lessons, OneAfterTheOther) {
  Learning learner;
  learner.Type("mul = tf.constant(2.) * 3.\nv = tf.Variable(1., name='v')");
  for (const Lesson& lesson : WithoutServers()) {
    std::string said = learner.Type("learn " + lesson.name + " restart");
    EXPECT_NE(said.find("— " + lesson.title + " —"), std::string::npos) << said;
    for (const LessonStep& step : lesson.steps) {
      said = learner.Solve();
      EXPECT_EQ(said.find("Right."), 0u) << lesson.name << ": " << step.task << "\n" << said;
    }
    EXPECT_NE(said.find("Well done"), std::string::npos) << said;
  }
  learner.Type("learn quit");
  EXPECT_EQ(learner.Type("print(v.graph is tf.get_default_graph(), mul.op.type)"), "True Mul\n");
}

TEST(Lessons, SayWhatDiffers) {
  Learning learner;
  learner.Type("learn 2");
  EXPECT_EQ(learner.Type("learn check").find("Not yet: name 'x' is not defined.\nTask: Make a"), 0u)
      << learner.out;
  learner.Type("x = tf.constant([1.])");
  EXPECT_EQ(learner.Type("learn check")
                .find("Not yet: got 'Const' for x.op.type; expected \"Placeholder\".\n"),
            0u)
      << learner.out;
  learner.Type("x = tf.placeholder(tf.float32, [None])\ny = tf.reduce_sum(x)");
  EXPECT_EQ(learner.Type("learn check").find("Not yet: for x = [1, 2, 3], y is 6.0; expected 14."),
            0u)
      << learner.out;
}

TEST(Lessons, SkippedIsNotDone) {
  Learning learner;
  learner.Type("learn 2");
  std::string said;
  for (size_t i = 0; i < 6; ++i) said = learner.Type("learn skip");
  EXPECT_NE(said.find("6 steps skipped"), std::string::npos) << said;
  said = learner.Type("learn list");
  EXPECT_NE(said.find("0 of 6 steps, 6 skipped"), std::string::npos) << said;
  EXPECT_EQ(learner.Type("print(y.op.type)"), "Sum\n");
}

TEST(Lessons, Misuse) {
  Learning learner;
  const struct {
    const char *text, *error;
  } rows[] = {
      {"learn hint", "no lesson has been started"},
      {"learn answer 1", "no lesson has been started"},
      {"learn 1 again", "expects a lesson, or a word about it, not '1 again'"},
      {"learn 1\nlearn answer 3", "this step is a task, not a question"},
      {"learn 2 restart\nlearn skip\nlearn answer", "answer expects your answer"},
      {"learn stop worker1", "this lesson has no servers"},
      {"learn ./nothing.lesson", "cannot read the lesson ./nothing.lesson"},
      {"learn new a b", "new expects a name without blanks"},
  };
  for (const auto& row : rows)
    EXPECT_NE(learner.Type(row.text).find(row.error), std::string::npos) << row.text << "\n"
                                                                         << learner.out;
}

TEST(Lessons, RecordInAFile) {
  const std::string file = testing::TempDir() + "/tensh_lesson_log";
  std::remove(file.c_str());
  {
    std::ofstream old(file);
    old << "1_graphs 5 0\n12 nonsense 1 graphs\n\n7 done -1 graphs\n9 done 99999999 graphs\n";
  }
  using Event = LessonLog::Event;
  LessonLog log;
  log.KeepIn(file);
  EXPECT_EQ(log.Of("graphs").behind(), 0u);
  log.Note(Event::kBegin, 0, "graphs");
  log.Note(Event::kWrong, 0, "graphs");
  log.Note(Event::kHint, 0, "graphs");
  log.Note(Event::kDone, 0, "graphs");
  log.Note(Event::kSkip, 1, "graphs");
  log.Note(Event::kBegin, 0, "/a folder/b.lesson");
  LessonLog again;
  again.KeepIn(file);
  const LessonRecord& record = again.Of("graphs");
  EXPECT_EQ(record.behind(), 2u);
  EXPECT_EQ(record.skipped(), 1u);
  EXPECT_EQ(record.steps[0].attempts, 2);
  EXPECT_EQ(record.steps[0].hints, 1);
  EXPECT_GT(record.steps[0].time, 1600000000);
  EXPECT_NE(again.Of("/a folder/b.lesson").began, 0);
  again.Note(Event::kRestart, 0, "graphs");
  EXPECT_EQ(again.Of("graphs").behind(), 0u);
  std::remove(file.c_str());
}

TEST(Lessons, ExportIsJson) {
  Learning learner;
  learner.Type("learn 1\nlearn check\nlearn hint");
  learner.Solve();
  learner.Type("learn skip");
  bool ok = false;
  const Json all = Json::Parse(learner.Type("learn export"), &ok);
  ASSERT_TRUE(ok) << learner.out;
  const Json& lesson = all["lessons"].items().at(0);
  EXPECT_EQ(lesson["lesson"].as_string(), "graphs");
  EXPECT_EQ(lesson["done"].as_int(), 1);
  EXPECT_EQ(lesson["skipped"].as_int(), 1);
  EXPECT_TRUE(lesson["finished"].is_null());
  const Json& step = lesson["steps"].items().at(0);
  EXPECT_EQ(step["attempts"].as_int(), 2);
  EXPECT_EQ(step["hints"].as_int(), 1);
  EXPECT_EQ(step["state"].as_string(), "done");
}

TEST(Lessons, PageShowsTheOutput) {
  Learning learner;
  const std::string page = learner.Type("learn page feeds");
  for (const char* part :
       {"# 2. Feeds and fetches\n", "**Question.** What does `eval y` do", "## Step 6\n",
        "<details><summary>Hint 2</summary>", ">>> eval y feed x=[3, 4]\n25.0\n", "✂ pruned"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
}

}  // namespace
}  // namespace tensh::shell
