// Relations as eponymous virtual tables of SQLite. A join looks rows up by an equal column, for which
// a table of the second and later lookups is indexed in memory.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_map>

#include "shell/commands/tables/sqlite_parts.h"
#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

struct Module {
  Database* database;
  const Relation* relation;
};

// For each value in a column, the positions of the rows that have it.
using ColumnIndex = std::unordered_map<std::string, std::vector<uint64_t>>;

struct Table : sqlite3_vtab {
  Module module;
  std::unordered_map<int, ColumnIndex> indexes;  // by column
  std::unordered_map<int, int> lookups;          // by column: number of searches
};

struct Cursor : sqlite3_vtab_cursor {
  std::unique_ptr<RowCursor> rows;
  bool end = true;
  // The rows found in an index, or null for a scan of all rows.
  const std::vector<uint64_t>* found = nullptr;
  size_t next = 0;
};

// Calls `body`. Keeps an exception for Database::Run, because it must not pass through SQLite.
template <class F>
int Guarded(Database* database, F body) {
  try {
    return body();
  } catch (...) {
    database->Keep(std::current_exception());
    return SQLITE_ERROR;
  }
}

int Connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char**) {
  const Module module = *static_cast<Module*>(aux);
  return Guarded(module.database, [&] {
    std::string schema = "CREATE TABLE x(";
    for (const RelationColumn& column : module.relation->columns) {
      if (schema.back() != '(') schema += ", ";
      schema += "\"" + std::string(column.name) + "\" " + SqlTypeName(column.type);
    }
    module.database->set_declaring(true);
    const int code = sqlite3_declare_vtab(db, (schema + ")").c_str());
    module.database->set_declaring(false);
    if (code != SQLITE_OK) return code;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    auto* table = new Table();
    table->module = module;
    *out = table;
    return SQLITE_OK;
  });
}

int Disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

// Returns true for a constraint `column = value`, which an index can answer. `column IN (…)` is
// left to a scan, because the index would yield the rows in the order of the list.
bool Searches(sqlite3_index_info* info, int i) {
  const auto& constraint = info->aConstraint[i];
  if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ ||
      constraint.iColumn < 0)
    return false;
#if SQLITE_VERSION_NUMBER >= 3038000
  if (sqlite3_vtab_in(info, i, -1) != 0) return false;
#endif
  return sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0;
}

bool IsKey(const Relation& relation, int column) {
  return std::find(relation.keys.begin(), relation.keys.end(), static_cast<size_t>(column)) !=
         relation.keys.end();
}

// Returns true if the rows need not be sorted. The rows of a key's value follow each other, which
// is enough for GROUP BY and DISTINCT, and a key that is a number increases from row to row.
bool HasOrder(const Relation& relation, sqlite3_index_info* info) {
  if (info->nOrderBy != 1 || !IsKey(relation, info->aOrderBy[0].iColumn)) return false;
#if SQLITE_VERSION_NUMBER >= 3038000
  const int distinct = sqlite3_vtab_distinct(info);
  if (distinct == 1 || distinct == 2) return true;
#endif
  const RelationColumn& column = relation.columns[static_cast<size_t>(info->aOrderBy[0].iColumn)];
  return column.type == RelationColumn::Type::kInteger && info->aOrderBy[0].desc == 0;
}

int BestIndex(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  const Relation& relation = *static_cast<Table*>(vtab)->module.relation;
  info->orderByConsumed = HasOrder(relation, info) ? 1 : 0;
  const auto rows = static_cast<double>(relation.rows);
  info->estimatedCost = rows + 10;
  info->estimatedRows = static_cast<sqlite3_int64>(rows);
  info->idxNum = -1;
  int best = -1;
  for (int i = 0; i < info->nConstraint; ++i) {
    if (!Searches(info, i)) continue;
    const bool key = IsKey(relation, info->aConstraint[i].iColumn);
    if (best >= 0 && !key) continue;
    best = i;
    info->estimatedCost = key ? 2 : 25;
    info->estimatedRows = key ? 2 : 10;
    if (key) break;
  }
  if (best < 0) return SQLITE_OK;
  info->aConstraintUsage[best].argvIndex = 1;  // SQLite checks the condition again
  info->idxNum = info->aConstraint[best].iColumn;
  return SQLITE_OK;
}

int Open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new Cursor();
  return SQLITE_OK;
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

void Advance(Cursor* cursor) {
  if (cursor->found == nullptr) {
    cursor->end = !cursor->rows->Next();
    return;
  }
  cursor->end = cursor->next >= cursor->found->size();
  if (!cursor->end) cursor->rows->Restore((*cursor->found)[cursor->next++]);
}

// These return a key. Values that SQLite may compare as equal, such as 7 and '7', have equal keys.
std::string Key(double number) {
  if (number == 0) number = 0;  // not -0
  std::string key(1 + sizeof number, '\0');
  std::memcpy(key.data() + 1, &number, sizeof number);
  return key;
}

std::string Key(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? Key(number) : std::string(text);
}

std::string Key(const Cell& cell) {
  if (cell.kind == Cell::Kind::kText) return Key(cell.text);
  return Key(cell.kind == Cell::Kind::kReal ? cell.real : static_cast<double>(cell.number));
}

const ColumnIndex& IndexOf(Table* table, int column) {
  const auto [at, added] = table->indexes.try_emplace(column);
  if (!added) return at->second;
  const std::unique_ptr<RowCursor> rows = table->module.relation->open();
  size_t seen = 0;
  while (rows->Next()) {
    const Cell cell = rows->At(static_cast<size_t>(column));
    if (cell.kind != Cell::Kind::kNone) at->second[Key(cell)].push_back(rows->position());
    if (++seen % 4096 == 0 && table->module.database->interrupted())
      break;  // SQLite ends the query
  }
  return at->second;
}

// The ways to the rows of a condition: all rows, of which SQLite skips some; those of a key or an
// index; and no rows.
enum class Way : uint8_t { kScan, kKey, kIndex, kNowhere };

// The first lookup in a column without a key is a scan, because an index would take a scan to make.
Way WayTo(Table* table, int column, sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_NULL) return Way::kNowhere;
  if (IsKey(*table->module.relation, column)) return Way::kKey;
  return table->lookups[column]++ > 0 ? Way::kIndex : Way::kScan;
}

// Returns the value as a cell of the column's type. A value of another type becomes one that SQLite
// does not accept as equal.
Cell KeyCell(const RelationColumn& column, sqlite3_value* value) {
  if (column.type == RelationColumn::Type::kText) return Cell::Text(std::string(TextOf(value)));
  return Cell::Number(sqlite3_value_int64(value));
}

const std::vector<uint64_t>* RowsWith(Table* table, int column, std::string_view value) {
  static const std::vector<uint64_t> none;
  const ColumnIndex& index = IndexOf(table, column);
  const auto at = index.find(Key(value));
  return at == index.end() ? &none : &at->second;
}

int Filter(sqlite3_vtab_cursor* base, int column, const char*, int argc, sqlite3_value** argv) {
  auto* cursor = static_cast<Cursor*>(base);
  auto* table = static_cast<Table*>(base->pVtab);
  return Guarded(table->module.database, [&] {
    const Relation& relation = *table->module.relation;
    const Way way = argc == 0 ? Way::kScan : WayTo(table, column, argv[0]);
    if (way == Way::kScan || cursor->rows == nullptr) cursor->rows = relation.open();
    cursor->found = nullptr;
    cursor->next = 0;
    cursor->end = way == Way::kNowhere;
    if (way == Way::kIndex) cursor->found = RowsWith(table, column, TextOf(argv[0]));
    if (way == Way::kKey) {
      const auto key = static_cast<size_t>(column);
      cursor->rows->Seek(key, KeyCell(relation.columns[key], argv[0]));
    }
    if (way != Way::kNowhere) Advance(cursor);
    return SQLITE_OK;
  });
}

int Next(sqlite3_vtab_cursor* base) {
  auto* cursor = static_cast<Cursor*>(base);
  return Guarded(static_cast<Table*>(base->pVtab)->module.database, [&] {
    Advance(cursor);
    return SQLITE_OK;
  });
}

int AtEnd(sqlite3_vtab_cursor* cursor) { return static_cast<Cursor*>(cursor)->end ? 1 : 0; }

int Column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  return Guarded(static_cast<Table*>(base->pVtab)->module.database, [&] {
    const Cell cell = static_cast<Cursor*>(base)->rows->At(static_cast<size_t>(column));
    switch (cell.kind) {
      case Cell::Kind::kNone:
        sqlite3_result_null(context);
        break;
      case Cell::Kind::kText:
        sqlite3_result_text64(context, cell.text.data(), cell.text.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8);
        break;
      case Cell::Kind::kReal:
        sqlite3_result_double(context, cell.real);
        break;
      case Cell::Kind::kNumber:
      case Cell::Kind::kBool:
        sqlite3_result_int64(context, cell.number);
        break;
    }
    return SQLITE_OK;
  });
}

int RowId(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<Cursor*>(cursor)->rows->position());
  return SQLITE_OK;
}

// A module without xCreate is eponymous: its table exists from the beginning, under the name of the
// module.
sqlite3_module MakeModule() {
  sqlite3_module module{};
  module.xConnect = Connect;
  module.xBestIndex = BestIndex;
  module.xDisconnect = Disconnect;
  module.xOpen = Open;
  module.xClose = Close;
  module.xFilter = Filter;
  module.xNext = Next;
  module.xEof = AtEnd;
  module.xColumn = Column;
  module.xRowid = RowId;
  return module;
}

}  // namespace

int AddVirtualTable(sqlite3* db, Database* database, const Relation* relation) {
  static const sqlite3_module module = MakeModule();
  return sqlite3_create_module_v2(db, relation->name.c_str(), &module,
                                  new Module{database, relation},
                                  [](void* module) { delete static_cast<Module*>(module); });
}

}  // namespace tensh::shell
