// The parts of completion that are shared by the code for Python (complete.cc) and for verbs
// (complete_verb.cc).
//
// Threads: the interpreter's thread only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/base/command.h"
#include "shell/edit/completion.h"

namespace tensh::shell {

class Shell;

namespace completing {

using Names = std::vector<std::string>;

void Append(Names* to, Names more);
// Returns the sorted and unique names that begin with `typed`. Private names are included only if
// `typed` begins with an underscore.
Completion Matching(Names names, size_t from, std::string_view typed);
// Returns the dotted name at the end of the text, such as "tf.nn.re".
std::string_view DottedAtEnd(std::string_view text);

// Completes a name, an attribute, or an argument of the enclosing call, at the end of `text`.
Completion Python(Shell& shell, std::string_view text, Names also);
// Completes the arguments of a verb. `text` ends at the cursor; the verb begins at `begin`.
Completion OfVerb(Shell& shell, const Command& command, std::string_view text, size_t begin);
// Completes a statement that begins at `begin`.
Completion Statement(Shell& shell, std::string_view text, size_t begin);

Names NodeNames();
Names OpNames();
Names DeviceNames(Shell& shell, bool with_slash);
// Lists the files in the folder that `typed` names. Folders end in "/".
Completion Files(size_t begin, std::string_view typed);

}  // namespace completing
}  // namespace tensh::shell
