// Fitting text into columns of a terminal: by display width, never in the middle of a character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

size_t TextWidth(std::string_view text);                 // columns on the screen
std::string CutTo(std::string_view text, size_t width);  // "…" at the end when it was cut
std::string PadTo(std::string_view text, size_t width);  // spaces after it; not cut
std::string PadLeft(std::string_view text, size_t width);
std::string Repeat(std::string_view text, size_t times);
std::string Visible(std::string_view text);  // control characters and bad UTF-8 as \x1b
std::string Join(const std::vector<std::string>& parts, std::string_view between);
// "1 node", "3 nodes", "12,345 nodes"
std::string Count(int64_t n, std::string_view noun);
std::string Bytes(int64_t n);     // "8 B", "1.5 MB"
std::string Duration(double ns);  // "4.1 µs"
// For columns: as wide as the widest ("99.9 µs"), so that a table's layout is the same in every
// run.
std::string DurationCell(double ns);
// Lines broken at spaces to fit `width` columns (0: as they are); a word too long stays whole.
// Lines after the first of a paragraph start with its indentation.
std::string Wrap(std::string_view text, size_t width);
// The same text in ASCII: rails, bars, arrows and dots replaced.
std::string ToAscii(std::string_view text);

// Columns side by side. Each cell is cut to its column; a column is as wide as its widest cell, and
// where the sum passes `width` the widest columns that may shrink give way first, down to `least`.
struct Column {
  std::string head = {};
  size_t least = SIZE_MAX;  // SIZE_MAX: never cut
  bool right = false;       // numbers
};
struct GridRow {
  std::string lead;                // drawn before the columns (the rails)
  std::vector<std::string> cells;  // empty: only the lead
};
// width 0: unlimited; nothing is cut, a cell of over 60 columns sticks out of its column. No
// trailing spaces.
std::string FormatGrid(const std::vector<Column>& columns, const std::vector<GridRow>& rows,
                       size_t width, bool heads);

// The same columns in a box of lines, heads on top.
std::string FormatBox(const std::vector<Column>& columns, const std::vector<GridRow>& rows,
                      size_t width);

}  // namespace tensh::shell
