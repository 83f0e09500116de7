// The verb `sql` and the function sql(): queries about the graph and the session in SQL.

#include <algorithm>
#include <cctype>

#include "runtime/base/text.h"
#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/data_table.h"
#include "shell/commands/tables/database.h"
#include "shell/commands/tables/row_values.h"
#include "shell/commands/tables/sql_error.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/graphs.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kShown = 100;     // rows at a prompt without --all
constexpr size_t kLeastText = 10;  // width of the narrowest text column

void AddTables(Shell& shell, Database* db) {
  for (const ShellTable* table : ShellTables()) db->Add(table->In(shell));
}

Cell ParameterCell(const Value& value, const std::string& name) {
  if (value.is_null() || value.is_none()) return Cell();
  if (value.is_bool()) return Cell::Bool(value.as_bool());
  if (value.is_int()) return Cell::Number(value.as_int());
  if (value.is_float()) return Cell::Real(value.as_float());
  if (IsStr(value)) return Cell::Text(std::string(StrView(value)));
  throw TypeError("the parameter " + name +
                  " of a statement must be a number, a str, a bool or None, not '" +
                  TypeName(value) + "'");
}

// A parameter `:name` has the value of the variable with this name.
Cell VariableCell(Shell& shell, size_t, std::string_view name) {
  if (name.empty())
    throw ValueError("a ? has no value here")
        .Hint("Write :NAME for a variable, or sql(\"… ?\", value)");
  try {
    return ParameterCell(shell.interp().Eval(name), std::string(name));
  } catch (const PyError& error) {
    if (!error.Is(kNameError)) throw;
    throw MakeError(kNameError, "there is no variable '" + std::string(name) + "'")
        .Hint(":" + std::string(name) +
              " in SQL is the value of a variable. Set it first: " + std::string(name) + " = …");
  }
}

// Each column is as wide as its contents; a column of text may be narrowed.
std::vector<DataColumn> ColumnsOf(const QueryResult& result) {
  std::vector<DataColumn> columns;
  for (size_t c = 0; c < result.columns.size(); ++c) {
    const bool text = std::any_of(result.rows.begin(), result.rows.end(),
                                  [c](const Row& row) { return row[c].kind == Cell::Kind::kText; });
    columns.push_back({.name = result.columns[c].c_str(), .least = text ? kLeastText : SIZE_MAX});
  }
  return columns;
}

void RunQuery(CommandCall& call) {
  Shell& shell = call.shell();
  Database db(shell.interp());
  AddTables(shell, &db);
  const bool whole = call.wants_value() || !shell.options().interactive || call.Has("--all") ||
                     call.Has("--csv") || call.Has("--md") || call.json() || !call.file().empty();
  QueryResult result;
  try {
    result = db.Run(
        call.text(),
        [&](size_t index, std::string_view name) { return VariableCell(shell, index, name); },
        whole ? SIZE_MAX : kShown);
  } catch (const PyError& error) {
    const auto [at, size] = db.error_place();
    if (at >= 0 && static_cast<size_t>(at) + static_cast<size_t>(size) <= call.text().size() &&
        size > 0)
      AddPlace(shell, error,
               call.text().substr(static_cast<size_t>(at), static_cast<size_t>(size)));
    throw;
  }
  ShownRows shown{.columns = ColumnsOf(result), .rows = std::move(result.rows)};
  shown.total = result.total;
  shown.see_all = "sql … --all";
  ShowRows(call, shown);
  if (shown.total == 0 && !whole && CurrentGraph().size() == 0) NoteOtherGraphs(call);
}

// Returns true if the result is printed for a reader: it is neither a value nor in a format for
// other programs.
bool PlainText(const CommandCall& call) {
  return !call.wants_value() && !call.json() && !call.Has("--csv") && !call.Has("--md");
}

void ListTables(CommandCall& call) {
  ShownRows shown{.columns = {{.name = "table"},
                              {.name = "columns", .least = 20},
                              {.name = "is", .hidden = true}},
                  .noun = "table"};
  for (const ShellTable* table : ShellTables()) {
    std::vector<std::string> names;
    for (const RelationColumn& column : table->columns) names.emplace_back(column.name);
    shown.rows.push_back(
        {Cell::Text(table->name), Cell::Text(Join(names, ", ")), Cell::Text(table->doc)});
  }
  if (!PlainText(call)) return ShowRows(call, shown);
  std::string text;
  for (const Row& row : shown.rows)
    text += WrapHanging(PadTo(row[0].text, 10) + " " + row[1].text, call.out().width(), 11) + "\n";
  call.out().Print(text);
  call.out().Note(" next: sql nodes · sql SELECT op, count(*) AS n FROM nodes GROUP BY op");
}

void DescribeTable(CommandCall& call, const ShellTable& table) {
  ShownRows shown{.columns = {{.name = "column"}, {.name = "type"}, {.name = "is", .least = 20}},
                  .noun = "column"};
  for (const RelationColumn& column : table.columns)
    shown.rows.push_back(
        {Cell::Text(column.name),
         Cell::Text(column.type == RelationColumn::Type::kAny ? "any" : SqlTypeName(column.type)),
         Cell::Text(column.doc)});
  if (!call.shell().options().interactive || !PlainText(call)) return ShowRows(call, shown);
  std::string text = " " + std::string(table.doc) + "\n";
  for (const Row& row : shown.rows)
    text += WrapHanging(" " + PadTo(row[0].text, 14) + PadTo(row[1].text, 9) + row[2].text,
                        call.out().width(), 24) +
            "\n";
  call.out().Print(text);
}

// Prints a line about each table, as `.tables` of sqlite3 lists them.
void ListDocs(CommandCall& call) {
  ShownRows shown{.columns = {{.name = "table"}, {.name = "is", .least = 20}}, .noun = "table"};
  for (const ShellTable* table : ShellTables())
    shown.rows.push_back({Cell::Text(table->name), Cell::Text(table->doc)});
  ShowRows(call, shown);
}

constexpr size_t kDeclared = 24;  // columns for a name and its type in CREATE TABLE

// Appends a line of CREATE TABLE, with the documentation as a comment beside it.
void AddDeclared(const std::string& line, const char* doc, size_t width, std::string* text) {
  const size_t room = width > 2 * kDeclared ? width - kDeclared - 4 : 0;
  std::string comment = Wrap(doc, room);
  for (size_t at = comment.find('\n'); at != comment.npos; at = comment.find('\n', at + 1))
    comment.insert(at + 1, std::string(kDeclared, ' ') + " -- ");
  *text += PadTo(line, kDeclared) + " -- " + comment + "\n";
}

// Returns the statement that would create the table.
std::string CreateStatement(const ShellTable& table, size_t width) {
  std::string text;
  AddDeclared("CREATE TABLE " + std::string(table.name) + "(", table.doc, width, &text);
  for (const RelationColumn& column : table.columns) {
    const std::string type = SqlTypeName(column.type);
    AddDeclared("  " + std::string(column.name) + (type.empty() ? "" : " " + type) +
                    (&column == &table.columns.back() ? "" : ","),
                column.doc, width, &text);
  }
  return text + ");\n";
}

// Prints the schema of one table, or of all if `name` is "".
void ShowSchema(CommandCall& call, std::string_view name) {
  const ShellTable* only = FindTable(name);
  if (only == nullptr && !name.empty()) {
    std::vector<std::string> names;
    for (const ShellTable* table : ShellTables()) names.emplace_back(table->name);
    const PyError error = NoTableError(name, names);
    AddPlace(call.shell(), error, name);
    throw error;
  }
  if (!PlainText(call) && only != nullptr) return DescribeTable(call, *only);
  if (!PlainText(call)) return ListTables(call);
  std::string text;
  for (const ShellTable* table : ShellTables())
    if (only == nullptr || only == table) text += CreateStatement(*table, call.out().width());
  call.out().Print(text);
}

void RunSql(CommandCall& call) {
  std::string_view text = call.text();
  if (text.starts_with('.') && text.ends_with(';')) text = Trim(text.substr(0, text.size() - 1));
  if (text.empty()) return ListTables(call);
  const std::string_view word = FirstWord(text), rest = Trim(text.substr(word.size()));
  if (word == ".tables") return ListDocs(call);
  if (word == ".schema") return ShowSchema(call, rest);
  if (const ShellTable* table = FindTable(text)) return DescribeTable(call, *table);
  RunQuery(call);
}

// Words that cannot be the last one of a statement.
constexpr std::string_view kOpenWords[] = {
    "ALL",       "AND",    "AS",   "BETWEEN", "BY",     "CASE",  "CROSS", "DISTINCT",
    "ELSE",      "FROM",   "GLOB", "GROUP",   "HAVING", "IN",    "INNER", "IS",
    "JOIN",      "LEFT",   "LIKE", "LIMIT",   "NOT",    "ON",    "OR",    "ORDER",
    "RECURSIVE", "SELECT", "THEN", "UNION",   "WHEN",   "WHERE", "WITH"};
// Words that may begin a continuation line of a statement. They count only in capital letters,
// because such a line cannot be Python.
constexpr std::string_view kNextWords[] = {
    "AND",  "CROSS", "EXCEPT", "FROM", "GROUP", "HAVING", "INNER", "INTERSECT", "JOIN",
    "LEFT", "LIMIT", "ON",     "OR",   "ORDER", "SELECT", "UNION", "WHERE"};

// A statement continues after a comma, an operator or a word such as FROM, and with a line that is
// indented or begins with a word such as WHERE.
bool Continues(std::string_view text, std::string_view next) {
  if (text.empty()) return false;
  if (std::string_view(",+-*/=<>|").find(text.back()) != std::string_view::npos) return true;
  const std::string last = AsciiUpper(LastWord(text));
  if (std::find(std::begin(kOpenWords), std::end(kOpenWords), last) != std::end(kOpenWords))
    return true;
  if (Trim(next).empty()) return false;
  if (next[0] == ' ' || next[0] == '\t') return true;
  const std::string_view word = FirstWord(next);
  return word.size() < Trim(next).size() &&
         std::find(std::begin(kNextWords), std::end(kNextWords), word) != std::end(kNextWords);
}

// sql(text, *values, **named): returns the rows of a statement, with values for its parameters.
Value SqlFunction(Args& a) {
  Shell& shell = static_cast<Shell&>(*Interp::Current().hooks());
  if (!IsStr(a[0])) throw TypeError("sql() expects the statement as a str");
  const std::vector<Value>& values = *Sequence(a[1]);
  Database db(shell.interp());
  AddTables(shell, &db);
  const QueryResult result =
      db.Run(StrView(a[0]), [&](size_t index, std::string_view name) -> Cell {
        if (!name.empty()) {
          const Value* value = As<DictObject>(a[2])->dict.Find(MakeStr(name));
          if (value == nullptr) throw ValueError("sql(): no value for :" + std::string(name));
          return ParameterCell(*value, std::string(name));
        }
        if (index >= values.size())
          throw ValueError("sql(): the statement has more parameters than the " +
                           Count(static_cast<int64_t>(values.size()), "value") + " given");
        return ParameterCell(values[index], std::to_string(index + 1));
      });
  return RowsValue(ColumnsOf(result), result.rows);
}

constexpr FunctionRow kFunctions[] = {
    {"sql", "statement, *values, **named", SqlFunction,
     "The rows of an SQL statement over the tables of the session, which `sql` lists."},
};

constexpr CommandExample kExamples[] = {
    {"a = tf.constant([1., 2.], name=\"a\")\nb = tf.exp(a, name=\"b\")\nc = b + a\n"
     "sql SELECT op, count(*) AS n, sum(bytes) AS bytes FROM nodes GROUP BY op ORDER BY op",
     "op     n  bytes\nAddV2  1      8\nConst  1      8\nExp    1      8\n"},
    {"a = tf.constant([1., 2.], name=\"a\")\nleast = 8\n"
     "rows = sql SELECT name, bytes FROM nodes WHERE bytes >= :least\nprint(rows[0].name, "
     "rows.bytes)",
     "a [8]\n"},
};

}  // namespace

void RegisterCommand_sql(CommandRegistry& r) {
  r.Add(
      {.name = "sql",
       .usage = "sql [STATEMENT|TABLE] [--all] [--json] [--csv] [--md] [> FILE]",
       .summary = "Query the graph, the session and the last runs in SQL.",
       .help =
           "`sql` lists the tables, and `sql nodes` the columns of one; `.tables` and `.schema "
           "[TABLE]` are those of sqlite3.\nSTATEMENT is a SELECT in the language of SQLite; it "
           "may extend over several lines, and `:name` in it is the value\nof a variable. Queries "
           "cannot change anything. `rows = sql SELECT …` keeps the rows, and\n`sql(\"SELECT "
           "…\")` is the same as a function. `> FILE.csv`, `.json` or `.md` writes a file.",
       .examples = kExamples,
       .complete = "",
       .gives_value = true,
       .pages = true,
       .continues = Continues,
       .functions = kFunctions,
       .run = RunSql});
}

}  // namespace tensh::shell
