// The line editor as a whole: typed bytes in, lines out. The editor reads from a pipe, so it edits
// without a terminal's mode; what it draws is dropped.
#include "shell/edit/editor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace tensh::shell {
namespace {

constexpr const char* kUp = "\033[A";
constexpr const char* kDown = "\033[B";
constexpr const char* kLeft = "\033[D";

// Completes the last word of the text from this list.
Completion FromList(std::string_view before) {
  Completion found;
  const size_t space = before.find_last_of(" .");
  found.from = space == std::string_view::npos ? 0 : space + 1;
  for (const char* name : {"explain", "exit", "placeholder", "place", "\xC3\xA9t\xC3\xA9"})
    if (std::string_view(name).starts_with(before.substr(found.from)))
      found.candidates.emplace_back(name);
  return found;
}

// Returns the lines that the editor reads until the input ends, joined by "|", and what ended it.
std::string Edited(const std::string& bytes, std::string* screen = nullptr) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  testing::internal::CaptureStdout();
  std::string text;
  {
    Editor editor(ends[0], "", FromList, [] { return false; });
    std::string line;
    ReadEnd end;
    while ((end = editor.Read(">>> ", &line)) == ReadEnd::kLine) text += line + "|";
    if (end == ReadEnd::kInterrupted) text += "interrupted";
  }
  ::close(ends[0]);
  const std::string drawn = testing::internal::GetCapturedStdout();
  if (screen) *screen = drawn;
  return text;
}

struct Row {
  std::string bytes;
  const char* want;
};
void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    EXPECT_EQ(Edited(row.bytes), row.want) << testing::PrintToString(row.bytes);
}

TEST(Editor, LinesAndMovement) {
  const std::string left = kLeft;
  Check({
      {"a\r", "a|"},
      {"a\nb\r", "a|b|"},
      {"a\r\r", "a||"},
      {"unfinished", ""},
      {"ac" + left + "b\r", "abc|"},
      {"bc\001a\005d\r", "abcd|"},
      {"abc\x02\x02\x06X\r", "abXc|"},
      {"one two\x17three\r", "one three|"},
      {"one two\x17\x19\x19\r", "one twotwo|"},
      {"abc\x02\x0b\x01\x19\r", "cab|"},
      {"abc\x02\x15\r", "c|"},
      {"ab\x7f\x08z\r", "z|"},
      {"ab\033[1~\033[3~\r", "b|"},
      {"one two\033b!\r", "one !two|"},
      {"one two\x01\033f!\r", "one! two|"},
      {"one two\033\x7fx\r", "one x|"},
      {"e\xCC\x81x" + left + "\x7f\r", "x|"},  // a letter and its accent are one
      {"a\033[99~b\033[200x\037c\r", "abc|"},  // keys that do not exist
      {"ab\014c\r", "abc|"},                   // clearing the screen keeps the line
  });
}

TEST(Editor, EndsAndInterrupts) {
  Check({
      {"\x04", ""},
      {"ab\x01\x04\r", "b|"},  // in a line, Ctrl-D deletes
      {"ab\x04\r", "ab|"},
      {"a\rbc\003d\r", "a|interrupted"},
  });
}

TEST(Editor, History) {
  const std::string up = kUp, down = kDown;
  Check({
      {"a\rb\r" + up + "\r", "a|b|b|"},
      {"a\rb\r" + up + up + "\r", "a|b|a|"},
      {"a\rb\r" + up + up + up + "\r", "a|b|a|"},  // nothing is before the first line
      {"a\rdraft" + up + down + "\r", "a|draft|"},
      {"a\rdraft" + down + "\r", "a|draft|"},
      {"a\r" + up + "b\r" + up + "\r", "a|ab|ab|"},
      {"a\ra\r\rb\r" + up + up + "\r", "a|a||b|a|"},  // repeated and empty lines are skipped
      {"a\rb\r\x10\x10\x0e\r", "a|b|b|"},
  });
}

TEST(Editor, Search) {
  const std::string lines = "one a\rtwo a\rthree b\r";
  const std::string seen = "one a|two a|three b|";
  struct SearchRow {
    std::string keys;
    std::string want;
  };
  const SearchRow rows[] = {
      {"\022a\r", "two a|"},
      {"\022a\x12\r", "one a|"},
      {"\022a\x12\x12\r", "one a|"},  // no earlier one: the match stays
      {"\022o a\r", "two a|"},
      {"\022e \r", "three b|"},  // a longer query may still match the same line
      {"\022oneX\x7f\r", "one a|"},
      {"\022zzz\r", "|"},               // nothing contains it
      {"\022thr\x05!\r", "three b!|"},  // any other key continues with the match
  };
  for (const SearchRow& row : rows)
    EXPECT_EQ(Edited(lines + row.keys), seen + row.want) << testing::PrintToString(row.keys);
}

TEST(Editor, Completion) {
  Check({
      {"expl\t\r", "explain|"},
      {"ex\t\r", "ex|"},     // explain and exit
      {"pl\t\r", "place|"},  // the common part
      {"run pl\tx\r", "run placex|"},
      {"tf.expl\t\r", "tf.explain|"},
      {"zzz\t\r", "zzz|"},
      {"\tx\r", "    x|"},  // at the start of a line, Tab indents
      {"  \tx\r", "    x|"},
      {"    \tx\r", "        x|"},
      {"\xC3\xA9\t\r", "\xC3\xA9t\xC3\xA9|"},
  });
  std::string screen;
  Edited("ex\t", &screen);
  EXPECT_NE(screen.find("explain  exit"), std::string::npos) << screen;
}

TEST(Editor, PastedText) {
  const std::string on = "\033[200~", off = "\033[201~";
  Check({
      {on + "if x:\n\ty\n" + off + "\r", "if x:|    y||"},
      {on + "a\tb" + off + "\r", "a\tb|"},  // not completed
      {on + ">>> a = 1\n>>> a\n1\n" + off, "a = 1|a||"},
      {on + ">>> for i in x:\n...   i\n...\n0\n" + off + "b\r", "for i in x:|  i|||b|"},
      {on + "a > b\n" + off, "a > b|"},
      {on + ">>>x\n" + off, ">>>x|"},  // no prompt
  });
}

TEST(Editor, OnlyForTerminals) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(Editor::Works(ends[0]));
  ::close(ends[0]);
  ::close(ends[1]);
}

// A line that is longer than the screen is drawn around the cursor, and whole when it is finished.
TEST(Editor, LongLines) {
  std::string screen;
  const std::string line = std::string(100, 'a') + "b";
  EXPECT_EQ(Edited(line + "\r", &screen), line + "|");
  EXPECT_NE(screen.find("\r>>> " + line), std::string::npos);
}

}  // namespace
}  // namespace tensh::shell
