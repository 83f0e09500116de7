// Tables with queries: the clauses of a verb as a statement of SQL, and its rows as text.

#include "shell/commands/tables/data_table.h"

#include <algorithm>
#include <charconv>

#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/condition.h"
#include "shell/commands/tables/database.h"
#include "shell/commands/tables/row_values.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kClauses[] = {"where", "group", "order", "limit", "count"};

struct Order {
  std::string column;
  bool descending = false;
};

struct Query {
  std::string pattern, where;
  std::vector<Order> order;
  std::vector<std::string> group;
  size_t limit = SIZE_MAX;
  bool count = false;

  bool plain() const {
    return pattern.empty() && where.empty() && order.empty() && group.empty() &&
           limit == SIZE_MAX && !count;
  }
};

// `group by op` and `order by bytes` are written as in SQL; `order bytes` is shorter.
std::string_view WithoutBy(std::string_view text) {
  return FirstWord(text) == "by" ? Trim(text.substr(2)) : text;
}

Order ParseOrder(CommandCall& call, std::string_view piece) {
  Order order{std::string(FirstWord(piece))};
  const std::string_view way = Trim(piece.substr(order.column.size()));
  order.descending = way == "desc";
  if (order.column.empty() || (!way.empty() && way != "desc" && way != "asc"))
    call.Misused("expects order COLUMN [desc], not '" + std::string(piece) + "'");
  return order;
}

void ParseClause(CommandCall& call, const Clause& clause, Query* query) {
  if (clause.word == "count") {
    if (!clause.text.empty())
      call.Misused("count is the last clause, but '" + std::string(clause.text) + "' follows it");
    query->count = true;
    return;
  }
  const std::string_view text = WithoutBy(clause.text);
  if (text.empty()) call.Misused("nothing follows '" + std::string(clause.word) + "'");
  if (clause.word == "where") query->where = clause.text;
  if (clause.word == "group")
    for (const std::string_view piece : SplitCommas(text)) query->group.emplace_back(piece);
  if (clause.word == "order")
    for (const std::string_view piece : SplitCommas(text))
      query->order.push_back(ParseOrder(call, piece));
  if (clause.word != "limit") return;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), query->limit);
  if (error != std::errc() || end != text.data() + text.size())
    call.Misused("limit expects a whole number, not '" + std::string(text) + "'");
}

// Parses the clauses. SplitClauses recognizes a clause word only after an expression, and a query
// may begin with one; a name is therefore put in front.
Query ParseQuery(CommandCall& call) {
  const std::string text = "_ " + std::string(call.text());
  Query query;
  for (const Clause& clause : SplitClauses(text, kClauses)) {
    if (!clause.word.empty()) {
      ParseClause(call, clause, &query);
      continue;
    }
    query.pattern = Trim(clause.text.substr(1));
  }
  if (query.count && !query.group.empty()) call.Misused("group by counts the rows of each group");
  return query;
}

// A quoted PATTERN may contain blanks and the words of clauses.
std::string Unquoted(CommandCall& call, const std::string& pattern) {
  const bool quoted = pattern.size() >= 2 && (pattern[0] == '"' || pattern[0] == '\'') &&
                      pattern.find(pattern[0], 1) == pattern.size() - 1;
  if (quoted) return pattern.substr(1, pattern.size() - 2);
  if (pattern.find(' ') == std::string::npos) return pattern;
  const std::string error = "expects one PATTERN and then clauses, not '" + pattern + "'";
  const std::vector<std::string> clauses(std::begin(kClauses), std::end(kClauses));
  for (std::string_view rest = pattern; !rest.empty();) {
    const std::string_view word = FirstWord(rest);
    if (const ErrorHint meant = DidYouMean(word, clauses); !meant.empty())
      throw MakeError(kSyntaxError, std::string(call.command().name) + ": " + error).Hint(meant);
    rest = Trim(rest.substr(word.size()));
  }
  call.Misused(error);
}

// Returns the type of a column whose cells a verb computed.
RelationColumn::Type TypeOf(const DataTable& table, size_t c) {
  for (const Row& row : table.rows) {
    switch (row[c].kind) {
      case Cell::Kind::kNone:
        continue;
      case Cell::Kind::kText:
        return RelationColumn::Type::kText;
      case Cell::Kind::kBool:
        return RelationColumn::Type::kBool;
      case Cell::Kind::kNumber:
        return RelationColumn::Type::kInteger;
      case Cell::Kind::kReal:
        return RelationColumn::Type::kReal;
    }
  }
  return RelationColumn::Type::kAny;
}

DataColumn::Unit UnitOf(RelationColumn::Type type) {
  return type == RelationColumn::Type::kBytes ? DataColumn::Unit::kBytes
         : type == RelationColumn::Type::kNs  ? DataColumn::Unit::kNs
                                              : DataColumn::Unit::kNone;
}

// One query over a table: the statement, the database that runs it, and the columns.
class TableQuery {
 public:
  TableQuery(CommandCall& call, DataTable& table, const Query& query)
      : call_(call), table_(table), query_(query), db_(call.shell().interp()) {
    AddRelation();
    AddColumns();
    where_ = Where();
  }

  ShownRows Run() {
    if (query_.count) return Count();
    return query_.group.empty() ? Rows() : Groups();
  }
  size_t Total() {
    const QueryResult counted = db_.Run("SELECT count(*) FROM " + from_ + where_);
    return static_cast<size_t>(counted.rows[0][0].number);
  }

 private:
  void AddRelation() {
    if (table_.of != nullptr) {
      relation_ = table_.of->In(call_.shell());
    } else {
      relation_.name = call_.command().name;
      for (size_t c = 0; c < table_.columns.size(); ++c)
        relation_.columns.push_back({table_.columns[c].name, TypeOf(table_, c)});
      relation_.rows = table_.rows.size();
      relation_.open = StoredRows([this] { return table_.rows; });
    }
    from_ = SqlName(relation_.name);
    db_.Add(relation_);
  }

  // The verb's own columns come first, then the other columns of its table.
  void AddColumns() {
    for (const DataColumn& column : table_.columns) {
      const auto at = std::find_if(relation_.columns.begin(), relation_.columns.end(),
                                   [&](const RelationColumn& each) {
                                     return std::string_view(each.name) ==
                                            (column.sql == nullptr ? column.name : column.sql);
                                   });
      columns_.push_back({column.name, column.sql == nullptr ? SqlName(column.name) : column.sql,
                          at == relation_.columns.end() ? RelationColumn::Type::kAny : at->type});
    }
    for (const RelationColumn& column : relation_.columns) {
      const bool known =
          std::any_of(columns_.begin(), columns_.end(),
                      [&](const QueryColumn& each) { return each.name == column.name; });
      if (!known) columns_.push_back({column.name, SqlName(column.name), column.type});
    }
  }

  std::string Where() {
    std::string where;
    if (!query_.pattern.empty()) where = " WHERE (" + Searched() + ")";
    if (query_.where.empty()) return where;
    where += where.empty() ? " WHERE " : " AND ";
    return where + "(" + ConditionSql(columns_, query_.where, &used_) + ")";
  }

  std::string Searched() const {
    std::string out;
    size_t visible = 0;
    for (size_t c = 0; c < table_.columns.size() && visible < table_.searched; ++c) {
      if (table_.columns[c].hidden) continue;
      ++visible;
      out += (out.empty() ? "" : " OR ") + ("contains(" + columns_[c].sql + ", ") +
             SqlText(query_.pattern) + ")";
    }
    return out;
  }

  bool Limited() const {
    return query_.limit == SIZE_MAX && !call_.Has("--all") && !call_.Has("--csv") &&
           !call_.Has("--md") && !call_.json() && !call_.wants_value();
  }

  ShownRows Rows() {
    std::string order = " ORDER BY ";
    for (const Order& each : query_.order) {
      const size_t c = ColumnIndex(columns_, each.column);
      used_.push_back(c);
      order += columns_[c].sql + (each.descending ? " DESC, " : ", ");
    }
    order += "rowid";
    ShownRows shown{.columns = table_.columns};
    const bool limited = Limited();
    const size_t limit = limited ? table_.shown : query_.limit;
    std::string select = "SELECT ";
    for (const size_t c : Selected(&shown.columns)) {
      select += (select.size() > 7 ? ", " : "") + columns_[c].sql;
    }
    std::string sql = select + " FROM " + from_ + where_ + order;
    if (limit != SIZE_MAX) sql += " LIMIT " + std::to_string(limited ? limit + 1 : limit);
    shown.rows = std::move(db_.Run(sql).rows);
    shown.total = shown.rows.size();
    if (!limited || shown.rows.size() <= limit) return shown;
    shown.rows.resize(limit);
    shown.total = Total();
    return shown;
  }

  // The columns of the table, and after them the other columns that a clause uses. A value has all
  // columns of the relation.
  std::vector<size_t> Selected(std::vector<DataColumn>* columns) const {
    std::vector<size_t> selected;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const bool own = c < table_.columns.size();
      const bool used = std::find(used_.begin(), used_.end(), c) != used_.end();
      if (!own && !used && !call_.wants_value()) continue;
      selected.push_back(c);
      if (!own) columns->push_back(Extra(c));
    }
    return selected;
  }

  DataColumn Extra(size_t c) const {
    // The text outlives the call, because it belongs to a static table.
    const auto at =
        std::find_if(relation_.columns.begin(), relation_.columns.end(),
                     [&](const RelationColumn& each) { return columns_[c].name == each.name; });
    return {.name = at->name, .unit = UnitOf(at->type)};
  }

  ShownRows Count() {
    const auto n = static_cast<int64_t>(Total());
    return {.columns = {{.name = "n"}}, .rows = {{Cell::Number(n)}}};
  }

  // Returns one row for each value: the number of rows, and the sums of the columns that hold bytes
  // or times.
  ShownRows Groups() {
    ShownRows shown;
    std::string keys, select;
    for (const std::string& name : query_.group) {
      const size_t c = ColumnIndex(columns_, name);
      keys += (keys.empty() ? "" : ", ") + columns_[c].sql;
      const bool own = c < table_.columns.size();
      shown.columns.push_back(own ? table_.columns[c] : Extra(c));
      shown.columns.back().hidden = false;
    }
    shown.columns.push_back({.name = "n"});
    select = keys + ", count(*)";
    for (const DataColumn& column : Summed()) {
      select += ", sum(" + columns_[ColumnIndex(columns_, column.name)].sql + ")";
      shown.columns.push_back(column);
    }
    std::string order;
    for (const Order& each : query_.order)
      order += std::to_string(IndexIn(shown.columns, each.column) + 1) +
               (each.descending ? " DESC, " : ", ");
    if (query_.order.empty()) order = std::to_string(query_.group.size() + 1) + " DESC, ";
    std::string sql = "SELECT " + select + " FROM " + from_ + where_ + " GROUP BY " + keys +
                      " ORDER BY " + order + "1";
    if (query_.limit != SIZE_MAX) sql += " LIMIT " + std::to_string(query_.limit);
    shown.rows = std::move(db_.Run(sql).rows);
    shown.noun = "group";
    shown.total = shown.rows.size();
    return shown;
  }

  static size_t IndexIn(const std::vector<DataColumn>& columns, const std::string& name) {
    std::vector<QueryColumn> names;
    for (const DataColumn& column : columns) names.push_back({column.name, ""});
    return ColumnIndex(names, name);
  }

  // The visible columns with bytes, durations or shares, and `bytes`. The sum of times of day would
  // mean nothing, and neither would that of rates.
  std::vector<DataColumn> Summed() const {
    using Unit = DataColumn::Unit;
    std::vector<DataColumn> summed;
    for (const DataColumn& column : table_.columns)
      if (column.unit != Unit::kNone && column.unit != Unit::kValue && column.unit != Unit::kGiga &&
          !column.hidden && std::string_view(column.name) != "start")
        summed.push_back(column);
    for (size_t c = table_.columns.size(); c < columns_.size(); ++c)
      if (columns_[c].type == RelationColumn::Type::kBytes) summed.push_back(Extra(c));
    return summed;
  }

  CommandCall& call_;
  DataTable& table_;
  const Query& query_;
  Relation relation_;
  Database db_;
  std::vector<QueryColumn> columns_;
  std::vector<size_t> used_;
  std::string from_, where_;
};

// Prints that no row matches. If a row has a name similar to the pattern, suggests it.
void NoteEmpty(CommandCall& call, const DataTable& table, const Query& query, bool none) {
  if (none && !table.empty.empty()) return call.out().Note(" " + table.empty);
  const bool names = !query.pattern.empty() && std::string_view(table.noun) == "node";
  const ErrorHint meant =
      names ? DidYouMean(query.pattern, call.shell().NamesInVerb()) : ErrorHint();
  call.out().Note(" no " + std::string(table.noun) + " matches" +
                  (meant.empty() ? "" : "; " + meant.text));
}

// Returns the part of the text that is `word`, or an empty view.
std::string_view FindWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::string_view before = text.substr(0, at), after = text.substr(at + word.size());
    const auto ends = [](std::string_view part) { return part.empty() || !IsName(part); };
    if (ends(before.substr(before.empty() ? 0 : before.size() - 1)) && ends(after.substr(0, 1)))
      return text.substr(at, word.size());
  }
  return {};
}

}  // namespace

bool HasTableClauses(CommandCall& call) {
  return !call.text().empty() || call.Has("--csv") || call.Has("--md") || call.wants_value();
}

void ShowRows(CommandCall& call, const ShownRows& shown) {
  if (call.wants_value()) return call.set_value(RowsValue(shown.columns, shown.rows));
  Output& out = call.out();
  if (call.Has("--csv")) return out.Print(TableCsv(shown.columns, shown.rows));
  if (call.Has("--md")) return out.Print(TableMarkdown(shown.columns, shown.rows));
  if (call.json()) return out.Print(TableJson(shown.columns, shown.rows));
  const bool box = call.shell().options().interactive && call.file().empty();
  const Palette palette = out.palette();
  std::string text = TableGrid(shown.columns, shown.rows, out.width(), box, palette);
  const size_t rows = shown.rows.size();
  if (shown.total > rows) {
    text += "… " +
            Count(static_cast<int64_t>(shown.total - rows), std::string("more ") + shown.noun) +
            "; see all: " + shown.see_all + "\n";
  }
  if (box)
    text +=
        palette.Paint(Role::kNote,
                      " " + Count(static_cast<int64_t>(std::max(shown.total, rows)), shown.noun)) +
        "\n";
  out.PrintRich(text, "text/html", [&] { return TableHtml(shown.columns, shown.rows); });
}

namespace {

void ShowQuery(CommandCall& call, DataTable table, std::string_view searched_for) {
  Query query = ParseQuery(call);
  if (query.pattern == searched_for) query.pattern.clear();
  query.pattern = Unquoted(call, query.pattern);
  if (call.json() && query.plain() && !table.json.empty() && !call.wants_value())
    return call.out().PrintLine(table.json);
  TableQuery table_query(call, table, query);
  ShownRows shown = table_query.Run();
  if (query.count) {
    if (call.wants_value()) return call.set_value(Value::Int(shown.rows[0][0].number));
    if (!call.json() && !call.Has("--csv") && !call.Has("--md"))
      return call.out().PrintLine(std::to_string(shown.rows[0][0].number));
  }
  const bool text = !call.json() && !call.Has("--csv") && !call.Has("--md") && !call.wants_value();
  if (text && shown.rows.empty()) {
    return NoteEmpty(call, table, query,
                     query.plain() || TableQuery(call, table, Query()).Total() == 0);
  }
  if (query.group.empty() && !query.count) shown.noun = table.noun;
  const std::string clauses(call.text());
  shown.see_all =
      std::string(call.command().name) + " " + (clauses.empty() ? "" : clauses + " ") + "--all";
  ShowRows(call, shown);
}

}  // namespace

void ShowTable(CommandCall& call, DataTable table, std::string_view searched_for) {
  try {
    ShowQuery(call, std::move(table), searched_for);
  } catch (const PyError& error) {
    const Value& column = error.exception().payload;
    if (error.Is(kKeyError) && !column.is_null() && IsStr(column))
      if (const std::string_view word = FindWord(call.text(), StrView(column)); !word.empty())
        AddPlace(call.shell(), error, word);
    throw;
  }
}

}  // namespace tensh::shell
