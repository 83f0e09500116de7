#include "shell/commands/tables/database.h"

#include <algorithm>

#include "runtime/base/text.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/sql_error.h"
#include "shell/commands/tables/sqlite_parts.h"
#include "shell/python/values/error.h"
#include "shell/python/vm/interp.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr sqlite3_int64 kHeap = 256 << 20;                           // bytes that SQLite may use
constexpr int kLongestText = 16 << 20, kLongestStatement = 1 << 20;  // bytes
constexpr size_t kLargestResult = 256 << 20;
constexpr int kStepsPerCheck = 1000;  // instructions of SQLite's machine between checks for Ctrl-C

// A limit of SQLite, such as the length of a text in bytes.
struct Limit {
  int id, value;
};
constexpr Limit kLimits[] = {
    {SQLITE_LIMIT_LENGTH, kLongestText},
    {SQLITE_LIMIT_SQL_LENGTH, kLongestStatement},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},
    {SQLITE_LIMIT_COMPOUND_SELECT, 100},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10000},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 1000},
    {SQLITE_LIMIT_FUNCTION_ARG, 100},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

constexpr std::string_view kRefusedFunctions[] = {"load_extension", "fts3_tokenizer", "readfile",
                                                  "writefile", "edit"};
constexpr std::string_view kPragmas[] = {"table_info", "table_xinfo", "table_list", "function_list",
                                         "compile_options"};

template <size_t n>
bool Contains(const std::string_view (&list)[n], const char* name) {
  return name != nullptr && std::find(list, list + n, std::string_view(name)) != list + n;
}

// Allows operations that only read, and reports to the database what it rejected.
int Authorize(void* database, int code, const char* first, const char* second, const char*,
              const char*) {
  switch (code) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      if (!Contains(kRefusedFunctions, second)) return SQLITE_OK;
      static_cast<Database*>(database)->Deny("the function " + std::string(second));
      return SQLITE_DENY;
    case SQLITE_PRAGMA:
      if (Contains(kPragmas, first)) return SQLITE_OK;
      static_cast<Database*>(database)->Deny("PRAGMA " + std::string(first ? first : ""));
      return SQLITE_DENY;
    default:
      break;
  }
  // The statement that declares a virtual table comes from tensh, not from the user.
  if (static_cast<Database*>(database)->declaring()) return SQLITE_OK;
  static_cast<Database*>(database)->Deny("");
  return SQLITE_DENY;
}

int Progress(void* database) { return static_cast<Database*>(database)->interrupted() ? 1 : 0; }

// Rejects statements by their first word where SQLite's own error would be unclear.
void CheckReads(std::string_view sql) {
  const bool with = AsciiUpper(FirstWord(sql)) == "WITH";
  if (const std::string word = WritingWordIn(sql); !with && !word.empty())
    throw NotReadingError(word);
}

// Tables that SQLite makes when a query first uses them. Their CREATE TABLE cannot be told from that
// of a user, so that they are made before the user's statement.
constexpr const char* kTablesOfSqlite[] = {"json_each",
                                           "json_tree",
                                           "pragma_table_info",
                                           "pragma_table_xinfo",
                                           "pragma_table_list",
                                           "pragma_function_list",
                                           "pragma_compile_options"};

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

void BindCell(sqlite3_stmt* statement, int index, const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kText:
      sqlite3_bind_text64(statement, index, cell.text.data(), cell.text.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8);
      break;
    case Cell::Kind::kReal:
      sqlite3_bind_double(statement, index, cell.real);
      break;
    case Cell::Kind::kNumber:
    case Cell::Kind::kBool:
      sqlite3_bind_int64(statement, index, cell.number);
      break;
    case Cell::Kind::kNone:
      break;  // a parameter without a value is NULL
  }
}

// Returns the names of the columns. A repeated name gets a number, so that a record can hold both
// columns.
std::vector<std::string> ColumnNames(sqlite3_stmt* statement) {
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* name = sqlite3_column_name(statement, i);
    const std::string base = name == nullptr ? "" : name;
    std::string unique = base;
    for (int n = 2; std::find(names.begin(), names.end(), unique) != names.end(); ++n)
      unique = base + "_" + std::to_string(n);
    names.push_back(std::move(unique));
  }
  return names;
}

}  // namespace

Database::Database(Interp& interp) : interp_(interp) {
  if (const std::string& problem = LoadSqlite(); !problem.empty())
    throw MakeError(kRuntimeError, problem);
  sqlite3_hard_heap_limit64(kHeap);
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(":memory:", &db_, kFlags, nullptr);
  if (code != SQLITE_OK || AddFunctions(db_, this) != SQLITE_OK) {
    sqlite3_close_v2(db_);
    throw MakeError(kMemoryError, std::string("SQLite: ") + sqlite3_errstr(code));
  }
  sqlite3_exec(db_, "PRAGMA temp_store = MEMORY", nullptr, nullptr,
               nullptr);  // no files for sorting
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  for (const Limit& limit : kLimits) sqlite3_limit(db_, limit.id, limit.value);
  sqlite3_set_authorizer(db_, Authorize, this);
  sqlite3_progress_handler(db_, kStepsPerCheck, Progress, this);
}

Database::~Database() { sqlite3_close_v2(db_); }

bool Database::interrupted() const { return interp_.interrupted(); }

void Database::Add(Relation relation) {
  relations_.push_back(std::make_unique<Relation>(std::move(relation)));
  if (AddVirtualTable(db_, this, relations_.back().get()) != SQLITE_OK)
    throw MakeError(kMemoryError, "SQLite: out of memory");
}

const Relation* Database::Find(std::string_view name) const {
  for (const auto& relation : relations_)
    if (sqlite3_strnicmp(relation->name.data(), name.data(), static_cast<int>(name.size())) == 0 &&
        relation->name.size() == name.size())
      return relation.get();
  return nullptr;
}

void Database::FailDenied(std::string_view sql) const {
  if (!denied_->empty()) throw NotReadingError(*denied_);
  // Without a name, it is the statement itself that was refused, or a table that SQLite would make.
  if (const std::string word = WritingWordIn(sql); !word.empty()) throw NotReadingError(word);
  throw MakeError(kPermissionError, "the statement uses a table of SQLite that sql does not have")
      .Hint("`sql` lists the tables; json_each(text) and json_tree(text) exist too");
}

std::vector<std::string> Database::Functions() {
  std::vector<std::string> names;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_, "PRAGMA function_list", -1, &statement, nullptr) == SQLITE_OK)
    while (sqlite3_step(statement) == SQLITE_ROW)
      names.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
  sqlite3_finalize(statement);
  return names;
}

// Makes the tables of SQLite that the statement names.
void Database::MakeTables(std::string_view sql) {
  for (const char* table : kTablesOfSqlite) {
    if (sql.find(table) == std::string_view::npos) continue;
    declaring_ = true;
    sqlite3_exec(db_, (std::string("SELECT 1 FROM ") + table + " LIMIT 0").c_str(), nullptr,
                 nullptr, nullptr);
    declaring_ = false;
  }
}

void Database::Fail(std::string_view sql, int code) {
  if (kept_) std::rethrow_exception(std::exchange(kept_, nullptr));
  if (code == SQLITE_INTERRUPT) {
    interp_.CheckInterrupt();  // throws KeyboardInterrupt
    throw MakeError(kRuntimeError, "the query was interrupted");
  }
  if (code == SQLITE_NOMEM)
    throw MakeError(kMemoryError, "the query needs more than " + Bytes(kHeap) + " of memory")
        .Hint("Select fewer rows, with where or limit");
  if (denied_) FailDenied(sql);
  if (code == SQLITE_TOOBIG && sql.size() > kLongestStatement)
    throw ValueError("the statement is longer than " + Bytes(kLongestStatement));
  if (code == SQLITE_TOOBIG)
    throw ValueError("a text or blob of the query is longer than " + Bytes(kLongestText));
#if SQLITE_VERSION_NUMBER >= 3038000
  error_at_ = sqlite3_error_offset(db_);
#endif
  std::vector<const Relation*> all;
  for (const auto& relation : relations_) all.push_back(relation.get());
  SqlError error = ExplainSqlError(std::string(sqlite3_errmsg(db_)), sql, error_at_, all,
                                   [this] { return Functions(); });
  error_at_ = error.at;
  error_size_ = error.size;
  throw std::move(error.error);
}

sqlite3_stmt* Database::Prepare(std::string_view sql) {
  CheckReads(sql);
  MakeTables(sql);
  sqlite3_stmt* statement = nullptr;
  const char* tail = nullptr;
  denied_.reset();
  error_at_ = -1;
  const int code =
      sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()), 0, &statement, &tail);
  Statement owned(statement);
  if (code != SQLITE_OK) Fail(sql, code);
  if (statement == nullptr) throw MakeError(kSyntaxError, "there is no statement");
  const auto used = static_cast<size_t>(tail - sql.data());
  const size_t more = sql.find_first_not_of(" \t\r\n;", used);
  if (more != std::string_view::npos && !sql.substr(more).starts_with("--"))
    throw MakeError(kSyntaxError, "sql runs one statement at a time");
  if (sqlite3_stmt_readonly(statement) == 0) throw NotReadingError(std::string(FirstWord(sql)));
  return owned.release();
}

Row Database::ReadRow(sqlite3_stmt* statement, size_t* bytes) const {
  Row row;
  const int columns = sqlite3_column_count(statement);
  row.reserve(static_cast<size_t>(columns));
  for (int i = 0; i < columns; ++i) {
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_INTEGER: {
        const char* type = sqlite3_column_decltype(statement, i);
        const int64_t number = sqlite3_column_int64(statement, i);
        const bool is_bool = type != nullptr && std::string_view(type) == "BOOLEAN";
        row.push_back(is_bool ? Cell::Bool(number != 0) : Cell::Number(number));
        break;
      }
      case SQLITE_FLOAT:
        row.push_back(Cell::Real(sqlite3_column_double(statement, i)));
        break;
      case SQLITE_NULL:
        row.emplace_back();
        break;
      default: {  // texts and blobs
        const auto* text = static_cast<const char*>(sqlite3_column_blob(statement, i));
        const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, i));
        row.push_back(Cell::Text(text == nullptr ? std::string() : std::string(text, size)));
      }
    }
    *bytes += sizeof(Cell) + row.back().text.size();
  }
  return row;
}

void Database::Bind(sqlite3_stmt* statement, const Parameter& parameter) const {
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
    const char* name = sqlite3_bind_parameter_name(statement, i);
    if (!parameter)
      throw ValueError("the statement has a parameter, " + std::string(name ? name : "?"));
    const bool named = name != nullptr && name[0] != '?';
    BindCell(statement, i,
             parameter(static_cast<size_t>(i - 1), named ? name + 1 : std::string_view()));
  }
}

// Counts the rows of a statement without computing their columns. Returns nothing if counting would
// not be faster, because the rows have already been computed, as for ORDER BY.
std::optional<size_t> Database::CountRows(sqlite3_stmt* statement, const Parameter& parameter) {
  constexpr int kStreams = 200'000;  // instructions before the first rows
  if (sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0) > kStreams) return std::nullopt;
  std::string sql = sqlite3_sql(statement);
  while (!sql.empty() && std::string_view(" \t\r\n;").find(sql.back()) != std::string_view::npos)
    sql.pop_back();
  sqlite3_stmt* made = nullptr;
  sqlite3_prepare_v2(db_, ("SELECT count(*) FROM (" + sql + "\n)").c_str(), -1, &made, nullptr);
  const Statement counting(made);
  if (made == nullptr) return std::nullopt;  // such as PRAGMA, which cannot be a subquery
  Bind(made, parameter);
  if (sqlite3_step(made) != SQLITE_ROW) return std::nullopt;
  return static_cast<size_t>(sqlite3_column_int64(made, 0));
}

QueryResult Database::Run(std::string_view sql, const Parameter& parameter, size_t most) {
  const Statement statement(Prepare(sql));
  Bind(statement.get(), parameter);
  QueryResult result;
  result.columns = ColumnNames(statement.get());
  size_t bytes = 0;
  while (true) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE) return result;
    if (code != SQLITE_ROW) Fail(sql, code);
    if (++result.total > most) {
      const bool first = result.total == most + 1;
      const auto all = first ? CountRows(statement.get(), parameter) : std::nullopt;
      if (!all) continue;
      result.total = *all;
      return result;
    }
    result.rows.push_back(ReadRow(statement.get(), &bytes));
    if (bytes > kLargestResult)
      throw MakeError(kMemoryError,
                      "the result is larger than " + Bytes(static_cast<int64_t>(kLargestResult)))
          .Hint("Add LIMIT 1000, or aggregate with count(*) and GROUP BY");
  }
}

}  // namespace tensh::shell
