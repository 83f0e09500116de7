// Rows as text: a box for a terminal, an aligned grid for a pipe, and JSON, CSV or Markdown for
// other programs. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shell/commands/tables/relation.h"
#include "shell/text/theme.h"

namespace tensh::shell {

struct DataColumn {
  // kValue is a text that is shown as – if it is unknown. kGiga shows billions; the heading names
  // the unit.
  enum class Unit : uint8_t { kNone, kValue, kBytes, kNs, kPercent, kGiga };
  const char* name;  // the name in `where`, `order` and JSON
  // least width in columns when the table is narrowed; SIZE_MAX means never
  size_t least = SIZE_MAX;
  Unit unit = Unit::kNone;
  bool hidden = false;         // only in JSON and CSV
  const char* head = nullptr;  // heading; null for the name
  // The SQL expression of the column over the table's relation; null for `name`.
  const char* sql = nullptr;
};

// Returns a cell as tables show it: "1.5 KB", "yes".
std::string ShownText(const Cell& cell, DataColumn::Unit unit);

std::string TableJson(const std::vector<DataColumn>& columns, const std::vector<Row>& rows);
std::string TableCsv(const std::vector<DataColumn>& columns, const std::vector<Row>& rows);
// These three leave hidden columns out.
std::string TableMarkdown(const std::vector<DataColumn>& columns, const std::vector<Row>& rows);
std::string TableHtml(const std::vector<DataColumn>& columns, const std::vector<Row>& rows);
std::string TableGrid(const std::vector<DataColumn>& columns, const std::vector<Row>& rows,
                      size_t width, bool box, const Palette& palette = Palette());

}  // namespace tensh::shell
