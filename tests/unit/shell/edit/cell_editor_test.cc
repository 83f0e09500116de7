// The editor without a terminal: typed bytes in, cells out.
#include "shell/edit/cell_editor.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "shell/edit/code_tokens.h"

namespace tensh::shell {
namespace {

constexpr const char *kUp = "\033[A", *kDown = "\033[B", *kRight = "\033[C", *kLeft = "\033[D";
constexpr const char *kOn = "\033[200~", *kOff = "\033[201~";

// Completes the last word of the text from this list.
Completion FromList(std::string_view before) {
  Completion found;
  const size_t space = before.find_last_of(" .");
  found.from = space == std::string_view::npos ? 0 : space + 1;
  for (const char* name : {"explain", "exit", "placeholder", "place", "\xC3\xA9t\xC3\xA9"})
    if (std::string_view(name).starts_with(before.substr(found.from)))
      found.candidates.emplace_back(name);
  found.describe = [](const std::string& name) { return "about " + name; };
  return found;
}

// Like the language: incomplete while a bracket is open, or while the last line of a block is not
// empty.
CellState StateOf(std::string_view text) {
  const CodePlace place = PlaceAtEnd(text);
  if (!place.open.empty() || place.triple) return CellState::kIncomplete;
  if (text.ends_with('\n')) text.remove_suffix(1);
  const size_t newline = text.rfind('\n');
  if (newline == text.npos) return CellState::kComplete;
  const std::string_view last = text.substr(newline + 1);
  const bool blank = last.find_first_not_of(" \t") == last.npos;
  const bool block = text.find(":\n") != text.npos;
  const bool indented = !blank && (last[0] == ' ' || last[0] == '\t');
  return block && indented ? CellState::kIncomplete : CellState::kComplete;
}

// Returns the cells that run, each followed by "|", and how the input ends.
struct Played {
  std::string cells;
  std::string text;  // Of the last cell, with the cursor as "^".
  EditorView view;
};
class Player {
 public:
  explicit Player(bool vi = false)
      : editor_("", {.complete = FromList, .state = StateOf, .highlight = {}}), vi_(vi) {
    editor_.Start(vi);
    decoder_.set_vi(vi);
  }
  Player& Play(const std::string& bytes) {
    using Outcome = CellEditor::Outcome;
    decoder_.Feed(bytes);
    while (const auto press = decoder_.Next(true)) {
      switch (editor_.Handle(*press)) {
        case Outcome::kRun:
          cells_ += editor_.Finish() + "|";
          editor_.Start(vi_);
          break;
        case Outcome::kEof:
          cells_ += "eof";
          break;
        case Outcome::kInterrupted:
          cells_ += "interrupted";
          break;
        case Outcome::kSuspend:
          cells_ += "suspend";
          break;
        case Outcome::kExternalEditor:
          editor_.SetText("edited\n");
          break;
        default:
          break;
      }
    }
    return *this;
  }
  const std::string& cells() const { return cells_; }
  std::string text() {
    const EditorView view = editor_.View(80, 24, true);
    std::string text(view.text);
    return text.insert(view.cursor, "^");
  }
  EditorView View() { return editor_.View(80, 24, true); }

 private:
  CellEditor editor_;
  KeyDecoder decoder_;
  bool vi_;
  std::string cells_;
};

struct Row {
  std::string bytes;
  const char* want;
};
void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    EXPECT_EQ(Player().Play(row.bytes).cells(), row.want) << testing::PrintToString(row.bytes);
}
// The text with its cursor after the keys.
void CheckText(const std::vector<Row>& rows, bool vi = false) {
  for (const Row& row : rows)
    EXPECT_EQ(Player(vi).Play(row.bytes).text(), row.want) << testing::PrintToString(row.bytes);
}

TEST(CellEditor, LinesAndMovement) {
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
      {"tf.nn.relu(x\033\x7f\033\x7fy\r", "tf.nn.y|"},  // by words, not by blanks
      {"e\xCC\x81x" + left + "\x7f\r", "x|"},           // a letter and its accent are one
      {"\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9z" + left + "\x7f\r", "z|"},  // a family
      {"a\033[99~b\033[200x\037c\r", "ac|"},  // keys that do not exist, and an undo of "b"
      {"ab\014c\r", "abc|"},                  // clearing the screen keeps the line
      {"\x04", "eof"},
      {"ab\x01\x04\r", "b|"},  // in a line, Ctrl-D deletes
      {"a\rbc\003", "a|interrupted"},
      {"a\x1a", "suspend"},
      {"a\x18\x05\r", "edited|"},
  });
}

TEST(CellEditor, UndoAndCuts) {
  CheckText({
      {"one two three\x1f", "one two ^"},
      {"one two three\x1f\x1f\x1f\x1f", "^"},
      {"one two\x1f\033_", "one two^"},
      {"one two\x1f"
       "x\033_",
       "one x^"},                       // a change forgets what was undone
      {"a b c\x17\x17\x19", "a b c^"},  // consecutive cuts are one
      {"a b\x17\x01\x19\x05\x15\x19\033y", "b^"},
      {"abc\x14", "acb^"},
      {"abc\x02\x14", "acb^"},
      {"one two\x01\033d\033d\x19", "one two^"},
      {"x y\x01\x0b\x19\x19", "x yx y^"},
  });
}

TEST(CellEditor, LinesOfACell) {
  const std::string up = kUp, down = kDown;
  CheckText({
      {"def f():\r", "def f():\n    ^"},
      {"def f():\rif x:\r", "def f():\n    if x:\n        ^"},
      {"def f():\rif x:\rreturn 1\r", "def f():\n    if x:\n        return 1\n    ^"},
      {"if x:\ra\relse:", "if x:\n    a\nelse:^"},
      {"if x:\rif y:\ra\r\x7f"
       "else:",
       "if x:\n    if y:\n        a\n    else:^"},
      {"f(a,\r", "f(a,\n    ^"},
      {"f(a,\r"
       "b)\r",
       "^"},  // complete
      {"x = \"\"\"a\r", "x = \"\"\"a\n^"},
      {"ab\033\rcd" + up + "X", "abX^\ncd"},
      {"ab\033\rc" + up + "X" + down + "Y", "aXb\ncY^"},
      {"abc\033\r\033\rabc" + up + up, "abc^\n\nabc"},  // the column is kept
      {"if x:\r\x7f"
       "a",
       "if x:\na^"},
      {"if x:\r  a", "if x:\n  a^"},  // typed blanks replace the automatic ones
      {"if x:\r    a\r    b", "if x:\n    a\n    b^"},
      {"if x:\r        a", "if x:\n        a^"},
      {"if x:\ra\x01\x01", "if x:\n^    a"},
      {"if x:\ra\x01", "if x:\n    ^a"},
      {"\tx", "    x^"},
  });
  Check({
      {"def f():\rreturn 1\r\r", "def f():\n    return 1|"},
      {"if x:\r\r\ry\r", ""},  // no block yet
      {"if x:\ra\relse:\rb\r\rc\r", "if x:\n    a\nelse:\n    b|c|"},
      {"ab\033\rcd" + up + "\r", ""},  // a line is added in the middle
      {"x = [\r1,\r2]\r", "x = [\n    1,\n    2]|"},
      {"def f(): return 1\r", "def f(): return 1|"},
      {"if x:\ra\r\x04", "if x:\n    a|"},  // Ctrl-D ends the block
  });
}

TEST(CellEditor, History) {
  const std::string up = kUp, down = kDown;
  Check({
      {"a\rb\r" + up + "\r", "a|b|b|"},
      {"a\rb\r" + up + up + "\r", "a|b|a|"},
      {"a\rb\r" + up + up + up + "\r", "a|b|a|"},  // nothing is before the first cell
      {"a\rdraft" + up + down + "\r", "a|draft|"},
      {"a\rdraft" + down + "\r", "a|draft|"},
      {"a\r" + up + "b\r" + up + "\r", "a|ab|ab|"},
      {"a\ra\r\rb\r" + up + up + "\r", "a|a||b|a|"},  // repeated and empty cells are skipped
      {"a\rb\r\x10\x10\x0e\r", "a|b|b|"},
      {"one\rtwo\rthree\rt" + up + up + "\r", "one|two|three|two|"},  // cells with this beginning
      {"one\rtwo\ro" + up + up + down + "x\r", "one|two|ox|"},
      // A cell is recalled as a whole, and runs from any line.
      {"if x:\ra\r\r" + up + "\r", "if x:\n    a|if x:\n    a|"},
      {"if x:\ra\r\r" + up + up + "y\r", "if x:\n    a|if x:y\n    a|"},
      {"a\rif x:\rb\r\r" + up + up + up + "\r", "a|if x:\n    b|a|"},
      {"a\rif x:\rb\r\r\033[1;5A\033[1;5A\r", "a|if x:\n    b|a|"},
  });
}

TEST(CellEditor, Search) {
  const std::string lines = "one a\rtwo a\rthree b\r";
  const std::string seen = "one a|two a|three b|";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"\022a\r", "two a|"},
      {"\022a\x12\r", "one a|"},
      {"\022a\x12\x12\r", "one a|"},  // no earlier one: the match stays
      {"\022a\x12\x13\r", "two a|"},
      {"\022o a\r", "two a|"},
      {"\022e \r", "three b|"},  // a longer query may still match the same cell
      {"\022oneX\x7f\r", "one a|"},
      {"\022zzz\r", "|"},               // nothing contains it
      {"\022thr\x05!\r", "three b!|"},  // any other key continues with the match
      {"mine\022one\x07!\r", "mine!|"},
      {"mine\022one\033\033!\r", "mine|"},
  };
  for (const auto& [keys, want] : rows)
    EXPECT_EQ(Player().Play(lines + keys).cells(), seen + want) << testing::PrintToString(keys);
}

TEST(CellEditor, SuggestionsAndArguments) {
  const std::string right = kRight;
  CheckText({
      {"hello world\rhe" + right, "hello world^"},
      {"hello world\rhe\x05", "hello world^"},
      {"hello world\rhe\033[1;5C", "hello^"},
      {"hello world\rhe\x02" + right, "he^"},  // only at the end
      {"eval y feed x=[1, 2]\r\033.", "x=[1, 2]^"},
      {"first one\rsecond two\rf \033.\033.", "f one^"},
      {"a b\r\033.c", "bc^"},
  });
  Player player;
  player.Play("hello world\rhe");
  EXPECT_EQ(player.View().ghost, "llo world");
}

TEST(CellEditor, Completion) {
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
      {"ex\t\t\r\r", "explain|"},  // the first of the menu
      {"ex\t\t\t\r\r", "exit|"},
      {"ex\t\033[B\033[B\033[A\r\r", "explain|"},
      {"ex\t\t\t\t\r\r", "explain|"},  // around the end
      {"ex\ti\t\r\r", "exit|"},        // filtered
      {"ex\t\t i\r", "explain i|"},    // another character accepts
      {"ex\t\t\x07\r", "ex|"},
      {"ex\tzz\r", "exzz|"},
  });
  Player player;
  player.Play("ex\t\t");
  const EditorView view = player.View();
  ASSERT_EQ(view.below.size(), 2u);
  EXPECT_EQ(view.below[0][0].text + view.below[0][1].text, ">explain");
  EXPECT_EQ(view.below[1][0].text, " 1/2  explain  about explain");
}

TEST(CellEditor, Pastes) {
  const std::string on = kOn, off = kOff;
  Check({
      {on + "def f(x):\n    y = x\n\n    return y\nprint(f(3))\n" + off,
       "def f(x):\n    y = x\n\n    return y\nprint(f(3))|"},
      {on + "a\nb" + off, ""},  // no line end: to be looked at
      {on + "a\nb" + off + "\r", "a\nb|"},
      {on + "if x:\n\ty\n" + off, ""},  // the block may continue
      {on + "if x:\n\ty\n" + off + "\r", "if x:\n\ty|"},
      {on + "a\tb" + off + "\r", "a\tb|"},  // not completed
      {on + ">>> a = 1\n>>> a\n1\n" + off, "a = 1\na|"},
      {on + ">>> for i in x:\n...   i\n...\n0\n" + off + "b\r", "for i in x:\n  i|b|"},
      {on + "In [1]: def f():\n   ...:     b\n\n   ...:     c\nIn [2]: f()\n" + off,
       "def f():\n    b\n    c\nf()|"},  // a line without a prompt
      {on + "a > b\n" + off, "a > b|"},
      {on + ">>>x\n" + off, ">>>x|"},  // no prompt
      {"f(" + on + "1,\n2" + off + ")\r", "f(1,\n2)|"},
      {on + "    x = 1\n    y = 2\n" + off, "x = 1\ny = 2|"},
  });
  CheckText({{on + "a\nb" + off, "a\nb^"}, {on + "x\n" + off + on + "y" + off + "\x1f", "^"}});
}

TEST(CellEditor, ViMode) {
  const std::string e = "\033";
  CheckText(
      {
          {"one two" + e + "x", "one t^w"},
          {"one two" + e + "0x", "^ne two"},
          {"one two" + e + "0dw", "^two"},
          {"one two three" + e + "02dw", "^three"},
          {"one two" + e + "bcwX", "one X^"},
          {"one two" + e + "0ftx", "one ^wo"},
          {"one two" + e + "0dtw", "^wo"},
          {"one two" + e + "$hD", "one ^t"},
          {"one two" + e + "dd", "^"},
          {"one" + e + "yyp", "one\n^one"},
          {"one" + e + "oX" + e + "ddp", "one\n^X"},
          {"one" + e + "oX" + e + "ggddp", "X\n^one"},
          {"one" + e + "xu", "on^e"},
          {"one" + e + "rX", "on^X"},
          {"one" + e + "IX" + e + "AY", "XoneY^"},
          {"one" + e + "oX", "one\nX^"},
          {"one" + e + "hOX", "X^\none"},
          {"one two" + e + "0wi" + e + "0eaX", "oneX^ two"},
          {"a.b c" + e + "0wx", "a^b c"},
          {"abc" + e + "v", "edited^"},
          {"one" + e + "5x", "o^n"},
          {"one\r" + e + "kA+2", "one+2^"},  // what is typed ahead of the screen
          {"a.b c d" + e + "0Wx", "a.b ^ d"},
          {"a.b c" + e + "0dE", "^ c"},
          {"a b.c" + e + "$BD", "a^ "},
          {"abc" + e + "0~~", "AB^c"},
          {"f(ab)" + e + "0f(%x", "f(a^b"},
          {"a b a b" + e + "0fb;,x", "a ^ a b"},
          {"one" + e + "0Y$p", "oneon^e"},
      },
      true);
}

// The rows without a line break have the results of bash.
TEST(CellEditor, ViRepeatsChanges) {
  const std::string e = "\033";
  CheckText(
      {
          {"abc def" + e + ".", "abc deabc de^ff"},
          {"one two" + e + "bcwX" + e + "0.", "^X X"},
          {"a b c d e" + e + "0dw..", "^d e"},
          {"a b c d e" + e + "02dw.", "^e"},
          {"a b c d e" + e + "0dw3.", "^e"},
          {"abc" + e + "ax" + e + "..", "abcxx^x"},
          {"abc" + e + "3ix" + e, "abxx^xc"},
          {"abc" + e + "02iX" + e + ".", "XX^XXabc"},
          {"x(a) y(b)" + e + "0lci(z" + e + "$.", "x(z) y(^z)"},
          {"abcdef" + e + "0RXY" + e + "l.", "XYX^Yef"},
          {"abcdef" + e + "0RXY\x7fZ" + e, "X^Zcdef"},
          {"abcdef" + e + "0RXY\x7f\x7f" + e, "^abcdef"},
          {"a" + e + "ob" + e + ".", "a\nb\n^b"},
          {"a" + e + "2ob" + e, "a\nb\n^b"},
          {"a b" + e + "x0u.", "a^ "},                    // u is no change
          {"a b c" + e + "0dwyw.", "^c"},                 // neither is y
          {"ab" + e + "0iX" + e + "\r" + e + ".", "^X"},  // in the next cell
          {"ab" + e + "0iX\r" + e + ".", "^X"},           // without an Esc
      },
      true);
}

TEST(CellEditor, ViTextObjects) {
  const std::string e = "\033";
  CheckText(
      {
          {"one two three" + e + "bbldiw", "one ^ three"},
          {"one two three" + e + "bbldaw", "one ^three"},
          {"one two" + e + "daw", "on^e"},
          {"one two three" + e + "02daw", "^three"},
          {"a.b c" + e + "0daW", "^c"},
          {"one  two" + e + "04ldiw", "one^two"},
          {"f(\"a b\", 'c')" + e + "04lci\"X", "f(\"X^\", 'c')"},
          {"f(\"a b\", 'c')" + e + "0ci'X", "f(\"a b\", 'X^')"},  // the next string
          {"f(\"a\\\"b\")" + e + "04ldi\"", "f(\"^\")"},
          {"f(\"a b\" , c)" + e + "04lda\"", "f(^, c)"},
          {"f(a, g(b))" + e + "07ldi(", "f(a, g(^))"},
          {"f(a, g(b))" + e + "07l2dib", "f(^)"},
          {"f(a, g(b))" + e + "0fadab", "^f"},
          {"f(a)" + e + "di)", "f(^)"},
          {"f(a)" + e + "0di(", "^f(a)"},  // not in brackets
          {"f()" + e + "0lci(x", "f(x^)"},
          {"x[a][b]" + e + "0fbci[0", "x[a][0^]"},
          {"d = {a: {}}" + e + "0fada{", "d =^ "},
          {"a<b>" + e + "hyi<P", "a<^bb>"},
          {"one two" + e + "0gUiw", "^ONE two"},
          {"one two" + e + "0g~~", "^ONE TWO"},
          {"ONE" + e + "guu", "^one"},
          {"\xC3\xA9t\xC3\xA9 x" + e + "0ex", "\xC3\xA9t^ x"},
      },
      true);
}

TEST(CellEditor, ViOperatorsAndCounts) {
  const std::string e = "\033", up = "\033[A";
  CheckText(
      {
          {"abc" + e + "xxp", "a^b"},  // cuts do not join
          {"abc" + e + "0xp", "b^ac"},
          {"abc" + e + "03rX", "XX^X"},
          {"abc" + e + "04rX", "^abc"},
          {"abc" + e + "r\xC3\xA9", "ab^\xC3\xA9"},
          {"a b\xC3\xA9 c" + e + "0f\xC3\xA9x", "a b^ c"},
          {"abc" + e + "2X", "^c"},
          {"abcd" + e + "02sX", "X^cd"},
          {"ab" + e + "x3p", "abb^b"},
          {"a b c d e f" + e + "02d2w", "^e f"},
          {"foo(a, b)" + e + "d%", "fo^o"},
          {"foo(a, b)" + e + "0d%", "^"},
          {"a b a b" + e + "0tb;x", "a b a^b"},
          {"abc def ghi" + e + "bbdb", "^def ghi"},
          {"abc" + e + "\"ax0xx\"ap", "^c"},
          {"one two" + e + "0\"ayiw\"bdd\"ap", "on^e"},
          {"one" + e + "0iX" + e + "u", "^one"},
          {"one two" + e + "bcwXY" + e + "u", "one ^two"},
          {"one two" + e + "bcwXY" + e + "u\x12", "one X^Y"},
          {"a b c d" + e + "0dwdwuu", "^a b c d"},
          {"a b c d" + e + "0dwdwdw2u", "^b c d"},
          {"a b c d" + e + "0dwdwU", "^"},
          {"a\033\033oif x:" + e + "ob" + e + "kJ", "a\nif x:^ b"},
          {"a" + e + "ob" + e + "oc" + e + "gg>jj>>", "    a\n        ^b\nc"},
          {"a" + e + "ob" + e + "oc" + e + "ggdj", "^c"},
          {"a" + e + "ob" + e + "oc" + e + "dgg", "^"},
          {"a" + e + "ob" + e + "oc" + e + "gg2yyGp", "a\nb\nc\n^a\nb"},
          {"a" + e + "o" + e + "oc" + e + "gg}x{x", "^\n\nc"},
          {"a b" + e + "ob" + e + "gg$dwjx", "a \n^"},  // dw does not join lines
          {"    a" + e + "ccx", "    x^"},
          {"abcdef" + e + "3|x", "ab^def"},
          {"abc" + e + "0" + "\033[C" + "x", "a^c"},
          {"abc" + e + "\033[C" + "x", "a^b"},
          {"abc" + e + "d" + e + "wx", "a^b"},  // Esc ends a command
          {"abc" + e + "qx", "a^b"},            // a key without a meaning
          {"ex\t\t" + e + "x", "expla^i"},      // Esc in the menu
      },
      true);
}

TEST(CellEditor, ViHistory) {
  const std::string e = "\033";
  const std::string typed = "one\rtwo 2\rthree\r";
  CheckText(
      {
          {typed + "x" + e + "kk", "two ^2"},
          {typed + "x" + e + "3kx", "o^n"},
          {typed + "x" + e + "kj", "^x"},
          {typed + e + "/o\r", "tw^o 2"},
          {typed + e + "/o\rn", "^one"},
          {typed + e + "/o\rnN", "tw^o 2"},
          {typed + e + "/o\r/\r", "^one"},
          {typed + e + "/o\rk", "on^e"},
          {typed + e + "kkk?t\r", "^two 2"},
          {typed + "two " + e + "_", "two  three^"},
      },
      true);
  EXPECT_EQ(Player(true).Play("one\r" + e + "/o\r").cells(), "one|");
  EXPECT_EQ(Player(true).Play("one\r" + e + "/o\r\r").cells(), "one|one|");
  EXPECT_EQ(Player(true).Play("a" + e + "ob" + e + "k\r").cells(), "a\nb|");  // from any line
  EXPECT_EQ(Player(true).Play("f(a" + e + "\rb)\r").cells(), "f(a\n    b)|");
}

}  // namespace
}  // namespace tensh::shell
