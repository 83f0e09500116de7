// Help on a value of the program, `X?`: a node of a graph, a function, a class or anything else.
//
// Threads: the interpreter's.
#pragma once

#include <string>

#include "shell/python/values/value.h"

namespace tensh::shell {

class Shell;

// Returns the help on a value. If `full`, for `X??`, includes the attributes of a node, or the
// source of a function or class.
std::string ValueHelp(Shell& shell, const Value& value, bool full);

}  // namespace tensh::shell
