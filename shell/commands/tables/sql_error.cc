#include "shell/commands/tables/sql_error.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "runtime/base/text.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/containers.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

bool IsWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Returns the offset of the word in the statement, or -1. A part of a longer word does not count.
int FindWord(std::string_view sql, std::string_view word) {
  for (size_t at = sql.find(word); !word.empty() && at != std::string_view::npos;
       at = sql.find(word, at + 1)) {
    const bool begins = at == 0 || !IsWordChar(sql[at - 1]);
    const bool ends = at + word.size() >= sql.size() || !IsWordChar(sql[at + word.size()]);
    if (begins && ends) return static_cast<int>(at);
  }
  return -1;
}

// Returns the columns of the relations that occur in the statement, or of all if none does.
std::vector<std::string> ColumnsIn(std::string_view sql,
                                   const std::vector<const Relation*>& relations) {
  const std::string lowered = AsciiLower(sql);
  std::set<std::string> named, all;
  for (const Relation* relation : relations) {
    const bool occurs = FindWord(lowered, relation->name) >= 0;
    for (const RelationColumn& column : relation->columns) {
      all.insert(column.name);
      if (occurs) named.insert(column.name);
    }
  }
  const std::set<std::string>& chosen = named.empty() ? all : named;
  return {chosen.begin(), chosen.end()};
}

// Returns the rest of the text after the prefix. If it begins otherwise, the result's data() is
// null.
std::string_view After(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string_view();
}

SqlError Placed(PyError error, std::string_view sql, std::string_view word, int at) {
  if (at < 0) at = FindWord(sql, word);
  return {std::move(error), at, at < 0 ? 0 : static_cast<int>(word.size())};
}

PyError KeyErrorOf(const std::string& text) { return KeyError(MakeStr(text)); }

SqlError NoTable(std::string_view name, std::string_view sql, int at,
                 const std::vector<const Relation*>& relations) {
  std::vector<std::string> names;
  for (const Relation* relation : relations) names.push_back(relation->name);
  return Placed(NoTableError(name, names), sql, name, at);
}

// Returns the relation that a qualifier denotes, as `o` in "FROM ops AS o" or "FROM ops o", or null.
const Relation* Qualified(std::string_view qualifier, std::string_view sql,
                          const std::vector<const Relation*>& relations) {
  const std::string lowered = AsciiLower(sql), wanted = AsciiLower(qualifier);
  std::string_view before, last;  // the two words before the current one
  for (size_t at = 0; at < lowered.size();) {
    size_t end = at;
    while (end < lowered.size() && IsWordChar(lowered[end])) ++end;
    const std::string_view word = std::string_view(lowered).substr(at, end - at);
    const std::string_view table = last == "as" ? before : last;
    for (const Relation* relation : relations)
      if (word == wanted && (relation->name == table || relation->name == word)) return relation;
    if (!word.empty()) before = last, last = word;
    at = std::max(end, at + 1);
  }
  return nullptr;
}

SqlError NoColumn(std::string_view name, std::string_view sql, int at,
                  const std::vector<const Relation*>& relations) {
  const size_t dot = name.rfind('.');
  const std::string_view bare = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const Relation* of =
      dot == std::string_view::npos ? nullptr : Qualified(name.substr(0, dot), sql, relations);
  const std::vector<std::string> names =
      ColumnsIn(of == nullptr ? sql : of->name, of == nullptr ? relations : std::vector{of});
  PyError error = NoColumnError(bare, names, of == nullptr ? "" : of->name);
  if (DidYouMean(bare, names).empty() && dot == std::string_view::npos)
    error.Hint("A string needs quotes: '" + std::string(bare) + "'. Columns: " + Join(names, ", "));
  return Placed(std::move(error), sql, name, at);
}

SqlError NoFunction(std::string_view name, std::string_view sql, int at,
                    const std::vector<std::string>& names) {
  PyError error = MakeError(kNameError, "SQL has no function '" + std::string(name) + "'");
  if (name == "REGEXP" || name == "regexp") {
    error.Hint("Use a pattern: name LIKE '%grad%', or name GLOB 'layer[0-9]/*'");
  } else if (const ErrorHint near = DidYouMean(AsciiLower(name), names); !near.empty()) {
    error.Hint(near);
  } else {
    error.Hint("`sql SELECT DISTINCT name FROM pragma_function_list ORDER BY name` lists them");
  }
  return Placed(std::move(error), sql, name, at);
}

const std::vector<std::string>& Keywords() {
  static const auto* words = new std::vector<std::string>{
      "AND",   "BETWEEN", "CASE",   "CROSS",  "DISTINCT",  "EXCEPT", "EXPLAIN", "FROM",
      "GLOB",  "GROUP",   "HAVING", "INNER",  "INTERSECT", "JOIN",   "LEFT",    "LIKE",
      "LIMIT", "OFFSET",  "ORDER",  "SELECT", "UNION",     "VALUES", "WHERE",   "WITH"};
  return *words;
}

constexpr const char* kExample =
    "For example: sql SELECT op, count(*) AS n FROM nodes GROUP BY op ORDER BY n DESC";

// Suggests what people of other programs mean: \d nodes, DESCRIBE nodes, SHOW TABLES.
ErrorHint MeantList(std::string_view sql, const std::vector<const Relation*>& relations) {
  const std::string lowered = AsciiLower(sql);
  const bool asks = lowered.starts_with("describe") || lowered.starts_with("desc ") ||
                    lowered.starts_with("show") || lowered.starts_with("table") ||
                    lowered.starts_with("\\d") || lowered.starts_with(".");
  if (!asks) return {};
  for (const Relation* relation : relations)
    if (FindWord(lowered, relation->name) >= 0)
      return {ErrorHint::Kind::kType, "sql " + relation->name};
  return {ErrorHint::Kind::kPhrase, "`sql` lists the tables, and `sql nodes` the columns of one"};
}

SqlError Syntax(std::string_view text, std::string_view sql, int at,
                const std::vector<const Relation*>& relations) {
  const bool near = text.starts_with("near ");
  const size_t open = text.find('"'), close = text.find(near ? "\": " : "\"", open + 1);
  const bool named = near && close != std::string_view::npos;
  const std::string_view word =
      named ? text.substr(open + 1, close - open - 1) : std::string_view();
  const bool quote = !near && open != std::string_view::npos && open + 1 < text.size() &&
                     std::string_view("'\"`[").find(text[open + 1]) != std::string_view::npos;
  std::string unclosed(quote ? text.substr(open + 1) : "");
  if (unclosed.ends_with('"')) unclosed.pop_back();  // of the message
  PyError error = MakeError(kSyntaxError, named   ? "SQL: unexpected '" + std::string(word) + "'"
                                          : quote ? "a quotation mark is not closed: " + unclosed
                                                  : "SQL: " + std::string(text));
  std::vector<std::string> tables;
  for (const Relation* relation : relations) tables.push_back(relation->name);
  if (const ErrorHint meant = MeantList(sql, relations); !meant.empty()) {
    error.Hint(meant);
  } else if (quote) {
    error.Hint("A text is 'in single quotes', and a name \"in double quotes\"");
  } else if (Trim(sql) == word && !DidYouMean(word, tables).empty()) {
    error.Hint(DidYouMean(word, tables));
  } else if (const ErrorHint keyword = DidYouMean(AsciiUpper(word), Keywords()); !keyword.empty()) {
    error.Hint(keyword);
  } else {
    error.Hint(kExample);
  }
  return Placed(std::move(error), sql, word, at);
}

struct Advice {
  std::string_view begins, advice;
};
// Advice for errors of SQLite, keyed by the beginning of the message.
constexpr Advice kAdvice[] = {
    {"integer overflow", "Add real numbers instead: total(x), or sum(x + 0.0)"},
    {"unable to use function MATCH", "Use a pattern: name LIKE '%grad%'"},
    {"datatype mismatch", "LIMIT and OFFSET expect whole numbers"},
    {"misuse of aggregate",
     "A condition on count(*) or sum(x) follows GROUP BY: HAVING count(*) > 1"},
    {"ESCAPE expression", "For example: name LIKE '%\\_%' ESCAPE '\\'"},
    {"malformed JSON", "json_valid(x) is 1 for texts that are JSON"},
    {"parser stack overflow", "Nest fewer parentheses and subqueries"},
    {"Expression tree is too large", "Nest fewer operators; IN (…) replaces a long chain of OR"},
    {"too many terms in compound SELECT", "VALUES (1), (2) replaces SELECT 1 UNION ALL SELECT 2"},
};

SqlError Other(std::string_view text, std::string_view sql, int at) {
  if (const std::string_view name = After(text, "ambiguous column name: "); !name.empty()) {
    PyError error = ValueError("two tables of the query have a column '" + std::string(name) + "'");
    error.Hint("Name the table too: nodes." + std::string(name));
    return Placed(std::move(error), sql, name, at);
  }
  PyError error = ValueError("SQL: " + std::string(text));
  const auto* advice =
      std::find_if(std::begin(kAdvice), std::end(kAdvice),
                   [&](const Advice& each) { return text.starts_with(each.begins); });
  error.Hint(advice == std::end(kAdvice)
                 ? "`help sql` has examples, and sqlite.org/lang.html the language"
                 : std::string(advice->advice));
  return {std::move(error), at, at < 0 ? 0 : 1};
}

constexpr std::string_view kWritingWords[] = {
    "INSERT", "UPDATE", "DELETE",   "REPLACE",   "CREATE",  "DROP",
    "ALTER",  "ATTACH", "DETACH",   "VACUUM",    "REINDEX", "ANALYZE",
    "BEGIN",  "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "END"};

}  // namespace

PyError NoColumnError(std::string_view name, const std::vector<std::string>& names,
                      std::string_view table) {
  PyError error =
      KeyErrorOf((table.empty() ? "no" : "the table " + std::string(table) + " has no") +
                 std::string(" column '") + std::string(name) + "'");
  error.exception().payload = MakeStr(name);  // from which a verb finds the place in its text
  const ErrorHint near = DidYouMean(name, names);
  if (near.empty()) return error.Hint("Choose one of: " + Join(names, ", ")), error;
  return error.Hint(near), error;
}

PyError NoTableError(std::string_view name, const std::vector<std::string>& names) {
  PyError error = KeyErrorOf("no table '" + std::string(name) + "'");
  const ErrorHint near = DidYouMean(name, names);
  if (near.empty()) return error.Hint("Choose one of: " + Join(names, ", ")), error;
  return error.Hint(near), error;
}

PyError NotReadingError(const std::string& what) {
  return MakeError(kPermissionError, "sql only reads; it does not run " + what)
      .Hint("`sql` lists the tables that SELECT can ask; verbs change the graph");
}

std::string WritingWordIn(std::string_view sql) {
  const std::string first = AsciiUpper(FirstWord(sql));
  if (first == "SELECT" || first == "VALUES" || first == "EXPLAIN") return "";
  const std::string raised = AsciiUpper(sql);
  int at = -1;
  std::string_view found;
  for (const std::string_view word : kWritingWords) {
    // After WITH, only these follow; a column may be called "end".
    if (first == "WITH" && word != "INSERT" && word != "UPDATE" && word != "DELETE") continue;
    if (first != "WITH" && first != word) continue;
    const int place = FindWord(raised, word);
    if (place >= 0 && (at < 0 || place < at)) at = place, found = word;
  }
  return std::string(found);
}

SqlError ExplainSqlError(std::string_view text, std::string_view sql, int at,
                         const std::vector<const Relation*>& relations,
                         const std::function<std::vector<std::string>()>& functions) {
  if (const std::string_view table = After(text, "no such table: "); !table.empty())
    return NoTable(table, sql, at, relations);
  if (const std::string_view column = After(text, "no such column: "); !column.empty())
    return NoColumn(column, sql, at, relations);
  if (const std::string_view function = After(text, "no such function: "); !function.empty())
    return NoFunction(function, sql, at, functions());
  if (text.ends_with(" may not be modified")) return {NotReadingError(WritingWordIn(sql)), -1, 0};
  if (text == "incomplete input") {
    return {MakeError(kSyntaxError, "the statement is not complete")
                .Hint("For example: sql SELECT name, bytes FROM nodes ORDER BY bytes DESC LIMIT 5"),
            -1, 0};
  }
  const bool syntax = text.ends_with("syntax error") || text.starts_with("unrecognized token");
  return syntax ? Syntax(text, sql, at, relations) : Other(text, sql, at);
}

}  // namespace tensh::shell
