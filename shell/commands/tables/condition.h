// Conditions of the table verbs, as in `where op in (Relu, MatMul) and bytes > 1KB`, translated to
// expressions of SQL.
//
// The language is that of SQL with shorter forms: a name that is not a column is a string, a number
// may have a unit, `==` is `=`, `"part" in column` tests for a substring, and a column alone is
// true if it is neither NULL, 0, false nor ''. A comparison with NULL is false, and so `not` of it
// is true. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/tables/relation.h"

namespace tensh::shell {

// A column that a query may use.
struct QueryColumn {
  std::string name, sql;
  RelationColumn::Type type = RelationColumn::Type::kAny;
};

// Returns the index of a column. Throws KeyError with the most similar name as a hint.
size_t ColumnIndex(const std::vector<QueryColumn>& columns, std::string_view name);

// Returns a condition as SQL and appends the indexes of the columns in it to `used`. Throws
// SyntaxError or KeyError.
std::string ConditionSql(const std::vector<QueryColumn>& columns, std::string_view text,
                         std::vector<size_t>* used);

// Returns the string as a literal of SQL: 'it''s'.
std::string SqlText(std::string_view text);
std::string SqlName(std::string_view name);  // "from"

}  // namespace tensh::shell
