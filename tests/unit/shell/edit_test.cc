#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "shell/edit/keys.h"
#include "shell/edit/line_buffer.h"
#include "shell/edit/line_reader.h"

namespace tensh::shell {
namespace {

// One letter a key: l r h e b d k u w y, < and > by words, anything else is typed. The cursor shows
// as "|".
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
      {"e\xCC\x81x", "hd", "|x"},  // e with an accent is one
      {"xe\xCC\x81", "b", "x|"},
      {"\xff\xfe", "lb", "|\xfe"},  // what is no UTF-8 goes byte by byte
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
      {"\033", Key::kUnknown, ""},
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
