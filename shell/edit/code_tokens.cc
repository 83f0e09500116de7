#include "shell/edit/code_tokens.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "runtime/base/text.h"
#include "shell/edit/text_buffer.h"

namespace tensh::shell {
namespace {

using Kind = CodeToken::Kind;
constexpr size_t kIndent = 4;

// Returns the length of a string's prefix such as "rb", or 0 if no quote follows the word.
size_t PrefixLength(std::string_view text) {
  size_t n = 0;
  while (n < 2 && n < text.size() && std::string_view("rbfuRBFU").find(text[n]) != text.npos) ++n;
  return n < text.size() && (text[n] == '"' || text[n] == '\'') ? n : 0;
}

// Returns the end of the string whose quote is at `at`. Sets *open if the string is not closed.
size_t EndOfString(std::string_view text, size_t at, bool* open) {
  const char quote = text[at];
  const bool triple = text.substr(at, 3) == std::string(3, quote);
  const std::string_view end = text.substr(at, triple ? 3 : 1);
  *open = false;
  for (size_t i = at + end.size(); i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '\n' && !triple) {
      *open = true;
      return i;
    } else if (text.substr(i, end.size()) == end) {
      return i + end.size();
    }
  }
  *open = true;
  return text.size();
}

size_t EndOfNumber(std::string_view text, size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    const bool sign = (c == '+' || c == '-') && (text[at - 1] == 'e' || text[at - 1] == 'E') &&
                      at + 1 < text.size() && IsAsciiDigit(text[at + 1]);
    if (!IsWordByte(c) && c != '.' && !sign) break;
    ++at;
  }
  return at;
}

CodeToken TokenAt(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == '\n') return {Kind::kNewline, at, at + 1};
  if (c == '#') return {Kind::kComment, at, std::min(text.find('\n', at), text.size())};
  const size_t prefix = PrefixLength(text.substr(at));
  if (c == '"' || c == '\'' || prefix > 0) {
    CodeToken token{Kind::kString, at, 0};
    const std::string_view letters = text.substr(at, prefix);
    token.formatted = letters.find_first_of("fF") != letters.npos;
    token.to = EndOfString(text, at + prefix, &token.open);
    return token;
  }
  if (IsAsciiDigit(c) || (c == '.' && at + 1 < text.size() && IsAsciiDigit(text[at + 1])))
    return {Kind::kNumber, at, EndOfNumber(text, at + 1)};
  if (!IsWordByte(c)) return {Kind::kOperator, at, at + 1};
  size_t end = at;
  while (end < text.size() && IsWordByte(text[end])) ++end;
  return {Kind::kName, at, end};
}

char OpenerOf(char close) { return close == ')' ? '(' : close == ']' ? '[' : '{'; }
bool IsOpener(char c) { return c == '(' || c == '[' || c == '{'; }
bool IsCloser(char c) { return c == ')' || c == ']' || c == '}'; }

std::string_view FirstName(std::string_view line) {
  size_t from = line.find_first_not_of(" \t");
  if (from == line.npos) return "";
  size_t end = from;
  while (end < line.size() && IsWordByte(line[end])) ++end;
  return line.substr(from, end - from);
}

size_t IndentOf(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

bool OneOf(std::string_view word, std::string_view list) {
  return !word.empty() &&
         (" " + std::string(list) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

struct ClauseRow {
  std::string_view clause, after;
};
constexpr ClauseRow kClauses[] = {{"else", "if elif for while except"},
                                  {"elif", "if elif"},
                                  {"except", "try except"},
                                  {"finally", "try except else"}};

}  // namespace

std::vector<CodeToken> TokensOf(std::string_view text) {
  std::vector<CodeToken> tokens;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\t') {
      ++at;
      continue;
    }
    tokens.push_back(TokenAt(text, at));
    at = tokens.back().to;
  }
  return tokens;
}

CodePlace PlaceAtEnd(std::string_view text) {
  CodePlace place;
  char last = '\n';
  for (const CodeToken& token : TokensOf(text)) {
    const char c = text[token.from];
    if (token.kind == Kind::kOperator && IsOpener(c)) {
      place.open.push_back(token.from);
    } else if (token.kind == Kind::kOperator && IsCloser(c)) {
      if (!place.open.empty()) place.open.pop_back();
    } else if (token.kind == Kind::kNewline && place.open.empty() && last != '\\') {
      place.statement = token.to;
    } else if (token.kind == Kind::kOperator && c == ';' && place.open.empty()) {
      place.statement = token.to;
    }
    const bool at_end = token.to == text.size();
    place.comment = token.kind == Kind::kComment && at_end;
    if (token.kind == Kind::kString && token.open && at_end) {
      const size_t quote = text.find_first_of("'\"", token.from);
      place.triple = text.substr(quote, 3) == std::string(3, text[quote]);
      place.string = token.from;
      place.quote = quote + (place.triple ? 3 : 1);
    }
    last = c;
  }
  return place;
}

size_t MatchingBracket(std::string_view text, const std::vector<CodeToken>& tokens, size_t at) {
  std::vector<size_t> open;
  for (const CodeToken& token : tokens) {
    if (token.kind != Kind::kOperator) continue;
    const char c = text[token.from];
    if (IsOpener(c)) open.push_back(token.from);
    if (!IsCloser(c) || open.empty()) continue;
    const size_t begin = open.back();
    if (text[begin] != OpenerOf(c)) {
      if (token.from == at) return text.npos;
      continue;
    }
    open.pop_back();
    if (begin == at) return token.from;
    if (token.from == at) return begin;
  }
  return text.npos;
}

size_t IndentAfter(std::string_view before) {
  const CodePlace place = PlaceAtEnd(before);
  const size_t line_at = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  const std::string_view line = before.substr(line_at);
  const size_t indent = IndentOf(line);
  if (place.quote != before.npos) return place.triple ? indent : 0;
  const std::vector<CodeToken> tokens = TokensOf(line);
  const CodeToken* last = nullptr;
  for (const CodeToken& token : tokens)
    if (token.kind != Kind::kComment) last = &token;
  if (last == nullptr) return indent;
  if (!place.open.empty()) {
    const bool opened_here = place.open.back() >= line_at;
    return opened_here ? indent + kIndent : indent;
  }
  if (last->In(line) == ":") return indent + kIndent;
  // After a statement of several lines, the next statement has the indentation of its first line.
  const std::string_view statement = before.substr(place.statement);
  const size_t begin = IndentOf(statement);
  const size_t level = before.find('\n', place.statement) == before.npos ? indent : begin;
  const bool leaves = OneOf(FirstName(line), "return pass break continue raise");
  return leaves && level >= kIndent ? level - kIndent : level;
}

size_t IndentOfClause(std::string_view text) {
  const size_t line_at = text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1;
  const std::string_view word = FirstName(text.substr(line_at));
  const auto row = std::find_if(std::begin(kClauses), std::end(kClauses),
                                [&](const ClauseRow& r) { return r.clause == word; });
  if (row == std::end(kClauses) || line_at == 0) return text.npos;
  size_t most = IndentOf(text.substr(line_at));
  for (size_t end = line_at; end > 0;) {
    const size_t newline = end < 2 ? text.npos : text.rfind('\n', end - 2);
    const size_t from = newline == text.npos ? 0 : newline + 1;
    const std::string_view line = text.substr(from, end - 1 - from);
    end = from;
    const size_t indent = IndentOf(line);
    if (indent == line.size() || indent > most) continue;
    if (OneOf(FirstName(line), row->after)) return indent;
    if (indent < most) most = indent;
  }
  return text.npos;
}

}  // namespace tensh::shell
