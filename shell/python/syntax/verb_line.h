// The grammar of lines that begin with a verb, the one part of the language that is not Python's:
// `eval w + 1`, `break if loss > 3`, `w?`.
//
// A verb is not a reserved word. A line that begins with one is still Python if the rest of the
// line may follow a name in Python: `run = 3`, `graph.x`, `step in names`. The functions here
// decide this from the text alone. They keep no state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tensh::shell {

// The text after the first word of a line, if that word is a verb.
enum class AfterVerb : uint8_t {
  kPython,     // The line is a Python statement.
  kNothing,    // The verb has no arguments.
  kArguments,  // The rest of the line belongs to the verb.
};

struct VerbLine {
  AfterVerb after = AfterVerb::kPython;
  uint32_t rest = 0;     // The offset of the first byte after the verb that is not a blank.
  bool certain = false;  // The line would not be Python if the verb were a variable either.
};

// Return the end of the word, or of the blanks, that begin at text[at].
uint32_t EndOfWord(std::string_view text, uint32_t at);
uint32_t SkipBlanks(std::string_view text, uint32_t at);

// Returns the verb that `.WORD` belongs to if WORD is no verb: `.tables` is `sql .tables`. Returns ""
// for other words. DottedWords() lists these words.
std::string_view VerbOfDotted(std::string_view word);
std::span<const std::string_view> DottedWords();

// Classifies a line whose first word, text[begin, end), is a verb.
VerbLine ReadVerbLine(std::string_view text, uint32_t begin, uint32_t end);

// A statement of the form `NAME?` or `NAME??`, which shows help. NAME may be dotted or the name of a
// node, and `Out[3]?` is allowed too.
struct HelpMark {
  uint32_t name_end = 0;
  uint32_t marks = 0;  // The number of question marks, or 0 if the statement has another form.
};

HelpMark ReadHelpMark(std::string_view text, uint32_t begin);

}  // namespace tensh::shell
