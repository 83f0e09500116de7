#include "shell/print/error_printer.h"

#include <gtest/gtest.h>

namespace tensh::shell {
namespace {

Location Place(const std::string& text, int line, int column, int end_column) {
  return {.file = "train.py",
          .line = line,
          .column = column,
          .end_line = line,
          .end_column = end_column,
          .text = text};
}

using enum ErrorHint::Kind;

PyError Failed(const std::string& message, const ErrorHint& hint, std::vector<TraceEntry> trace) {
  PyError error = ValueError(message);
  error.Hint(hint);
  error.exception().trace = std::move(trace);
  return error;
}

TEST(ErrorPrinter, InAScript) {
  struct Row {
    const char* what;
    PyError error;
    const char* want;
  };
  const Row rows[] = {
      {"span", Failed("no", {}, {{Place("y = f(x)", 3, 5, 9), "<module>"}}),
       "train.py:3:5: ValueError: no\n"
       "    y = f(x)\n"
       "        ^^^^\n"},
      {"hint",
       Failed("not there", {kRun, "run init"}, {{Place("run train", 2, 5, 10), "<module>"}}),
       "train.py:2:5: ValueError: not there. Run: run init\n"
       "    run train\n"
       "        ^^^^^\n"},
      {"a line to type",
       Failed("no session", {kType, "session new"}, {{Place("eval a", 2, 5, 6), "<module>"}}),
       "train.py:2:5: ValueError: no session. Type: session new\n"
       "    eval a\n"
       "        ^\n"},
      {"a phrase is a sentence",
       Failed("too many.", {kPhrase, "feed x=… first"}, {{Place("eval a", 2, 5, 6), "<module>"}}),
       "train.py:2:5: ValueError: too many. Feed x=… first\n"
       "    eval a\n"
       "        ^\n"},
      {"did you mean",
       Failed("tf has no 'mat_mul'", {kQuestion, "did you mean 'matmul'?"},
              {{Place("tf.mat_mul(x)", 1, 4, 11), "<module>"}}),
       "train.py:1:4: ValueError: tf has no 'mat_mul'; did you mean 'matmul'?\n"
       "    tf.mat_mul(x)\n"
       "       ^^^^^^^\n"},
      {"wide characters", Failed("no", {}, {{Place("日本 = x", 1, 6, 7), "<module>"}}),
       "train.py:1:6: ValueError: no\n"
       "    日本 = x\n"
       "           ^\n"},
      {"control characters", Failed("no", {}, {{Place("a\x1b[2J = x", 1, 1, 3), "<module>"}}),
       "train.py:1:1: ValueError: no\n"
       "    a\\x1b[2J = x\n"
       "    ^^^^^\n"},
      {"nowhere", Failed("no", {}, {}), "ValueError: no\n"},
      {"over the end", Failed("no", {}, {{Place("ab", 1, 9, 99), "<module>"}}),
       "train.py:1:9: ValueError: no\n"
       "    ab\n"
       "      ^\n"},
      {"through a function",
       Failed("no", {},
              {{Place("  return 1/x", 2, 10, 13), "f"},
               {Place("  y = f(0)", 4, 7, 11), "g"},
               {Place("g()", 5, 1, 4), "<module>"}}),
       "Traceback (most recent call last):\n"
       "  File \"train.py\", line 5, in <module>\n"
       "    g()\n"
       "  File \"train.py\", line 4, in g\n"
       "    y = f(0)\n"
       "        ^^^^\n"
       "train.py:2:10: ValueError: no\n"
       "      return 1/x\n"
       "             ^^^\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(FormatError(row.error, {}), row.want) << row.what;
}

// The statement of a verb encloses the part that failed and is omitted. A recursive call does not
// enclose itself.
TEST(ErrorPrinter, TheStatementAroundAPartIsLeftOut) {
  const TraceEntry part{Place("eval nope", 1, 6, 10), "<module>"};
  const TraceEntry whole{Place("eval nope", 1, 1, 10), "<module>"};
  EXPECT_EQ(FormatError(Failed("no", {}, {part, whole}), {}),
            "train.py:1:6: ValueError: no\n"
            "    eval nope\n"
            "         ^^^^\n");
  // The part of `a.b?` is the whole statement.
  EXPECT_EQ(FormatError(Failed("no", {}, {part, part}), {}),
            FormatError(Failed("no", {}, {part}), {}));
  const TraceEntry call{Place("f(nope)", 1, 1, 8), "f"};
  const std::string twice = FormatError(Failed("no", {}, {call, call}), {});
  EXPECT_NE(twice.find("Traceback"), std::string::npos) << twice;
}

TEST(ErrorPrinter, DeepRecursionIsFolded) {
  std::vector<TraceEntry> trace(1000, {Place("  f()", 2, 3, 6), "f"});
  const std::string text = FormatError(Failed("no", {}, trace), {});
  EXPECT_NE(text.find("[Previous line repeated 996 more times]"), std::string::npos) << text;
  EXPECT_LT(text.size(), 1500u);
}

TEST(ErrorPrinter, ALongLineIsCutAroundTheSpan) {
  std::string line(5000, 'a');
  line += "BAD";
  line.append(5000, 'b');
  const std::string text =
      FormatError(Failed("no", {}, {{Place(line, 1, 5001, 5004), "<module>"}}), {});
  EXPECT_LT(text.size(), 500u);
  EXPECT_NE(text.find("aaaBADbbb"), std::string::npos);
  EXPECT_NE(text.find("^^^\n"), std::string::npos);
}

TEST(ErrorPrinter, UnderTheTypedLine) {
  Location where = Place("y = f(x)", 1, 5, 9);
  where.file = "In[3]";
  const PyError error = Failed("no", {}, {{where, "<module>"}});
  EXPECT_EQ(FormatError(error, {.prompt = 4, .cell = "y = f(x)"}), "        ^^^^ ValueError: no\n");
  EXPECT_EQ(FormatError(error, {.width = 20, .prompt = 4, .cell = "y = f(x)"}),
            "        ^^^^\nValueError: no\n");
  // The statement is not the line just above, so it is shown again.
  EXPECT_EQ(FormatError(error, {.prompt = 4, .cell = "y = f(x)\nz = 1"}),
            "In[3]:1:5:\n    y = f(x)\n        ^^^^ ValueError: no\n");
}

TEST(ErrorPrinter, Json) {
  EXPECT_EQ(
      FormatError(Failed("say \"no\"", {kType, "help"}, {{Place("f(x)", 1, 1, 5), "<module>"}}),
                  {.json = true}),
      "{\"error\": \"ValueError\", \"message\": \"say \\\"no\\\"\", \"file\": \"train.py\", "
      "\"line\": 1, \"column\": 1, "
      "\"end_column\": 5, \"hint\": \"Type: help\"}\n");
}

}  // namespace
}  // namespace tensh::shell
