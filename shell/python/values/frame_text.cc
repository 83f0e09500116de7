#include "shell/python/values/frame_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

struct Token {
  enum Kind : uint8_t { kOperand, kGroup, kWord, kOperator } kind;
  size_t begin, end;
};

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), text) != of.end();
}

bool IsWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || (c & 0x80) != 0;
}

size_t EndOfGroup(std::string_view text, size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (IsOneOf(text.substr(at, 1), {"(", "[", "{"})) ++depth;
    if (IsOneOf(text.substr(at, 1), {")", "]", "}"}) && --depth == 0) return at + 1;
  }
  return at;
}

size_t EndOfString(std::string_view text, size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

size_t EndOfWord(std::string_view text, size_t at) {
  const bool number = std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  auto is_exponent = [&](size_t i) {
    return number && (text[i] == '+' || text[i] == '-') && (text[i - 1] | 32) == 'e';
  };
  const size_t begin = at;
  while (at < text.size() && (IsWordByte(text[at]) || (at > begin && is_exponent(at)))) ++at;
  return at;
}

// Returns the tokens outside brackets and strings. A bracket and its contents are one token.
std::vector<Token> Tokens(std::string_view text) {
  std::vector<Token> out;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const size_t begin = at;
    Token::Kind kind = Token::kOperand;
    if (c == ' ') {
      ++at;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') {
      at = EndOfGroup(text, at);
      kind = Token::kGroup;
    } else if (c == '"' || c == '\'') {
      at = EndOfString(text, at);
    } else if (IsWordByte(c)) {
      at = EndOfWord(text, at);
      if (IsOneOf(text.substr(begin, at - begin), {"and", "or", "not", "if", "else", "lambda", "in",
                                                   "is", "for", "await", "yield"}))
        kind = Token::kWord;
    } else {
      const bool two =
          IsOneOf(text.substr(at, 2), {"**", "//", "<<", ">>", "==", "!=", "<=", ">=", ":="});
      at += two ? 2 : 1;
      kind = Token::kOperator;
    }
    out.push_back({kind, begin, at});
  }
  return out;
}

struct Anchor {
  size_t at = 0, size = 0;  // size is 0 if nothing is marked.
};

// Finds the part of an expression that Python marks: the operator that is applied last, or the
// index. Python uses the syntax tree; this uses the text. It takes the last of the operators that
// bind most loosely, but the first of several powers.
Anchor FindAnchor(std::string_view text) {
  const std::vector<Token> tokens = Tokens(text);
  auto is = [&](const Token& t, std::initializer_list<std::string_view> of) {
    return IsOneOf(text.substr(t.begin, t.end - t.begin), of);
  };
  for (const Token& t : tokens) {
    if (t.kind == Token::kWord) return {};
    if (t.kind == Token::kOperator && is(t, {"==", "!=", "<=", ">=", "<", ">", "=", ":=", ","}))
      return {};
  }
  static const std::initializer_list<std::string_view> levels[] = {
      {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}, {"**"}};
  for (const auto& level : levels) {
    Anchor found;
    for (size_t i = 1; i < tokens.size(); ++i) {
      const bool binary =
          tokens[i - 1].kind == Token::kOperand || tokens[i - 1].kind == Token::kGroup;
      if (!binary || tokens[i].kind != Token::kOperator || !is(tokens[i], level)) continue;
      found = {tokens[i].begin, tokens[i].end - tokens[i].begin};
      if (is(tokens[i], {"**"})) return found;
    }
    if (found.size != 0) return found;
  }
  if (tokens.size() < 2 || text[tokens.back().begin] != '[' || is(tokens[0], {"-", "+", "~"}))
    return {};
  return {tokens.back().begin, tokens.back().end - tokens.back().begin};
}

size_t Width(std::string_view text) { return TextWidth(Visible(text)); }

// Returns the marks under a line that starts at byte `begin` of its text. Returns "" if the marks
// would cover the whole line.
std::string Marks(const Location& where, const std::string& text, size_t begin) {
  const bool one_line = where.end_line == where.line;
  const size_t first = ByteOfColumn(text, where.column);
  const size_t last = one_line ? ByteOfColumn(text, where.end_column) : text.size();
  if (first < begin || last <= first) return "";
  const std::string_view part = std::string_view(text).substr(first, last - first);
  const Anchor anchor = one_line ? FindAnchor(part) : Anchor{};
  if (anchor.size == 0 && first == begin && last == text.size()) return "";
  const std::string before(Width(std::string_view(text).substr(begin, first - begin)), ' ');
  if (anchor.size == 0) return before + std::string(Width(part), '^');
  return before + std::string(Width(part.substr(0, anchor.at)), '~') +
         std::string(Width(part.substr(anchor.at, anchor.size)), '^') +
         std::string(Width(part.substr(anchor.at + anchor.size)), '~');
}

}  // namespace

size_t ByteOfColumn(const std::string& line, int column) {
  size_t at = 0;
  for (int c = 1; c < column && at < line.size(); ++c) {
    ++at;
    while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80) ++at;
  }
  return at;
}

std::string FrameText(const TraceEntry& entry, size_t longest_line) {
  const Location& where = entry.where;
  std::string out = "  File \"" + Visible(where.file) + "\", line " + std::to_string(where.line) +
                    ", in " + Visible(entry.function) + "\n";
  std::string text = where.text.substr(0, where.text.find('\n'));
  std::replace(text.begin(), text.end(), '\t', ' ');  // The width of a tab depends on its position.
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.pop_back();
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return out;
  const std::string line = Visible(text.substr(begin));
  const bool long_line = TextWidth(line) > longest_line;
  out += "    " + (long_line ? CutTo(line, longest_line) : line) + "\n";
  const std::string marks = long_line || where.column <= 0 ? "" : Marks(where, text, begin);
  return marks.empty() ? out : out + "    " + marks + "\n";
}

}  // namespace tensh::shell
