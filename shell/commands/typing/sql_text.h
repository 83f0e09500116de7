// A statement of SQL that is being typed: its colors and its completion.
//
// Threads: the interpreter's thread only.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "shell/commands/typing/completing.h"
#include "shell/edit/code_tokens.h"
#include "shell/edit/styled.h"

namespace tensh::shell {

// Appends the colors of the tokens, which are those of one statement after the verb `sql`. Names that
// are no tables, columns or names of the statement itself are unknown, except the one that ends at
// the cursor if a known name begins like it.
void PaintSql(Shell& shell, std::string_view text, std::span<const CodeToken> tokens, size_t cursor,
              std::vector<StyleSpan>* spans);

namespace completing {

// Completes the word at the end of the text, whose statement begins at `begin`, after the verb.
Completion SqlWord(Shell& shell, std::string_view text, size_t begin);
// Completes `.tables` and `.schema TABLE`, which begin at `begin`.
Completion DottedSqlWord(std::string_view text, size_t begin);
// Completes the text of a string in a statement: the ops after op =, nodes after name =, and devices.
Completion SqlString(Shell& shell, std::string_view text, size_t begin, const CodePlace& place);

}  // namespace completing
}  // namespace tensh::shell
