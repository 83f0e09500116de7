// The slots of classes the user writes: each calls the dunder method of that name.
#pragma once

#include "shell/values/type.h"

namespace tensh::shell {

class UserClass;

// Sets in `info` the slots whose dunder methods `cls` has, and clears the others.
void SetUserSlots(UserClass& cls, TypeInfo* info);

// object.__getattribute__: without the class's __getattr__. In ops.cc.
Value GetAttrDirect(const Value& v, StrObject* name);

}  // namespace tensh::shell
