// Characters that web pages and word processors put in the place of those of a program: curly
// quotes, dashes, no-break spaces, signs of arithmetic. An error says what to type instead.
//
// Pure functions of valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell {

// Returns the line with these characters replaced, except inside plain quotes and comments. Text
// between curly quotes keeps its characters.
std::string PlainLine(std::string_view line);

// Returns Python's words for a character that no token contains: "invalid character '“' (U+201C)".
std::string InvalidCharacter(std::string_view sign);

// Returns the first of these characters that begins a word outside plain quotes, as in `nodes –all`
// and `op == “Const”`, or an empty view into no text. Inside a word, it may belong to a file name.
std::string_view TypographicWord(std::string_view text);

}  // namespace tensh::shell
