#include "shell/python/syntax/verb_line.h"

#include <algorithm>
#include <cctype>

namespace tensh::shell {
namespace {

bool IsWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool StartsWithWord(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !IsWordPart(text[word.size()]));
}

uint32_t Skip(std::string_view text, uint32_t at, std::string_view characters) {
  return static_cast<uint32_t>(std::min(text.find_first_not_of(characters, at), text.size()));
}

// Returns true if no argument follows: `rest` begins with the end of a line, a semicolon or a
// comment.
bool IsEmpty(std::string_view rest) {
  return rest.empty() || std::string_view("\n\r;#").find(rest[0]) != std::string_view::npos;
}

// Operators and punctuation that Python allows after a name. A longer row that matches, and is
// marked as the verb's, takes precedence.
struct Continuation {
  std::string_view text;
  bool python = true;
};
constexpr Continuation kContinuations[] = {
    // Paths, as in `load ./model` and `save ../model`.
    {"./", false},
    {"..", false},
    {"."},
    // Calls, tuples, annotations.
    {"("},
    {")"},
    {","},
    {":"},
    // Comparisons and assignments. `<`, `-` and other operators begin arguments: `eval -w`.
    {"="},
    {"+="},
    {"-="},
    {"*="},
    {"/="},
    {"%="},
    {"@="},
    {"&="},
    {"|="},
    {"^="},
    {"**="},
    {"//="},
    {"<<="},
    {">>="},
};
// Keywords that Python allows after a name. `not` needs a following `in`; otherwise it begins an
// argument, as in `eval not x`.
constexpr std::string_view kContinuingWords[] = {"if", "in",   "is",  "and",
                                                 "or", "else", "for", "as"};

bool ContinuesName(std::string_view rest) {
  // A dot alone is the current folder, as in `open .` and `open . as model`.
  if (rest[0] == '.') {
    const std::string_view next = rest.substr(Skip(rest, 1, " \t"));
    if (IsEmpty(next) || StartsWithWord(next, "as")) return false;
  }
  for (const Continuation& row : kContinuations)
    if (rest.starts_with(row.text)) return row.python;
  for (std::string_view word : kContinuingWords)
    if (StartsWithWord(rest, word)) return true;
  if (!StartsWithWord(rest, "not")) return false;
  return rest.substr(Skip(rest, 3, " \t")).starts_with("in ");
}

// Returns true if `rest`, which is none of these, cannot follow a name and a blank in Python: it
// begins with an operand instead of an operator.
bool BeginsOperand(std::string_view rest) {
  const char c = rest[0];
  return IsWordPart(c) || static_cast<unsigned char>(c) >= 0x80 || rest.starts_with("./") ||
         rest.starts_with("..") || std::string_view("'\"{~$").find(c) != std::string_view::npos;
}

// Verbs that are also Python statements. The line is the verb's only if this word follows, which
// Python does not allow there.
struct Statement {
  std::string_view verb, next;
};
constexpr Statement kStatements[] = {{"break", "if"}};

// Verbs whose argument may be a verb. `time .nodes` is that verb even if a module is named `time`.
constexpr std::string_view kOuterVerbs[] = {"time"};

// Returns true if `rest`, which follows a verb and a blank, begins with a number or a verb after a
// dot: `.5`, `.nodes a`. `.name` alone is an attribute, except after a verb that runs another.
bool BeginsDotted(std::string_view verb, std::string_view rest) {
  if (rest.size() < 2 || rest[0] != '.' || !IsWordPart(rest[1])) return false;
  if (std::isdigit(static_cast<unsigned char>(rest[1]))) return true;
  const uint32_t end = EndOfWord(rest, 1), at = Skip(rest, end, " \t");
  if (IsEmpty(rest.substr(at)))
    return std::ranges::find(kOuterVerbs, verb) != std::end(kOuterVerbs);
  return at > end && !ContinuesName(rest.substr(at)) && BeginsOperand(rest.substr(at));
}

// The commands of sqlite3 that `sql` has as words. They may follow the verb and a blank, although a
// name, a blank and an attribute are Python.
constexpr std::string_view kSqlVerb = "sql";
constexpr std::string_view kSqlWords[] = {"schema", "tables"};

}  // namespace

std::span<const std::string_view> DottedWords() { return kSqlWords; }

std::string_view VerbOfDotted(std::string_view word) {
  return std::ranges::find(kSqlWords, word) == std::end(kSqlWords) ? "" : kSqlVerb;
}

VerbLine ReadVerbLine(std::string_view text, uint32_t begin, uint32_t end) {
  const std::string_view verb = text.substr(begin, end - begin);
  const uint32_t at = Skip(text, end, " \t");
  const std::string_view rest = text.substr(at);
  const bool spaced = at > end;
  const auto line = [&](AfterVerb after, bool certain = false) {
    return VerbLine{after, at, certain};
  };
  for (const Statement& row : kStatements) {
    if (verb != row.verb) continue;
    const bool is_verb = spaced && StartsWithWord(rest, row.next);
    return line(is_verb ? AfterVerb::kArguments : AfterVerb::kPython, is_verb);
  }
  if (IsEmpty(rest)) return line(AfterVerb::kNothing);
  if (verb == kSqlVerb && spaced && rest.size() > 1 && rest[0] == '.' && IsWordPart(rest[1]))
    return line(AfterVerb::kArguments);
  if (spaced && BeginsDotted(verb, rest)) return line(AfterVerb::kArguments, true);
  const bool python = spaced ? ContinuesName(rest) : rest[0] != '?';
  return line(python ? AfterVerb::kPython : AfterVerb::kArguments,
              !python && spaced && BeginsOperand(rest));
}

uint32_t EndOfWord(std::string_view text, uint32_t at) {
  while (at < text.size() && IsWordPart(text[at])) ++at;
  return at;
}

uint32_t SkipBlanks(std::string_view text, uint32_t at) { return Skip(text, at, " \t"); }

HelpMark ReadHelpMark(std::string_view text, uint32_t begin) {
  uint32_t end = begin;
  const auto in_name = [](char c) {  // also of nodes, as in layer/add:0
    return IsWordPart(c) || c == '.' || c == '/' || c == ':' || c == '-';
  };
  while (end < text.size() && in_name(text[end])) ++end;
  if (end < text.size() && text[end] == '[') {
    const uint32_t close = Skip(text, end + 1, "0123456789");
    if (close > end + 1 && close < text.size() && text[close] == ']') end = close + 1;
  }
  const uint32_t stop = Skip(text, end, "?"), tail = Skip(text, stop, " \t\r");
  const bool ends = tail == text.size() || text[tail] == '\n' || text[tail] == ';';
  if (!ends || stop - end > 2) return {};
  return {end, stop - end};
}

}  // namespace tensh::shell
