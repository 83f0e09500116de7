// Every key of a terminal, as the bytes that it sends.
#include "shell/edit/keys.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>

namespace tensh::shell {
namespace {

std::string NameOf(Key key) {
  static const std::map<Key, const char*> kNames = {{Key::kEnter, "enter"},
                                                    {Key::kNewline, "newline"},
                                                    {Key::kTab, "tab"},
                                                    {Key::kBackTab, "backtab"},
                                                    {Key::kEof, "eof"},
                                                    {Key::kInterrupted, "interrupted"},
                                                    {Key::kSuspend, "suspend"},
                                                    {Key::kBackspace, "backspace"},
                                                    {Key::kDelete, "delete"},
                                                    {Key::kLeft, "left"},
                                                    {Key::kRight, "right"},
                                                    {Key::kUp, "up"},
                                                    {Key::kDown, "down"},
                                                    {Key::kHome, "home"},
                                                    {Key::kEnd, "end"},
                                                    {Key::kWordLeft, "wordleft"},
                                                    {Key::kWordRight, "wordright"},
                                                    {Key::kPageUp, "pageup"},
                                                    {Key::kOlder, "older"},
                                                    {Key::kNewer, "newer"},
                                                    {Key::kFirst, "first"},
                                                    {Key::kLast, "last"},
                                                    {Key::kKillToEnd, "killtoend"},
                                                    {Key::kKillToStart, "killtostart"},
                                                    {Key::kKillBlankWord, "killblankword"},
                                                    {Key::kKillWord, "killword"},
                                                    {Key::kKillWordBack, "killwordback"},
                                                    {Key::kYank, "yank"},
                                                    {Key::kYankOlder, "yankolder"},
                                                    {Key::kTranspose, "transpose"},
                                                    {Key::kUndo, "undo"},
                                                    {Key::kRedo, "redo"},
                                                    {Key::kClear, "clear"},
                                                    {Key::kSearch, "search"},
                                                    {Key::kSearchForward, "searchforward"},
                                                    {Key::kCancel, "cancel"},
                                                    {Key::kLastArgument, "lastargument"},
                                                    {Key::kExternalEditor, "externaleditor"},
                                                    {Key::kEscape, "escape"}};
  const auto found = kNames.find(key);
  return found == kNames.end() ? "unknown" : found->second;
}

std::string Keys(const std::string& bytes, bool vi = false) {
  KeyDecoder decoder;
  decoder.set_vi(vi);
  decoder.Feed(bytes);
  std::string names;
  while (const auto press = decoder.Next(true)) {
    names += names.empty() ? "" : " ";
    if (press->key == Key::kText) {
      names += "'" + press->text + "'";
    } else if (press->key == Key::kPaste) {
      names += "<" + press->text + ">";
    } else {
      names += NameOf(press->key);
    }
  }
  return names;
}

TEST(Keys, Sequences) {
  struct Row {
    const char *bytes, *want;
  };
  const Row rows[] = {
      {"", ""},
      {"ab", "'ab'"},
      {"\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80", "'\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80'"},
      {"\xE6\x97", "'\xE6\x97'"},  // a character that is cut at the end
      {"\xA9z", "'\xA9z'"},        // a continuation without its begin
      {"\r\n\t\x7f\x08", "enter enter tab backspace backspace"},
      {"\x01\x02\x05\x06\x0b\x0c\x0e\x10", "home left end right killtoend clear down up"},
      {"\x03\x04\x12\x15\x17\x19", "interrupted eof search killtostart killblankword yank"},
      {"\x07\x0f\x13\x14\x1a\x1f", "cancel newline searchforward transpose suspend undo"},
      {"\x1c\x1d", "unknown unknown"},
      {"\033[A\033[B\033[C\033[D", "up down right left"},
      {"\033OA\033OH\033OF", "up home end"},  // in application mode
      {"\033[H\033[F\033[1~\033[4~\033[7~\033[8~", "home end home end home end"},
      {"\033[3~\033[5~\033[Z", "delete pageup backtab"},
      {"\033[1;5C\033[1;5D\033[1;3C\033[1;3D", "wordright wordleft wordright wordleft"},
      {"\033[1;5A\033[1;5B\033[1;5H\033[1;5F", "older newer first last"},
      {"\033b\033f\033\x7f\033d\033q", "wordleft wordright killwordback killword unknown"},
      {"\033y\033_\033.\033\r", "yankolder redo lastargument newline"},
      {"\x18\x05\x18\x15\x18z", "externaleditor undo unknown"},
      {"\033[15~a", "unknown 'a'"},    // F5 is skipped as a whole
      {"\033[?1;2ca", "unknown 'a'"},  // the answer to a query
      // Other answers, and clicks of the mouse.
      {"\033]11;rgb:1e1e/1e1e/1e1e\033\\a", "unknown 'a'"},
      {"\033]0;title\aa", "unknown 'a'"},
      {"\033]11;rgb:1e", "unknown"},
      {"\033[M *%a", "unknown 'a'"},
      {"\033[<0;10;5Ma", "unknown 'a'"},
      {"\033[13;2u\033[27;2;13~", "newline newline"},
      {"\033", "escape"},
      {"\033\033[A", "escape up"},
      {"\033[", "unknown"},
      {"\033[1;", "unknown"},
      {"\033[200~a\tb\nc\033[201~d", "<a\tb\nc> 'd'"},
      {"\033[200~a\033[Ab", "<a\033[Ab>"},  // a paste has no keys, and may lack its end
  };
  for (const Row& row : rows) EXPECT_EQ(Keys(row.bytes), row.want) << row.bytes;
  EXPECT_EQ(Keys("\033b", true), "escape 'b'");
  EXPECT_EQ(Keys("\033]", true), "escape ']'");
}

// A key may arrive in parts.
TEST(Keys, PartsAreJoined) {
  const std::string all = "x\033[200~one\ntwo\033[201~\033[1;5C\xC3\xA9";
  KeyDecoder decoder;
  std::string seen;
  for (const char byte : all) {
    decoder.Feed(std::string(1, byte));
    while (const auto press = decoder.Next(false))
      seen += press->text + (press->text.empty() ? NameOf(press->key) : "") + "|";
  }
  EXPECT_EQ(seen, "x|one\ntwo|wordright|\xC3\xA9|");
  EXPECT_TRUE(decoder.empty());
}

TEST(Keys, LinesWithinOneReadAreAPaste) {
  struct Row {
    const char* bytes;
    size_t want;
  };
  const Row rows[] = {{"", 0},
                      {"a", 0},
                      {"a\r", 0},
                      {"a\r\r", 0},
                      {"a\rb", 3},
                      {"a\n\tb\n", 5},
                      {"a\rb\r\x04", 4},
                      {"a\rb\033[A", 0},
                      {"\033[Aa\rb", 0},
                      {"if a:\rb\r", 0},  // typed by a program, without indentation
                      {"if a:\r  b\r", 10}};
  for (const Row& row : rows) EXPECT_EQ(UnmarkedPaste(row.bytes), row.want) << row.bytes;
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

TEST(KeyReader, CtrlCWhileNobodyReadIsNotLost) {
  const Pipe pipe("typed after");
  bool came = true;
  KeyReader keys(pipe.fd(), [&] { return came; });
  EXPECT_EQ(keys.Next().key, Key::kInterrupted);
  came = false;
  EXPECT_EQ(keys.Next().text, "typed after");
  EXPECT_EQ(keys.Next().key, Key::kClosed);
}

TEST(KeyReader, CtrlCDiscardsWhatWasTypedBeforeIt) {
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  bool came = false;
  KeyReader keys(fds[0], [&] { return came; });
  const auto type = [&](std::string_view text) {
    ASSERT_EQ(::write(fds[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  type("\x01 typed before");  // read together
  EXPECT_EQ(keys.Next().key, Key::kHome);
  came = true;
  type("typed after");
  EXPECT_EQ(keys.Next().key, Key::kInterrupted);
  came = false;
  EXPECT_EQ(keys.Next().text, "typed after");
  ::close(fds[0]);
  ::close(fds[1]);
}

TEST(KeyReader, UnmarkedPasteIsOneKey) {
  const Pipe pipe("def f():\r    return 1\r\r\x04");
  KeyReader keys(pipe.fd(), [] { return false; });
  const KeyPress paste = keys.Next();
  EXPECT_EQ(paste.key, Key::kPaste);
  EXPECT_EQ(paste.text, "def f():\r    return 1\r\r");
  EXPECT_EQ(keys.Next().key, Key::kEof);
}

// What was typed before the cell began is not a paste.
TEST(KeyReader, TypedAhead) {
  const Pipe pipe("a\nb\n");
  KeyReader keys(pipe.fd(), [] { return false; });
  keys.Begin(false, -1);
  EXPECT_EQ(keys.Next().text, "a");
  EXPECT_EQ(keys.Next().key, Key::kEnter);
  EXPECT_EQ(keys.Next().text, "b");
}

}  // namespace
}  // namespace tensh::shell
