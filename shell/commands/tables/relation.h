// Relations: the tables of a session that queries read, and the cells that they consist of.
//
// A relation stores no rows. Its cursor computes a cell when a query asks for it, so that a query
// over a graph of a million nodes copies only what it selects.
//
// Threads: the interpreter's thread only. A cursor must not outlive the graph or report it reads;
// the handles in it keep these alive.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tensh::shell {

class Shell;

struct Cell {
  enum class Kind : uint8_t { kNone, kText, kNumber, kBool, kReal };
  Kind kind = Kind::kNone;
  std::string text = {};
  int64_t number = 0;
  double real = 0;

  static Cell Text(std::string text) { return {Kind::kText, std::move(text)}; }
  static Cell Number(int64_t n) { return {Kind::kNumber, "", n}; }
  static Cell Known(int64_t n) { return n < 0 ? Cell() : Number(n); }
  static Cell Bool(bool b) { return {Kind::kBool, "", b ? 1 : 0}; }
  static Cell Real(double r) { return {Kind::kReal, "", 0, r}; }
};

using Row = std::vector<Cell>;

struct RelationColumn {
  // kBytes and kNs are integers that verbs print with a unit.
  enum class Type : uint8_t { kText, kInteger, kReal, kBool, kBytes, kNs, kAny };
  const char* name;
  Type type = Type::kText;
  const char* doc = "";
};

// Returns the type of a column in a CREATE TABLE statement, or "" for a column of any type.
const char* SqlTypeName(RelationColumn::Type type);

// Walks over the rows of a relation.
class RowCursor {
 public:
  virtual ~RowCursor() = default;
  // Moves to the next row; the first call moves to the first row. Returns false at the end.
  virtual bool Next() = 0;
  virtual Cell At(size_t column) const = 0;
  // Identifies the current row. Increases from row to row.
  virtual uint64_t position() const = 0;
  // Moves to the row with this position, which the cursor has visited before.
  virtual void Restore(uint64_t position) = 0;
  // Moves before the rows that have the value in a column, which is one of the relation's keys, so
  // that Next() visits them and no others.
  virtual void Seek(size_t column, const Cell& value) { (void)column, (void)value; }
};

struct Relation {
  std::string name;
  std::vector<RelationColumn> columns;
  std::function<std::unique_ptr<RowCursor>()> open;
  size_t rows = 1000;  // an estimate, from which SQLite chooses the order of joins
  // The columns by which the cursor finds rows without a scan. In a scan, the rows with equal keys
  // follow each other, and keys that are numbers increase.
  std::vector<size_t> keys = {};
};

// Returns the function `open` of a relation whose rows are computed together. `fill` is called once,
// when the first cursor is opened.
std::function<std::unique_ptr<RowCursor>()> StoredRows(std::function<std::vector<Row>()> fill);

// A table of the shell: nodes, edges, devices, …
struct ShellTable {
  const char* name;
  const char* doc;
  std::span<const RelationColumn> columns;
  std::function<std::unique_ptr<RowCursor>()> (*opener)(Shell& shell);
  bool of_graph = false;               // its rows belong to nodes
  std::array<int, 2> keys = {-1, -1};  // see Relation; -1 for none

  Relation In(Shell& shell) const;
};

// The tables, in the order in which they are listed.
std::span<const ShellTable* const> ShellTables();
const ShellTable* FindTable(std::string_view name);  // null if no such table exists

// The tables, in groups by the file that defines them. For ShellTables().
extern const ShellTable kNodesTable, kEdgesTable, kAttrsTable, kHistoryTable, kGraphsTable;
extern const ShellTable kDevicesTable, kVarsTable, kSessionsTable, kOpsTable, kCellsTable;
extern const ShellTable kEventsTable, kTransfersTable, kStepsTable;

}  // namespace tensh::shell
