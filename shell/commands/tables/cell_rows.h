// Rows of kCellsTable for the cells of a session.
#pragma once

#include <string>
#include <vector>

#include "shell/commands/tables/relation.h"
#include "shell/session/cell_journal.h"

namespace tensh::shell {

// `running` is true if the last cell without an end is the one that runs now.
std::vector<Row> RowsOfCells(const std::vector<JournalCell>& cells, const std::string& session,
                             bool running);

}  // namespace tensh::shell
