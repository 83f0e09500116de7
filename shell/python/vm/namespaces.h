// The names of modules and functions as dicts: globals(), locals(), vars() and __dict__ of modules.
//
// The dict of a module is a copy whose assignments also reach the module. It does not see later
// changes of the module. Threads: the caller holds the interpreter's lock.
#pragma once

#include <cstdint>

#include "shell/python/values/value.h"

namespace tensh::shell {

struct Frame;

Value NamespaceOf(uint16_t module);  // Of a user's text with this number; 0 is the program.
// Returns the number of the module that a dict stands for, or -1.
int32_t ModuleOfNamespace(const Value& dict);
Value GlobalsOfCaller();
Value LocalsOf(const Frame& frame);  // The locals of a function.
Value LocalsOfCaller();  // Outside of functions and classes, the same as GlobalsOfCaller.
// Returns the frame object of a caller that is not part of a library, and of its callers.
Value FrameOfCaller(int64_t depth);

}  // namespace tensh::shell
