#include "shell/session/pager.h"

#include <gtest/gtest.h>

namespace tensh::shell {
namespace {

TEST(Pager, CountsTheLinesOfATerminal) {
  struct Case {
    const char* text;
    size_t columns, lines;
  };
  const Case rows[] = {
      {"", 10, 0},
      {"a", 10, 1},
      {"a\n", 10, 1},
      {"a\n\nb\n", 10, 3},
      {"0123456789\n", 10, 1},
      {"0123456789a\n", 10, 2},
      {"0123456789a\n", 0, 1},  // a width that is unknown
      {"\033[1;31m0123456789\033[0m\n", 10, 1},
      {"日本語日本語\n", 10, 2},  // 12 columns
  };
  for (const Case& row : rows)
    EXPECT_EQ(LinesOnScreen(row.text, row.columns), row.lines) << row.text;
}

TEST(Pager, NeedsATerminal) { EXPECT_FALSE(ShowInPager(std::string(1000, '\n'), "cat >&2")); }

}  // namespace
}  // namespace tensh::shell
