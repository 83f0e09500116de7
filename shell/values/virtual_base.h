// A class that counts as derived from another for isinstance and issubclass, beside its own bases:
// numpy's float64, which is a Python float by layout, is a numpy.floating too.
#pragma once

#include "shell/values/type.h"

namespace tensh::shell {

void AddVirtualBase(const TypeInfo& type, const TypeInfo& base);

}  // namespace tensh::shell
