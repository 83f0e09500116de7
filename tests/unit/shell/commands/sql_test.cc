// SQL over the graph and the session, and the clauses of the table verbs, as rows of typed lines.
#include "shell/commands/tables/condition.h"
#include "shell/commands/tables/database.h"
#include "tests/unit/shell/commands/typed.h"

namespace tensh::shell {
namespace {

TEST(Sql, Statements) {
  CheckPrints({
      {"sql SELECT name, rank, elements, bytes FROM nodes WHERE op = 'AddV2'",
       "name  rank  elements  bytes\n"
       "c        1         2      8\n"},
      {"sql SELECT source, target, input FROM edges WHERE target = 'c'",
       "source  target  input\n"
       "a       c           0\n"
       "b       c           1\n"},
      {"sql SELECT op, count(*) AS n FROM nodes GROUP BY op ORDER BY n DESC, op LIMIT 2",
       "op     n\n"
       "Const  3\n"
       "AddV2  1\n"},
      {"sql SELECT name, initialized, bytes FROM vars",
       "name  initialized  bytes\n"
       "v     no\n"},
      {"sql SELECT n.name FROM nodes n JOIN edges e ON e.source = n.name WHERE e.target = 'c' "
       "ORDER BY 1",
       "name\n"
       "a\n"
       "b\n"},
      {"sql SELECT node, name FROM attrs WHERE node = 'p' ORDER BY name",
       "node  name\n"
       "p     dtype\n"
       "p     shape\n"},
      {"sql SELECT version, nodes FROM history",
       "version  nodes\n"
       "      1      1\n"
       "      2      1\n"
       "      3      1\n"
       "      4      4\n"
       "      5      1\n"},
      {"sql SELECT name FROM nodes WHERE op = 'Placeholder' --csv",
       "name\n"
       "p\n"},
      {"sql SELECT name, bytes FROM nodes WHERE op = 'AddV2' --json",
       "[{\"name\": \"c\", \"bytes\": 8}]\n"},
      {"sql SELECT name, bytes FROM nodes WHERE op = 'AddV2' --md",
       "| name | bytes |\n"
       "|---|---:|\n"
       "| c | 8 |\n"},
      {"rows = sql SELECT name, bytes FROM nodes WHERE bytes >= 8 ORDER BY name\n"
       "print(len(rows), rows[0].name, rows.bytes)",
       "4 a [8, 8, 8, 8]\n"},
      {"least = 8\n"
       "sql SELECT count(*) AS n FROM nodes WHERE bytes >= :least",
       "n\n"
       "4\n"},
      {"print(sql(\"SELECT count(*) AS n FROM nodes WHERE bytes >= ?\", 8)[0].n)", "4\n"},
      {"print([r.name for r in sql(\"SELECT name FROM nodes ORDER BY id LIMIT 2\")])",
       "['a', 'b']\n"},
      {"sql SELECT 1 AS one, 2.5 AS real, 'it''s' AS text, NULL AS empty",
       "one  real  text  empty\n"
       "  1   2.5  it's\n"},
      {"sql SELECT op FROM ops WHERE op LIKE 'BatchMatMul%' ORDER BY op",
       "op\n"
       "BatchMatMulV2\n"
       "BatchMatMulV3\n"},
      {"sql SELECT short, type FROM devices ORDER BY short",
       "short  type\n"
       "cpu:0  CPU\n"
       "cpu:1  CPU\n"},
      {"sql SELECT name, shape, dtype FROM nodes WHERE rank = 0 ORDER BY id LIMIT 2",
       "name             shape  dtype\n"
       "v/initial_value  []     f32\n"
       "v                []     f32&\n"},
      {"sql SELECT scope, count(*) AS n FROM nodes WHERE scope <> '' GROUP BY scope",
       "scope  n\n"
       "v      3\n"},
      {"sql SELECT value FROM json_each('[3, 4]')",
       "value\n"
       "    3\n"
       "    4\n"},
      {"sql WITH big AS (SELECT * FROM nodes WHERE bytes > 4) SELECT count(*) AS n FROM big",
       "n\n"
       "4\n"},
  });
}

// A lookup by a key finds the rows that a scan finds. NOT hides the column from the lookup.
TEST(Sql, LookupsByKey) {
  CheckPrints({{R"py(
x = tf.placeholder(tf.float32, [1, 4, 4, 1], name='x')
with tf.control_dependencies([a]): g = tf.group(v.initializer, name='g')
for table, key, values in [
        ('nodes', 'id', (0, 3, '3', 3.0, 3.5, -1, 4000000000, 99999999999, 'a', None)),
        ('nodes', 'name', ('a', 'v/Assign', 'A', '', 7, None)),
        ('edges', 'target_id', (0, 2, '2', 6, 9, 99, -1)),
        ('edges', 'target', ('c', 'a', 'g', 'v/read', 'nothing', 3)),
        ('attrs', 'node_id', (0, 2, '2', 9, 8, 99, -1)),
        ('attrs', 'node', ('a', 'g', 'x', 'nothing', None))]:
    found = 0
    for value in values:
        looked = sql('SELECT * FROM %s WHERE %s = ?' % (table, key), value)
        scanned = sql('SELECT * FROM %s WHERE NOT (%s <> ?)' % (table, key), value)
        assert [list(r) for r in looked] == [list(r) for r in scanned], value
        found += len(looked)
    on = 'id' if key.endswith('id') else 'name'
    joined = sql('SELECT t.* FROM nodes n JOIN %s t ON t.%s = n.%s' % (table, key, on))
    assert len(joined) == sql('SELECT count(*) AS n FROM ' + table)[0].n
    print(table, key, found)
)py",
                "nodes id 4\n"
                "nodes name 2\n"
                "edges target_id 7\n"
                "edges target 5\n"
                "attrs node_id 6\n"
                "attrs node 4\n"}});
}

TEST(Sql, ValuesOfAttributes) {
  CheckPrints(
      {{"x = tf.placeholder(tf.float32, [None, 4, 4, 1], name='x')\n"
        "m = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID', name='m')\n"
        "u = tf.placeholder(tf.float32, name='u')\n"
        "n = tf.nn.local_response_normalization(x, alpha=0.5, name='n')\n"
        "t = tf.matmul([[1.]], [[2.]], transpose_b=True, name='t')\n"
        "for r in sql('SELECT node, name, kind, value, typeof(value) AS type FROM attrs '\n"
        "             'WHERE node IN (?, ?, ?, ?, ?, ?) ORDER BY node, name',\n"
        "             'a', 'm', 'n', 't', 'u', 'x'):\n"
        "    print(*r)\n",
        "a dtype type float text\n"
        "a value tensor {\"dtype\": \"float32\", \"shape\": [2]} text\n"
        "m T type float text\n"
        "m data_format string NHWC text\n"
        "m explicit_paddings list(int) [] text\n"
        "m ksize list(int) [1, 2, 2, 1] text\n"
        "m padding string VALID text\n"
        "m strides list(int) [1, 2, 2, 1] text\n"
        "n T type float text\n"
        "n alpha float 0.5 real\n"
        "n beta float 0.5 real\n"
        "n bias float 1.0 real\n"
        "n depth_radius int 5 integer\n"
        "t T type float text\n"
        "t grad_a bool 0 integer\n"
        "t grad_b bool 0 integer\n"
        "t transpose_a bool 0 integer\n"
        "t transpose_b bool 1 integer\n"
        "u dtype type float text\n"
        "u shape shape null text\n"
        "x dtype type float text\n"
        "x shape shape [null, 4, 4, 1] text\n"}});
}

TEST(Sql, StatementsRefuse) {
  CheckFails({
      {"sql SELECT name FROM ops WHERE name LIKE 'BatchMat%' ORDER BY name", "KeyError",
       "\"no column 'name'\". A string needs quotes: 'name'. Columns: doc, does, gradient, op, "
       "signature, stateful"},
      {"sql SELECT name FROM devices ORDER BY name", "KeyError",
       "\"no column 'name'\". A string needs quotes: 'name'. Columns: answers, device, "
       "incarnation, "
       "memory_limit, short, type"},
      // A column of another table of the query.
      {"sql SELECT n.id FROM nodes n JOIN ops AS o ON o.name = n.op", "KeyError",
       "\"the table ops has no column 'name'\". Choose one of: doc, does, gradient, op, signature, "
       "stateful"},
      {"sql SELECT Nodes.nam FROM nodes", "KeyError",
       "\"the table nodes has no column 'nam'\"; did you mean 'name'?"},
      {"sql SELECT nam FROM nodes", "KeyError", "\"no column 'nam'\"; did you mean 'name'?"},
      {"sql SELECT * FROM node", "KeyError", "\"no table 'node'\"; did you mean 'nodes'?"},
      {"sql DELETE FROM nodes", "PermissionError",
       "sql only reads; it does not run DELETE. `sql` lists the tables that SELECT can ask; verbs "
       "change the graph"},
      {"sql ATTACH 'x.db' AS x", "PermissionError",
       "sql only reads; it does not run ATTACH. `sql` lists the tables that SELECT can ask; verbs "
       "change the graph"},
      {"sql SELECT load_extension('x')", "PermissionError",
       "sql only reads; it does not run the function load_extension. `sql` lists the tables that "
       "SELECT can ask; verbs change the graph"},
      {"sql SELECT * FROM nodes WHERE", "SyntaxError",
       "the statement is not complete. For example: sql SELECT name, bytes FROM nodes ORDER BY "
       "bytes DESC LIMIT 5"},
      {"sql nodez", "SyntaxError", "SQL: unexpected 'nodez'; did you mean 'nodes'?"},
      {"sql WITH x AS (SELECT 1) DELETE FROM nodes", "PermissionError",
       "sql only reads; it does not run DELETE. `sql` lists the tables that SELECT can ask; verbs "
       "change the graph"},
      {"sql WITH x AS (SELECT 1) INSERT INTO nodes SELECT * FROM x", "PermissionError",
       "sql only reads; it does not run INSERT. `sql` lists the tables that SELECT can ask; verbs "
       "change the graph"},
      {"sql SELECT * FROM pragma_database_list", "PermissionError",
       "the statement uses a table of SQLite that sql does not have. `sql` lists the tables; "
       "json_each(text) and json_tree(text) exist too"},
      {"sql SELECT op, cout(*) FROM nodes", "NameError",
       "SQL has no function 'cout'; did you mean 'count'?"},
      {"sql SELECT name FROM nodes WHERE name REGEXP 'a'", "NameError",
       "SQL has no function 'REGEXP'. Use a pattern: name LIKE '%grad%', or name GLOB "
       "'layer[0-9]/*'"},
      {"sql SELECT * FORM nodes", "SyntaxError", "SQL: unexpected 'FORM'; did you mean 'FROM'?"},
      {"sql DESCRIBE nodes", "SyntaxError", "SQL: unexpected 'DESCRIBE'. Type: sql nodes"},
      {"sql SHOW TABLES", "SyntaxError",
       "SQL: unexpected 'SHOW'. `sql` lists the tables, and `sql nodes` the columns "
       "of one"},
      {"sql SELECT 'abc", "SyntaxError",
       "a quotation mark is not closed: 'abc. A text is 'in single quotes', and a name \"in double "
       "quotes\""},
      {"sql SELECT name FROM nodes, attrs", "ValueError",
       "two tables of the query have a column 'name'. Name the table too: nodes.name"},
      {"sql SELECT abs(-9223372036854775808)", "ValueError",
       "SQL: integer overflow. Add real numbers instead: total(x), or sum(x + 0.0)"},
      {"sql SELECT name FROM nodes ORDER BY 9", "ValueError",
       "SQL: 1st ORDER BY term out of range - should be between 1 and 1. `help sql` has examples, "
       "and sqlite.org/lang.html the language"},
      {"sql SELECT name FROM nodes WHERE bytes > :least", "NameError",
       "there is no variable 'least'. :least in SQL is the value of a variable. Set it first: "
       "least = …"},
      {"sql(\"SELECT ?\")", "ValueError",
       "sql(): the statement has more parameters than the 0 values given"},
  });
}

TEST(Sql, TableVerbs) {
  CheckPrints({
      {"rows = nodes where op == Const\n"
       "print(type(rows).__name__, len(rows))",
       "Rows 3\n"},
      {"nodes where op in (AddV2, Placeholder)",
       "name  op           type    device  inputs\n"
       "c     AddV2        f32[2]          a, b\n"
       "p     Placeholder  f32[2]\n"},
      {"nodes where op not in (Const, Identity) limit 2",
       "name  op          type    device  inputs\n"
       "c     AddV2       f32[2]          a, b\n"
       "v     VariableV2  f32&[]\n"},
      {"nodes where name like 'v%' limit 2",
       "name             op          type    device  inputs\n"
       "v/initial_value  Const       f32[]\n"
       "v                VariableV2  f32&[]\n"},
      {"nodes where bytes between 5 and 16 count", "4\n"},
      {"nodes group by op",
       "op           n  bytes\n"
       "Const        3   20 B\n"
       "AddV2        1    8 B\n"
       "Assign       1    4 B\n"
       "Identity     1    4 B\n"
       "Placeholder  1    8 B\n"
       "VariableV2   1    4 B\n"},
      {"nodes where not op == Const count", "5\n"},
      {"nodes order op, name desc limit 3",
       "name             op      type    device  inputs\n"
       "c                AddV2   f32[2]          a, b\n"
       "v/Assign         Assign  f32&[]          v, v/initial_value\n"
       "v/initial_value  Const   f32[]\n"},
      {"nodes --md limit 1",
       "| name | op | type | device | inputs |\n"
       "|---|---|---|---|---|\n"
       "| a | Const | f32[2] |  |  |\n"},
      {"edges where input == 1",
       "from             to        kind  output  input  type    bytes\n"
       "b                c         data       0      1  f32[2]    8 B\n"
       "v/initial_value  v/Assign  data       0      1  f32[]     4 B\n"},
      {"vars where bytes < 1KB", ""},
  });
}

TEST(Sql, TableVerbsRefuse) {
  CheckFails({
      {"nodes where opp == Const", "KeyError", "\"no column 'opp'\"; did you mean 'op'?"},
      {"nodes where op ==", "SyntaxError",
       "where op ==: a column or a value is missing. For example: where op == Const and name like "
       "\"grad%\""},
      {"nodes order nam", "KeyError", "\"no column 'nam'\"; did you mean 'name'?"},
      {"nodes limit -1", "SyntaxError",
       "nodes: limit expects a whole number, not '-1'. Usage: nodes [PATTERN] [where COND] [group "
       "by COLUMN] [order COLUMN [desc]] [limit N] [count] [--all] [--json] [--csv] [--md]"},
  });
}

TEST(Sql, Quotes) {
  const struct {
    const char *text, *as_text, *as_name;
  } kRows[] = {
      {"", "''", "\"\""},
      {"from", "'from'", "\"from\""},
      {"it's", "'it''s'", "\"it's\""},
      {"a \"b\"", "'a \"b\"'", "\"a \"\"b\"\"\""},
      {"''", "''''''", "\"''\""},
      {"x; DROP TABLE nodes", "'x; DROP TABLE nodes'", "\"x; DROP TABLE nodes\""},
      {"grün", "'grün'", "\"grün\""},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(SqlText(row.text), row.as_text);
    EXPECT_EQ(SqlName(row.text), row.as_name);
  }
}

TEST(Sql, Conditions) {
  const std::vector<QueryColumn> columns = {
      {"name", "name", RelationColumn::Type::kText},
      {"bytes", "bytes", RelationColumn::Type::kBytes},
      {"time", "time", RelationColumn::Type::kNs},
  };
  // Conditions over one row: pear, 2048 bytes, 1.5 ms.
  Interp interp;
  const auto holds = [&](const char* condition) {
    std::vector<size_t> used;
    const std::string sql = ConditionSql(columns, condition, &used);
    Database db(interp);
    return db.Run("SELECT " + sql + " FROM (SELECT 'pear' AS name, 2048 AS bytes, 1500000 AS time)")
        .rows[0][0]
        .number;
  };
  const struct {
    const char* condition;
    bool holds;
  } kRows[] = {
      {"name == pear", true},
      {"name = pear and bytes == 2KB", true},
      {"name != pear or bytes > 1MB", false},
      {"not name == pear", false},
      {"name like 'p%r'", true},
      {"name not like 'p%r'", false},
      {"\"ea\" in name", true},
      {"name in (apple, pear)", true},
      {"name not in (apple, pear)", false},
      {"bytes between 1KB and 2KB", true},
      {"bytes between 1 and 2", false},
      {"time < 2ms and time > 1ms", true},
      {"time is null", false},
      {"bytes", true},
      {"(name == fig or bytes >= 2048) and time == 1500us", true},
  };
  for (const auto& row : kRows) EXPECT_EQ(holds(row.condition) != 0, row.holds) << row.condition;
}

}  // namespace
}  // namespace tensh::shell
