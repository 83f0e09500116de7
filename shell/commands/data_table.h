// Tables that can be asked: `VERB [PATTERN] [where COND] [order COLUMN [desc]] [limit N]`, as a box
// in a terminal, plain in a pipe, --json and --csv for programs. A verb fills a DataTable; all the
// rest is here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/command.h"

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
  const char* name;         // as typed in where and order, and in JSON
  size_t least = SIZE_MAX;  // may be cut down to so many columns; SIZE_MAX: never
  Unit unit = Unit::kNone;
  bool hidden = false;         // in JSON and CSV only
  const char* head = nullptr;  // null: the name
};

struct DataTable {
  std::vector<DataColumn> columns;
  std::vector<std::vector<Cell>> rows;
  const char* noun = "row";
  size_t searched = 2;     // PATTERN looks in the first so many visible columns
  size_t shown = 100;      // rows of a table unless --all or limit says otherwise
  std::string json = {};   // printed for --json when nothing was asked; "": the rows
  std::string empty = {};  // what a person is told when there are no rows at all
};

// The flags and clauses, for a verb's usage.
#define TENSH_TABLE_USAGE "[where COND] [order COLUMN [desc]] [limit N] [--all] [--json] [--csv]"
inline constexpr const char* kTableHelp =
    "COND compares columns: op == Const and bytes > 1KB; name like \"grad%\"; also !=, <, <=, >=, "
    "in, and, or, not.\n--csv > FILE and --json > FILE write a file.";

// `searched_for`: the PATTERN, when the rows were found by it already.
void ShowTable(CommandCall& call, DataTable table, std::string_view searched_for = "");
// Is anything but the plain listing asked for?
bool HasTableClauses(CommandCall& call);

// A condition over the columns; throws SyntaxError and KeyError. For tests too.
std::function<bool(const std::vector<Cell>&)> CompileCondition(
    const std::vector<DataColumn>& columns, std::string_view text);

}  // namespace tensh::shell
