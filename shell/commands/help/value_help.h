// Help on a value of the program, `X?`: a node of a graph, a function, a class or anything else.
//
// Threads: the interpreter's.
#pragma once

#include <string>

#include "shell/python/values/value.h"

namespace tensh::shell {

class Shell;

// `full`, for `X??`: also the attributes of a node, and the source of a function or class.
std::string ValueHelp(Shell& shell, const Value& value, bool full);

}  // namespace tensh::shell
