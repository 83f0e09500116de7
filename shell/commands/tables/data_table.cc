// Tables with queries: parsing of the clauses, selection and order of rows, and output as text,
// JSON or CSV.

#include "shell/commands/tables/data_table.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/python/values/error.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kClauses[] = {"where", "order", "limit"};

struct Query {
  std::string pattern, where, order;
  bool descending = false;
  size_t limit = SIZE_MAX;
};

// Prefixes the text with a name, because SplitClauses recognizes a clause word only after an
// expression, and a query may begin with one.
Query ParseQuery(CommandCall& call) {
  const std::string text = "_ " + std::string(call.text());
  Query query;
  for (const Clause& clause : SplitClauses(text, kClauses)) {
    if (clause.word.empty()) {
      query.pattern = Trim(clause.text.substr(1));
      continue;
    }
    if (clause.text.empty()) call.Misused("nothing follows '" + std::string(clause.word) + "'");
    if (clause.word == "where") query.where = clause.text;
    if (clause.word == "order") {
      query.order = FirstWord(clause.text);
      const std::string_view way = Trim(clause.text.substr(query.order.size()));
      query.descending = way == "desc";
      if (!way.empty() && way != "desc" && way != "asc")
        call.Misused("expects order COLUMN [desc], not '" + std::string(clause.text) + "'");
    }
    if (clause.word == "limit") {
      const auto [end, error] =
          std::from_chars(clause.text.data(), clause.text.data() + clause.text.size(), query.limit);
      if (error != std::errc() || end != clause.text.data() + clause.text.size())
        call.Misused("limit expects a whole number, not '" + std::string(clause.text) + "'");
    }
  }
  return query;
}

bool Contains(std::string_view text, std::string_view part) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

size_t ColumnOf(const DataTable& table, const std::string& name) {
  std::vector<std::string> names;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (name == table.columns[c].name) return c;
    names.push_back(table.columns[c].name);
  }
  throw MakeError(kKeyError, "no column '" + name + "'")
      .Hint("Choose one of: " + Join(names, ", "));
}

void Select(const Query& query, DataTable* table) {
  if (!query.pattern.empty()) {
    std::erase_if(table->rows, [&](const std::vector<Cell>& row) {
      size_t visible = 0;
      for (size_t c = 0; c < row.size() && visible < table->searched; ++c) {
        if (table->columns[c].hidden) continue;
        ++visible;
        if (Contains(row[c].text, query.pattern)) return false;
      }
      return true;
    });
  }
  if (!query.where.empty()) {
    const auto holds = CompileCondition(table->columns, query.where);
    std::erase_if(table->rows, [&](const std::vector<Cell>& row) { return !holds(row); });
  }
  if (query.order.empty()) return;
  const size_t c = ColumnOf(*table, query.order);
  std::vector<size_t> order(table->rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) {
    const Cell& a = table->rows[query.descending ? right : left][c];
    const Cell& b = table->rows[query.descending ? left : right][c];
    if (a.kind == Cell::Kind::kText && b.kind == Cell::Kind::kText) return a.text < b.text;
    if (a.kind != b.kind && (a.kind == Cell::Kind::kNone || b.kind == Cell::Kind::kNone))
      return a.kind == Cell::Kind::kNone;
    return a.number < b.number;
  });
  std::vector<std::vector<Cell>> rows;
  rows.reserve(order.size());
  for (const size_t i : order) rows.push_back(std::move(table->rows[i]));
  table->rows = std::move(rows);
}

std::string ShownText(const Cell& cell, DataColumn::Unit unit) {
  switch (cell.kind) {
    case Cell::Kind::kNone:
      return unit == DataColumn::Unit::kNone ? "" : "–";
    case Cell::Kind::kText:
      return Visible(cell.text);
    case Cell::Kind::kBool:
      return cell.number != 0 ? "yes" : "no";
    case Cell::Kind::kNumber:
      break;
  }
  if (unit == DataColumn::Unit::kBytes) return Bytes(cell.number);
  if (unit == DataColumn::Unit::kNs) return DurationCell(static_cast<double>(cell.number));
  return std::to_string(cell.number);
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
  }
  return "null";
}

std::string ToJson(const DataTable& table) {
  std::string out = "[";
  for (const std::vector<Cell>& row : table.rows) {
    out += out.size() > 1 ? ",\n{" : "{";
    for (size_t c = 0; c < row.size(); ++c)
      out += (c > 0 ? ", " : "") + JsonQuote(table.columns[c].name) + ": " + JsonCell(row[c]);
    out += "}";
  }
  return out + "]\n";
}

// Quotes a field if it contains a comma, a quote or a line break, as in RFC 4180. Lines end in "\n"
// only.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string ToCsv(const DataTable& table) {
  std::string out;
  for (size_t c = 0; c < table.columns.size(); ++c)
    out += (c > 0 ? "," : "") + std::string(table.columns[c].name);
  out += "\n";
  for (const std::vector<Cell>& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      std::string text = row[c].kind == Cell::Kind::kText ? row[c].text : JsonCell(row[c]);
      if (row[c].kind == Cell::Kind::kNone) text.clear();
      out += (c > 0 ? "," : "") + CsvField(text);
    }
    out += "\n";
  }
  return out;
}

std::string Drawn(CommandCall& call, const DataTable& table, size_t shown) {
  Shell& shell = call.shell();
  std::vector<Column> columns;
  for (const DataColumn& column : table.columns) {
    if (column.hidden) continue;
    const auto c = static_cast<size_t>(&column - table.columns.data());
    bool number = column.unit != DataColumn::Unit::kNone;
    for (size_t r = 0; r < shown && !number; ++r)
      number = table.rows[r][c].kind == Cell::Kind::kNumber;
    columns.push_back({column.head == nullptr ? column.name : column.head, column.least, number});
  }
  std::vector<GridRow> rows;
  for (size_t r = 0; r < shown; ++r) {
    GridRow grid;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (!table.columns[c].hidden)
        grid.cells.push_back(ShownText(table.rows[r][c], table.columns[c].unit));
    }
    rows.push_back(std::move(grid));
  }
  if (shell.options().interactive && call.file().empty())
    return FormatBox(columns, rows, shell.out().width());
  return FormatGrid(columns, rows, shell.out().width(), true);
}

}  // namespace

bool HasTableClauses(CommandCall& call) { return !call.text().empty() || call.Has("--csv"); }

void ShowTable(CommandCall& call, DataTable table, std::string_view searched_for) {
  Shell& shell = call.shell();
  Query query = ParseQuery(call);
  if (query.pattern == searched_for) query.pattern.clear();
  if (query.pattern.find(' ') != std::string::npos)
    call.Misused("expects one PATTERN and then clauses, not '" + query.pattern + "'");
  const bool asked = !query.where.empty() || !query.order.empty() || query.limit != SIZE_MAX ||
                     !query.pattern.empty();
  if (call.json() && !asked && !table.json.empty()) return shell.out().PrintLine(table.json);
  const bool none = table.rows.empty();
  Select(query, &table);
  const size_t found = table.rows.size();
  if (found > query.limit) table.rows.resize(query.limit);
  if (call.Has("--csv")) return shell.out().Print(ToCsv(table));
  if (call.json()) return shell.out().Print(ToJson(table));
  if (table.rows.empty()) {
    if (none && !table.empty.empty()) return shell.out().Note(" " + table.empty);
    return shell.out().Note(" no " + std::string(table.noun) + " matches");
  }
  const bool all = call.Has("--all") || query.limit != SIZE_MAX;
  const size_t shown = all ? table.rows.size() : std::min(table.rows.size(), table.shown);
  std::string out = Drawn(call, table, shown);
  if (found > shown && query.limit == SIZE_MAX) {
    const std::string text(call.text());
    out += "… " + Count(static_cast<int64_t>(found - shown), std::string("more ") + table.noun) +
           "; see all: " + call.command().name + " " + (text.empty() ? text : text + " ") +
           "--all\n";
  }
  shell.out().Print(out);
}

}  // namespace tensh::shell
