// The page of all names: each of them has a line of documentation.
#include <gtest/gtest.h>

#include <sstream>

#include "shell/commands/base/shell.h"
#include "shell/commands/help/name_help.h"

namespace tensh::shell {
namespace {

TEST(NamesPage, EveryNameIsDocumented) {
  Interp interp;
  Shell shell(interp, ShellOptions{});
  std::istringstream page(NamesPage());
  size_t names = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("* `")) continue;
    ++names;
    EXPECT_NE(line.find("`: ", 3), line.npos) << line;
  }
  EXPECT_GT(names, 2000u);
}

}  // namespace
}  // namespace tensh::shell
