// Examples of the public names of tf and np, for `help`: from the examples files of the catalogue, or
// from the ops that the names stand for.
//
// Threads: the interpreter's.
#pragma once

#include <string>
#include <string_view>

#include "shell/python/values/value.h"

namespace tensh::shell {

class Catalogue;

// Returns the example of a name as a transcript: typed lines with ">>> " or "... ", then what they
// print. The example of an alias is that of its target, under the name of the alias. A module has no
// example; the result is then empty.
std::string NameExample(const Catalogue& catalogue, std::string_view path);

// Returns the path at which a catalogue has this function or class; "" if none has it.
std::string PathOfValue(const Catalogue& catalogue, const Value& value);

}  // namespace tensh::shell
