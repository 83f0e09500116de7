// Tables with queries: `VERB [PATTERN] [where COND] [group by COLUMN] [order COLUMN [desc]] [limit N]
// [count]`. A verb describes a DataTable and calls ShowTable, which asks SQLite for the rows and
// prints them, or makes them a value of the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/base/command.h"
#include "shell/commands/tables/table_text.h"

namespace tensh::shell {

struct DataTable {
  std::vector<DataColumn> columns;
  // The table that the rows come from. Its other columns can be used in clauses too, and are then
  // shown. If it is null, the rows are those of `rows`.
  const ShellTable* of = nullptr;
  std::vector<Row> rows = {};
  const char* noun = "row";
  size_t searched = 2;     // number of visible columns, from the left, that PATTERN is matched with
  size_t shown = 100;      // maximum number of rows without --all and limit
  std::string json = {};   // the text for --json without clauses; "" prints the rows
  std::string empty = {};  // a note at the prompt if the table has no rows
};

// The flags and clauses, for the usage of a verb.
#define TENSH_TABLE_USAGE                                                                    \
  "[where COND] [group by COLUMN] [order COLUMN [desc]] [limit N] [count] [--all] [--json] " \
  "[--csv] "                                                                                 \
  "[--md]"
// The part of a verb's help text about them, with conditions of this verb as examples.
#define TENSH_TABLE_HELP(examples)                                                                 \
  "COND compares columns, as in " examples                                                         \
  ". The operators are ==, !=,\n<, <=, >=, like, in, "                                             \
  "between, is null, and, or, not. `group by COLUMN` counts the rows of each value, `count`\nall " \
  "rows. `> FILE.csv`, `.json` or `.md` writes a file, and `rows = VERB …` keeps the rows as a " \
  "value.\n`help sql` describes the language."

// Prints the table as requested by the call's flags and clauses, or sets the value of the call.
// `searched_for` is the PATTERN if the verb has already applied it.
void ShowTable(CommandCall& call, DataTable table, std::string_view searched_for = "");
// Returns true if the call has any clause or table flag.
bool HasTableClauses(CommandCall& call);

// Rows that are ready to be shown.
struct ShownRows {
  std::vector<DataColumn> columns;
  std::vector<Row> rows{};
  const char* noun = "row";
  size_t total = 0;       // if it is more than rows.size(), `rows` holds only the first ones
  std::string see_all{};  // the command that shows all of them
};
// Prints the rows as requested by the flags, or sets the value of the call.
void ShowRows(CommandCall& call, const ShownRows& shown);

}  // namespace tensh::shell
