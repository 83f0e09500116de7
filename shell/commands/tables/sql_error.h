// Turns errors of SQLite into exceptions of the shell. These name the place in the statement and,
// for an unknown name, the most similar known one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/tables/relation.h"
#include "shell/python/values/error.h"

namespace tensh::shell {

struct SqlError {
  PyError error;
  int at = -1, size = 0;  // the place in the statement in bytes; -1 if it is unknown
};

// `text` is the message of SQLite for the statement `sql`, and `at` the offset that SQLite
// reported, or -1. The cause is read from the text, because SQLite has one code for all errors of a
// statement.
// `functions` returns the names of all functions.
SqlError ExplainSqlError(std::string_view text, std::string_view sql, int at,
                         const std::vector<const Relation*>& relations,
                         const std::function<std::vector<std::string>()>& functions);

// Returns the error for a statement, a function or a PRAGMA that does not only read.
PyError NotReadingError(const std::string& what);
// Returns the first word of the statement that changes something, such as DELETE, or "".
std::string WritingWordIn(std::string_view sql);

// Returns the error for a column that does not exist, with the most similar of `names` or all of
// them as a hint. The error names the table if it is not "".
PyError NoColumnError(std::string_view name, const std::vector<std::string>& names,
                      std::string_view table = "");

// Returns the error for a table that does not exist, likewise.
PyError NoTableError(std::string_view name, const std::vector<std::string>& names);

}  // namespace tensh::shell
