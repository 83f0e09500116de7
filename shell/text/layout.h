// Layout of text in the columns of a terminal, by display width and in whole characters. Text may
// contain the sequences of a Palette ("\033[1m"), which have no width. Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/text/theme.h"

namespace tensh::shell {

size_t TextWidth(std::string_view text);                 // Returns the width in columns.
std::string CutTo(std::string_view text, size_t width);  // Ends the text with "…" if it was cut.
// Cuts the middle out of texts that are wider than `width`: "gradients/…/MatMul". The cut is placed
// so that different texts remain different. Below 8 columns, the end is cut instead.
void ShortenNames(size_t width, std::vector<std::string>* names);
std::string PadTo(std::string_view text, size_t width);  // Adds spaces at the end; does not cut.
std::string PadLeft(std::string_view text, size_t width);
std::string Repeat(std::string_view text, size_t times);
std::string Visible(std::string_view text);  // Shows control characters and invalid UTF-8 as \x1b.
std::string VisibleLines(std::string_view text);  // Like Visible, but newlines and tabs stay.
std::string Join(const std::vector<std::string>& parts, std::string_view between);
std::string Digits(int64_t n);  // "12,345"
// Returns "1 node", "3 nodes" or "12,345 nodes".
std::string Count(int64_t n, std::string_view noun);
std::string Bytes(int64_t n);     // "8 B", "1.5 MB"
std::string Duration(double ns);  // "4.1 µs"
// A duration for a column. The text has a constant width ("99.9 µs"), so that the layout of a table
// does not vary between runs.
std::string DurationCell(double ns);
// Breaks lines at spaces to fit `width` columns (0: no limit). A longer word stays whole. The
// following lines of a paragraph keep its indentation.
std::string Wrap(std::string_view text, size_t width);
// As Wrap, but a command at the end of a line ("Find out: explain x") is never broken, so that it can
// be pasted. If it does not fit beside what precedes it, it begins a line.
std::string WrapAdvice(std::string_view text, size_t width);
// Wraps one line. The following lines are indented by `indent` columns, and a word that is longer
// than a line is broken.
std::string WrapHanging(std::string_view line, size_t width, size_t indent);
// Replaces rails, bars, arrows and dots by ASCII characters. If a replacement is wider, spaces behind it are dropped where
// several follow each other, so that columns stay in their places.
std::string ToAscii(std::string_view text);

// A column of a grid. A column is as wide as its widest cell. If the columns together exceed
// `width`, the widest of those that may shrink are narrowed first, down to `least`. Cells are cut
// to their column.
struct Column {
  std::string head = {};
  size_t least = SIZE_MAX;  // Smallest width; SIZE_MAX means that it is never cut.
  bool right = false;       // Right-aligned, for numbers.
  bool middle = false;      // Cut by ShortenNames, for names.
};
struct GridRow {
  std::string lead;                // Drawn before the columns (the rails).
  std::vector<std::string> cells;  // If empty, the row consists of the lead only.
  std::vector<Role> roles = {};    // Of the cells; kPlain where missing.
};
// Formats a grid. Width 0 means unlimited: nothing is cut, and a cell of more than 60 columns
// sticks out of its column. Lines have no trailing spaces. The headings are not painted.
std::string FormatGrid(const std::vector<Column>& columns, std::vector<GridRow> rows, size_t width,
                       bool heads, const Palette& palette = Palette());
// Paints the first line of a text as a heading.
std::string PaintHead(const std::string& text, const Palette& palette);

// Formats the columns in a box of lines, with the headings on top. If the box is too wide, columns
// without any text are left out first.
std::string FormatBox(std::vector<Column> columns, std::vector<GridRow> rows, size_t width,
                      const Palette& palette = Palette());

}  // namespace tensh::shell
