// Columns side by side, on a terminal and in a pipe.
#include "shell/explain/layout.h"

#include <gtest/gtest.h>

namespace tensh::shell {
namespace {

const std::vector<Column> kColumns = {{"name"}, {"signature", 6}, {"does", 6}};
std::string Grid(const std::string& signature, size_t width) {
  return FormatGrid(kColumns, {{"", {"a", signature, "one"}}, {"", {"b", "()", "two"}}}, width,
                    true);
}

TEST(FormatGrid, CutsWhatDoesNotFit) {
  EXPECT_EQ(Grid(std::string(30, 's'), 22),
            "name signature    does\n"
            "a    sssssssssss… one\n"
            "b    ()           two\n");
}

TEST(FormatGrid, LetsALongCellStickOutWhereNothingIsCut) {
  const std::string longest(200, 's');
  EXPECT_EQ(Grid(longest, 0), "name  signature" + std::string(51, ' ') +
                                  "  does\n"
                                  "a     " +
                                  longest + "  one\n" + "b     ()" + std::string(58, ' ') +
                                  "  two\n");
}

}  // namespace
}  // namespace tensh::shell
