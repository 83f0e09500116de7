// Every key of a terminal, as the bytes that it sends.
#include "shell/edit/keys.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace tensh::shell {
namespace {

std::string NameOf(Key key) {
  static constexpr const char* kNames[] = {
      "text",      "enter",  "tab",      "eof",       "interrupted", "closed",
      "backspace", "delete", "left",     "right",     "up",          "down",
      "home",      "end",    "wordleft", "wordright", "killtoend",   "killtostart",
      "killword",  "yank",   "clear",    "search",    "escape",      "unknown"};
  return kNames[static_cast<size_t>(key)];
}

std::string Keys(const std::string& bytes) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  KeyReader keys(ends[0]);
  std::string names, text;
  for (Key key = keys.Next(&text); key != Key::kClosed; key = keys.Next(&text))
    names += (names.empty() ? "" : " ") + (key == Key::kText ? "'" + text + "'" : NameOf(key));
  ::close(ends[0]);
  return names;
}

TEST(Keys, Sequences) {
  struct Row {
    const char *bytes, *want;
  };
  const Row rows[] = {
      {"", ""},
      {"ab", "'a' 'b'"},
      {"\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80", "'\xC3\xA9' '\xE6\x97\xA5' '\xF0\x9F\x98\x80'"},
      {"\xE6\x97", "'\xE6\x97'"},  // a character that is cut at the end
      {"\xA9z", "'\xA9' 'z'"},     // a continuation without its begin
      {"\r\n\t\x7f\x08", "enter enter tab backspace backspace"},
      {"\x01\x02\x05\x06\x0b\x0c\x0e\x10", "home left end right killtoend clear down up"},
      {"\x03\x04\x12\x15\x17\x19", "interrupted eof search killtostart killword yank"},
      {"\x07\x1c\x1f", "unknown unknown unknown"},
      {"\033[A\033[B\033[C\033[D", "up down right left"},
      {"\033OA\033OH\033OF", "up home end"},  // in application mode
      {"\033[H\033[F\033[1~\033[4~\033[7~\033[8~", "home end home end home end"},
      {"\033[3~", "delete"},
      {"\033[1;5C\033[1;5D\033[1;3C\033[1;3D", "wordright wordleft wordright wordleft"},
      {"\033b\033f\033\x7f\033q", "wordleft wordright killword unknown"},
      {"\033[15~a", "unknown 'a'"},    // F5 is skipped as a whole
      {"\033[?1;2ca", "unknown 'a'"},  // the answer to a query
      {"\033", "escape"},
      {"\033[", "unknown"},
      {"\033[1;", "unknown"},
      {"\033[11111111111111111111~", "unknown '1' '1' '1' '1' '~'"},  // at most 16 bytes
  };
  for (const Row& row : rows) EXPECT_EQ(Keys(row.bytes), row.want) << row.bytes;
}

}  // namespace
}  // namespace tensh::shell
