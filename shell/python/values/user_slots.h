// The slots of user classes. Each slot calls the dunder method of the same name.
#pragma once

#include "shell/python/values/type.h"

namespace tensh::shell {

class UserClass;

// Sets the slots of `info` whose dunder methods `cls` defines, and clears the others.
void SetUserSlots(UserClass& cls, TypeInfo* info);

// Implements object.__getattribute__, which ignores the class's __getattr__. Defined in ops.cc.
Value GetAttrDirect(const Value& v, StrObject* name);

}  // namespace tensh::shell
