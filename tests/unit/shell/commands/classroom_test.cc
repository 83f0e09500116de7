// The state of a lesson: its facts, its answers, what it sets aside, and packs of files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "shell/commands/base/shell.h"
#include "shell/commands/lessons/classroom.h"
#include "shell/commands/lessons/handouts.h"
#include "shell/commands/lessons/learn_words.h"
#include "shell/print/error_printer.h"

namespace tensh::shell {
namespace {

namespace fs = std::filesystem;

class Class : public testing::Test {
 protected:
  Class() : shell_(Ready(), ShellOptions{.keep_going = true}), room_(Classroom::Of(shell_)) {}
  Interp& Ready() {
    interp_.set_stdout([this](std::string_view piece) { out_ += piece; });
    interp_.set_stderr([this](std::string_view piece) { out_ += piece; });
    return interp_;
  }
  std::string Type(const std::string& text) {
    out_.clear();
    interp_.Exec(text + "\n", "<test>", ExecMode::kFile);
    interp_.Flush();
    return out_;
  }
  // Begins a lesson with one step that has this check.
  void Begin(const std::string& check, const std::string& kind = "task: t") {
    std::vector<std::string> problems;
    Lesson lesson = ParseLesson(
        "T\n>>> x = tf.placeholder(tf.float32, [], name=\"x\")\n"
        ">>> with tf.device(\"/cpu:1\"): y = tf.exp(x, name=\"y\")\n"
        ">>> z = tf.log(x, name=\"z\")\n== 1\n" +
            kind + "\ncheck: " + check + "\n>>> pass\n",
        &problems);
    ASSERT_EQ(problems, std::vector<std::string>()) << check;
    lesson.name = lesson.key = "t";
    room_.Enter(lesson, 0);
  }

  Interp interp_;
  std::string out_;
  Shell shell_;
  Classroom& room_;
};

TEST_F(Class, Facts) {
  const struct {
    const char *typed, *check;
  } rows[] = {
      {"explain y feed x=1.", "_request == \"y feed x=1.\" and not _ran"},
      {"explain y feed x=1.", "\"y\" in _runs and _fed == [\"x\"] and \"z\" in _pruned"},
      {"explain y feed x=1.", "_devices[\"y\"].lower().endswith(\"cpu:1\")"},
      {"explain y feed x=1.", "_transfers == 1 and _bytes == 4 and _partitions == 2"},
      {"explain analyze y feed x=1.", "_ran and len(_waits) >= 0 and _loops == []"},
      {"explain y\nwhy y", "_verbs == [\"explain\", \"why\"] and _typed[1] == \"why y\""},
      {".explain y", "_verbs == [\"explain\"]"},
      {"eval y", "\"must feed\" in _error"},
      {"a = 1", "_error == \"\" and _verbs == []"},
      {"eval y feed x=0.", "float(_) == 1. and float(_session.run(y, {x: 0.})) == 1."},
      {"", "_servers == []"},
  };
  for (const auto& row : rows) {
    Begin(row.check);
    if (*row.typed != '\0') Type(row.typed);
    EXPECT_EQ(room_.Differs(), "") << row.typed << "\n" << row.check;
    EXPECT_NE(Type("print(_fed)").find("NameError"), std::string::npos);  // only checks see them
  }
}

TEST_F(Class, FactsCountFromTheBeginningOfAStep) {
  Begin("_verbs == [] and _error == \"\"");
  Type("why nothing\nexplain y");
  EXPECT_NE(room_.Differs(), "");
  room_.Enter(*room_.lesson(), 0);
  EXPECT_EQ(room_.Differs(), "");
}

TEST_F(Class, Answers) {
  const struct {
    const char *answer, *check;
  } rows[] = {
      {"3", "answer == 3"},
      {"-3.5", "answer == -3.5"},
      {"[1, 2]", "answer == [1, 2]"},
      {"None", "answer is None"},
      {"True", "answer is True"},
      {"\"a\"", "answer == \"a\""},
      {"yes", "answer == \"yes\""},
      {"cpu:0", "answer == \"cpu:0\""},
      {"y", "answer == \"y\""},  // and not the tensor of this name
      {"[1, 2", "answer == \"[1, 2\""},
      {"1 / 0", "answer == \"1 / 0\""},
  };
  for (const auto& row : rows) {
    Begin(row.check, "ask: t");
    EXPECT_EQ(room_.Differs(), "the question has no answer yet; type: learn answer …");
    room_.SetAnswer(row.answer);
    EXPECT_EQ(room_.Differs(), "") << row.answer;
    room_.Advance();
    EXPECT_NE(Type("print(answer)").find("NameError"), std::string::npos);
  }
}

TEST_F(Class, ChecksAddNoNodesAndTheirErrorsAreReasons) {
  Begin("nope == 1");
  EXPECT_EQ(room_.Differs(), "name 'nope' is not defined");
  Begin("x.op.type == \"Add\"");
  EXPECT_EQ(room_.Differs(), "got 'Placeholder' for x.op.type; expected \"Add\"");
  Begin("1 in [2]");
  EXPECT_EQ(room_.Differs(), "got [2] for [2]; expected 1 in it");
  Begin("float(_session.run(y, {x: 0.})) == 1.");
  const std::string before = Type("print(len(tf.get_default_graph().get_operations()))");
  EXPECT_EQ(room_.Differs(), "");
  EXPECT_EQ(Type("print(len(tf.get_default_graph().get_operations()))"), before);
}

TEST_F(Class, SetsAsideAndBringsBack) {
  Type("import numpy as numbers\nx = [1]\nv = tf.Variable(1.)\nrun v.initializer");
  Begin("True");
  EXPECT_EQ(Type("print(numbers.pi > 3, x.op.type)"), "True Placeholder\n");
  EXPECT_NE(Type("v").find("NameError"), std::string::npos);
  EXPECT_TRUE(room_.Leave());
  EXPECT_FALSE(room_.Leave());
  EXPECT_EQ(Type("eval v\nprint(x)"), "1.0\n[1]\n");
  EXPECT_NE(Type("print(y)").find("NameError"), std::string::npos);
}

TEST(Packs, OfFilesAndFolders) {
  std::string folder = testing::TempDir() + "/tensh_pack_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  Interp interp;
  const auto write = [&folder](const std::string& name, const std::string& text) {
    std::ofstream(folder + "/" + name) << text;
  };
  const auto error = [](const auto& body) -> std::string {
    try {
      body();
    } catch (const PyError& error) {
      return error.Message();
    }
    return "";
  };
  EXPECT_NE(error([&] { ReadPack(folder); }).find("contains 0 files"), std::string::npos);
  write("10_b.lesson", "B\n== 1\nask: q\ncheck: answer == 1\nhint: h\n>>> learn answer 1\n");
  write("9_a.lesson", "A\r\n== 1\r\ntask: t\r\ncheck: x == 1\r\nhint: h\r\n>>> x = 1\r\n");
  write("notes.txt", "not a lesson");
  const Pack pack = ReadPack(folder);
  ASSERT_EQ(pack.lessons.size(), 2u);
  EXPECT_EQ(pack.lessons[0].name, "a");
  EXPECT_EQ(pack.lessons[1].key, fs::canonical(folder).string() + "/10_b.lesson");
  EXPECT_EQ(FindLesson(pack, "2"), &pack.lessons[1]);
  EXPECT_EQ(FindLesson(pack, "a"), pack.lessons.data());
  EXPECT_EQ(FindLesson(pack, "3"), nullptr);
  write("c.lesson", "C\n== 1\ntsak: t\n");
  EXPECT_NE(error([&] { ReadPack(folder); }).find("c.lesson:3: unknown keyword tsak:"),
            std::string::npos);
  EXPECT_NE(error([&] { ReadLesson(folder + "/d.lesson"); }).find("cannot read the lesson"),
            std::string::npos);
  fs::remove_all(folder);
}

TEST(LearnWords, Texts) {
  for (const char* path : {"./a", "a/b", "a.lesson", ".", "/"}) EXPECT_TRUE(IsLessonPath(path));
  for (const char* name : {"1", "graphs", "check"}) EXPECT_FALSE(IsLessonPath(name));
  EXPECT_EQ(AsTyped("if a:\n  b", "  "), "  if a:\n    b\n");
  EXPECT_TRUE(EndsInCode("text\n  code") && !EndsInCode("  code\ntext") && !EndsInCode(""));
  EXPECT_TRUE(IsPunctuated("a.") && IsPunctuated("a…") && !IsPunctuated("a") && !IsPunctuated(""));
}

}  // namespace
}  // namespace tensh::shell
