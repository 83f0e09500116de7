// Instances of the user's subclasses of int and float: a number, with attributes.
//
// Numbers themselves are immediates, so such an instance is an object that holds one. Its type
// derives from a layout (below) whose slots take the number out and do what numbers do; results are
// plain numbers, as in Python. Methods of int and float get the number as their receiver
// (NativeFunction).
#pragma once

#include "shell/values/type.h"
#include "shell/values/value.h"

namespace tensh::shell {

// The layout that a subclass of this table type has: another table for int and float, else itself.
const TypeInfo* LayoutOf(const TypeInfo& native);

// The number in an instance of a subclass of int or float; any other value as it is.
Value PlainNumber(const Value& v);

// Makes an instance; for the tables of int and float.
Value NewNumber(const TypeInfo& cls, const CallArgs& args);

}  // namespace tensh::shell
