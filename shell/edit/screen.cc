#include "shell/edit/screen.h"

#include <algorithm>
#include <cstdint>

#include "shell/text/grapheme.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kMostFinalRows = 4000;
constexpr size_t kTab = 4;

size_t WidthOf(const ScreenRow& row) {
  size_t width = 0;
  for (const ScreenCell& cell : row) width += cell.columns;
  return width;
}

// Terminals disagree on the width of clusters of several code points.
bool IsDoubtful(const ScreenCell& cell) { return cell.text.size() > 4; }

// Lays characters out in rows of `columns` columns, and keeps the rows of a window.
class Paper {
 public:
  Paper(size_t columns, size_t indent) : columns_(columns), indent_(indent) {}

  void Put(std::string_view text, Role role) {
    while (!text.empty()) {
      const Grapheme next = FirstGrapheme(text);
      PutCell(text.substr(0, next.bytes), next.columns, role);
      text.remove_prefix(next.bytes);
    }
  }
  void Break(std::string_view prompt) {
    rows_.emplace_back();
    used_ = 0;
    Put(prompt, Role::kPrompt);
  }
  // Records the position of the next character as that of the cursor. After a full row, this is the
  // beginning of the next one.
  void MarkCursor() {
    if (used_ >= columns_) Wrap();
    cursor_row_ = rows_.size() - 1;
    cursor_column_ = used_;
  }

  std::vector<ScreenRow>& rows() { return rows_; }
  size_t cursor_row() const { return cursor_row_; }
  size_t cursor_column() const { return cursor_column_; }

 private:
  void Wrap() {
    rows_.emplace_back();
    used_ = 0;
    for (size_t i = 0; i < indent_; ++i) rows_.back().push_back({" "});
    used_ = indent_;
  }
  void PutCell(std::string_view text, size_t columns, Role role) {
    if (text == "\t") {
      for (size_t i = used_ % kTab; i < kTab; ++i) PutCell(" ", 1, role);
      return;
    }
    const bool one = text.size() == 1 && text[0] >= ' ' && text[0] != 0x7f;
    const std::string shown = one ? std::string(text) : Visible(text);
    if (!one && shown != text) {  // A control character or an invalid byte.
      for (const char c : shown) PutCell(std::string_view(&c, 1), 1, role);
      return;
    }
    const bool fits = columns <= columns_;
    const size_t width = fits ? columns : 1;
    if (used_ + width > columns_) Wrap();
    rows_.back().push_back({fits ? shown : "?", role, static_cast<unsigned char>(width)});
    used_ += width;
  }

  size_t columns_, indent_;
  std::vector<ScreenRow> rows_{1};
  size_t used_ = 0;
  size_t cursor_row_ = 0, cursor_column_ = 0;
};

// The roles of the text, in order. Later spans take precedence.
class Roles {
 public:
  Roles(const std::vector<StyleSpan>& spans, size_t size) : of_(spans.empty() ? 0 : size) {
    for (const StyleSpan& span : spans)
      for (size_t i = span.from; i < std::min(span.to, size); ++i) of_[i] = span.role;
  }
  Role At(size_t i) const { return i < of_.size() ? of_[i] : Role::kPlain; }

 private:
  std::vector<Role> of_;
};

size_t HangingIndent(const Prompts& prompts, size_t columns) {
  const size_t width = TextWidth(prompts.next);
  return columns >= 3 * width ? width : 0;
}

// Puts the lines of the text between two offsets.
void PutText(const EditorView& view, const Prompts& prompts, size_t from, size_t to, Paper* paper) {
  const Roles roles(view.spans, view.text.size());
  bool marked = false;
  const auto mark = [&](size_t at) {
    if (!marked && at >= view.cursor) paper->MarkCursor(), marked = true;
  };
  size_t at = from;
  while (at < to) {
    mark(at);
    if (view.text[at] == '\n') {
      paper->Break(prompts.next);
      ++at;
      continue;
    }
    const size_t bytes = FirstGrapheme(view.text.substr(at)).bytes;
    paper->Put(view.text.substr(at, bytes), roles.At(at));
    at += bytes;
  }
  if (to == view.text.size()) {
    mark(view.text.size());
    paper->Put(view.ghost, Role::kGhost);
  }
}

// A cell with many more lines than the window is cut before it is laid out, so that a key costs the
// same in any text.
struct Part {
  size_t from = 0, to = 0;
};
Part PartAround(const EditorView& view, ScreenSize size) {
  const size_t most = 4 * (size.columns + 1) * (size.rows + 1) + 4096;
  Part part{0, view.text.size()};
  if (view.text.size() <= 2 * most) return part;
  if (view.cursor > most) {
    part.from = view.cursor - most;
    const size_t line = view.text.find('\n', part.from);
    if (line < view.cursor) part.from = line + 1;
    while (part.from < view.cursor &&
           (static_cast<unsigned char>(view.text[part.from]) & 0xC0) == 0x80)
      ++part.from;
  }
  part.to = std::min(view.text.size(), view.cursor + most);
  return part;
}

void KeepAroundCursor(Screen* screen, size_t height) {
  if (screen->rows.size() <= height) return;
  size_t first = screen->cursor_row < height ? 0 : screen->cursor_row - height + 1;
  first = std::min(first, screen->rows.size() - height);
  const auto begin = screen->rows.begin();
  screen->rows.erase(begin + static_cast<std::ptrdiff_t>(first + height), screen->rows.end());
  screen->rows.erase(begin, begin + static_cast<std::ptrdiff_t>(first));
  screen->cursor_row -= first;
}

void AppendRow(const ScreenRow& row, size_t from, const Palette& palette, std::string* out) {
  Role role = Role::kPlain;
  for (size_t i = from; i < row.size(); ++i) {
    if (row[i].role != role && palette.Open(row[i].role) != palette.Open(role)) {
      if (!palette.Open(role).empty()) *out += kResetStyle;
      *out += palette.Open(row[i].role);
    }
    role = row[i].role;
    *out += row[i].text;
  }
  if (!palette.Open(role).empty()) *out += kResetStyle;
}

// The terminal's cursor while a picture is drawn. After the last column, its column is unknown.
class Pen {
 public:
  Pen(size_t row, size_t column) : row_(row), column_(column) {}
  void ToRow(size_t row) {
    if (row < row_) out_ += "\033[" + std::to_string(row_ - row) + "A";
    if (row > row_) out_ += "\033[" + std::to_string(row - row_) + "B";
    row_ = row;
  }
  void ToColumn(size_t column) {
    if (column == column_) return;
    out_ += '\r';
    if (column > 0) out_ += "\033[" + std::to_string(column) + "C";
    column_ = column;
  }
  void NextRow() {
    out_ += "\r\n";
    ++row_;
    column_ = 0;
  }
  void Draw(const ScreenRow& row, size_t from, const Palette& palette) {
    AppendRow(row, from, palette, &out_);
    column_ = kUnknown;
  }
  void Drew(size_t column) { column_ = column; }
  void Write(std::string_view text) { out_ += text; }
  size_t row() const { return row_; }
  std::string Take() { return std::move(out_); }

 private:
  static constexpr size_t kUnknown = SIZE_MAX;
  std::string out_;
  size_t row_, column_;
};

}  // namespace

Screen LayOut(const EditorView& view, const Prompts& prompts, ScreenSize size) {
  size.columns = std::max<size_t>(size.columns, 1);
  size.rows = std::max<size_t>(size.rows, 1);
  Paper paper(size.columns, HangingIndent(prompts, size.columns));
  const Part part = PartAround(view, size);
  paper.Put(part.from == 0 ? prompts.first : prompts.next, Role::kPrompt);
  PutText(view, prompts, part.from, part.to, &paper);
  Screen screen{std::move(paper.rows()), paper.cursor_row(), paper.cursor_column(), size.columns};
  const size_t below = std::min(view.below.size(), size.rows - 1);
  KeepAroundCursor(&screen, size.rows - below);
  for (size_t i = view.below.size() - below; i < view.below.size(); ++i) {
    Paper line(size.columns, 0);
    for (const StyledPiece& piece : view.below[i]) line.Put(piece.text, piece.role);
    screen.rows.push_back(std::move(line.rows()[0]));
  }
  return screen;
}

std::string Render(const Screen& old, const Screen& now, const Palette& palette) {
  Pen pen(old.cursor_row, old.cursor_column);
  size_t bottom = std::max<size_t>(old.rows.size(), 1) - 1;
  static const ScreenRow empty;
  for (size_t i = 0; i < now.rows.size(); ++i) {
    const ScreenRow& before = i < old.rows.size() ? old.rows[i] : empty;
    const ScreenRow& after = now.rows[i];
    if (i <= bottom && before == after) continue;
    if (i > bottom) {  // Only a line end makes the window scroll.
      pen.ToRow(bottom);
      pen.NextRow();
      ++bottom;
    }
    pen.ToRow(i);
    size_t same = 0, column = 0;
    while (same < before.size() && same < after.size() && before[same] == after[same])
      column += after[same++].columns;
    const bool doubtful = std::any_of(before.begin(), before.end(), IsDoubtful) ||
                          std::any_of(after.begin(), after.end(), IsDoubtful);
    if (doubtful) same = column = 0;
    pen.ToColumn(column);
    if (same < after.size()) pen.Draw(after, same, palette);
    const size_t width = WidthOf(after);
    if (!doubtful && width < now.columns) pen.Drew(width);
    // After the last column, this would clear the last character.
    if (width < WidthOf(before)) pen.Write("\033[K");
  }
  if (now.rows.size() < bottom + 1) {
    pen.ToRow(now.rows.size());
    pen.Write("\r\033[J");
    pen.Drew(0);
  }
  pen.ToRow(now.cursor_row);
  pen.ToColumn(now.cursor_column);
  return pen.Take();
}

std::string RenderFinal(const Screen& old, const EditorView& view, const Prompts& prompts,
                        size_t columns, const Palette& palette) {
  const Screen whole = LayOut(view, prompts, {std::max<size_t>(columns, 1), kMostFinalRows});
  if (whole.rows.size() <= old.rows.size() || old.rows.empty()) {
    const std::string out = Render(old, whole, palette);
    Pen pen(whole.cursor_row, whole.cursor_column);
    pen.ToRow(whole.rows.size() - 1);
    pen.NextRow();
    return out + pen.Take();
  }
  Pen pen(old.cursor_row, old.cursor_column);
  pen.ToRow(0);
  pen.Write("\r\033[J");
  for (const ScreenRow& row : whole.rows) {
    pen.Draw(row, 0, palette);
    pen.NextRow();
  }
  return pen.Take();
}

std::string ClearAfterResize(const Screen& old, size_t columns) {
  columns = std::max<size_t>(columns, 1);
  size_t up = 0;
  for (size_t i = 0; i < std::min(old.cursor_row, old.rows.size()); ++i)
    up += std::max<size_t>(1, (WidthOf(old.rows[i]) + columns - 1) / columns);
  up += old.cursor_column / columns;
  Pen pen(up, 0);
  pen.ToRow(0);
  pen.Write("\r\033[J");
  return pen.Take();
}

}  // namespace tensh::shell
