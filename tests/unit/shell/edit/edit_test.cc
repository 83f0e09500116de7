#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "shell/edit/completion.h"
#include "shell/edit/history.h"
#include "shell/edit/keys.h"
#include "shell/edit/line_buffer.h"
#include "shell/edit/line_reader.h"

namespace tensh::shell {
namespace {

// Each letter of `keys` is a key: l r h e b d k u w y, < and > for words; other characters are
// typed. The result shows the cursor as "|".
std::string Edit(const std::string& typed, const std::string& keys) {
  LineBuffer line;
  line.Insert(typed);
  for (const char key : keys) {
    switch (key) {
      case 'l':
        line.Left();
        break;
      case 'r':
        line.Right();
        break;
      case 'h':
        line.Home();
        break;
      case 'e':
        line.End();
        break;
      case 'b':
        line.Backspace();
        break;
      case 'd':
        line.Delete();
        break;
      case 'k':
        line.KillToEnd();
        break;
      case 'u':
        line.KillToStart();
        break;
      case 'w':
        line.KillWord();
        break;
      case 'y':
        line.Yank();
        break;
      case '<':
        line.WordLeft();
        break;
      case '>':
        line.WordRight();
        break;
      default:
        line.Insert(std::string(1, key));
    }
  }
  std::string text = line.text();
  return text.insert(line.cursor(), "|");
}

TEST(LineBuffer, Keys) {
  struct Row {
    const char* typed;
    const char* keys;
    const char* want;
  };
  const Row rows[] = {
      {"", "lbrdkuwy<>", "|"},
      {"abc", "lX", "abX|c"},
      {"abc", "hd", "|bc"},
      {"abc", "b", "ab|"},
      {"a b_c + d", "<<", "a |b_c + d"},
      {"a b_c", "h>>", "a b_c|"},
      {"one two", "wy", "one two|"},
      {"one two", "lllkhy", "two|one "},
      {"日本", "lb", "|本"},
      {"e\xCC\x81x", "hd", "|x"},  // e with a combining accent is one character
      {"xe\xCC\x81", "b", "x|"},
      {"\xff\xfe", "lb", "|\xfe"},  // invalid UTF-8 is handled byte by byte
  };
  for (const Row& row : rows)
    EXPECT_EQ(Edit(row.typed, row.keys), row.want) << row.typed << " " << row.keys;
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

TEST(Keys, Decoded) {
  struct Row {
    const char* bytes;
    Key key;
    const char* text;
  };
  const Row rows[] = {
      {"a", Key::kText, "a"},
      {"é", Key::kText, "é"},
      {"日", Key::kText, "日"},
      {"\r", Key::kEnter, ""},
      {"\x04", Key::kEof, ""},
      {"\033[A", Key::kUp, ""},
      {"\033OB", Key::kDown, ""},
      {"\033[3~", Key::kDelete, ""},
      {"\033[1;5D", Key::kWordLeft, ""},
      {"\033[200~", Key::kUnknown, ""},
      {"\033", Key::kEscape, ""},
      {"\x12", Key::kSearch, ""},
      {"\033[", Key::kUnknown, ""},
      {"\x1f", Key::kUnknown, ""},
      {"", Key::kClosed, ""},
  };
  for (const Row& row : rows) {
    const Pipe pipe(row.bytes);
    KeyReader keys(pipe.fd());
    std::string text;
    EXPECT_EQ(keys.Next(&text), row.key) << row.bytes;
    EXPECT_EQ(text, row.text) << row.bytes;
  }
}

TEST(Keys, CtrlCWhileNobodyReadIsNotLost) {
  const Pipe pipe("typed after");
  bool came = true;
  KeyReader keys(pipe.fd(), [&] { return came; });
  std::string text;
  EXPECT_EQ(keys.Next(&text), Key::kInterrupted);
  came = false;
  EXPECT_EQ(keys.Next(&text), Key::kText);
  EXPECT_EQ(text, "t");
}

TEST(Keys, WhatIsPastedIsMarked) {
  const Pipe pipe("\033[200~a\tb\033[201~c");
  KeyReader keys(pipe.fd());
  std::string text, seen;
  for (Key key = keys.Next(&text); key != Key::kClosed; key = keys.Next(&text))
    if (key != Key::kUnknown)
      seen += (key == Key::kTab ? "T" : text) + (keys.pasting() ? "+" : "-");
  EXPECT_EQ(seen, "a+T+b+c-");
}

TEST(Completion, CommonPrefixKeepsCharactersWhole) {
  EXPECT_EQ(CommonPrefix({}), "");
  EXPECT_EQ(CommonPrefix({"relu"}), "relu");
  EXPECT_EQ(CommonPrefix({"relu", "relu6", "reverse"}), "re");
  EXPECT_EQ(CommonPrefix({"a\xC3\xA9", "a\xC3\xA8"}), "a");  // é and è share a byte
}

TEST(Completion, ListFillsColumnsAndSaysWhatIsLeftOut) {
  EXPECT_EQ(CandidateList({"a", "bb", "c"}, 80, 5), "a   bb  c\n");
  EXPECT_EQ(CandidateList({"aa", "bb", "cc", "dd"}, 6, 5), "aa  cc\nbb  dd\n");
  EXPECT_EQ(CandidateList({"a", "b", "c", "d"}, 1, 3), "a\nb\n… and 2 more\n");
  EXPECT_EQ(CandidateList({"toolong"}, 4, 3), "too…\n");
}

TEST(History, IsReadAndAppendedTo) {
  const std::string file = testing::TempDir() + "tensh_history_test";
  std::remove(file.c_str());
  History first(file);
  EXPECT_EQ(first.size(), 0u);
  for (const char* line : {"one", "one", "", "  ", "two"}) first.Add(line);
  History other(file);
  ASSERT_EQ(other.size(), 2u);
  EXPECT_EQ(other[1], "two");
  first.Add("three");  // two shells do not lose each other's lines
  other.Add("four");
  History last(file);
  ASSERT_EQ(last.size(), 4u);
  EXPECT_EQ(last.Find("o", last.size()), 3u);
  EXPECT_EQ(last.Find("o", 1), 0u);
  EXPECT_EQ(last.Find("none", last.size()), last.size());
  std::remove(file.c_str());
}

TEST(History, LongFileIsShortened) {
  const std::string file = testing::TempDir() + "tensh_history_long";
  std::ofstream(file) << [] {
    std::string text;
    for (int i = 0; i < 6000; ++i) text += "line" + std::to_string(i) + "\n";
    return text;
  }();
  EXPECT_EQ(History(file).size(), 5000u);
  const History again(file);
  EXPECT_EQ(again[0], "line1000");
  EXPECT_EQ(again[again.size() - 1], "line5999");
  std::remove(file.c_str());
}

TEST(History, AFileThatCannotBeIsNone) {
  for (const char* file : {"", "/no/such/folder/file", "/dev/null", "/"}) {
    History history(file);
    history.Add("x");
    EXPECT_EQ(history.size(), 1u) << file;
  }
}

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
