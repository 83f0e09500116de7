// The parts of a Database that SQLite calls: virtual tables, and functions that replace slow ones.
// Private to this folder.
#pragma once

#include <string_view>

#include "shell/commands/tables/database.h"
#include "shell/commands/tables/sqlite_library.h"

namespace tensh::shell {

// Makes the relation a table of the connection. The database and the relation must outlive the
// connection. Returns an SQLite result code.
int AddVirtualTable(sqlite3* db, Database* database, const Relation* relation);

// Replaces LIKE and GLOB, whose time is exponential in the number of wildcards, and instr() and
// replace(), whose time is a product of two lengths. Adds contains(text, part), which ignores case.
int AddFunctions(sqlite3* db, Database* database);

// Returns a value as text, and "" for NULL. Valid until the value is next used.
inline std::string_view TextOf(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_value_bytes(value))};
}

}  // namespace tensh::shell
