// Tables with queries: the clauses of `VERB [PATTERN] [where …] [order …] [limit …]`, the rows that
// they select, and the forms of output.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "shell/commands/base/shell.h"
#include "shell/commands/tables/condition.h"
#include "shell/commands/tables/data_table.h"
#include "shell/commands/tables/database.h"
#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

DataTable Fruits() {
  DataTable table;
  table.columns = {{.name = "name"},
                   {.name = "bytes", .unit = DataColumn::Unit::kBytes},
                   {.name = "ripe"},
                   {.name = "key", .hidden = true}};
  table.rows = {
      {Cell::Text("pear"), Cell::Number(2048), Cell::Bool(true), Cell::Number(1)},
      {Cell::Text("Apple"), Cell::Number(10), Cell::Bool(false), Cell::Number(2)},
      {Cell::Text("fig, \"dry\""), Cell(), Cell::Bool(true), Cell::Number(3)},
      {Cell::Text("pineapple"), Cell::Number(10), Cell(), Cell::Number(4)},
  };
  table.noun = "fruit";
  return table;
}

class Tables : public testing::Test {
 protected:
  Tables() {
    interp_.set_stdout([this](std::string_view piece) { out_ += piece; });
    shell_.emplace(interp_, ShellOptions());
  }

  std::string Shown(const std::string& text, DataTable table = Fruits()) {
    static const Command command{
        .name = "fruits", .usage = "fruits [PATTERN] " TENSH_TABLE_USAGE, .summary = ""};
    out_.clear();
    try {
      CommandCall call(*shell_, command, text);
      ShowTable(call, std::move(table));
      interp_.Flush();
    } catch (const PyError& error) {
      return error.ClassName() + ": " + error.Message();
    }
    return out_;
  }

  // Returns the keys of the selected rows.
  std::string Keys(const std::string& text) {
    const std::string csv = Shown(text + " --csv");
    if (csv.find("Error") != std::string::npos) return csv;
    std::string keys;
    size_t at = csv.find('\n') + 1;
    for (size_t end; (end = csv.find('\n', at)) != std::string::npos; at = end + 1)
      keys += csv.substr(end - 1, 1);
    return keys;
  }

  Interp interp_;
  std::optional<Shell> shell_;
  std::string out_;
};

struct Case {
  const char *text, *want;
};

TEST_F(Tables, Queries) {
  const Case rows[] = {
      {"", "1234"},
      {"apple", "24"},  // a part of the name; case does not matter
      {"nothing", ""},
      {"where bytes == 10", "24"},
      {"where bytes < 1KB", "24"},  // an unknown number is neither less nor more
      {"where bytes >= 2KB", "1"},
      {"where ripe", "13"},
      {"where not ripe", "24"},
      {"where key > 2 and ripe", "3"},  // a hidden column
      {"where name like p%e", "4"},
      {"apple where bytes > 100", ""},
      {"order name", "2314"},
      {"order name desc", "4132"},
      {"order bytes", "3241"},  // unknown first; rows of the same value keep their order
      {"order bytes desc", "1243"},
      {"order bytes asc", "3241"},
      {"limit 2", "12"},
      {"limit 0", ""},
      {"limit 99", "1234"},
      {"order key desc limit 1", "4"},
      {"p where ripe order key limit 5", "1"},
      {"where name == limit", ""},
      {"where", "SyntaxError: fruits: nothing follows 'where'"},
      {"limit", "SyntaxError: fruits: nothing follows 'limit'"},
      {"limit two", "SyntaxError: fruits: limit expects a whole number, not 'two'"},
      {"limit -1", "SyntaxError: fruits: limit expects a whole number, not '-1'"},
      {"order name down", "SyntaxError: fruits: expects order COLUMN [desc], not 'name down'"},
      {"order size", "KeyError: \"no column 'size'\""},
      {"where size > 1", "KeyError: \"no column 'size'\""},
      {"big apple", "SyntaxError: fruits: expects one PATTERN and then clauses, not 'big apple'"},
  };
  for (const Case& row : rows) EXPECT_EQ(Keys(row.text), row.want) << row.text;
}

TEST_F(Tables, Forms) {
  EXPECT_EQ(Shown("limit 3"),
            "name         bytes  ripe\n"
            "pear        2.0 KB  yes\n"
            "Apple         10 B  no\n"
            "fig, \"dry\"       –  yes\n");
  EXPECT_EQ(Shown("where key > 2 --csv"),
            "name,bytes,ripe,key\n"
            "\"fig, \"\"dry\"\"\",,true,3\n"
            "pineapple,10,,4\n");
  EXPECT_EQ(Shown("where key > 2 --json"),
            "[{\"name\": \"fig, \\\"dry\\\"\", \"bytes\": null, \"ripe\": true, \"key\": 3},\n"
            "{\"name\": \"pineapple\", \"bytes\": 10, \"ripe\": null, \"key\": 4}]\n");
  EXPECT_EQ(Shown("nothing --json"), "[]\n");
}

TEST_F(Tables, ALongTableSaysHowManyRowsAreLeft) {
  DataTable table = Fruits();
  table.shown = 1;
  EXPECT_EQ(Shown("where key < 4", table),
            "name   bytes  ripe\n"
            "pear  2.0 KB  yes\n"
            "… 2 more fruits; see all: fruits where key < 4 --all\n");
  table = Fruits();
  table.shown = 3;
  EXPECT_EQ(Shown("--all", table).find("more"), std::string::npos);
  EXPECT_EQ(Shown("limit 4", table).find("more"), std::string::npos);
  table = Fruits();
  table.json = "{\"other\": 1}";  // the text that --json prints without clauses
  EXPECT_EQ(Shown("--json", table), "{\"other\": 1}\n");
  EXPECT_EQ(Shown("limit 0 --json", table), "[]\n");
}

// The row is name = "grad/Mul_1", n = 1500, on = true.
std::string Holds(const std::string& condition) {
  using Type = RelationColumn::Type;
  const Row row = {Cell::Text("grad/Mul_1"), Cell::Number(1500), Cell::Bool(true)};
  std::vector<size_t> used;
  try {
    const std::string sql = ConditionSql({{"name", "\"name\"", Type::kText},
                                          {"n", "\"n\"", Type::kInteger},
                                          {"on", "\"on\"", Type::kBool}},
                                         condition, &used);
    Interp interp;
    Database db(interp);
    db.Add({"t",
            {{"name", Type::kText}, {"n", Type::kInteger}, {"on", Type::kBool}},
            StoredRows([row] { return std::vector<Row>{row}; })});
    return db.Run("SELECT 1 FROM t WHERE " + sql).rows.empty() ? "no" : "yes";
  } catch (const PyError& error) {
    return error.ClassName() + ": " + error.Message();
  }
}

TEST(Conditions, UnitsAndPatterns) {
  const Case rows[] = {
      {"n == 1.5us", "yes"},
      {"n = 1500ns", "yes"},
      {"n == 1.5µs", "yes"},
      {"n < 1ms", "yes"},
      {"n < 1s and n > 1KB", "yes"},
      {"n > 1.5KB", "no"},       // 1536
      {"n == 1.4999us", "yes"},  // rounded
      {"n == 1500 B", "SyntaxError: where n == 1500 B: unexpected 'B'"},
      {"n == 1500XB", "SyntaxError: where n == 1500XB: 1500XB is not a number"},
      {"n == 1e400", "SyntaxError: where n == 1e400: 1e400 is not a number"},
      {"name == 1500XB", "no"},  // a text
      {"1500 == n", "yes"},
      {"1500 < n", "no"},
      {"n <> 1500", "no"},
      {"name like grad/*", "yes"},
      {"name like %mul%", "yes"},
      {"name like grad/M?l_1", "yes"},
      {"name like grad/M_l_1", "yes"},  // _ is one character
      {"name like grad", "no"},
      {"name like *", "yes"},
      {"name like \"\"", "no"},
      {"name like *a*a*", "no"},
      {"name like %%%1", "yes"},
      {"Mul in name", "yes"},
      {"mul in name", "no"},
      {"\"\" in name", "yes"},
      {"'grad/Mul_1' == name", "yes"},
      {"name < h", "yes"},
      {"on == True", "yes"},
      {"on != false", "yes"},
      {"not not on", "yes"},
      {"not on or on", "yes"},
      {"not (on or on)", "no"},
      {"on or on and not on", "yes"},  // `and` binds more tightly
      {"(on or on) and not on", "no"},
      {"n==1500and on", "SyntaxError: where n==1500and on: 1500and is not a number"},
      {"", "SyntaxError: where : a column or a value is missing"},
      {"n ==", "SyntaxError: where n ==: a column or a value is missing"},
      {"(n == 1", "SyntaxError: where (n == 1: a ) is missing"},
      {"n == 1)", "SyntaxError: where n == 1): unexpected ')'"},
      {"name == \"a", "SyntaxError: where name == \"a: the closing quote is missing"},
      {"size == 1", "KeyError: \"no column 'size'\""},
      {"size", "KeyError: \"no column 'size'\""},
  };
  for (const Case& row : rows) EXPECT_EQ(Holds(row.text), row.want) << row.text;
}

}  // namespace
}  // namespace tensh::shell
