// Splitting the text of a verb into words, clauses and pieces.

#include "shell/commands/base/words.h"

#include <algorithm>
#include <string>

#include "runtime/base/text.h"

namespace tensh::shell {
namespace {

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Words after which an expression continues.
constexpr std::string_view kOperators[] = {"if", "else", "and",    "or", "not",
                                           "in", "is",   "lambda", "for"};

// Walks over a text, counting brackets and skipping quoted parts.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool done() const { return at_ >= text_.size(); }
  size_t at() const { return at_; }
  bool top() const { return depth_ == 0; }

  void Step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') return SkipQuoted(c);
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    ++at_;
  }

 private:
  void SkipQuoted(char quote) {
    const bool triple = text_.substr(at_, 3) == std::string(3, quote);
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\') {
        at_ = std::min(at_ + 2, text_.size());
        continue;
      }
      if (text_[at_] != quote) {
        ++at_;
        continue;
      }
      if (!triple) break;
      if (text_.substr(at_, 3) == std::string(3, quote)) {
        at_ += 3;
        return;
      }
      ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t depth_ = 0;
};

// Returns true if an expression ends just before `at`.
bool EndsExpression(std::string_view text, size_t at) {
  const std::string_view before = Trim(text.substr(0, at));
  if (before.empty()) return false;
  const char last = before.back();
  if (last == ')' || last == ']' || last == '}' || last == '"' || last == '\'' || last == '.')
    return true;
  if (!IsNameChar(last)) return false;
  size_t begin = before.size();
  while (begin > 0 && IsNameChar(before[begin - 1])) --begin;
  const std::string_view word = before.substr(begin);
  return std::find(std::begin(kOperators), std::end(kOperators), word) == std::end(kOperators);
}

bool BeginsExpression(std::string_view text) {
  const std::string_view next = Trim(text);
  if (next.empty()) return true;
  const char c = next[0];
  return IsNameChar(c) || c == '(' || c == '[' || c == '{' || c == '"' || c == '\'' || c == '-' ||
         c == '/';
}

}  // namespace

std::string_view FirstWord(std::string_view text) {
  text = Trim(text);
  return text.substr(
      0, static_cast<size_t>(std::find_if(text.begin(), text.end(), IsAsciiSpace) - text.begin()));
}

std::string_view LastWord(std::string_view text) {
  text = Trim(text);
  size_t begin = text.size();
  while (begin > 0 && !IsAsciiSpace(text[begin - 1])) --begin;
  return text.substr(begin);
}

bool IsName(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), IsNameChar);
}

std::vector<std::string_view> SplitCommas(std::string_view text) {
  std::vector<std::string_view> out;
  if (Trim(text).empty()) return out;
  Scanner scan(text);
  size_t begin = 0;
  while (!scan.done()) {
    if (scan.top() && text[scan.at()] == ',') {
      out.push_back(Trim(text.substr(begin, scan.at() - begin)));
      begin = scan.at() + 1;
    }
    scan.Step();
  }
  const std::string_view last = Trim(text.substr(begin));
  if (!last.empty()) out.push_back(last);  // Python allows a trailing comma
  return out;
}

std::vector<Clause> SplitClauses(std::string_view text, std::span<const std::string_view> words) {
  std::vector<Clause> out = {{"", ""}};
  Scanner scan(text);
  size_t begin = 0;
  while (!scan.done()) {
    const size_t at = scan.at();
    const bool word_start = IsNameChar(text[at]) && (at == 0 || !IsNameChar(text[at - 1]));
    if (!scan.top() || !word_start) {
      scan.Step();
      continue;
    }
    size_t end = at;
    while (end < text.size() && IsNameChar(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool listed = std::find(words.begin(), words.end(), word) != words.end();
    const bool after_space =
        at > 0 && (IsAsciiSpace(text[at - 1]) || text[at - 1] == ')' || text[at - 1] == ']');
    if (listed && after_space && EndsExpression(text, at) && BeginsExpression(text.substr(end))) {
      out.back().text = Trim(text.substr(begin, at - begin));
      out.push_back({word, ""});
      begin = end;
    }
    while (scan.at() < end) scan.Step();
  }
  out.back().text = Trim(text.substr(begin));
  return out;
}

bool SplitAssignment(std::string_view text, std::string_view* left, std::string_view* right) {
  for (Scanner scan(text); !scan.done(); scan.Step()) {
    const size_t at = scan.at();
    if (!scan.top() || text[at] != '=') continue;
    const bool comparison =
        (at + 1 < text.size() && text[at + 1] == '=') ||
        (at > 0 && std::string_view("=!<>").find(text[at - 1]) != std::string_view::npos);
    if (comparison) continue;
    *left = Trim(text.substr(0, at));
    *right = Trim(text.substr(at + 1));
    return true;
  }
  return false;
}

Comparison SplitComparison(std::string_view text) {
  constexpr std::string_view kComparisons[] = {"==", "!=", "<=", ">=", "<", ">", "not in", "in"};
  for (Scanner scan(text); !scan.done(); scan.Step()) {
    if (!scan.top() || !IsAsciiSpace(text[scan.at()])) continue;
    const std::string_view rest = text.substr(scan.at() + 1);
    for (const std::string_view op : kComparisons) {
      if (!rest.starts_with(op) || rest.size() == op.size() || !IsAsciiSpace(rest[op.size()]))
        continue;
      return {Trim(text.substr(0, scan.at())), op, Trim(rest.substr(op.size()))};
    }
  }
  return {};
}

}  // namespace tensh::shell
