// The parser of conditions in `where COND`, and their evaluation on the rows of a table.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "shell/commands/base/words.h"
#include "shell/commands/tables/data_table.h"
#include "shell/python/values/error.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

using Row = std::vector<Cell>;
using Condition = std::function<bool(const Row&)>;

struct Operand {
  size_t column = SIZE_MAX;  // SIZE_MAX for a constant
  Cell value;
};

struct Suffix {
  const char* text;
  double factor;
};
constexpr Suffix kSuffixes[] = {{"ns", 1},    {"us", 1e3},     {"µs", 1e3},
                                {"ms", 1e6},  {"s", 1e9},      {"B", 1},
                                {"KB", 1024}, {"MB", 1048576}, {"GB", 1073741824}};

// Parses a number with an optional unit, as tables print it: "12", "1.5KB", "20us".
bool ParseNumber(std::string_view text, int64_t* number) {
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
  *number = static_cast<int64_t>(std::llround(value));
  return true;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Matches a pattern in which % and * stand for any text, and _ and ? for one character. Case does
// not matter.
bool Like(std::string_view text, std::string_view pattern) {
  size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    const char want = p < pattern.size() ? pattern[p] : '\0';
    if (p < pattern.size() && (want == '%' || want == '*')) {
      star = p++;
      mark = t;
    } else if (p < pattern.size() &&
               (want == '?' || want == '_' || Lower(want) == Lower(text[t]))) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && (pattern[p] == '%' || pattern[p] == '*')) ++p;
  return p == pattern.size();
}

std::string TextOf(const Cell& cell) {
  if (cell.kind == Cell::Kind::kBool) return cell.number != 0 ? "true" : "false";
  return cell.kind == Cell::Kind::kNumber ? std::to_string(cell.number) : cell.text;
}

int Compare(const Cell& a, const Cell& b) {
  if (a.kind == Cell::Kind::kNumber && b.kind == Cell::Kind::kNumber)
    return a.number < b.number ? -1 : a.number > b.number;
  const int order = TextOf(a).compare(TextOf(b));
  return order < 0 ? -1 : order > 0;
}

bool Holds(std::string_view op, const Cell& a, const Cell& b) {
  if (op == "in") return TextOf(b).find(TextOf(a)) != std::string::npos;
  if (op == "like") return Like(TextOf(a), TextOf(b));
  if (op == "==" || op == "=") return Compare(a, b) == 0;
  if (op == "!=" || op == "<>") return Compare(a, b) != 0;
  // An unknown value is neither less nor greater than another.
  if (a.kind == Cell::Kind::kNone || b.kind == Cell::Kind::kNone) return false;
  const int order = Compare(a, b);
  return op == "<" ? order < 0 : op == "<=" ? order <= 0 : op == ">" ? order > 0 : order >= 0;
}

bool IsTrue(const Cell& cell) {
  return cell.kind == Cell::Kind::kText ? !cell.text.empty() : cell.number != 0;
}

class Parser {
 public:
  Parser(const std::vector<DataColumn>& columns, std::string_view text)
      : columns_(columns), all_(text), text_(text) {}

  Condition Parse() {
    Condition condition = Or();
    if (!Peek().empty()) Wrong("not understood from '" + std::string(Trim(text_)) + "' on");
    return condition;
  }

 private:
  [[noreturn]] void Wrong(const std::string& what) {
    throw MakeError(kSyntaxError, "where " + std::string(all_) + ": " + what)
        .Hint("For example: where op == Const and name like \"grad%\"");
  }

  // Returns the next token without consuming it. Quoted text keeps its opening quote.
  std::string_view Peek() {
    text_ = Trim(text_);
    if (text_.empty()) return {};
    static constexpr std::string_view kOps[] = {
        "==", "!=", "<>", "<=", ">=", "<", ">", "=", "(", ")"};
    for (const std::string_view op : kOps) {
      if (text_.substr(0, op.size()) == op) return text_.substr(0, op.size());
    }
    if (text_[0] == '"' || text_[0] == '\'') {
      const size_t end = text_.find(text_[0], 1);
      if (end == std::string_view::npos) Wrong("the text is not closed");
      return text_.substr(0, end + 1);
    }
    return text_.substr(0, std::min(text_.find_first_of(" \t\n=!<>()"), text_.size()));
  }
  std::string_view Take() {
    const std::string_view token = Peek();
    text_.remove_prefix(token.size());
    return token;
  }
  bool TakeWord(std::string_view word) {
    if (Peek() != word) return false;
    Take();
    return true;
  }

  Condition Or() {
    Condition left = And();
    while (TakeWord("or")) {
      left = [left, right = And()](const Row& row) { return left(row) || right(row); };
    }
    return left;
  }
  Condition And() {
    Condition left = Not();
    while (TakeWord("and")) {
      left = [left, right = Not()](const Row& row) { return left(row) && right(row); };
    }
    return left;
  }
  Condition Not() {
    if (++depth_ > 100) Wrong("too deeply nested");
    Condition out;
    if (TakeWord("not")) {
      out = [inner = Not()](const Row& row) { return !inner(row); };
    } else if (TakeWord("(")) {
      out = Or();
      if (!TakeWord(")")) Wrong("a ) is missing");
    } else {
      out = Comparison();
    }
    --depth_;
    return out;
  }

  Condition Comparison() {
    const std::string_view left_text = Peek();
    const Operand left = TakeOperand();
    static constexpr std::string_view kOps[] = {
        "==", "!=", "<>", "<=", ">=", "<", ">", "=", "in", "like"};
    const std::string_view op = Peek();
    if (std::find(std::begin(kOps), std::end(kOps), op) == std::end(kOps)) {
      if (left.column == SIZE_MAX) NoColumn(left_text);
      return [left](const Row& row) { return IsTrue(row[left.column]); };
    }
    Take();
    const Operand right = TakeOperand();
    if (left.column == SIZE_MAX && right.column == SIZE_MAX) NoColumn(left_text);
    return [left, right, op = std::string(op)](const Row& row) {
      return Holds(op, left.column == SIZE_MAX ? left.value : row[left.column],
                   right.column == SIZE_MAX ? right.value : row[right.column]);
    };
  }

  [[noreturn]] void NoColumn(std::string_view text) {
    std::vector<std::string> names;
    for (const DataColumn& column : columns_) names.push_back(column.name);
    throw MakeError(kKeyError, "no column '" + std::string(text) + "'")
        .Hint("Choose one of: " + Join(names, ", "));
  }

  Operand TakeOperand() {
    const std::string_view token = Take();
    if (token.empty() || token == ")" || token == "(") Wrong("something is missing");
    if (token[0] == '"' || token[0] == '\'')
      return {SIZE_MAX, Cell::Text(std::string(token.substr(1, token.size() - 2)))};
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (token == columns_[c].name) return {c, {}};
    }
    int64_t number = 0;
    if (ParseNumber(token, &number)) return {SIZE_MAX, Cell::Number(number)};
    if (token == "true" || token == "True") return {SIZE_MAX, Cell::Bool(true)};
    if (token == "false" || token == "False") return {SIZE_MAX, Cell::Bool(false)};
    return {SIZE_MAX, Cell::Text(std::string(token))};
  }

  const std::vector<DataColumn>& columns_;
  std::string_view all_, text_;
  int depth_ = 0;
};

}  // namespace

std::function<bool(const std::vector<Cell>&)> CompileCondition(
    const std::vector<DataColumn>& columns, std::string_view text) {
  return Parser(columns, text).Parse();
}

}  // namespace tensh::shell
