// Case, white space and lists of ASCII text.
#include "runtime/base/text.h"

#include <gtest/gtest.h>

namespace tensh {
namespace {

TEST(Text, CaseIsThatOfAscii) {
  struct Row {
    const char *text, *lower, *upper;
  };
  const Row rows[] = {
      {"", "", ""},
      {"aZ09_", "az09_", "AZ09_"},
      {"@[`{", "@[`{", "@[`{"},                 // the neighbours of the letters
      {"\xC3\x84x", "\xC3\x84x", "\xC3\x84X"},  // no byte of a longer character changes
  };
  for (const Row& row : rows) {
    EXPECT_EQ(AsciiLower(row.text), row.lower);
    EXPECT_EQ(AsciiUpper(row.text), row.upper);
    EXPECT_TRUE(EqualIgnoringCase(row.lower, row.upper)) << row.text;
  }
  EXPECT_FALSE(EqualIgnoringCase("a", "ab"));
  EXPECT_FALSE(EqualIgnoringCase("a", "b"));
  EXPECT_FALSE(EqualIgnoringCase("@", "`"));  // they differ in the bit of the case only
}

TEST(Text, ContainsIgnoringCase) {
  EXPECT_TRUE(ContainsIgnoringCase("MatMul", "tmu"));
  EXPECT_TRUE(ContainsIgnoringCase("MatMul", "MATMUL"));
  EXPECT_TRUE(ContainsIgnoringCase("", ""));
  EXPECT_TRUE(ContainsIgnoringCase("a", ""));
  EXPECT_FALSE(ContainsIgnoringCase("", "a"));
  EXPECT_FALSE(ContainsIgnoringCase("MatMul", "mam"));
}

TEST(Text, TrimLeavesInnerSpace) {
  const char* rows[][2] = {
      {"", ""}, {" \t\r\n\f\v", ""}, {"a", "a"}, {"  a b\n", "a b"}, {"\xC2\xA0", "\xC2\xA0"}};
  for (const auto& [text, trimmed] : rows) EXPECT_EQ(Trim(text), trimmed) << text;
}

TEST(Text, ListsAreSplitOutsideBracketsAndQuotes) {
  struct Row {
    const char* text;
    std::vector<std::string_view> parts;
  };
  const Row rows[] = {
      {"", {}},
      {" , ,", {}},
      {"a", {"a"}},
      {"a, b ,c", {"a", "b", "c"}},
      {"T: {float, double}, N: int >= 1", {"T: {float, double}", "N: int >= 1"}},
      {"a=(1, [2, 3]), b", {"a=(1, [2, 3])", "b"}},
      {"a=',', b=\"'\", c", {"a=','", "b=\"'\"", "c"}},
      {"a='([{', b", {"a='([{'", "b"}},
  };
  for (const Row& row : rows) EXPECT_EQ(SplitTopLevel(row.text), row.parts) << row.text;
}

}  // namespace
}  // namespace tensh
