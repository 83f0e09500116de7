#include "shell/commands/typing/sql_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/relation.h"
#include "shell/commands/tables/sql_keywords.h"
#include "shell/edit/text_buffer.h"
#include "shell/python/syntax/verb_line.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {
namespace {

using Kind = CodeToken::Kind;
using completing::Names;

// The functions that completion offers. SQLite has more.
constexpr const char* kFunctions[] = {
    "abs(",          "avg(",    "coalesce(", "contains(", "count(*)", "count(",
    "group_concat(", "ifnull(", "iif(",      "instr(",    "length(",  "lower(",
    "max(",          "min(",    "printf(",   "rank()",    "replace(", "round(",
    "row_number()",  "substr(", "sum(",      "total(",    "trim(",    "upper("};
// The keywords that completion offers: those of queries.
constexpr const char* kOffered[] = {"SELECT",    "FROM",         "WHERE",
                                    "GROUP BY",  "ORDER BY",     "LIMIT",
                                    "JOIN",      "LEFT JOIN",    "ON",
                                    "AND",       "OR",           "NOT",
                                    "IN",        "LIKE",         "GLOB",
                                    "BETWEEN",   "IS NULL",      "IS NOT NULL",
                                    "HAVING",    "AS",           "ASC",
                                    "DESC",      "DISTINCT",     "WITH",
                                    "UNION",     "UNION ALL",    "EXCEPT",
                                    "INTERSECT", "CASE",         "WHEN",
                                    "THEN",      "ELSE",         "END",
                                    "USING",     "OFFSET",       "EXISTS",
                                    "OVER",      "PARTITION BY", "EXPLAIN QUERY PLAN"};

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

const ShellTable* TableOf(std::string_view word) { return FindTable(Lower(word)); }

bool HasColumn(const ShellTable& table, std::string_view word) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const RelationColumn& column) { return column.name == word; });
}

bool IsColumn(std::string_view word) {
  const std::string lower = Lower(word);
  return std::any_of(ShellTables().begin(), ShellTables().end(),
                     [&](const ShellTable* table) { return HasColumn(*table, lower); });
}

// The words of a statement, and the names that it gives to results and tables: after AS, after a table
// or a query in brackets, and before AS or a list of columns in WITH.
class SqlStatement {
 public:
  SqlStatement(std::string_view text, std::span<const CodeToken> tokens)
      : text_(text), tokens_(tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != Kind::kName || IsSqlKeyword(Word(i))) continue;
      const bool named = Is(i - 1, "as") || Is(i - 1, "with") || Is(i - 1, "recursive") ||
                         Is(i + 1, "as") || (i > 0 && Word(i - 1) == ")");
      const ShellTable* table = i > 0 ? TableOf(Word(i - 1)) : nullptr;
      if (named) own_.insert(Lower(Word(i)));
      if (table == nullptr && Is(i - 1, "as") && i > 1) table = TableOf(Word(i - 2));
      if (table != nullptr) aliases_.emplace_back(Lower(Word(i)), table);
    }
    for (size_t i = 0; i < tokens.size(); ++i)
      if (const ShellTable* table = TableOf(Word(i))) tables_.insert(table);
  }

  std::string_view Word(size_t i) const { return tokens_[i].In(text_); }
  // `word` is in lower case. False beyond the ends, also for i = -1.
  bool Is(size_t i, std::string_view word) const {
    return i < tokens_.size() && Lower(Word(i)) == word;
  }
  bool Names(std::string_view word) const {
    const std::string lower = Lower(word);
    return own_.count(lower) > 0 || Aliased(lower) != nullptr;
  }
  // Returns the table that an alias or its own name stands for; null if none does.
  const ShellTable* Aliased(std::string_view word) const {
    for (const auto& [alias, table] : aliases_)
      if (alias == Lower(word)) return table;
    return TableOf(word);
  }
  const std::set<const ShellTable*>& tables() const { return tables_; }
  std::vector<std::string> own() const {
    std::vector<std::string> names(own_.begin(), own_.end());
    for (const auto& [alias, table] : aliases_) names.push_back(alias);
    return names;
  }

 private:
  std::string_view text_;
  std::span<const CodeToken> tokens_;
  std::set<std::string> own_;
  std::vector<std::pair<std::string, const ShellTable*>> aliases_;
  std::set<const ShellTable*> tables_;
};

bool BeginsLike(std::string_view word, std::string_view typed) {
  return Lower(word).starts_with(Lower(typed));
}

bool MayBecomeKnown(std::string_view typed) {
  for (const char* word : kOffered)
    if (BeginsLike(word, typed)) return true;
  for (const char* word : kFunctions)
    if (BeginsLike(word, typed)) return true;
  for (const ShellTable* table : ShellTables()) {
    if (BeginsLike(table->name, typed)) return true;
    for (const RelationColumn& column : table->columns)
      if (BeginsLike(column.name, typed)) return true;
  }
  return false;
}

// Returns the first token after the statement: of "--csv" or "> FILE".
size_t EndOfSql(const SqlStatement& statement, std::string_view text,
                std::span<const CodeToken> tokens) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (statement.Word(i) == "-" && statement.Word(i + 1) == "-") return i;
    const std::string_view rest = text.substr(tokens[i].to, tokens.back().to - tokens[i].to);
    const size_t name = std::min(rest.find_first_not_of(' '), rest.size());
    const bool path = rest.find(' ', name) == rest.npos && rest.find_first_of("./") != rest.npos;
    const bool number = name < rest.size() && rest[name] >= '0' && rest[name] <= '9';
    if (statement.Word(i) == ">" && path && !number) return i;
  }
  return tokens.size();
}

Role RoleOfSqlName(Shell& shell, const SqlStatement& statement, size_t i, bool calls,
                   bool at_cursor) {
  const std::string_view word = statement.Word(i);
  if (i > 0 && statement.Word(i - 1) == ":")
    return shell.interp().GetGlobal(word).is_null() ? Role::kUnknown : Role::kTensor;
  if (i > 1 && statement.Word(i - 1) == ".") {
    const ShellTable* table = statement.Aliased(statement.Word(i - 2));
    const bool known = table == nullptr || HasColumn(*table, Lower(word)) || at_cursor;
    return known ? Role::kTensor : Role::kUnknown;
  }
  if (TableOf(word) != nullptr) return Role::kOp;
  if (calls) return Role::kFunction;
  if (IsColumn(word)) return Role::kTensor;
  if (IsSqlKeyword(word)) return Role::kKeyword;
  if (statement.Names(word)) return Role::kPlain;
  return at_cursor && MayBecomeKnown(word) ? Role::kPlain : Role::kUnknown;
}

}  // namespace

void PaintSql(Shell& shell, std::string_view text, std::span<const CodeToken> tokens, size_t cursor,
              std::vector<StyleSpan>* spans) {
  const SqlStatement statement(text, tokens);
  const size_t end = EndOfSql(statement, text, tokens);
  const bool dotted =
      end > 1 && statement.Word(0) == "." && !VerbOfDotted(statement.Word(1)).empty();
  if (dotted) spans->push_back({tokens[0].from, tokens[1].to, Role::kKeyword});
  for (size_t i = dotted ? 2 : 0; i < end; ++i) {
    const CodeToken& token = tokens[i];
    Role role = Role::kPlain;
    if (token.kind == Kind::kString) role = Role::kString;
    if (token.kind == Kind::kNumber) role = Role::kNumber;
    if (token.kind == Kind::kName) {
      const bool calls = i + 1 < end && statement.Word(i + 1) == "(" &&
                         (!IsSqlKeyword(token.In(text)) || statement.Is(i, "replace"));
      role = RoleOfSqlName(shell, statement, i, calls, token.to == cursor);
    }
    if (role != Role::kPlain) spans->push_back({token.from, token.to, role});
  }
}

namespace completing {
namespace {

// Returns the words in the case of what is typed.
Names InCaseOf(std::string_view typed, std::span<const char* const> words) {
  Names found;
  const bool lower = !typed.empty() && typed[0] >= 'a' && typed[0] <= 'z';
  for (const char* word : words) found.push_back(lower ? Lower(word) : word);
  return found;
}

Names ColumnsIn(const std::set<const ShellTable*>& tables) {
  Names names;
  for (const ShellTable* table : ShellTables())
    if (tables.empty() || tables.count(table) > 0)
      for (const RelationColumn& column : table->columns) names.emplace_back(column.name);
  return names;
}

Names TableNames() {
  Names names;
  for (const ShellTable* table : ShellTables()) names.emplace_back(table->name);
  return names;
}

}  // namespace

Completion SqlWord(Shell& shell, std::string_view text, size_t begin) {
  size_t from = text.size();
  while (from > begin && IsWordByte(text[from - 1])) --from;
  const std::string_view typed = text.substr(from), before = text.substr(begin, from - begin);
  const auto matching = [&](Names names) { return Matching(std::move(names), from, typed); };
  const std::vector<CodeToken> tokens = TokensOf(before);
  const SqlStatement statement(before, tokens);
  const size_t last = tokens.size() - 1;  // of no tokens: beyond the end
  if (tokens.empty()) {
    Names words = InCaseOf(typed, std::vector<const char*>{"SELECT", "WITH", "EXPLAIN QUERY PLAN"});
    Append(&words, TableNames());
    return matching(std::move(words));
  }
  const std::string_view end = statement.Word(last);
  if (before.ends_with(":")) return matching(shell.interp().GlobalNames());
  if (before.ends_with(".") && last > 0) {
    const ShellTable* table = statement.Aliased(statement.Word(last - 1));
    return matching(table == nullptr ? Names() : ColumnsIn({table}));
  }
  if (end == "from" || end == "FROM" || end == "join" || end == "JOIN" || end == "From")
    return matching(TableNames());
  if (statement.Is(last, "limit") || statement.Is(last, "offset") || statement.Is(last, "as"))
    return {from, {}};
  // Columns and functions where an expression begins; otherwise the words that may follow it.
  const bool begins = (IsSqlKeyword(end) && !IsColumn(end) && !statement.Is(last, "end")) ||
                      std::string_view(",(=<>+-*/|").find(end.back()) != std::string_view::npos;
  const bool star = end == "*" && (statement.Is(last - 1, "select") || statement.Is(last - 1, ","));
  Names words = InCaseOf(typed, kOffered);
  if ((begins && !star) || !typed.empty()) {
    Append(&words, ColumnsIn(statement.tables()));
    Append(&words, statement.own());
    Append(&words, InCaseOf(typed, kFunctions));
  }
  return matching(std::move(words));
}

Completion DottedSqlWord(std::string_view text, size_t begin) {
  const std::string_view typed = LastWord(text.substr(begin));
  const size_t blank = text.find(' ', begin);
  if (blank == text.npos) {
    const Names words(DottedWords().begin(), DottedWords().end());
    return Matching(words, begin + 1, text.substr(begin + 1));
  }
  if (text.ends_with(' ')) return Matching(TableNames(), text.size(), "");
  return Matching(TableNames(), text.size() - typed.size(), typed);
}

Completion SqlString(Shell& shell, std::string_view text, size_t begin, const CodePlace& place) {
  const std::string_view before = text.substr(begin, place.string - begin);
  const std::vector<CodeToken> tokens = TokensOf(before);
  std::string_view column;  // The last column before the string: op in ('Add', '
  for (const CodeToken& token : tokens)
    if (token.kind == Kind::kName && IsColumn(token.In(before))) column = token.In(before);
  const std::string name = Lower(column);
  Names values;
  const bool end = name == "source" || name == "target";  // nodes of edges, devices of transfers
  if (name == "op") values = OpNames();
  if (name == "name" || name == "node" || end) values = NodeNames();
  if (name == "device" || end) Append(&values, DeviceNames(shell, false));
  return Matching(std::move(values), place.quote, text.substr(place.quote));
}

}  // namespace completing
}  // namespace tensh::shell
