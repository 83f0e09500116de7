#include "shell/commands/tables/table_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "runtime/base/text.h"
#include "shell/explain/export.h"
#include "shell/explain/report.h"
#include "shell/text/float_text.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

std::string RealText(double value) { return FloatScalarText(value, FloatWidth::kDouble); }

std::string Fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Returns 2.5e9 as "2.50".
std::string Billions(double value) {
  const double billions = value / 1e9;
  if (billions < 0.001) return billions > 0 ? "<0.001" : "0";
  return Fixed(billions, billions >= 100 ? 0 : billions >= 10 ? 1 : billions >= 1 ? 2 : 3);
}

std::string JsonCell(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kNone:
      return "null";
    case Cell::Kind::kText:
      return JsonQuote(cell.text);
    case Cell::Kind::kBool:
      return cell.number != 0 ? "true" : "false";
    case Cell::Kind::kNumber:
      return std::to_string(cell.number);
    case Cell::Kind::kReal:
      return std::isfinite(cell.real) ? RealText(cell.real) : JsonQuote(RealText(cell.real));
  }
  return "null";
}

// Quotes a field if it contains a comma, a quote or a line break, as in RFC 4180. Lines end in "\n"
// only.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

bool IsNumber(const Cell& cell) {
  return cell.kind == Cell::Kind::kNumber || cell.kind == Cell::Kind::kReal;
}

// Returns true if the column is aligned to the right, because it has a unit or contains a number.
bool IsNumeric(const DataColumn& column, const std::vector<Row>& rows, size_t c) {
  if (column.unit == DataColumn::Unit::kValue) return false;
  if (column.unit != DataColumn::Unit::kNone) return true;
  for (const Row& row : rows)
    if (IsNumber(row[c])) return true;
  return false;
}

std::string HeadOf(const DataColumn& column) {
  return Visible(column.head == nullptr ? column.name : column.head);
}

// Returns the role, and so the color, of a cell by the name of its column.
Role RoleOf(const DataColumn& column, const Cell& cell) {
  const std::string_view name = column.name;
  if (name == "type" || name == "dtype") return Role::kDtype;
  if (name == "name" || name == "node" || name == "tensor") return Role::kTensor;
  const bool device = name == "device" || name == "short" || cell.text.starts_with("cpu:") ||
                      cell.text.starts_with("gpu:");
  return device && !cell.text.empty() ? DeviceRole(ShortDevice(cell.text)) : Role::kPlain;
}

bool HoldsNames(const DataColumn& column) {
  constexpr std::string_view kNames[] = {"name", "node", "tensor", "from", "to"};
  return std::find(std::begin(kNames), std::end(kNames), column.name) != std::end(kNames);
}

}  // namespace

std::string ShownText(const Cell& cell, DataColumn::Unit unit) {
  switch (cell.kind) {
    case Cell::Kind::kNone:
      return unit == DataColumn::Unit::kNone ? "" : "–";
    case Cell::Kind::kText:
      return Visible(cell.text);
    case Cell::Kind::kBool:
      return cell.number != 0 ? "yes" : "no";
    case Cell::Kind::kReal:
      if (unit == DataColumn::Unit::kPercent) return Fixed(cell.real, 1) + " %";
      if (unit == DataColumn::Unit::kGiga) return Billions(cell.real);
      return unit == DataColumn::Unit::kNs ? DurationCell(cell.real) : RealText(cell.real);
    case Cell::Kind::kNumber:
      break;
  }
  if (unit == DataColumn::Unit::kBytes) return Bytes(cell.number);
  if (unit == DataColumn::Unit::kNs) return DurationCell(static_cast<double>(cell.number));
  return std::to_string(cell.number);
}

std::string TableJson(const std::vector<DataColumn>& columns, const std::vector<Row>& rows) {
  std::string out = "[";
  for (const Row& row : rows) {
    out += out.size() > 1 ? ",\n{" : "{";
    for (size_t c = 0; c < row.size(); ++c)
      out += (c > 0 ? ", " : "") + JsonQuote(columns[c].name) + ": " + JsonCell(row[c]);
    out += "}";
  }
  return out + "]\n";
}

std::string TableCsv(const std::vector<DataColumn>& columns, const std::vector<Row>& rows) {
  std::string out;
  for (size_t c = 0; c < columns.size(); ++c) out += (c > 0 ? "," : "") + CsvField(columns[c].name);
  out += "\n";
  for (const Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      std::string text = row[c].kind == Cell::Kind::kText ? row[c].text : JsonCell(row[c]);
      if (row[c].kind == Cell::Kind::kNone) text.clear();
      out += (c > 0 ? "," : "") + CsvField(text);
    }
    out += "\n";
  }
  return out;
}

std::string TableMarkdown(const std::vector<DataColumn>& columns, const std::vector<Row>& rows) {
  const auto escaped = [](const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
  };
  std::string heads = "|", rule = "|";
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].hidden) continue;
    heads += " " + escaped(HeadOf(columns[c])) + " |";
    rule += IsNumeric(columns[c], rows, c) ? "---:|" : "---|";
  }
  std::string out = heads + "\n" + rule + "\n";
  for (const Row& row : rows) {
    out += "|";
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].hidden) continue;
      const std::string text = ShownText(row[c], columns[c].unit);
      out += " " + escaped(text.substr(std::min(text.find_first_not_of(' '), text.size()))) + " |";
    }
    out += "\n";
  }
  return out;
}

std::string TableHtml(const std::vector<DataColumn>& columns, const std::vector<Row>& rows) {
  std::string out = "<table>\n<thead><tr>";
  for (const DataColumn& column : columns)
    if (!column.hidden) out += "<th>" + XmlEscape(HeadOf(column)) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const Row& row : rows) {
    out += "<tr>";
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].hidden) continue;
      const std::string text = ShownText(row[c], columns[c].unit);
      out += IsNumeric(columns[c], rows, c) ? "<td style=\"text-align: right\">"
                                            : "<td style=\"text-align: left\">";
      out += XmlEscape(Trim(text)) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

std::string TableGrid(const std::vector<DataColumn>& columns, const std::vector<Row>& rows,
                      size_t width, bool box, const Palette& palette) {
  std::vector<Column> heads;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].hidden) continue;
    heads.push_back({HeadOf(columns[c]), columns[c].least, IsNumeric(columns[c], rows, c),
                     HoldsNames(columns[c])});
  }
  std::vector<GridRow> lines;
  for (const Row& row : rows) {
    GridRow line;
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].hidden) continue;
      line.cells.push_back(ShownText(row[c], columns[c].unit));
      line.roles.push_back(RoleOf(columns[c], row[c]));
    }
    lines.push_back(std::move(line));
  }
  if (box) return FormatBox(std::move(heads), std::move(lines), width, palette);
  return PaintHead(FormatGrid(heads, std::move(lines), width, true, palette), palette);
}

}  // namespace tensh::shell
