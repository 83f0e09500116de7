#include "shell/commands/tables/sqlite_library.h"

#include "runtime/base/shared_library.h"

const sqlite3_api_routines* sqlite3_api = nullptr;

// The loader needs these functions before it has the table.
#undef sqlite3_auto_extension
#undef sqlite3_cancel_auto_extension
#undef sqlite3_close
#undef sqlite3_open

namespace tensh::shell {
namespace {

constexpr int kOldest = 3038000;  // the first version with sqlite3_vtab_in and sqlite3_error_offset

int TakeTable(sqlite3*, char**, const sqlite3_api_routines* table) {
  sqlite3_api = table;
  return SQLITE_OK;
}

std::string Load() {
  SharedLibrary library(kSqliteLibrary);
  decltype(&sqlite3_auto_extension) add = nullptr;
  decltype(&sqlite3_cancel_auto_extension) remove = nullptr;
  decltype(&sqlite3_open) open = nullptr;
  decltype(&sqlite3_close) close = nullptr;
  library.Find("sqlite3_auto_extension", &add);
  library.Find("sqlite3_cancel_auto_extension", &remove);
  library.Find("sqlite3_open", &open);
  library.Find("sqlite3_close", &close);
  if (!library.complete()) return NotInstalled(kSqliteLibrary);
  // SQLite initializes the extensions of each connection that it opens.
  const auto entry = reinterpret_cast<void (*)()>(&TakeTable);
  sqlite3* connection = nullptr;
  if (add(entry) == SQLITE_OK) open(":memory:", &connection);
  close(connection);
  remove(entry);
  if (sqlite3_api == nullptr) return "SQLite cannot open a database in memory";
  if (sqlite3_libversion_number() < kOldest)
    return std::string("SQLite 3.38 is needed, and ") + kSqliteLibrary.file + " is " +
           sqlite3_libversion();
  return "";
}

}  // namespace

const std::string& LoadSqlite() {
  static const std::string problem = Load();
  return problem;
}

}  // namespace tensh::shell
