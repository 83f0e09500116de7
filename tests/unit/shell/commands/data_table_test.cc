#include "shell/commands/tables/condition.h"
#include "shell/commands/tables/database.h"

#include <gtest/gtest.h>

#include "shell/python/values/error.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {
namespace {

using Type = RelationColumn::Type;

const std::vector<QueryColumn> kColumns = {{"name", "\"name\"", Type::kText},
                                           {"bytes", "\"bytes\"", Type::kBytes},
                                           {"ready", "\"ready\"", Type::kBool}};

bool HoldsFor(const Row& row, std::string_view condition) {
  std::vector<size_t> used;
  const std::string sql = ConditionSql(kColumns, condition, &used);
  Interp interp;
  Database db(interp);
  db.Add({"t",
          {{"name", Type::kText}, {"bytes", Type::kBytes}, {"ready", Type::kBool}},
          StoredRows([row] { return std::vector<Row>{row}; })});
  return !db.Run("SELECT 1 FROM t WHERE " + sql).rows.empty();
}

bool Holds(const char* condition) {
  return HoldsFor({Cell::Text("Layer/w"), Cell::Number(2048), Cell::Bool(true)}, condition);
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

TEST(ConditionTest, LongNamesOfDevicesMatchShortOnes) {
  const std::vector<QueryColumn> columns = {{"device", "\"device\"", Type::kText}};
  const auto holds = [&](const char* condition) {
    std::vector<size_t> used;
    const std::string sql = ConditionSql(columns, condition, &used);
    Interp interp;
    Database db(interp);
    db.Add({"t", {{"device", Type::kText}}, StoredRows([] {
              return std::vector<Row>{{Cell::Text("cpu:1")}};
            })});
    return !db.Run("SELECT 1 FROM t WHERE " + sql).rows.empty();
  };
  for (const char* yes : {"device == cpu:1", "device == /cpu:1", "device = \"/device:CPU:1\"",
                          "device == \"/job:localhost/replica:0/task:0/device:CPU:1\"",
                          "device != /cpu:0", "not device != /cpu:1"})
    EXPECT_TRUE(holds(yes)) << yes;
  for (const char* no : {"device == /cpu:0", "device != /cpu:1", "device != \"/device:CPU:1\""})
    EXPECT_FALSE(holds(no)) << no;
}

TEST(ConditionTest, UnknownIsNeitherLessNorMore) {
  const Row row = {Cell::Text("a"), Cell(), Cell()};
  for (const char* no : {"bytes < 5", "bytes > 5", "bytes == 5", "ready", "bytes between 0 and 9",
                         "bytes in (1, 2)", "bytes is not null"})
    EXPECT_FALSE(HoldsFor(row, no)) << no;
  for (const char* yes : {"not bytes < 5", "bytes != 5", "bytes == \"\"", "bytes is null",
                          "not (bytes in (1, 2))", "name is not null", "not ready"})
    EXPECT_TRUE(HoldsFor(row, yes)) << yes;
}

TEST(ConditionTest, ListsAndRanges) {
  for (const char* yes :
       {"name in (a, Layer/w)", "name in ['x', \"Layer/w\"]", "name IN (Layer/w,)",
        "bytes in (1KB, 2KB)", "name not in (a, b)", "bytes between 1KB and 2KB",
        "bytes not between 1 and 10", "name not like a%", "not name in (a) and ready",
        "bytes in (ready, 2048)", "name NOT LIKE 'x%' AND bytes IS NOT NULL OR 1 == bytes"})
    EXPECT_TRUE(Holds(yes)) << yes;
  for (const char* no : {"name in ()", "name in (a)", "bytes between 1 and 10",
                         "name not in (Layer/w)", "bytes not between 1KB and 1MB", "name is null"})
    EXPECT_FALSE(Holds(no)) << no;
  for (const char* wrong :
       {"name in (a", "name in (a b)", "name in (,a)", "bytes between 1", "bytes between 1 or 2",
        "name is", "name is 3", "name not", "name not == a", "1 in (2, 3)", "1 is null"})
    EXPECT_THROW(Holds(wrong), PyError) << wrong;
}

TEST(ConditionTest, TextsCannotLeaveTheirQuotes) {
  for (const char* no : {"name == \"x' OR 1 OR name = '\"", "name like \"' OR '1\"", "name == x'--",
                         "name in (\"a') OR (1\")"})
    EXPECT_FALSE(Holds(no)) << no;
}

TEST(ConditionTest, WrongOnesSaySo) {
  for (const char* wrong : {"", "bogus", "1 == 2", "name ==", "(name == a", "name == a b",
                            "name == \"a", ")", "and", "name == a and"})
    EXPECT_THROW(Holds(wrong), PyError) << wrong;
  EXPECT_THROW(Holds(std::string(10000, '(').c_str()), PyError);
}

}  // namespace
}  // namespace tensh::shell
