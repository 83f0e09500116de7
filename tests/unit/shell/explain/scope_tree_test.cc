#include "shell/explain/scope_tree.h"

#include <gtest/gtest.h>

namespace tensh::shell {
namespace {

// Returns the rows as text: indentation, an open (-) or folded (+) scope with its size, and labels.
std::string Drawn(const std::vector<std::string_view>& names, const std::vector<std::string>& open,
                  size_t max_rows) {
  const ScopeRows rows = FoldScopes(names, open, max_rows);
  std::string out;
  for (const TreeRow& row : rows.rows) {
    out += std::string(2 * row.depth, ' ');
    if (!row.scope.empty()) out += row.open ? "-" : "+";
    out += row.label;
    if (!row.scope.empty()) out += "/" + std::to_string(row.below);
    if (!row.scope.empty() && row.node != SIZE_MAX) out += " own";
    out += "\n";
  }
  if (rows.left_out > 0) out += "... " + std::to_string(rows.left_out) + "\n";
  return out;
}

const std::vector<std::string_view> kNames = {
    "x",     "a/w/init", "a/w",    "a/w/Assign", "a/w/read", "a/mul", "a/add",
    "mul/y", "mul",      "b/c/d1", "b/c/d2",     "b/c/d3",   "loss"};

TEST(ScopeTree, OpensWhatFitsFromTheTop) {
  EXPECT_EQ(Drawn(kNames, {}, 6), "x\n+a/6\nmul\nmul/y\n+b/c/3\nloss\n");
  EXPECT_EQ(Drawn(kNames, {}, 9), "x\n-a/6\n  +w/3 own\n  mul\n  add\nmul\nmul/y\n+b/c/3\nloss\n");
  EXPECT_EQ(Drawn(kNames, {}, 100),
            "x\n-a/6\n  -w/3 own\n    init\n    Assign\n    read\n  mul\n  add\nmul\nmul/y\n"
            "-b/c/3\n  d1\n  d2\n  d3\nloss\n");
}

TEST(ScopeTree, OpensANamedScopeInAnyCase) {
  EXPECT_EQ(
      Drawn(kNames, {"a/w"}, 1),
      "x\n-a/6\n  -w/3 own\n    init\n    Assign\n    read\n  mul\n  add\nmul\nmul/y\n+b/c/3\n"
      "loss\n");
  EXPECT_EQ(Drawn(kNames, {"nope"}, 6), Drawn(kNames, {}, 6));
}

TEST(ScopeTree, CutsTheTopLevel) {
  EXPECT_EQ(Drawn(kNames, {}, 2), "x\n+a/6\n... 4\n");
  EXPECT_EQ(Drawn({}, {}, 2), "");
}

TEST(ScopeTree, EachNodeHasARow) {
  const ScopeRows rows = FoldScopes(kNames, {}, 9);
  ASSERT_EQ(rows.row_of.size(), kNames.size());
  EXPECT_EQ(rows.rows[rows.row_of[1]].scope, "a/w");  // folded
  EXPECT_EQ(rows.rows[rows.row_of[2]].scope, "a/w");  // the scope's own node
  EXPECT_EQ(rows.rows[rows.row_of[5]].label, "mul");
  EXPECT_EQ(rows.rows[rows.row_of[5]].within, "a");
  EXPECT_EQ(FoldScopes(kNames, {}, 2).row_of[12], SIZE_MAX);
}

TEST(ScopeTree, HostileNames) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "d/";
  deep += "n";
  const std::vector<std::string_view> names = {"/", "a//b", "a//c", "a//d", "a/", deep};
  const std::string drawn = Drawn(names, {}, 10);
  EXPECT_NE(drawn.find("d/d/"), std::string::npos);
  EXPECT_TRUE(HasScope(names, "a/"));
  EXPECT_FALSE(HasScope(names, "b"));
}

}  // namespace
}  // namespace tensh::shell
