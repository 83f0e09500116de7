// The part of layout.h that draws boxes.
#include <algorithm>

#include "shell/text/layout.h"

namespace tensh::shell {

namespace {

bool IsEmpty(const std::vector<GridRow>& rows, size_t column) {
  return std::all_of(rows.begin(), rows.end(), [column](const GridRow& row) {
    return column >= row.cells.size() || row.cells[column].empty();
  });
}

void RemoveColumn(size_t column, std::vector<Column>* columns, std::vector<GridRow>* rows) {
  columns->erase(columns->begin() + static_cast<std::ptrdiff_t>(column));
  for (GridRow& row : *rows) {
    if (column < row.cells.size())
      row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(column));
    if (column < row.roles.size())
      row.roles.erase(row.roles.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

// Returns the width of each column, and the width of the box in `total`.
std::vector<size_t> WidthsOf(const std::vector<Column>& columns, const std::vector<GridRow>& rows,
                             size_t* total) {
  std::vector<size_t> widths;
  *total = 1;
  for (size_t c = 0; c < columns.size(); ++c) {
    widths.push_back(TextWidth(columns[c].head));
    for (const GridRow& row : rows) {
      if (c < row.cells.size()) widths[c] = std::max(widths[c], TextWidth(row.cells[c]));
    }
    *total += widths[c] + 3;
  }
  return widths;
}

// Narrows the widest of the columns that may shrink until the box has this width. Returns false if
// it remains wider.
bool Shrink(const std::vector<Column>& columns, size_t width, size_t total,
            std::vector<size_t>* widths) {
  for (; total > width; --total) {
    size_t widest = columns.size();
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].least == SIZE_MAX || (*widths)[c] <= columns[c].least) continue;
      if (widest == columns.size() || (*widths)[c] > (*widths)[widest]) widest = c;
    }
    if (widest == columns.size()) return false;
    --(*widths)[widest];
  }
  return true;
}

// Cuts the cells of a column to its width.
void CutColumn(size_t c, bool middle, size_t width, std::vector<GridRow>* rows) {
  std::vector<std::string> cells;
  for (GridRow& row : *rows) {
    row.cells.resize(std::max(row.cells.size(), c + 1));
    cells.push_back(std::move(row.cells[c]));
  }
  if (middle) ShortenNames(width, &cells);
  for (size_t r = 0; r < cells.size(); ++r) (*rows)[r].cells[c] = CutTo(cells[r], width);
}

}  // namespace

std::string FormatBox(std::vector<Column> columns, std::vector<GridRow> rows, size_t width,
                      const Palette& palette) {
  size_t total = 0;
  std::vector<size_t> widths = WidthsOf(columns, rows, &total);
  for (size_t c = columns.size(); c-- > 0 && width > 0 && total > width;) {
    if (!IsEmpty(rows, c)) continue;
    RemoveColumn(c, &columns, &rows);
    widths = WidthsOf(columns, rows, &total);
  }
  // If the box is too wide although its columns shrink, leaves out columns from the right and lists
  // their names. The others get the width that becomes free.
  std::vector<std::string> left_out;
  while (width > 0 && !Shrink(columns, width, total, &widths) && columns.size() > 2) {
    left_out.insert(left_out.begin(), columns.back().head);
    columns.pop_back();
    widths = WidthsOf(columns, rows, &total);
  }
  const auto rule = [&](const char* left, const char* middle, const char* right) {
    std::string line = left;
    for (size_t c = 0; c < widths.size(); ++c)
      line += (c > 0 ? middle : "") + Repeat("─", widths[c] + 2);
    return palette.Paint(Role::kNote, line + right) + "\n";
  };
  for (size_t c = 0; c < widths.size(); ++c) CutColumn(c, columns[c].middle, widths[c], &rows);
  const std::string edge = palette.Paint(Role::kNote, "│");
  const auto line = [&](const GridRow& row) {
    std::string out;
    for (size_t c = 0; c < widths.size(); ++c) {
      const Role role = c < row.roles.size() ? row.roles[c] : Role::kPlain;
      const std::string cell = palette.Paint(role, row.cells[c]);
      out +=
          edge + " " + (columns[c].right ? PadLeft(cell, widths[c]) : PadTo(cell, widths[c])) + " ";
    }
    return out + edge + "\n";
  };
  GridRow heads;
  for (size_t c = 0; c < widths.size(); ++c) {
    heads.cells.push_back(CutTo(columns[c].head, widths[c]));
    heads.roles.push_back(Role::kHeading);
  }
  std::string out = rule("┌", "┬", "┐") + line(heads) + rule("├", "┼", "┤");
  for (const GridRow& row : rows) out += line(row);
  out += rule("└", "┴", "┘");
  if (left_out.empty()) return out;
  return out +
         Wrap("… too narrow for " + Join(left_out, ", ") + "; --json and --csv give all columns",
              width) +
         "\n";
}

}  // namespace tensh::shell
