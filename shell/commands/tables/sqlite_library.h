// SQLite's functions. The library is loaded at the first query, because loading it takes a tenth of
// the time in which the shell starts: it resolves 1,600 symbols. sqlite3ext.h defines each function
// as a macro that calls it through a table, which SQLite passes to its extensions.
#pragma once

#include <sqlite3ext.h>

#include <string>

extern const sqlite3_api_routines* sqlite3_api;

namespace tensh::shell {

// Loads SQLite unless that was done. Returns "", or why its functions cannot be called. Called by
// the interpreter's thread.
const std::string& LoadSqlite();

}  // namespace tensh::shell
