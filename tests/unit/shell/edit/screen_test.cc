// The picture of a cell. On a small model of a terminal, the escape sequences between two pictures
// turn one into the other.
#include "shell/edit/screen.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "shell/text/grapheme.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

// A terminal that interprets the sequences that Render may use.
class Terminal {
 public:
  explicit Terminal(size_t columns) : columns_(columns) {}
  void Write(std::string_view text) {
    while (!text.empty()) {
      if (text[0] == '\033') {
        const size_t end = text.find_first_of("ABCJKmhlq", 2);
        Sequence(text.substr(2, end - 2), text[end]);
        text.remove_prefix(end + 1);
      } else if (text[0] == '\r') {
        column_ = 0;
        text.remove_prefix(1);
      } else if (text[0] == '\n') {
        ++row_;
        Line();
        text.remove_prefix(1);
      } else {
        const Grapheme next = FirstGrapheme(text);
        EXPECT_LE(column_ + next.columns, columns_) << "the terminal would break the row";
        Line().resize(std::max(Line().size(), column_ + next.columns), " ");
        Line()[column_] = std::string(text.substr(0, next.bytes));
        for (size_t i = 1; i < next.columns; ++i) Line()[column_ + i] = "";
        column_ += next.columns;
        text.remove_prefix(next.bytes);
      }
    }
  }
  // The rows without blanks at their ends, with the cursor as "^" before its column.
  std::string Text() {
    std::string out;
    for (size_t i = 0; i < std::max(rows_.size(), row_ + 1); ++i) {
      std::string line;
      if (i < rows_.size())
        for (const std::string& cell : rows_[i]) line += cell;
      while (line.ends_with(' ')) line.pop_back();
      out += line + "\n";
    }
    while (out.ends_with("\n\n")) out.pop_back();
    return out;
  }
  size_t row() const { return row_; }
  size_t column() const { return column_; }

 private:
  std::vector<std::string>& Line() {
    if (rows_.size() <= row_) rows_.resize(row_ + 1);
    return rows_[row_];
  }
  void Sequence(std::string_view number, char kind) {
    const size_t n =
        number.empty() ? 1 : static_cast<size_t>(std::atoi(std::string(number).c_str()));
    if (kind == 'A') {
      ASSERT_GE(row_, n);
      row_ -= n;
    } else if (kind == 'B') {
      row_ += n;
      ASSERT_LT(row_, rows_.size()) << "a movement does not scroll";
    } else if (kind == 'C') {
      column_ += n;
    } else if (kind == 'K' && Line().size() > column_) {
      Line().resize(column_);
    } else if (kind == 'J') {
      rows_.resize(std::min(rows_.size(), row_ + 1));
      if (Line().size() > column_) Line().resize(column_);
    }
  }

  size_t columns_;
  std::vector<std::vector<std::string>> rows_;
  size_t row_ = 0, column_ = 0;
};

std::string TextOf(const Screen& screen) {
  std::string out;
  for (const ScreenRow& row : screen.rows) {
    std::string line;
    for (const ScreenCell& cell : row) line += cell.text;
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  return out;
}

const Prompts kPrompts = PromptsOf(1);

TEST(Screen, LayOut) {
  struct Row {
    const char* text;
    size_t cursor, columns, rows;
    const char* want;
    size_t row, column;
  };
  const Row rows[] = {
      {"", 0, 80, 24, "[1]>\n", 0, 5},
      {"ab", 1, 80, 24, "[1]> ab\n", 0, 6},
      {"a\nbc", 4, 80, 24, "[1]> a\n...> bc\n", 1, 7},
      {"abcdefghijklmnopq", 17, 15, 24, "[1]> abcdefghij\n     klmnopq\n", 1, 12},
      {"abcdefghij", 10, 15, 24, "[1]> abcdefghij\n\n", 1, 5},  // the cursor needs a row
      {"日本語", 9, 10, 24, "[1]> 日本\n語\n", 1, 2},           // too narrow for an indentation
      {"a\nb\nc\nd", 7, 80, 2, "...> c\n...> d\n", 1, 6},       // the rows around the cursor
      {"a\nb\nc\nd", 0, 80, 2, "[1]> a\n...> b\n", 0, 5},
      {"\x01\xff", 2, 80, 24, "[1]> \\x01\\xff\n", 0, 13},
      {"a\tb", 3, 80, 24, "[1]> a  b\n", 0, 9},
      {"日", 3, 1, 1, "\n", 0, 0},  // a window of one character
  };
  for (const Row& row : rows) {
    const Screen screen =
        LayOut({.text = row.text, .cursor = row.cursor, .spans = {}, .ghost = {}, .below = {}},
               kPrompts, {row.columns, row.rows});
    EXPECT_EQ(TextOf(screen), row.want) << row.text;
    EXPECT_EQ(screen.cursor_row, row.row) << row.text;
    EXPECT_EQ(screen.cursor_column, row.column) << row.text;
    EXPECT_LE(screen.rows.size(), row.rows) << row.text;
  }
}

TEST(Screen, BelowTheText) {
  const std::vector<StyledLine> below = {{{Role::kItem, "one"}}, {{Role::kNote, "two"}}};
  const Screen screen =
      LayOut({.text = "a\nb\nc", .cursor = 5, .spans = {}, .ghost = "hi", .below = below}, kPrompts,
             {80, 4});
  EXPECT_EQ(TextOf(screen), "...> b\n...> chi\none\ntwo\n");
  EXPECT_EQ(screen.cursor_row, 1u);
}

TEST(Screen, ColorsOnlyWithAPalette) {
  const EditorView view{
      .text = "if x", .cursor = 4, .spans = {{0, 2, Role::kKeyword}}, .ghost = {}, .below = {}};
  const Screen screen = LayOut(view, kPrompts, {80, 24});
  EXPECT_EQ(Render({}, screen, Palette()), "[1]> if x");
  const std::string colored = Render({}, screen, Palette("dark", ColorDepth::k16));
  EXPECT_NE(colored.find("\033[35mif\033[0m x"), std::string::npos) << colored;
}

// A small generator, so that the pictures are the same in every run.
class Random {
 public:
  size_t Below(size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state_ >> 33) % n;
  }

 private:
  uint64_t state_ = 42;
};

// A typed character costs one byte.
TEST(Screen, TypingAtTheEnd) {
  EditorView view{.text = "a", .cursor = 1, .spans = {}, .ghost = {}, .below = {}};
  const Screen before = LayOut(view, kPrompts, {80, 24});
  view.text = "ab";
  view.cursor = 2;
  EXPECT_EQ(Render(before, LayOut(view, kPrompts, {80, 24}), Palette()), "b");
}

TEST(Screen, RenderLeadsFromOnePictureToTheNext) {
  const char* const parts[] = {"a",    "word ",     "\n", "日", "e\xCC\x81", "\xF0\x9F\x91\x8D",
                               "\x01", "0123456789"};
  Random random;
  for (int round = 0; round < 300; ++round) {
    const ScreenSize size{6 + random.Below(20), 1 + random.Below(6)};
    Terminal terminal(size.columns);
    Screen shown;
    for (int step = 0; step < 8; ++step) {
      std::string text;
      for (size_t n = random.Below(14); n > 0; --n) text += parts[random.Below(std::size(parts))];
      size_t cursor = 0;
      for (size_t n = random.Below(10); n > 0; --n) cursor = GraphemeAfter(text, cursor);
      EditorView view{.text = text, .cursor = cursor, .spans = {}, .ghost = {}, .below = {}};
      if (random.Below(3) == 0) view.below.push_back({{Role::kNote, "menu"}});
      const Screen now = LayOut(view, kPrompts, size);
      terminal.Write(Render(shown, now, Palette("dark", ColorDepth::kTrue)));
      std::string want = TextOf(now);
      while (want.ends_with("\n\n")) want.pop_back();
      ASSERT_EQ(terminal.Text(), want) << testing::PrintToString(text);
      ASSERT_EQ(terminal.row(), now.cursor_row);
      ASSERT_EQ(terminal.column(), now.cursor_column);
      shown = now;
    }
  }
}

TEST(Screen, FinalPictureIsWhole) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += (i > 0 ? "\nline" : "line") + std::to_string(i);
  EditorView view{.text = text, .cursor = text.size(), .spans = {}, .ghost = {}, .below = {}};
  const Screen shown = LayOut(view, kPrompts, {80, 10});
  EXPECT_EQ(shown.rows.size(), 10u);
  Terminal terminal(80);
  terminal.Write(Render({}, shown, Palette()));
  terminal.Write(RenderFinal(shown, view, kPrompts, 80, Palette()));
  const std::string all = terminal.Text();
  for (int i = 0; i < 50; ++i)
    EXPECT_NE(all.find("> line" + std::to_string(i) + "\n"), std::string::npos) << i;
  EXPECT_EQ(terminal.row(), 50u);
  EXPECT_EQ(terminal.column(), 0u);
}

// Drawing a large paste costs no more than drawing a window of it.
TEST(Screen, LargeText) {
  const std::string text(50 << 20, 'x');
  const Screen screen =
      LayOut({.text = text, .cursor = text.size(), .spans = {}, .ghost = {}, .below = {}}, kPrompts,
             {80, 24});
  EXPECT_EQ(screen.rows.size(), 24u);
}

TEST(Screen, ClearAfterResizeCountsBrokenRows) {
  EditorView view{.text = "0123456789\nabc", .cursor = 14, .spans = {}, .ghost = {}, .below = {}};
  const Screen shown = LayOut(view, kPrompts, {80, 24});
  EXPECT_EQ(ClearAfterResize(shown, 40), "\033[1A\r\033[J");
  EXPECT_EQ(ClearAfterResize(shown, 10), "\033[2A\r\033[J");  // the first row takes two
}

}  // namespace
}  // namespace tensh::shell
