// The verbs `cells` and `rerun`: list the cells of the prompt, and run some of them again.

#include <algorithm>
#include <charconv>

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/cell_rows.h"
#include "shell/commands/tables/data_table.h"
#include "shell/python/values/error.h"
#include "shell/session/cell_journal.h"

namespace tensh::shell {
namespace {

// Returns the cells of all sessions, oldest first.
std::vector<Row> AllCells(Shell& shell) {
  std::vector<Row> rows;
  const std::string folder = JournalFolder();
  std::vector<std::string> ids = JournalIds(folder);
  std::reverse(ids.begin(), ids.end());
  for (const std::string& id : ids) {
    const JournalSession session = ReadJournal(folder, id);
    for (Row& row : RowsOfCells(session.cells, id, id == shell.cells().id()))
      rows.push_back(std::move(row));
  }
  return rows;
}

void RunCells(CommandCall& call) {
  const bool all = call.Has("--all") && call.shell().cells().kept();
  const bool prompt = call.shell().options().interactive;
  DataTable table{.columns = {{.name = "cell"},
                              {.name = "text", .least = 12},
                              {.name = "lines", .hidden = true},
                              {.name = "state"},
                              {.name = "time", .unit = DataColumn::Unit::kNs, .hidden = !prompt},
                              {.name = "nodes", .head = "+ nodes"},
                              {.name = "began", .hidden = !prompt},
                              {.name = "session", .hidden = !all}},
                  .of = &kCellsTable,
                  .noun = "cell",
                  .empty = "nothing was typed yet"};
  if (all) {
    table.rows = AllCells(call.shell());
    table.of = nullptr;
  }
  ShowTable(call, std::move(table));
}

// Parses "12" or "3-7".
void ParseRange(CommandCall& call, std::string_view word, int* first, int* last) {
  const char* end = word.data() + word.size();
  auto [at, error] = std::from_chars(word.data(), end, *first);
  *last = *first;
  if (error == std::errc() && at != end && *at == '-') {
    const auto after = std::from_chars(at + 1, end, *last);
    at = after.ptr, error = after.ec;
  }
  if (error != std::errc() || at != end || *first > *last)
    call.Misused("expects numbers of cells, such as 12 or 3-7, not '" + std::string(word) + "'");
}

void RunRerun(CommandCall& call) {
  std::vector<std::string> queue;
  std::string_view rest = call.text();
  if (rest.empty()) call.Misused("needs the number of a cell");
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" ,"));
    rest.remove_prefix(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" ,"), rest.size()));
    int first = 0, last = 0;
    ParseRange(call, word, &first, &last);
    const size_t before = queue.size();
    for (const JournalCell& cell : call.shell().cells().cells()) {
      if (cell.number < first || cell.number > last || cell.number == call.shell().cell()) continue;
      const std::string_view verb = FirstWord(cell.text);
      if (verb != "rerun" && verb != ".rerun") queue.push_back(cell.text);
    }
    if (queue.size() == before)
      throw MakeError(kLookupError, "no cell " + std::string(word) + " to run again").Type("cells");
  }
  call.shell().next_cells() = std::move(queue);
}

constexpr CommandExample kExamples[] = {{"cells", nullptr}};

}  // namespace

void RegisterCommand_cells(CommandRegistry& r) {
  r.Add({.name = "cells",
         .usage = "cells [PATTERN] " TENSH_TABLE_USAGE,
         .summary = "List the cells typed at this prompt: when, whether they worked, how long they "
                    "took.",
         .help = "`--all` lists those of earlier sessions too, which `tensh --resume=SESSION` "
                 "continues. `cells matmul` finds\ncells that contain the word, and `rerun 12` "
                 "runs one again.\n" TENSH_TABLE_HELP("`state == failed` or `time > 1s`"),
         .examples = kExamples,
         .gives_value = true,
         .pages = true,
         .run = RunCells});
  r.Add({.name = "rerun",
         .usage = "rerun N[-M] [N …]",
         .summary = "Run cells again, as if they were typed.",
         .help = "`rerun 12` runs the cell In[12], `rerun 3-7 9` several in order. The first one "
                 "that fails stops the others.",
         .run = RunRerun});
}

}  // namespace tensh::shell
