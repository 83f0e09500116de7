// Help for the public names of tf and np, and the reference page of them (docs/names.md), from
// their catalogues (shell/python/vm/catalogue.h).
//
// Threads: the interpreter's.
#pragma once

#include <string>
#include <string_view>

#include "shell/python/values/value.h"

namespace tensh::shell {

class Catalogue;
class Shell;

// Returns "(x, name=None)", or "" for a value that is not called.
std::string SignatureOf(const Value& value);

// Returns the signature, the documentation and an example of a name below the package, or the reason
// why it is not supported. Returns "" if it is not in the catalogue.
std::string NameHelp(const Catalogue& catalogue, std::string_view path);

// Formats a transcript as the section of a help text, as `help OP` formats its examples.
std::string ExampleText(std::string_view transcript);

// Like NameHelp, for a function or class of tf or np. Returns "" for any other value.
std::string HelpOnPublic(const Value& value);

// Like NameHelp, for an expression that names a member of a module: "tf.nn.relu", "np.linalg".
// Returns "" for any other expression.
std::string HelpOnName(Shell& shell, std::string_view expression);

// Returns one line about such an expression, for completion: the signature and the first sentence.
std::string SummaryOfName(Shell& shell, std::string_view expression);

// Lists the verbs, variables, nodes, ops and names of tf and np that contain the pattern, in which *
// stands for any text. Case does not matter.
std::string NamesLike(Shell& shell, std::string_view pattern);

// Returns the page that lists every name.
std::string NamesPage();

}  // namespace tensh::shell
