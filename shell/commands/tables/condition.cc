#include "shell/commands/tables/condition.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "shell/commands/base/words.h"
#include "shell/commands/tables/sql_error.h"
#include "shell/explain/report.h"
#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

using Type = RelationColumn::Type;

// One side of a comparison, translated to SQL.
struct Operand {
  size_t column = SIZE_MAX;  // SIZE_MAX for a constant
  std::string sql;
  std::string text = {};  // the constant as typed, without quotes
  bool is_text = false, is_bool = false;

  bool constant() const { return column == SIZE_MAX; }
};

struct Suffix {
  const char* text;
  double factor;
};
constexpr Suffix kSuffixes[] = {{"ns", 1},    {"us", 1e3},     {"µs", 1e3},
                                {"ms", 1e6},  {"s", 1e9},      {"B", 1},
                                {"KB", 1024}, {"MB", 1048576}, {"GB", 1073741824}};

// Parses a number with an optional unit, as tables print it: "12", "1.5KB", "20us". A fraction
// without a unit stays one.
bool ParseNumber(std::string_view text, std::string* sql) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  const std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  double factor = rest.empty() ? 1 : 0;
  for (const Suffix& suffix : kSuffixes) {
    if (rest == suffix.text) factor = suffix.factor;
  }
  value *= factor;
  if (factor == 0 || !(std::fabs(value) < 9e18)) return false;
  if (rest.empty() && value != std::trunc(value)) return *sql = std::string(text), true;
  *sql = std::to_string(std::llround(value));
  return true;
}

constexpr std::string_view kComparisons[] = {"==", "!=", "<>",   "<=",      ">=", "<",  ">",
                                             "=",  "in", "like", "between", "is", "not"};

class Parser {
 public:
  Parser(const std::vector<QueryColumn>& columns, std::string_view text, std::vector<size_t>* used)
      : columns_(columns), all_(text), text_(text), used_(used) {}

  std::string Parse() {
    std::string condition = Or();
    if (!Peek().empty()) Wrong("unexpected '" + std::string(Trim(text_)) + "'");
    return condition;
  }

 private:
  [[noreturn]] void Wrong(const std::string& what) {
    throw MakeError(kSyntaxError, "where " + std::string(all_) + ": " + what)
        .Hint("For example: where op == Const and name like \"grad%\"");
  }

  // Returns the next token without consuming it. A quoted string keeps its opening quote.
  std::string_view Peek() {
    text_ = Trim(text_);
    if (text_.empty()) return {};
    static constexpr std::string_view kOps[] = {
        "==", "!=", "<>", "<=", ">=", "<", ">", "=", "(", ")"};
    for (const std::string_view op : kOps) {
      if (text_.substr(0, op.size()) == op) return text_.substr(0, op.size());
    }
    if (in_list_ && (text_[0] == ',' || text_[0] == ']')) return text_.substr(0, 1);
    if (text_[0] == '"' || text_[0] == '\'') {
      const size_t end = text_.find(text_[0], 1);
      if (end == std::string_view::npos) Wrong("the closing quote is missing");
      return text_.substr(0, end + 1);
    }
    const char* ends = in_list_ ? " \t\n=!<>(),]" : " \t\n=!<>()";
    return text_.substr(0, std::min(text_.find_first_of(ends), text_.size()));
  }
  std::string_view Take() {
    const std::string_view token = Peek();
    text_.remove_prefix(token.size());
    return token;
  }
  // Keywords may be written in capital letters, as in SQL.
  static std::string Word(std::string_view token) {
    std::string word(token);
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return word;
  }
  bool TakeWord(std::string_view word) {
    if (Word(Peek()) != word) return false;
    Take();
    return true;
  }

  std::string Or() {
    std::string left = And();
    while (TakeWord("or")) left = "(" + left + " OR " + And() + ")";
    return left;
  }
  std::string And() {
    std::string left = Not();
    while (TakeWord("and")) left = "(" + left + " AND " + Not() + ")";
    return left;
  }
  std::string Not() {
    if (++depth_ > 100) Wrong("too deeply nested");
    std::string out;
    if (TakeWord("not")) {
      out = "NOT " + Not();
    } else if (TakeWord("(")) {
      out = Or();
      if (!TakeWord(")")) Wrong("a ) is missing");
    } else {
      out = Comparison();
    }
    --depth_;
    return out;
  }

  std::string Comparison() {
    const std::string_view left_text = Peek();
    const Operand left = TakeOperand();
    std::string op = Word(Peek());
    if (std::find(std::begin(kComparisons), std::end(kComparisons), op) == std::end(kComparisons)) {
      if (left.constant()) NoColumn(left_text);
      return "coalesce(" + left.sql + ", '') NOT IN ('', 0)";
    }
    Take();
    std::string negated;
    if (op == "not") {
      op = Word(Take());
      if (op != "in" && op != "like" && op != "between")
        Wrong("expects in, like or between after not");
      negated = "NOT ";
    }
    if (op == "is") return IsNull(left, left_text);
    if (op == "between") return negated + Between(left, left_text);
    const std::string_view next = Peek();
    if (op == "in" && (next == "(" || next.starts_with('[')))
      return negated + InList(left, left_text);
    const Operand right = TakeOperand();
    if (left.constant() && right.constant()) NoColumn(left_text);
    return negated + Compared(op, left, right);
  }

  // Makes a condition true or false, never NULL.
  static std::string Certain(const std::string& sql) { return "((" + sql + ") IS TRUE)"; }

  std::string Compared(const std::string& op, const Operand& left, const Operand& right) {
    if (op == "in")
      return "instr(coalesce(" + right.sql + ", ''), coalesce(" + left.sql + ", '')) > 0";
    if (op == "like") return Certain(left.sql + " LIKE " + Like(right));
    std::string a = left.sql, b = right.sql;
    for (const auto& [constant, other] : {std::pair(&left, &right), std::pair(&right, &left)}) {
      if (!constant->constant() || other->constant()) continue;
      CheckNumber(*constant, columns_[other->column].type);
      // NULL is printed as an empty string, and therefore equals one.
      if (constant->is_text && constant->text.empty())
        (other == &left ? a : b) = "coalesce(" + other->sql + ", '')";
      if (constant->is_bool && columns_[other->column].type != Type::kBool)
        (other == &left ? b : a) = SqlText(Word(constant->text));
    }
    const Operand& constant = left.constant() ? left : right;
    const std::string longer = LongDevice(left.constant() ? right : left, constant);
    if (op == "==" || op == "=") return Certain(a + " = " + b + longer);
    if (op == "!=" || op == "<>")
      return longer.empty() ? a + " IS NOT " + b : "NOT " + Certain(a + " = " + b + longer);
    return Certain(a + " " + op + " " + b);
  }

  // Throws for a text that begins like a number but has no known unit, such as 1XB.
  void CheckNumber(const Operand& constant, Type type) {
    const bool number =
        type == Type::kInteger || type == Type::kReal || type == Type::kBytes || type == Type::kNs;
    const bool digit = !constant.text.empty() && constant.text[0] >= '0' && constant.text[0] <= '9';
    if (!number || !digit || !constant.is_text) return;
    throw MakeError(kSyntaxError,
                    "where " + std::string(all_) + ": " + constant.text + " is not a number")
        .Hint("The units are B, KB, MB, GB, ns, us, ms and s");
  }

  // Tables contain short names of devices. For a longer name such as "/device:CPU:1", returns a
  // condition that accepts the short name as well; for other constants, returns "".
  std::string LongDevice(const Operand& column, const Operand& constant) const {
    if (column.constant() || !constant.is_text || columns_[column.column].name != "device")
      return "";
    const std::string device = ShortDevice(constant.text);
    return device == constant.text ? "" : " OR " + column.sql + " = " + SqlText(device);
  }

  // In a pattern that is a string, * and ? stand for % and _.
  static std::string Like(const Operand& pattern) {
    if (!pattern.constant() || pattern.text.find_first_of("*?") == std::string::npos)
      return pattern.sql;
    std::string text = pattern.text;
    std::replace(text.begin(), text.end(), '*', '%');
    std::replace(text.begin(), text.end(), '?', '_');
    return SqlText(text);
  }

  std::string IsNull(const Operand& left, std::string_view left_text) {
    if (left.constant()) NoColumn(left_text);
    const bool negated = TakeWord("not");
    if (!TakeWord("null") && !TakeWord("none")) Wrong("expects null after is");
    // NULL is printed as an empty string, and a node without a device has an empty one.
    return "coalesce(" + left.sql + ", '')" + (negated ? " <> ''" : " = ''");
  }

  std::string Between(const Operand& left, std::string_view left_text) {
    const Operand low = TakeOperand();
    if (!TakeWord("and")) Wrong("expects between A and B");
    const Operand high = TakeOperand();
    if (left.constant() && low.constant() && high.constant()) NoColumn(left_text);
    return Certain(left.sql + " BETWEEN " + low.sql + " AND " + high.sql);
  }

  // `op in (Relu, MatMul)` and `op in ["Relu", "MatMul"]`.
  std::string InList(const Operand& left, std::string_view left_text) {
    const bool square = Trim(text_).starts_with('[');
    text_ = Trim(text_).substr(1);
    in_list_ = true;
    const std::string_view close = square ? "]" : ")";
    std::string list;
    bool columns = !left.constant();
    while (Peek() != close) {
      if (!list.empty() && !TakeWord(",")) Wrong("expects a comma between the values of in (…)");
      if (Peek() == close) break;
      const Operand value = TakeOperand();
      columns = columns || !value.constant();
      list += (list.empty() ? "" : ", ") + value.sql;
    }
    Take();
    in_list_ = false;
    if (!columns) NoColumn(left_text);
    return Certain(left.sql + " IN (" + list + ")");
  }

  [[noreturn]] void NoColumn(std::string_view text) {
    std::vector<std::string> names;
    for (const QueryColumn& column : columns_) names.push_back(column.name);
    throw NoColumnError(text, names);
  }

  Operand TakeOperand() {
    const std::string_view token = Take();
    if (token.empty() || token == ")" || token == "(" ||
        (in_list_ && (token == "," || token == "]")))
      Wrong("a column or a value is missing");
    if (token[0] == '"' || token[0] == '\'') {
      const std::string text(token.substr(1, token.size() - 2));
      return {.sql = SqlText(text), .text = text, .is_text = true};
    }
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (token != columns_[c].name) continue;
      used_->push_back(c);
      return {.column = c, .sql = columns_[c].sql};
    }
    std::string sql;
    if (ParseNumber(token, &sql)) return {.sql = sql, .text = std::string(token)};
    const std::string word = Word(token);
    if (word == "true" || word == "false")
      return {.sql = word == "true" ? "1" : "0", .text = std::string(token), .is_bool = true};
    return {.sql = SqlText(token), .text = std::string(token), .is_text = true};
  }

  const std::vector<QueryColumn>& columns_;
  std::string_view all_, text_;
  std::vector<size_t>* used_;
  bool in_list_ = false;
  int depth_ = 0;
};

}  // namespace

size_t ColumnIndex(const std::vector<QueryColumn>& columns, std::string_view name) {
  std::vector<std::string> names;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (name == columns[c].name) return c;
    names.push_back(columns[c].name);
  }
  throw NoColumnError(name, names);
}

std::string ConditionSql(const std::vector<QueryColumn>& columns, std::string_view text,
                         std::vector<size_t>* used) {
  return Parser(columns, text, used).Parse();
}

std::string SqlText(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    if (c != '\0') out += c;  // a NUL would end the statement
  }
  return out + "'";
}

std::string SqlName(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace tensh::shell
