// The part of layout.h that draws boxes.
#include <algorithm>

#include "shell/text/layout.h"

namespace tensh::shell {

std::string FormatBox(const std::vector<Column>& columns, const std::vector<GridRow>& rows,
                      size_t width) {
  std::vector<size_t> widths;
  size_t total = 1;
  for (size_t c = 0; c < columns.size(); ++c) {
    widths.push_back(TextWidth(columns[c].head));
    for (const GridRow& row : rows) {
      if (c < row.cells.size()) widths[c] = std::max(widths[c], TextWidth(row.cells[c]));
    }
    total += widths[c] + 3;
  }
  // Shrinks the widest column that may shrink.
  while (width > 0 && total > width) {
    size_t widest = columns.size();
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].least == SIZE_MAX || widths[c] <= columns[c].least) continue;
      if (widest == columns.size() || widths[c] > widths[widest]) widest = c;
    }
    if (widest == columns.size()) break;
    --widths[widest];
    --total;
  }
  // If that is not enough, columns are left out from the right and listed by name.
  std::vector<std::string> left_out;
  for (; width > 0 && total > width && widths.size() > 2; widths.pop_back()) {
    total -= widths.back() + 3;
    left_out.insert(left_out.begin(), columns[widths.size() - 1].head);
  }
  const auto rule = [&](const char* left, const char* middle, const char* right) {
    std::string line = left;
    for (size_t c = 0; c < widths.size(); ++c)
      line += (c > 0 ? middle : "") + Repeat("─", widths[c] + 2);
    return line + right + "\n";
  };
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (size_t c = 0; c < widths.size(); ++c) {
      const std::string cell = CutTo(c < cells.size() ? cells[c] : "", widths[c]);
      out += "│ " + (columns[c].right ? PadLeft(cell, widths[c]) : PadTo(cell, widths[c])) + " ";
    }
    return out + "│\n";
  };
  std::vector<std::string> heads;
  for (size_t c = 0; c < widths.size(); ++c) heads.push_back(columns[c].head);
  std::string out = rule("┌", "┬", "┐") + line(heads) + rule("├", "┼", "┤");
  for (const GridRow& row : rows) out += line(row.cells);
  out += rule("└", "┴", "┘");
  if (left_out.empty()) return out;
  return out +
         Wrap("… too narrow for " + Join(left_out, ", ") + "; --json and --csv give all columns",
              width) +
         "\n";
}

}  // namespace tensh::shell
