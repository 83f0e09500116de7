#include "shell/text/layout.h"

#include <utf8proc.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "runtime/base/utf8.h"

namespace tensh::shell {
namespace {

// The next character: its bytes and columns. An invalid byte counts as one of each.
struct Glyph {
  size_t bytes = 1;
  size_t columns = 1;
  bool valid = false;
  int32_t code = 0;
};

Glyph NextGlyph(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x80) return {1, 1, true, byte};
  utf8proc_int32_t code = -1;
  const auto bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(std::min<size_t>(text.size(), 4)), &code);
  if (bytes <= 0 || code < 0) return {};
  const int columns = utf8proc_charwidth(code);
  return {static_cast<size_t>(bytes), static_cast<size_t>(std::max(columns, 0)), true, code};
}

// Returns the length of the style sequence at the beginning of the text ("\033[1;31m"), or 0.
size_t StyleBytes(std::string_view text) {
  if (text.substr(0, 2) != "\033[") return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

struct Unit {
  double size;
  const char* name;
};

std::string WithUnit(double value, const Unit* units, size_t count) {
  size_t i = 0;
  while (i + 1 < count && value >= units[i + 1].size * 0.9995) ++i;
  const double scaled = value / units[i].size;
  char out[48];
  const bool whole = i == 0 || scaled >= 99.95;
  std::snprintf(out, sizeof(out), whole ? "%.0f %s" : "%.1f %s", scaled, units[i].name);
  return out;
}

struct AsciiRow {
  const char* from;
  const char* to;
};
constexpr AsciiRow kAscii[] = {
    {"●", "*"}, {"○", "o"},   {"◆", ">"}, {"★", "@"},  {"✂", "x"},  {"│", "|"},  {"─", "-"},
    {"├", "+"}, {"┤", "+"},   {"╯", "'"}, {"╰", "`"},  {"╮", "."},  {"╭", "."},  {"┼", "+"},
    {"┴", "+"}, {"┬", "+"},   {"▓", "#"}, {"░", "."},  {"·", "-"},  {"→", "->"}, {"▶", ">"},
    {"◀", "<"}, {"═", "="},   {"①", "1"}, {"②", "2"},  {"③", "3"},  {"④", "4"},  {"⑤", "5"},
    {"µ", "u"}, {"…", "..."}, {"–", "-"}, {"≠", "!="}, {"≥", ">="}, {"▸", "+"},  {"×", "x"},
    {"█", "#"}, {"✓", "ok"},  {"—", "-"}, {"┌", "+"},  {"┐", "+"},  {"└", "+"},  {"┘", "+"},
    {"−", "-"}, {"◇", "?"},   {"║", "!"}, {"╛", "'"},  {"╕", "."},  {"╘", "`"},  {"╒", "."},
    {"╡", "+"}, {"╞", "+"},   {"╪", "+"}, {"╧", "+"},  {"╤", "+"},  {"╜", "'"},  {"╖", "."},
    {"╙", "`"}, {"╓", "."},   {"╢", "+"}, {"╟", "+"},  {"╫", "+"},  {"╨", "+"},  {"╥", "+"},
    {"╝", "'"}, {"╗", "."},   {"╚", "`"}, {"╔", "."},  {"╣", "+"},  {"╠", "+"},  {"╬", "+"},
    {"╩", "+"}, {"╦", "+"},
};

}  // namespace

size_t TextWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    if (const size_t style = StyleBytes(text)) {
      text.remove_prefix(style);
      continue;
    }
    const Glyph glyph = NextGlyph(text);
    width += glyph.columns;
    text.remove_prefix(glyph.bytes);
  }
  return width;
}

std::string CutTo(std::string_view text, size_t width) {
  if (text.size() <= width || TextWidth(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t used = 0, at = 0;
  bool styled = false;
  while (at < text.size()) {
    if (const size_t style = StyleBytes(text.substr(at))) {
      at += style, styled = true;
      continue;
    }
    const Glyph glyph = NextGlyph(text.substr(at));
    if (used + glyph.columns > width - 1) break;
    used += glyph.columns;
    at += glyph.bytes;
  }
  while (at > 0 && text[at - 1] == ' ') --at;
  return std::string(text.substr(0, at)) + "…" + (styled ? std::string(kResetStyle) : "");
}

std::string PadTo(std::string_view text, size_t width) {
  const size_t used = TextWidth(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string PadLeft(std::string_view text, size_t width) {
  const size_t used = TextWidth(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string Visible(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Glyph glyph = NextGlyph(text);
    const auto code = static_cast<uint32_t>(glyph.code);
    const bool control = IsControlCode(code);
    if (glyph.valid && !control && !TurnsText(code)) {
      out += text.substr(0, glyph.bytes);
    } else if (glyph.valid && !control) {
      char escape[16];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(glyph.code));
      out += escape;
    } else {
      char escape[16];
      std::snprintf(
          escape, sizeof(escape), "\\x%02x",
          glyph.valid ? static_cast<unsigned>(glyph.code) : static_cast<unsigned char>(text[0]));
      out += escape;
    }
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

std::string VisibleLines(std::string_view text) {
  std::string out;
  while (true) {
    const size_t end = text.find_first_of("\n\t");
    out += Visible(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += text[end];
    text.remove_prefix(end + 1);
  }
}

std::string Join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += between;
    out += parts[i];
  }
  return out;
}

std::string Digits(int64_t n) {
  std::string digits = std::to_string(n);
  const size_t first = n < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string Count(int64_t n, std::string_view noun) {
  return Digits(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

std::string Bytes(int64_t n) {
  static constexpr Unit kUnits[] = {{1, "B"}, {1024, "KB"}, {1048576, "MB"}, {1073741824, "GB"}};
  return n < 0 ? "? B" : WithUnit(static_cast<double>(n), kUnits, 4);
}

std::string Duration(double ns) {
  static constexpr Unit kUnits[] = {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
  return WithUnit(ns, kUnits, 4);
}

std::string DurationCell(double ns) {
  constexpr size_t kWidest = 7;
  return PadLeft(Duration(ns), kWidest);
}

namespace {

void WrapLine(std::string_view line, size_t width, std::string* out) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  *out += line.substr(0, indent);
  size_t used = indent;
  for (size_t at = indent, blanks = 0; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const size_t columns = TextWidth(word);
    if (used > indent && used + blanks + columns > width) {
      *out += "\n" + std::string(indent, ' ');
      used = indent;
    } else {
      *out += std::string(blanks, ' ');
      used += blanks;
    }
    *out += word;
    used += columns;
    at = std::min(line.find_first_not_of(' ', end), line.size());
    blanks = at - end;
  }
}

}  // namespace

std::string Wrap(std::string_view text, size_t width) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (width == 0 || TextWidth(line) <= width) {
      out += line;
    } else {
      WrapLine(line, width, &out);
    }
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

namespace {

// Labels that are not followed by a command, so that the text after them may be broken.
constexpr std::string_view kNoCommand[] = {"Choose one of", "Usage", "critical path"};

// Returns true if the text is words, such as "Find out", and not prose with punctuation.
bool IsLabel(std::string_view text) {
  constexpr size_t kLongest = 40;
  if (std::ranges::find(kNoCommand, text) != std::end(kNoCommand)) return false;
  for (size_t at = 0; at < text.size();) {
    if (const size_t style = StyleBytes(text.substr(at)); style > 0) {
      at += style;
      continue;
    }
    const char c = text[at++];
    if (!(c == ' ' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return false;
  }
  return !text.empty() && TextWidth(text) <= kLongest;
}

struct Advice {
  size_t label = std::string_view::npos;  // where its label begins, or npos if there is no advice
  size_t command = 0;                     // where the command begins
};

// Returns the end of the colon at line[colon], of the styles that follow it and of the blank after
// them, or 0 if no blank follows.
size_t EndOfColon(std::string_view line, size_t colon) {
  size_t at = colon + 1;
  while (const size_t style = StyleBytes(line.substr(at))) at += style;
  return line.substr(at, 1) == " " ? at + 1 : 0;
}

// Finds "Label: command" at the end of a line. At its beginning, a label is only that of an indented
// line, because an error begins with its type.
Advice FindAdvice(std::string_view line) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  for (size_t colon = line.rfind(':'); colon != line.npos && colon > 0;
       colon = line.rfind(':', colon - 1)) {
    const size_t command = EndOfColon(line, colon);
    if (command == 0) continue;
    size_t label = indent;
    for (const std::string_view end : {". ", "; "})
      if (const size_t at = line.rfind(end, colon - 1); at != line.npos)
        label = std::max(label, at + end.size());
    if ((label > indent || indent > 0) && IsLabel(line.substr(label, colon - label)))
      return {label, command};
  }
  return {};
}

// Appends "next: a · b · c", and begins a line before what does not fit.
void AppendSteps(std::string_view advice, size_t indent, size_t width, std::string* out) {
  constexpr std::string_view kBetween = " · ";
  size_t used = indent;
  for (size_t at = 0; at < advice.size();) {
    const size_t end = std::min(advice.find(kBetween, at), advice.size());
    const std::string_view piece = advice.substr(at, end - at);
    if (at > 0 && used + 3 + TextWidth(piece) > width) {
      *out += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (at > 0) {
      *out += kBetween;
      used += 3;
    }
    *out += piece;
    used += TextWidth(piece);
    at = end == advice.size() ? end : end + kBetween.size();
  }
}

}  // namespace

std::string WrapAdvice(std::string_view text, size_t width) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool fits = width == 0 || TextWidth(line) <= width;
    const Advice advice = fits ? Advice() : FindAdvice(line);
    if (fits || advice.label == line.npos) {
      out += fits ? std::string(line) : Wrap(line, width);
    } else {
      const std::string indent(std::min(line.find_first_not_of(' '), line.size()), ' ');
      const std::string_view head =
          line.substr(0, line.find_last_not_of(' ', advice.label - 1) + 1);
      if (advice.label > indent.size()) {
        const std::string before = Wrap(head, width);
        const size_t last = before.rfind('\n') + 1;  // 0 if it is one line
        const bool beside = TextWidth(std::string_view(before).substr(last)) + 1 +
                                TextWidth(line.substr(advice.label)) <=
                            width;
        out += before + (beside ? " " : "\n" + indent);
      } else {
        out += indent;
      }
      AppendSteps(line.substr(advice.label), indent.size(), width, &out);
    }
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string WrapHanging(std::string_view line, size_t width, size_t indent) {
  if (width == 0 || TextWidth(line) <= width) return std::string(line);
  indent = std::min(indent, width / 2);
  std::string out;
  size_t used = 0;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    std::string_view word = line.substr(at, end - at);
    if (used > indent && used + 1 + TextWidth(word) > width) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (at > 0) {
      out += ' ';
      ++used;
    }
    for (; !word.empty();) {
      const size_t style = StyleBytes(word);
      const Glyph glyph = style > 0 ? Glyph{style, 0, true, 0} : NextGlyph(word);
      if (used + glyph.columns > width) {
        out += "\n" + std::string(indent, ' ');
        used = indent;
      }
      out += word.substr(0, glyph.bytes);
      used += glyph.columns;
      word.remove_prefix(glyph.bytes);
    }
    at = end + 1;
  }
  return out;
}

std::string ToAscii(std::string_view text) {
  std::string out;
  size_t wider = 0;  // columns that this line has gained
  while (!text.empty()) {
    size_t taken = 0;
    if (static_cast<unsigned char>(text[0]) >= 0x80) {
      for (const AsciiRow& row : kAscii) {
        const std::string_view from = row.from;
        if (text.substr(0, from.size()) != from) continue;
        // If a text was cut to a column, its ASCII form keeps the width. Other ellipses stand alone or in brackets.
        const bool cut = from == "…" && !out.empty() && !std::strchr(" \n=([{<", out.back());
        const std::string_view to = cut ? "~" : row.to;
        out += to;
        wider += to.size() - 1;
        taken = from.size();
        break;
      }
    }
    if (taken == 0) {
      // The columns behind the wider text stay in their places if there is room before them.
      const bool drop = wider > 0 && (text.starts_with("   ") || text.starts_with("  |") ||
                                      text.starts_with("  │"));
      if (text[0] == '\n') wider = 0;
      if (drop)
        --wider;
      else
        out += text[0];
      taken = 1;
    }
    text.remove_prefix(taken);
  }
  return out;
}

namespace {

// If the width is not limited, a cell longer than this extends beyond its column without widening
// it.
constexpr size_t kMostUnlimited = 60;

std::vector<size_t> ColumnWidths(const std::vector<Column>& columns,
                                 const std::vector<GridRow>& rows, size_t room, bool heads,
                                 size_t* gap) {
  std::vector<size_t> widths(columns.size(), 0);
  for (size_t c = 0; c < columns.size(); ++c) {
    if (heads) widths[c] = TextWidth(columns[c].head);
    for (const GridRow& row : rows) {
      if (c < row.cells.size()) widths[c] = std::max(widths[c], TextWidth(row.cells[c]));
    }
  }
  if (room == 0) {
    for (size_t c = 0; c < columns.size(); ++c)
      if (columns[c].least != SIZE_MAX) widths[c] = std::min(widths[c], kMostUnlimited);
  }
  const size_t gaps = columns.empty() ? 0 : columns.size() - 1;
  size_t total = gaps;
  for (size_t width : widths) total += width;
  *gap = room == 0 || total + gaps <= room ? 2 : 1;
  while (room > 0 && total > room) {
    size_t widest = columns.size();
    for (size_t c = 0; c < columns.size(); ++c) {
      const bool shrinks = columns[c].least != SIZE_MAX && widths[c] > columns[c].least;
      if (shrinks && (widest == columns.size() || widths[c] >= widths[widest])) widest = c;
    }
    if (widest == columns.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

// Cuts the cells of the columns that may shrink to their widths.
void CutCells(const std::vector<Column>& columns, const std::vector<size_t>& widths,
              std::vector<GridRow>* rows) {
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].least == SIZE_MAX) continue;
    std::vector<std::string> names;
    for (GridRow& row : *rows) {
      if (c >= row.cells.size()) continue;
      if (columns[c].middle)
        names.push_back(row.cells[c]);
      else
        row.cells[c] = CutTo(row.cells[c], widths[c]);
    }
    if (!columns[c].middle) continue;
    ShortenNames(widths[c], &names);
    size_t next = 0;
    for (GridRow& row : *rows)
      if (c < row.cells.size()) row.cells[c] = std::move(names[next++]);
  }
}

void AppendCells(const std::vector<Column>& columns, const GridRow& row,
                 const std::vector<size_t>& widths, size_t gap, const Palette& palette,
                 std::string* out) {
  for (size_t c = 0; c < row.cells.size() && c < columns.size(); ++c) {
    if (c > 0) out->append(gap, ' ');
    const size_t used = TextWidth(row.cells[c]);
    const size_t pad = used < widths[c] ? widths[c] - used : 0;
    if (columns[c].right) out->append(pad, ' ');
    *out += palette.Paint(c < row.roles.size() ? row.roles[c] : Role::kPlain, row.cells[c]);
    if (!columns[c].right) out->append(pad, ' ');
  }
}

}  // namespace

std::string PaintHead(const std::string& text, const Palette& palette) {
  const size_t end = std::min(text.find('\n'), text.size());
  return palette.Paint(Role::kHeading, text.substr(0, end)) + text.substr(end);
}

std::string FormatGrid(const std::vector<Column>& columns, std::vector<GridRow> rows, size_t width,
                       bool heads, const Palette& palette) {
  size_t lead = 0;
  for (const GridRow& row : rows) {
    // A row that has only rails may extend over the columns.
    if (!row.cells.empty()) lead = std::max(lead, TextWidth(row.lead));
  }
  const size_t room = width == 0 ? 0 : std::max<size_t>(width > lead ? width - lead : 1, 1);
  size_t gap = 1;
  const std::vector<size_t> widths = ColumnWidths(columns, rows, room, heads, &gap);
  std::string out;
  if (heads) {
    GridRow head;
    for (const Column& column : columns) head.cells.push_back(column.head);
    rows.insert(rows.begin(), std::move(head));
  }
  if (room > 0) CutCells(columns, widths, &rows);
  for (const GridRow& row : rows) {
    std::string line = row.cells.empty() ? row.lead : PadTo(row.lead, lead);
    AppendCells(columns, row, widths, gap, palette, &line);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace tensh::shell
