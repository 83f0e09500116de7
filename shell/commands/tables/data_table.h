// Tables with queries: `VERB [PATTERN] [where COND] [order COLUMN [desc]] [limit N]`. A table is
// printed as a box in a terminal, as plain text in a pipe, or as JSON or CSV for programs. A verb
// only fills a DataTable and calls ShowTable.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/base/command.h"

namespace tensh::shell {

struct Cell {
  enum class Kind : uint8_t { kNone, kText, kNumber, kBool };
  Kind kind = Kind::kNone;
  std::string text = {};
  int64_t number = 0;

  static Cell Text(std::string text) { return {Kind::kText, std::move(text), 0}; }
  static Cell Number(int64_t n) { return {Kind::kNumber, "", n}; }
  static Cell Known(int64_t n) { return n < 0 ? Cell() : Number(n); }
  static Cell Bool(bool b) { return {Kind::kBool, "", b ? 1 : 0}; }
};

struct DataColumn {
  enum class Unit : uint8_t { kNone, kBytes, kNs };
  const char* name;  // the name in `where`, `order` and JSON
  // least width in columns when the table is narrowed; SIZE_MAX means never
  size_t least = SIZE_MAX;
  Unit unit = Unit::kNone;
  bool hidden = false;         // only in JSON and CSV
  const char* head = nullptr;  // heading; null for the name
};

struct DataTable {
  std::vector<DataColumn> columns;
  std::vector<std::vector<Cell>> rows;
  const char* noun = "row";
  size_t searched = 2;     // number of visible columns, from the left, that PATTERN is matched with
  size_t shown = 100;      // maximum number of rows without --all and limit
  std::string json = {};   // the text for --json without clauses; "" prints the rows
  std::string empty = {};  // a note at the prompt if the table has no rows
};

// The flags and clauses, for the usage of a verb.
#define TENSH_TABLE_USAGE "[where COND] [order COLUMN [desc]] [limit N] [--all] [--json] [--csv]"
inline constexpr const char* kTableHelp =
    "COND compares columns, as in `op == Const and bytes > 1KB` or `name like \"grad%\"`. The "
    "operators "
    "are ==, !=,\n<, <=, >=, like, in, and, or, not. `--csv > FILE` and `--json > FILE` write to a "
    "file.";

// Prints the table as requested by the call's flags and clauses. `searched_for` is the PATTERN if
// the verb has already applied it.
void ShowTable(CommandCall& call, DataTable table, std::string_view searched_for = "");
// Returns true if the call has any clause or table flag.
bool HasTableClauses(CommandCall& call);

// Compiles a condition over the columns. Throws SyntaxError or KeyError. Public for tests.
std::function<bool(const std::vector<Cell>&)> CompileCondition(
    const std::vector<DataColumn>& columns, std::string_view text);

}  // namespace tensh::shell
