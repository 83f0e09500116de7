// Rows as a value of the program: a list of records, which a user can iterate, index and plot
// (shell/python/library/rows.py).
#pragma once

#include "shell/commands/tables/table_text.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

Value RowsValue(const std::vector<DataColumn>& columns, const std::vector<Row>& rows);

}  // namespace tensh::shell
