// The pieces of the editor: tokens, pastes, the menu, the history, plain reads.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "shell/edit/code_tokens.h"
#include "shell/edit/completion.h"
#include "shell/edit/history.h"
#include "shell/edit/line_reader.h"
#include "shell/edit/paste.h"

namespace tensh::shell {
namespace {

TEST(CodeTokens, Kinds) {
  const std::string text = "x1 = f'a' + \"\"\"b\nc\"\"\" # d\n1.5e-3 'open";
  std::string seen;
  for (const CodeToken& token : TokensOf(text))
    seen += std::string(token.In(text)) + (token.open ? "!" : "") + "|";
  EXPECT_EQ(seen, "x1|=|f'a'|+|\"\"\"b\nc\"\"\"|# d|\n|1.5e-3|'open!|");
}

TEST(CodeTokens, Brackets) {
  const std::string text = "f(a[1], ')', {2})";
  const auto tokens = TokensOf(text);
  EXPECT_EQ(MatchingBracket(text, tokens, 1), 16u);
  EXPECT_EQ(MatchingBracket(text, tokens, 16), 1u);
  EXPECT_EQ(MatchingBracket(text, tokens, 3), 5u);
  EXPECT_EQ(MatchingBracket("(]", TokensOf("(]"), 1), std::string::npos);
}

TEST(CodeTokens, Indentation) {
  struct Row {
    const char* before;
    size_t want;
  };
  const Row rows[] = {
      {"x", 0},          {"if x:", 4}, {"if x:  # why", 4}, {"    return x", 0},
      {"    x", 4},      {"f(", 4},    {"f(\n    a,", 4},   {"    f(\n        a)", 4},
      {"d = {1: 2}", 0}, {"'''a", 0},  {"x = 'a:'", 0}};
  for (const Row& row : rows) EXPECT_EQ(IndentAfter(row.before), row.want) << row.before;
  EXPECT_EQ(IndentOfClause("if x:\n    y\n    else:"), 0u);
  EXPECT_EQ(IndentOfClause("for a in b:\n    if x:\n        y\n        else:"), 4u);
  EXPECT_EQ(IndentOfClause("try:\n    y\n    except E:"), 0u);
  EXPECT_EQ(IndentOfClause("    else:"), std::string::npos);
  EXPECT_EQ(IndentOfClause("x\nelsewhere:"), std::string::npos);
}

TEST(Paste, Cleaned) {
  struct Row {
    const char *pasted, *want;
  };
  const Row rows[] = {
      {"a", "a"},
      {"", ""},
      {"a\r\nb\rc\n", "a\nb\nc\n"},
      {"\n  \n    a\n    b\n", "a\nb\n"},
      {"    def f():\n        return 1\n\n    f()\n", "def f():\n    return 1\n\nf()\n"},
      {"x = 1\n    y = 2\n    z = 3", "x = 1\ny = 2\nz = 3"},  // the selection began in the line
      {"if x:\n    y = 2\n", "if x:\n    y = 2\n"},
      {"f(1,\n  2)\n", "f(1,\n  2)\n"},
      {">>> a\n1\n>>> b", "a\nb"},
      {">>> if a:\n...     b\n... \n1\n", "if a:\n    b\n\n"},
      {"    >>> a\n    1\n", "a\n"},
      {"In [1]: a\nOut[1]: 2\n\nIn [12]: if a:\n   ...:     b\n   ...: \n", "a\nif a:\n    b\n\n"},
      {"[3]> a\n2\n[4]> if a:\n...>     b\n", "a\nif a:\n    b\n"},
      {"[12]> if a:\n....>     b\n", "if a:\n    b\n"},
      {"tensh> nodes\n no nodes\n", "nodes\n"},
      // A notebook has its prompts above the cells.
      {"In [1]:\nif a:\n    b\n\n    c\nOut[1]:\n2\nIn [2]:\nd\n", "if a:\n    b\n\n    c\nd\n\n"},
      {"In [1]: \n\nIn [2]: a\n1\n", "a\n"},
      // A terminal shows a banner before the first prompt.
      {"$ tensh\ntensh 0.1 · direct session\n[1]> a = 1\n + a\n[2]> b\n", "a = 1\nb\n"},
      {"Python 3.8.10 (default)\nType \"help\" for more.\n>>> a\n1\n", "a\n"},
      {"me@host:~$ python3\nPython 3\n>>> a\n", "a\n"},
      {"python = 1.\nx\n", "python = 1.\nx\n"},
      // Commands of notebooks that have no effect here.
      {"%tensorflow_version 1.x\nx\n!pip install y\n",
       "# %tensorflow_version 1.x\nx\n# !pip install y\n"},
      {"In [1]: %matplotlib inline\nIn [2]: x\n", "# %matplotlib inline\nx\n"},
      {"x = (5\n%config\n)\n'''\n!pip\n'''\n", "x = (5\n%config\n)\n'''\n!pip\n'''\n"},
      {"!ls\nx\n", "!ls\nx\n"},
      // An example in a docstring is not a session.
      {"def f():\n    \"\"\"\n    >>> f()\n    \"\"\"\n",
       "def f():\n    \"\"\"\n    >>> f()\n    \"\"\"\n"},
      {"[3] > a\n", "[3] > a\n"},
      {"\xC2\xA0\xC2\xA0x = '\xC2\xA0'\n\xC2\xA0\xC2\xA0y\n", "x = '\xC2\xA0'\ny\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(CleanPaste(row.pasted), row.want) << row.pasted;
}

TEST(Completion, CommonPrefixKeepsCharactersWhole) {
  EXPECT_EQ(CommonPrefix({}), "");
  EXPECT_EQ(CommonPrefix({"relu"}), "relu");
  EXPECT_EQ(CommonPrefix({"relu", "relu6", "reverse"}), "re");
  EXPECT_EQ(CommonPrefix({"a\xC3\xA9", "a\xC3\xA8"}), "a");  // é and è share a byte
}

std::string Drawn(Menu& menu, size_t width, size_t height) {
  std::string out;
  for (const StyledLine& line : menu.Lines(width, height)) {
    for (const StyledPiece& piece : line) out += piece.text;
    while (out.ends_with(' ')) out.pop_back();
    out += "\n";
  }
  return out;
}

TEST(Menu, FillsTheWidthAndScrolls) {
  Completion found;
  for (int i = 0; i < 549; ++i) found.candidates.push_back("name" + std::to_string(1000 + i));
  Menu menu;
  menu.Open(found, "");
  // Every candidate is reached, and the selected one is always in the picture.
  for (int i = 0; i < 549; ++i) {
    menu.Move(1);
    const std::string drawn = Drawn(menu, 60, 5);
    ASSERT_NE(drawn.find(">name" + std::to_string(1000 + i)), std::string::npos) << drawn;
  }
  menu.Move(1);
  EXPECT_EQ(menu.selected(), 0u);
  EXPECT_EQ(Drawn(menu, 30, 3),
            ">name1000  name1183  name1366\n name1001  name1184  name1367\n 1/549  name1000\n");
  menu.MoveColumn(1);
  EXPECT_EQ(menu.candidate(menu.selected()), "name1183");
  menu.MovePage(1);
  EXPECT_EQ(menu.candidate(menu.selected()), "name1185");
  menu.Filter("name154");
  EXPECT_EQ(menu.shown().size(), 9u);
  menu.Filter("E154");  // anywhere, in any case, if nothing begins with it
  EXPECT_EQ(menu.shown().size(), 9u);
  menu.Filter("x");
  EXPECT_FALSE(menu.open());
}

TEST(Menu, LongNamesKeepTheirEnds) {
  Menu menu;
  menu.Open({.from = 0,
             .candidates = {"a_very_long_name_of_some_kind_1", "a_very_long_name_of_some_kind_2"}},
            "");
  const std::string drawn = Drawn(menu, 80, 5);
  EXPECT_NE(drawn.find("kind_1"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("kind_2"), std::string::npos) << drawn;
  EXPECT_EQ(Drawn(menu, 1, 2).empty(), false);
}

TEST(History, IsReadAndAppendedTo) {
  const std::string file = testing::TempDir() + "tensh_history_test";
  std::remove(file.c_str());
  History first(file);
  EXPECT_EQ(first.size(), 0u);
  for (const char* cell : {"one", "one", "", "  ", "two\n    lines\n\n    of it"}) first.Add(cell);
  History other(file);
  ASSERT_EQ(other.size(), 2u);
  EXPECT_EQ(other[1], "two\n    lines\n\n    of it");
  first.Add("three");  // two shells do not lose each other's cells
  other.Add("four");
  History last(file);
  ASSERT_EQ(last.size(), 4u);
  EXPECT_EQ(last.Find("o", last.size()), 3u);
  EXPECT_EQ(last.Find("o", 1), 0u);
  EXPECT_EQ(last.Find("none", last.size()), last.size());
  EXPECT_EQ(last.FindPrefix("t", 4), 2u);
  EXPECT_EQ(last.FindPrefix("t", 2), 1u);
  EXPECT_EQ(last.FindPrefix("three", 4), 4u);  // it must add something
  EXPECT_EQ(last.FindPrefixNewer("t", 2), 2u);
  std::remove(file.c_str());
}

TEST(History, LongFileIsShortened) {
  const std::string file = testing::TempDir() + "tensh_history_long";
  std::ofstream(file) << [] {
    std::string text;
    for (int i = 0; i < 6000; ++i) text += "line" + std::to_string(i) + "\n\tmore\n";
    return text;
  }();
  EXPECT_EQ(History(file).size(), 5000u);
  const History again(file);
  EXPECT_EQ(again[0], "line1000\nmore");
  EXPECT_EQ(again[again.size() - 1], "line5999\nmore");
  std::remove(file.c_str());
}

TEST(History, AFileThatCannotBeIsNone) {
  for (const char* file : {"", "/no/such/folder/file", "/dev/null", "/"}) {
    History history(file);
    history.Add("x");
    EXPECT_EQ(history.size(), 1u) << file;
  }
}

class Pipe {
 public:
  explicit Pipe(const std::string& text) {
    EXPECT_EQ(::pipe(ends_), 0);
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends_[1]);
  }
  ~Pipe() { ::close(ends_[0]); }
  int fd() const { return ends_[0]; }

 private:
  int ends_[2];
};

TEST(LineReader, LinesAndTheLastWithoutNewline) {
  const Pipe pipe("one\r\ntwo\n\nlast");
  LineReader reader(pipe.fd());
  std::string line;
  for (const char* want : {"one", "two", "", "last"}) {
    ASSERT_EQ(reader.Read("", &line), ReadEnd::kLine);
    EXPECT_EQ(line, want);
  }
  EXPECT_EQ(reader.Read("", &line), ReadEnd::kEof);
}

TEST(LineReader, CtrlCJustBeforeARead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  int checks = 0;  // Ctrl-C arrives between the first check and the wait
  LineReader reader(ends[0], [&checks] { return ++checks > 1; });
  std::string line;
  EXPECT_EQ(reader.Read("", &line), ReadEnd::kInterrupted);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(ReadAll, TextAndLimit) {
  std::string text;
  const Pipe small("abc");
  EXPECT_TRUE(ReadAll(small.fd(), 100, &text));
  EXPECT_EQ(text, "abc");
  const Pipe large(std::string(1000, 'x'));
  EXPECT_FALSE(ReadAll(large.fd(), 100, &text));
}

}  // namespace
}  // namespace tensh::shell
