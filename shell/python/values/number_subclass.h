// Instances of the user's subclasses of int and float: a number with attributes.
//
// Plain numbers are immediates, so such an instance is an object that holds one. Its type derives
// from a layout (below) whose slots take the number out and compute with it. As in Python, the
// results are plain numbers. Methods of int and float receive the number (NativeFunction).
#pragma once

#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

// Returns the table that subclasses of this type derive from: a separate one for int and float;
// otherwise the table itself.
const TypeInfo* LayoutOf(const TypeInfo& native);

// Returns the number in an instance of a subclass of int or float. Any other value is returned
// unchanged.
Value PlainNumber(const Value& v);

// Makes an instance. Used by the tables of int and float.
Value NewNumber(const TypeInfo& cls, const CallArgs& args);

}  // namespace tensh::shell
