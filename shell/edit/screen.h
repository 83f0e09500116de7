// The picture of a cell on the terminal's screen, and the escape sequences from one picture to the
// next.
//
// A Screen consists of the rows that the editor uses, from the first row of the prompt down. Long
// lines wrap. If the cell has more rows than the window, the picture contains the rows around the
// cursor. Render writes only the differences, with relative movements, so that the terminal is
// never queried.
//
// Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shell/edit/cell_editor.h"
#include "shell/edit/prompts.h"
#include "shell/edit/styled.h"

namespace tensh::shell {

// A character of the screen. If it is two columns wide, the second column has no entry.
struct ScreenCell {
  std::string text;
  Role role = Role::kPlain;
  unsigned char columns = 1;
  bool operator==(const ScreenCell&) const = default;
};
using ScreenRow = std::vector<ScreenCell>;

struct Screen {
  std::vector<ScreenRow> rows;
  size_t cursor_row = 0, cursor_column = 0;
  size_t columns = 0;  // Of the window.
};

struct ScreenSize {
  size_t columns = 80, rows = 24;
};

Screen LayOut(const EditorView& view, const Prompts& prompts, ScreenSize size);

// Returns the sequences that turn `old` into `now`. An empty `old` means that the cursor is at the
// beginning of an empty row.
std::string Render(const Screen& old, const Screen& now, const Palette& palette);

// Returns the sequences that replace `old` by the whole cell, however many rows it has, and move to
// the beginning of the next row.
std::string RenderFinal(const Screen& old, const EditorView& view, const Prompts& prompts,
                        size_t columns, const Palette& palette);

// Returns the sequences that clear the picture after the window got `columns` columns. Terminals
// wrap rows that no longer fit.
std::string ClearAfterResize(const Screen& old, size_t columns);

}  // namespace tensh::shell
