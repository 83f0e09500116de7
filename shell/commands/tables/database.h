// SQL over relations. An SQLite database stores nothing; its virtual tables are the relations. It
// runs one query at a time.
//
// A query can only read. It opens no file, attaches no database and loads no extension; the memory of
// SQLite, the length of a text and the size of a result are limited. A query ends when the user
// presses Ctrl-C.
//
// Threads: the interpreter's thread only. A Database refers to the interpreter and owns its
// relations.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/commands/tables/relation.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tensh::shell {

class Interp;

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<Row> rows;
  size_t total = 0;  // more than rows.size() if Run was asked for fewer
};

class Database {
 public:
  // Throws MemoryError if SQLite cannot be started.
  explicit Database(Interp& interp);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void Add(Relation relation);

  // The value of a parameter, `?`, or by name `:name`. `name` is "" for `?`, and index counts from 0.
  using Parameter = std::function<Cell(size_t index, std::string_view name)>;

  // Runs a statement that reads and returns its rows. A column that is declared as BOOLEAN has
  // cells of kind kBool. Throws SyntaxError; KeyError for a table or a column that does not exist,
  // with the most similar name as a hint; PermissionError for a statement that does not only read;
  // ValueError for other errors of SQL; and KeyboardInterrupt. Only the first `most` rows are
  // returned; the others are counted.
  QueryResult Run(std::string_view sql, const Parameter& parameter = nullptr,
                  size_t most = SIZE_MAX);
  // The place of the last error in the statement, as an offset and a length in bytes, or -1 and 0.
  std::pair<int, int> error_place() const { return {error_at_, error_size_}; }

  // Keeps an exception until Run can throw it. For the virtual tables, which SQLite calls: an
  // exception must not pass through SQLite.
  void Keep(std::exception_ptr error) { kept_ = std::move(error); }
  bool interrupted() const;
  const Relation* Find(std::string_view name) const;
  void Deny(std::string what) { denied_ = std::move(what); }
  // True while a virtual table declares its columns.
  bool declaring() const { return declaring_; }
  void set_declaring(bool declaring) { declaring_ = declaring; }

 private:
  [[noreturn]] void Fail(std::string_view sql, int code);
  [[noreturn]] void FailDenied(std::string_view sql) const;
  std::vector<std::string> Functions();  // the names of all functions
  void MakeTables(std::string_view sql);
  sqlite3_stmt* Prepare(std::string_view sql);
  void Bind(sqlite3_stmt* statement, const Parameter& parameter) const;
  std::optional<size_t> CountRows(sqlite3_stmt* statement, const Parameter& parameter);
  Row ReadRow(sqlite3_stmt* statement, size_t* bytes) const;

  Interp& interp_;
  sqlite3* db_ = nullptr;
  std::vector<std::unique_ptr<Relation>> relations_;
  std::exception_ptr kept_;
  bool declaring_ = false;
  // The name of the function or PRAGMA that the authorizer rejected, or "" if it rejected the whole
  // statement. Not set if it rejected nothing.
  std::optional<std::string> denied_;
  int error_at_ = -1, error_size_ = 0;
};

}  // namespace tensh::shell
