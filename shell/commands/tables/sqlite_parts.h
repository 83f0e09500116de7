// The parts of a Database that SQLite calls: virtual tables, and functions that replace slow ones.
// Private to this folder.
#pragma once

#include <sqlite3.h>

#include <string_view>

#include "shell/commands/tables/database.h"

namespace tensh::shell {

// Makes the relation a table of the connection. The database and the relation must outlive the
// connection. Returns an SQLite result code.
int AddVirtualTable(sqlite3* db, Database* database, const Relation* relation);

// Replaces LIKE and GLOB, whose time is exponential in the number of wildcards, and instr() and
// replace(), whose time is a product of two lengths. Adds contains(text, part), which ignores case.
int AddFunctions(sqlite3* db, Database* database);

}  // namespace tensh::shell
