#include "shell/commands/tables/data_table.h"

#include <gtest/gtest.h>

#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

const std::vector<DataColumn> kColumns = {{.name = "name"}, {.name = "bytes"}, {.name = "ready"}};

bool Holds(const char* condition) {
  const std::vector<Cell> row = {Cell::Text("Layer/w"), Cell::Number(2048), Cell::Bool(true)};
  return CompileCondition(kColumns, condition)(row);
}

TEST(ConditionTest, Compares) {
  for (const char* yes :
       {"name == Layer/w", "name = \"Layer/w\"", "bytes > 1KB", "bytes>=2KB and bytes <= 2048B",
        "name like \"layer%\"", "name like *W", "'ayer' in name", "ready", "not bytes < 10",
        "(bytes == 1 or ready) and name != x", "ready == true", "bytes < 1MB or bogus2 == name"})
    EXPECT_TRUE(Holds(yes)) << yes;
  for (const char* no : {"name == layer/w", "bytes > 2KB", "not ready", "name like w%",
                         "ready and bytes == 1", "name like \"_\""})
    EXPECT_FALSE(Holds(no)) << no;
}

TEST(ConditionTest, UnknownIsNeitherLessNorMore) {
  const std::vector<Cell> row = {Cell::Text("a"), Cell(), Cell()};
  EXPECT_FALSE(CompileCondition(kColumns, "bytes < 5")(row));
  EXPECT_FALSE(CompileCondition(kColumns, "bytes > 5")(row));
}

TEST(ConditionTest, WrongOnesSaySo) {
  for (const char* wrong : {"", "bogus", "1 == 2", "name ==", "(name == a", "name == a b",
                            "name == \"a", ")", "and", "name == a and"})
    EXPECT_THROW(CompileCondition(kColumns, wrong), PyError) << wrong;
  EXPECT_THROW(CompileCondition(kColumns, std::string(10000, '(')), PyError);
}

}  // namespace
}  // namespace tensh::shell
