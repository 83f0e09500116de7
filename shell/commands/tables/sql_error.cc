#include "shell/commands/tables/sql_error.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "runtime/base/text.h"
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
  PyError error = KeyErrorOf("no table '" + std::string(name) + "'");
  const ErrorHint near = DidYouMean(name, names);
  if (near.empty()) {
    error.Hint("Choose one of: " + Join(names, ", "));
  } else {
    error.Hint(near);
  }
  return Placed(std::move(error), sql, name, at);
}

SqlError NoColumn(std::string_view name, std::string_view sql, int at,
                  const std::vector<const Relation*>& relations) {
  const size_t dot = name.rfind('.');
  const std::string_view bare = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const std::vector<std::string> names = ColumnsIn(sql, relations);
  PyError error = NoColumnError(bare, names);
  if (DidYouMean(bare, names).empty() && dot == std::string_view::npos)
    error.Hint("A string needs quotes: '" + std::string(bare) + "'. Columns: " + Join(names, ", "));
  return Placed(std::move(error), sql, name, at);
}

SqlError Syntax(std::string_view text, std::string_view sql, int at) {
  const size_t open = text.find('"'), close = text.find('"', open + 1);
  const bool named = text.starts_with("near ") && close != std::string_view::npos;
  const std::string_view word =
      named ? text.substr(open + 1, close - open - 1) : std::string_view();
  PyError error = MakeError(kSyntaxError, named ? "SQL: unexpected '" + std::string(word) + "'"
                                                : "SQL: " + std::string(text));
  error.Hint("For example: sql SELECT op, count(*) AS n FROM nodes GROUP BY op ORDER BY n DESC");
  return Placed(std::move(error), sql, word, at);
}

}  // namespace

PyError NoColumnError(std::string_view name, const std::vector<std::string>& names) {
  PyError error = KeyErrorOf("no column '" + std::string(name) + "'");
  error.exception().payload = MakeStr(name);  // from which a verb finds the place in its text
  const ErrorHint near = DidYouMean(name, names);
  if (near.empty()) return error.Hint("Choose one of: " + Join(names, ", ")), error;
  return error.Hint(near), error;
}

SqlError ExplainSqlError(std::string_view text, std::string_view sql, int at,
                         const std::vector<const Relation*>& relations) {
  if (const std::string_view table = After(text, "no such table: "); !table.empty())
    return NoTable(table, sql, at, relations);
  if (const std::string_view column = After(text, "no such column: "); !column.empty())
    return NoColumn(column, sql, at, relations);
  if (const std::string_view function = After(text, "no such function: "); !function.empty())
    return Placed(MakeError(kNameError, "SQL has no function '" + std::string(function) + "'"), sql,
                  function, at);
  if (text == "incomplete input") {
    return {MakeError(kSyntaxError, "the statement is not complete")
                .Hint("For example: sql SELECT name, bytes FROM nodes ORDER BY bytes DESC LIMIT 5"),
            -1, 0};
  }
  const bool syntax = text.ends_with("syntax error") || text.starts_with("unrecognized token");
  if (syntax) return Syntax(text, sql, at);
  return {ValueError("SQL: " + std::string(text)), at, at < 0 ? 0 : 1};
}

}  // namespace tensh::shell
